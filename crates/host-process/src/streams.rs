//! The pipes of a command, read and written as they are ready.

use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;

use crate::command::Command;
use crate::leader::Pipes;
use crate::output::{Name, Output};
use crate::spool::Spooler;

/// What a pipe holds, and one read takes, at most: so much is moved for one change between the processes.
const CHUNK_BYTES: usize = 256 * 1024;

/// The pipes that are still open.
#[derive(Debug)]
pub(crate) struct Streams {
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    stdout: Source<ChildStdout>,
    stderr: Source<ChildStderr>,
    output: Output,
    chunk: Box<[u8]>,
}

#[derive(Debug)]
struct Source<P> {
    name: Name,
    pipe: Option<P>,
    spooler: Option<Spooler>,
}

impl Streams {
    pub(crate) fn new(pipes: Pipes, command: Command, output: Output) -> io::Result<Self> {
        for pipe in [
            pipes.stdin.as_ref().map(AsFd::as_fd),
            pipes.stdout.as_ref().map(AsFd::as_fd),
            pipes.stderr.as_ref().map(AsFd::as_fd),
        ] {
            pipe.map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        }
        let max_bytes = command.spool.as_ref().map_or(0, |spool| spool.max_bytes);
        let [of_stdout, of_stderr] = match &command.spool_paths {
            Some(paths) => paths.each_ref().map(|path| Some(Spooler::new(path, max_bytes))),
            None => [None, None],
        };
        for pipe in [pipes.stdout.as_ref().map(AsFd::as_fd), pipes.stderr.as_ref().map(AsFd::as_fd)]
        {
            pipe.into_iter().for_each(enlarge);
        }
        Ok(Self {
            stdin: pipes.stdin,
            written: 0,
            stdout: Source { name: Name::Stdout, pipe: pipes.stdout, spooler: of_stdout },
            stderr: Source { name: Name::Stderr, pipe: pipes.stderr, spooler: of_stderr },
            input: command.stdin,
            output,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
        })
    }

    /// Whether both outputs came to their end.
    pub(crate) fn are_closed(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// What to wait for.
    pub(crate) fn interests(&self) -> impl Iterator<Item = PollFd<'_>> {
        let stdin = self.stdin.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::OUT));
        let stdout = self.stdout.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN));
        let stderr = self.stderr.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN));
        let open = [stdin, stdout, stderr].into_iter().flatten();
        open.map(|(pipe, flags)| PollFd::from_borrowed_fd(pipe, flags))
    }

    /// Moves what can be moved at once: one chunk of each stream.
    pub(crate) fn advance(&mut self) {
        self.write();
        self.stdout.read(&mut self.chunk, &self.output);
        self.stderr.read(&mut self.chunk, &self.output);
    }

    /// Closes stdin, whatever was not written of it.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    fn write(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let rest = self.input.get(self.written..).unwrap_or_default();
        match stdin.write(rest) {
            Ok(count) => self.written += count,
            Err(error) if is_transient(&error) => {}
            // The reader is gone, which is no fault of it.
            Err(_) => self.written = self.input.len(),
        }
        if self.written >= self.input.len() {
            self.stdin = None;
            self.input = Vec::new();
        }
    }
}

impl<P: Read> Source<P> {
    fn read(&mut self, chunk: &mut [u8], output: &Output) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(chunk) {
            Ok(0) => self.pipe = None,
            Ok(count) => self.take(chunk.get(..count).unwrap_or_default(), output),
            Err(error) if is_transient(&error) => {}
            Err(_) => self.pipe = None,
        }
    }

    fn take(&mut self, bytes: &[u8], output: &Output) {
        if let Some(spooler) = &mut self.spooler {
            // Written outside the lock: readers do not wait for a disk.
            if spooler.is_unopened() {
                let held = output.with(self.name, |collector| collector.overflowing(bytes.len()));
                if let Some((held, spooled)) = held.and_then(|held| Some((held, spooler.open()?))) {
                    spooler.write(&held);
                    output.with(self.name, |collector| collector.spool = Some(spooled));
                }
            }
            spooler.write(bytes);
        }
        output.with(self.name, |collector| collector.push(bytes));
    }
}

/// A pipe that cannot be made larger is slower, and no worse.
#[cfg(target_os = "linux")]
fn enlarge(pipe: BorrowedFd<'_>) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, CHUNK_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_: BorrowedFd<'_>) {}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
