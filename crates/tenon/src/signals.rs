//! The signals that ask the program to end: SIGINT, SIGTERM and SIGHUP.

use crate::exit::{Exit, Stop};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a call.
#[derive(Debug)]
pub(crate) struct Signals {
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
    pub(crate) fn listen() -> Result<Self, Stop> {
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
    pub(crate) async fn next(&mut self) -> Exit {
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
    pub(crate) fn listen() -> Result<Self, Stop> {
        Ok(Self {})
    }

    /// Waits for the next Ctrl-C.
    pub(crate) async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
