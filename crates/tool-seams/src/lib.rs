#![doc = include_str!("../README.md")]

#[cfg(feature = "fakes")]
pub mod fakes;
pub mod jobs;

pub use jobs::{
    Begin, Cancel, Job, JobEnd, JobError, JobId, JobKill, JobNotice, JobOutcome, JobOutput,
    JobOwner, JobRead, JobReader, JobRequest, JobRun, JobStatus, JobTail, Jobs, KillOutcome,
};
