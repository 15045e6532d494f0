#![doc = include_str!("../README.md")]

#[cfg(feature = "fakes")]
pub mod fakes;
pub mod jobs;

pub use jobs::{
    Begin, Cancel, Job, JobCursor, JobEnd, JobError, JobId, JobKill, JobNotice, JobOutcome,
    JobOutput, JobOwner, JobPage, JobRead, JobReader, JobRequest, JobRun, JobStatus, Jobs,
    KillOutcome,
};
