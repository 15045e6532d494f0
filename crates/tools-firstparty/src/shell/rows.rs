//! The text of a command's result: its output, then rows about it.
//!
//! The rows are for reading. Programs and interfaces take the facts from the value and the metadata.

use super::sandbox::BashSandbox;
use super::value::{BashEnded, BashStream};
use crate::config::BashCaps;
use crate::text::escape::one_row;

/// stdout, stderr under a row of its own, then what there is to say, how it ended last.
pub(super) fn text(caps: &BashCaps, ended: &BashEnded) -> String {
    let mut page = Page::default();
    page.stream(caps, "stdout", &ended.stdout);
    if ended.stderr.total_bytes > 0 {
        page.row("[stderr]");
        page.stream(caps, "stderr", &ended.stderr);
    }
    if page.0.is_empty() {
        page.row("(no output)");
    }
    let last = if ended.stderr.total_bytes > 0 { &ended.stderr } else { &ended.stdout };
    let imitated = ends_like_a_row(&last.text);
    for saying in ended.sandbox.iter().flat_map(BashSandbox::sayings) {
        page.row(&format!("[{saying}]"));
    }
    if ended.timed_out {
        page.row(&format!("[timed out after {} ms]", ended.timeout_ms));
    }
    match (ended.exit_code, &ended.signal) {
        (_, Some(signal)) => page.row(&format!("[ended by {}]", one_row(signal))),
        // The last row is always ours: output that looks like one is followed by the true one.
        (Some(0), None) if !imitated => {}
        (Some(code), None) => page.row(&format!("[exit code: {code}]")),
        (None, None) => {}
    }
    page.0
}

/// Text that grows by rows.
#[derive(Default)]
struct Page(String);

impl Page {
    fn stream(&mut self, caps: &BashCaps, name: &str, stream: &BashStream) {
        self.begin_row();
        self.0.push_str(&stream.text);
        if stream.truncated {
            self.row(&format!(
                "[{name} truncated: {} bytes in all; {}]",
                stream.total_bytes,
                where_saved(caps, stream)
            ));
        }
    }

    fn row(&mut self, row: &str) {
        self.begin_row();
        self.0.push_str(row);
    }

    fn begin_row(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }
}

fn where_saved(caps: &BashCaps, stream: &BashStream) -> String {
    match &stream.spill_path {
        None => "it was not saved".to_owned(),
        Some(path) if stream.total_bytes > caps.saved_max_bytes => {
            format!("its first {} bytes are in {}", caps.saved_max_bytes, one_row(path))
        }
        Some(path) => format!("all of it is in {}", one_row(path)),
    }
}

fn ends_like_a_row(text: &str) -> bool {
    let last = text.trim_end().rsplit(['\n', '\r']).next().unwrap_or_default().trim_start();
    last.starts_with('[') && last.ends_with(']')
}
