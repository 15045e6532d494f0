//! The worker as a process.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::serve::serve;
use crate::engine::{Engine, Held};
use crate::sandbox::{self, Confinement};

/// The first argument of a worker. The second is the id of its host.
pub(crate) const MARK: &str = "--code-runtime-worker";

/// Turns this process into a worker when it was started as one, and never returns then; else returns at once.
///
/// It must be the first line of `main` of a program that is its own worker
/// ([`Worker::CurrentExe`](crate::Worker::CurrentExe)): before it, nothing may be opened and no thread started.
pub fn worker_main() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != MARK) {
        return;
    }
    let served = work(arguments.next());
    std::process::exit(i32::from(served.is_none()));
}

fn work(host: Option<OsString>) -> Option<()> {
    let host: i32 = host?.to_str()?.parse().ok()?;
    set_parent_process_death_signal(Some(Signal::KILL)).ok()?;
    // The host may be gone already.
    if getppid()?.as_raw_pid() != host {
        return None;
    }
    sandbox::close_inherited();
    let stream = take_socket().ok()?;
    warm_up();
    let held = Held { alarm: Some(sandbox::compute_alarm), stop: Arc::default() };
    serve(stream, held, Confinement::enter);
    Some(())
}

/// The socket, which is the standard input; an error where it is something else.
fn take_socket() -> io::Result<UnixStream> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    stream.peer_addr()?;
    Ok(stream)
}

/// Runs a program that does nothing, so that the one to come finds code and memory in place.
fn warm_up() {
    Engine::warm_up();
}
