//! The signals that ask the program to end: SIGINT, SIGTERM and SIGHUP.

use std::pin::pin;
use std::time::Duration;

use crate::exit::{Exit, Stop};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long commands and the runtime may take to stop when the program ends. Work that ignores its
/// cancellation ends with the process.
pub(crate) const SHUTDOWN: Duration = Duration::from_millis(100);

/// The signals, served from the moment the call begins until its result is printed.
#[derive(Debug)]
pub(crate) struct Served {
    signals: Signals,
    first: Option<Exit>,
}

impl Served {
    /// Starts listening.
    pub(crate) fn start() -> Result<Self, Stop> {
        Ok(Self { signals: Signals::listen()?, first: None })
    }

    /// How the program has to end, if a signal said so.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.first
    }

    /// Waits for a signal. The first is noted; a second one ends the program here.
    pub(crate) async fn next(&mut self) {
        let exit = self.signals.next().await;
        if self.first.is_some() {
            at_once(exit);
        }
        self.first = Some(exit);
    }

    /// Waits for work that the first signal must not cut off.
    pub(crate) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                () = self.next() => {}
                done = &mut work => return done,
            }
        }
    }

    /// Waits for work that may never end, of which a signal leaves what takes a moment: a result that
    /// somebody reads is printed whole.
    pub(crate) async fn until<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            done = &mut work => return done,
            () = self.next() => {}
        }
        let done = tokio::time::timeout(SHUTDOWN, work).await;
        done.unwrap_or_else(|_| at_once(self.first.unwrap_or(Exit::Interrupted)))
    }
}

/// Ends the program without waiting for anything but its commands.
#[expect(clippy::exit, reason = "a second signal must not wait for anything")]
fn at_once(exit: Exit) -> ! {
    host_process::end_all(SHUTDOWN);
    std::process::exit(exit.code().into())
}

/// The signals that end a call.
#[derive(Debug)]
struct Signals {
    #[cfg(unix)]
    interrupt: Option<Signal>,
    #[cfg(unix)]
    terminate: Option<Signal>,
    #[cfg(unix)]
    hang_up: Option<Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Starts listening: from now on the signals no longer end the process by themselves. One that the
    /// program was started to ignore, as `nohup` does, stays ignored.
    fn listen() -> Result<Self, Stop> {
        let ignored = ignored();
        let listen = |kind: SignalKind| {
            if ignored & (1 << (kind.as_raw_value() - 1)) != 0 {
                return Ok(None);
            }
            let listening = signal(kind).map(Some);
            listening.map_err(|error| Stop::internal(format!("cannot listen to signals: {error}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    async fn next(&mut self) -> Exit {
        tokio::select! {
            () = received(&mut self.interrupt) => Exit::Interrupted,
            () = received(&mut self.terminate) => Exit::Terminated,
            () = received(&mut self.hang_up) => Exit::HungUp,
        }
    }
}

#[cfg(unix)]
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// The signals this process ignores, the first one in the lowest bit. Where the system does not tell, none.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
impl Signals {
    /// Starts listening.
    fn listen() -> Result<Self, Stop> {
        Ok(Self {})
    }

    /// Waits for the next Ctrl-C.
    async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
