//! Frames.

/// Bytes before the payload.
pub(crate) const FRAME_HEAD: usize = 9;

/// What a frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FrameKind {
    /// To the worker, first: the limits.
    Setup = 1,
    /// To the worker: the program and its bindings.
    Program = 2,
    /// To the worker: the value of call `id`.
    Return = 3,
    /// To the worker: the error of call `id`.
    Reject = 4,
    /// From the worker, first: its version and how it is confined.
    Hello = 16,
    /// From the worker: the program compiled and runs.
    Started = 17,
    /// From the worker: one line of the console.
    Log = 18,
    /// From the worker: call `id`.
    Call = 19,
    /// From the worker, last: the program returned.
    Done = 20,
    /// From the worker, last: the program threw or does not compile.
    Fault = 21,
    /// From the worker, last: a limit was hit.
    Limit = 22,
    /// From the worker, last: the program waits for what cannot happen.
    Stalled = 23,
}

impl FrameKind {
    fn read(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Setup,
            2 => Self::Program,
            3 => Self::Return,
            4 => Self::Reject,
            16 => Self::Hello,
            17 => Self::Started,
            18 => Self::Log,
            19 => Self::Call,
            20 => Self::Done,
            21 => Self::Fault,
            22 => Self::Limit,
            23 => Self::Stalled,
            _ => return None,
        })
    }
}

/// One frame, read.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: FrameKind,
    pub(crate) id: u32,
    pub(crate) payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Payload length and kind as the head states them; `None` for a kind that does not exist.
    pub(crate) fn head(bytes: &[u8; FRAME_HEAD]) -> Option<(usize, FrameKind, u32)> {
        let [l0, l1, l2, l3, kind, i0, i1, i2, i3] = *bytes;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        let id = u32::from_le_bytes([i0, i1, i2, i3]);
        Some((usize::try_from(length).ok()?, FrameKind::read(kind)?, id))
    }
}

/// Appends a frame whose payload `fill` writes. What `fill` fails with leaves `out` as it was.
pub(crate) fn put<E>(
    out: &mut Vec<u8>,
    kind: FrameKind,
    id: u32,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    out.push(kind as u8);
    out.extend_from_slice(&id.to_le_bytes());
    if let Err(error) = fill(out) {
        out.truncate(at);
        return Err(error);
    }
    // Every payload is held under limits that fit 32 bits.
    let length = u32::try_from(out.len() - at - FRAME_HEAD).unwrap_or(u32::MAX);
    if let Some(head) = out.get_mut(at..at + 4) {
        head.copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}
