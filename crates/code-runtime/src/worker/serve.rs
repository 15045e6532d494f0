//! What a worker does, in a process or on a thread.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::engine::{Engine, Held};
use crate::sandbox::Confinement;
use crate::wire::{FrameKind, read_program, read_setup};
use crate::worker::{Incoming, Intake, Outlet};

/// Told to the host, so that both are of one build.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Serves one program over `stream` and returns when it ended, or when the host is gone. `confine` shuts the process in
/// once the limits are known.
pub(crate) fn serve(
    stream: UnixStream,
    held: Held,
    confine: impl FnOnce(&crate::Limits) -> Confinement,
) {
    let Ok(outgoing) = stream.try_clone() else { return };
    let (mut intake, mut outlet) = (Intake::new(stream), Outlet::new(outgoing));
    let Incoming::Frame(frame) = intake.next(None) else { return };
    let Ok((limits, poll_us)) = read_setup(frame.payload) else { return };
    if frame.kind != FrameKind::Setup {
        return;
    }
    let confinement = confine(&limits);
    intake.set_up(limits.payload_bytes(), Duration::from_micros(poll_us));
    outlet.queue(FrameKind::Hello, 0, |writer| {
        writer.text(VERSION);
        confinement.write(writer);
    });
    if outlet.flush().is_err() {
        return;
    }
    let Ok(engine) = Engine::new(&limits, outlet, held) else { return };
    let Incoming::Frame(frame) = intake.next(None) else { return };
    let program = match (frame.kind, read_program(frame.payload)) {
        (FrameKind::Program, Ok(program)) => program,
        _ => return,
    };
    engine.run(&program, &mut intake);
}
