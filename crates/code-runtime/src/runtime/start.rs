//! Starting a worker.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

use super::slot::{Body, Slot};
use crate::config::{Config, Worker};
use crate::engine::Held;
use crate::sandbox::Confinement;
use crate::wire::{FrameKind, Writer, put, write_setup};
use crate::worker::{MARK, serve};

/// The running program, whatever its file has become since it was started.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// Stack of a worker on a thread: reading a deeply nested program takes most of it. Pages are taken as they are touched.
const THREAD_STACK_BYTES: usize = 512 << 20;

/// Starts a worker and tells it its limits. The thread that does must live as long as it: the kernel ends the worker
/// with the thread.
pub(super) fn start(number: u64, config: &Config) -> io::Result<Slot> {
    let (ours, theirs) = UnixStream::pair()?;
    let body = match &config.worker {
        Worker::CurrentExe => process(Path::new(THIS_PROGRAM), theirs)?,
        Worker::Path(path) => process(path, theirs)?,
        Worker::InProcess => thread(theirs)?,
    };
    let clock = TimerfdClockId::Monotonic;
    let timer = timerfd_create(clock, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
    let mut setup = Vec::new();
    let Ok(()) = put::<std::convert::Infallible>(&mut setup, FrameKind::Setup, 0, |out| {
        write_setup(&mut Writer { out }, &config.limits, config.poll_us);
        Ok(())
    });
    let slot = Slot::new(number, ours, timer, body);
    // A few bytes, which an empty socket takes.
    io::Write::write_all(&mut &slot.stream, &setup)?;
    slot.stream.set_nonblocking(true)?;
    Ok(slot)
}

/// A process with an empty environment and no descriptor but its socket.
fn process(program: &Path, socket: UnixStream) -> io::Result<Body> {
    let child = Command::new(program)
        .arg0("code-worker")
        .arg(MARK)
        .arg(std::process::id().to_string())
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(socket)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(Body::Process(child))
}

fn thread(socket: UnixStream) -> io::Result<Body> {
    let stop = Arc::<AtomicBool>::default();
    let held = Held { alarm: None, stop: Arc::clone(&stop) };
    std::thread::Builder::new()
        .name("code-worker".to_owned())
        .stack_size(THREAD_STACK_BYTES)
        .spawn(move || serve(socket, held, |_| Confinement::THREAD))?;
    Ok(Body::Thread(stop))
}
