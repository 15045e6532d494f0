//! The pipes of a command, read and written as they are ready.

use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;

use crate::capture::{Captured, Collector};
use crate::command::Command;
use crate::leader::Pipes;

/// What one read takes at most.
const CHUNK_BYTES: usize = 64 * 1024;

/// The pipes that are still open.
#[derive(Debug)]
pub(crate) struct Streams {
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    stdout: Source<ChildStdout>,
    stderr: Source<ChildStderr>,
    chunk: Box<[u8]>,
}

#[derive(Debug)]
struct Source<P> {
    pipe: Option<P>,
    collector: Collector,
}

impl Streams {
    pub(crate) fn new(pipes: Pipes, command: Command) -> io::Result<Self> {
        for pipe in [
            pipes.stdin.as_ref().map(AsFd::as_fd),
            pipes.stdout.as_ref().map(AsFd::as_fd),
            pipes.stderr.as_ref().map(AsFd::as_fd),
        ] {
            pipe.map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        }
        Ok(Self {
            stdin: pipes.stdin,
            input: command.stdin,
            written: 0,
            stdout: Source { pipe: pipes.stdout, collector: Collector::new(command.limits.stdout) },
            stderr: Source { pipe: pipes.stderr, collector: Collector::new(command.limits.stderr) },
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
        self.stdout.read(&mut self.chunk);
        self.stderr.read(&mut self.chunk);
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

    pub(crate) fn finish(self) -> (Captured, Captured) {
        (self.stdout.collector.finish(), self.stderr.collector.finish())
    }
}

impl<P: Read> Source<P> {
    fn read(&mut self, chunk: &mut [u8]) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(chunk) {
            Ok(0) => self.pipe = None,
            Ok(count) => self.collector.push(chunk.get(..count).unwrap_or_default()),
            Err(error) if is_transient(&error) => {}
            Err(_) => self.pipe = None,
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
