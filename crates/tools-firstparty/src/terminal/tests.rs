//! The service and its sends over a scripted terminal.

mod owners;
mod sends;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{AccessMode, AgentId, SessionId};
use tool_seams::JobOwner;

use super::error::TerminalFault;
use super::sending::{Sent, Slot, Typed};
use super::service::{Opening, Terminals};
use super::session::Session;
use crate::config::TerminalCaps;
use crate::seam::terminal::fake::{Fake, FakeHost};

/// Short times, so that nothing waits longer than a test may.
fn caps() -> TerminalCaps {
    TerminalCaps {
        poll_ms: 5,
        probe_after_ms: 10,
        idle_silence_ms: 60,
        handoff_grace_ms: 30,
        send_timeout_ms: 400,
        open_timeout_ms: 400,
        cancel_settle_ms: 100,
        close_grace_ms: 50,
        ..TerminalCaps::default()
    }
}

/// For waits that something else than the clock is to end.
fn patient() -> TerminalCaps {
    let ms = 60_000;
    TerminalCaps { idle_silence_ms: ms, send_timeout_ms: ms, open_timeout_ms: ms, ..caps() }
}

fn owner(agent: &str) -> JobOwner {
    JobOwner { session: Some(SessionId::new("s")), agent: AgentId::new(agent.to_owned()) }
}

fn opening(agent: &str, name: Option<&str>) -> Opening {
    Opening {
        owner: owner(agent),
        name: name.map(str::to_owned),
        folder: PathBuf::from("/"),
        access_mode: AccessMode::WorkspaceWrite,
        confinement: None,
        allowed_variables: Vec::new(),
    }
}

fn never() -> bool {
    false
}

/// A service over a script, and one terminal opened there.
fn opened(
    script: impl Fn(&Fake, &[u8]) + Send + Sync + 'static,
) -> (FakeHost, Terminals, Arc<Session>) {
    let host = FakeHost::new(script);
    let terminals = Terminals::new(Arc::new(host.clone()));
    let (session, _) = terminals.open(&caps(), opening("a", None), &never).expect("it opens");
    (host, terminals, session)
}

/// What a shell does that runs each line at once.
fn echo(fake: &Fake, typed: &[u8]) {
    if typed.is_empty() {
        return fake.prompt();
    }
    let typed = String::from_utf8_lossy(typed);
    fake.print(&typed.replace('\r', "\r\n"));
    if typed.ends_with('\r') {
        fake.command();
        fake.print("out\r\n");
        fake.prompt();
    }
}

fn line(text: &str) -> Typed {
    Typed { text: text.to_owned(), keys: Vec::new(), submit: true }
}

fn send(session: &Arc<Session>, text: &str) -> Result<Sent, TerminalFault> {
    Slot::claim(session)?.send(&caps(), &line(text), &never)
}

/// Runs `work` while another thread is in a send that does not end by itself, then lets it end.
fn during_a_send(session: &Arc<Session>, fake: &Fake, work: impl FnOnce()) {
    std::thread::scope(|scope| {
        let slot = Slot::claim(session).expect("free");
        let sending = scope.spawn(move || slot.send(&patient(), &line("wait"), &never));
        while !fake.typed().contains("wait") {
            std::thread::sleep(Duration::from_millis(1));
        }
        work();
        fake.exit(crate::seam::terminal::Exit::Code(0));
        sending.join().expect("no panic").expect("it settles");
    });
}
