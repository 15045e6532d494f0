//! What a cancelled command leaves: the last of each stream, in the failure's message (decisions DR2).

use host_process::{Captured, Finished};

use crate::config::BashCaps;
use crate::text::ends::Ends;

/// The message of a call that was cancelled while its command ran.
pub(super) fn message(caps: &BashCaps, finished: &Finished) -> String {
    let ran_ms = finished.duration.as_millis();
    let mut message =
        format!("the call was cancelled; the command had run for {ran_ms} ms and was ended");
    for (name, stream) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if stream.total_bytes() > 0 {
            let Ends { text, omitted_bytes } = last(stream, caps.aborted_tail_max_bytes);
            let before = match omitted_bytes {
                0 => String::new(),
                count => format!(", {count} bytes left out before"),
            };
            message.push_str(&format!("\n[{name}{before}]\n{}", text.trim_end_matches('\n')));
        }
    }
    message
}

/// The last of a stream.
fn last(stream: &Captured, max_bytes: usize) -> Ends {
    let whole = stream.whole();
    // The tail alone where a gap lies before it.
    let kept = whole.as_deref().unwrap_or(stream.tail());
    Ends::last_of(kept, stream.total_bytes(), max_bytes)
}
