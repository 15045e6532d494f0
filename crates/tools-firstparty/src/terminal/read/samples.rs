//! Example calls of `terminal_read`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{TerminalRead, TerminalReadValue};

impl ToolSamples for TerminalRead {
    fn samples(&self) -> Vec<Sample<TerminalReadValue>> {
        let screen = Some("Mem: 2G\n\n  PID CMD".to_owned());
        vec![
            Sample {
                name: "the newest lines",
                args: json!({ "session_id": "pty-1", "count": 2 }),
                value: page("done in 3 s\n~$", 9, (0, 2)),
            },
            Sample {
                name: "lines before them, the oldest gone",
                args: json!({ "session_id": "pty-1", "offset": 8, "count": 50 }),
                value: TerminalReadValue { truncated: true, ..page("line 1", 9, (8, 9)) },
            },
            Sample {
                name: "a full-screen program",
                args: json!({ "session_id": "pty-1" }),
                value: TerminalReadValue { screen: screen.clone(), ..page("~$ top", 1, (0, 1)) },
            },
            Sample {
                name: "lines before a full-screen program",
                args: json!({ "session_id": "pty-1", "offset": 0 }),
                value: TerminalReadValue { screen, ..page("~$ top", 1, (0, 1)) },
            },
            Sample {
                name: "one empty line",
                args: json!({ "session_id": "pty-1", "offset": 1, "count": 1 }),
                value: page("", 3, (1, 2)),
            },
            Sample {
                name: "nothing",
                args: json!({ "session_id": "pty-1", "offset": 99 }),
                value: page("", 3, (3, 3)),
            },
        ]
    }
}

fn page(text: &str, total_lines: u64, (line_begin, line_end): (u64, u64)) -> TerminalReadValue {
    let text = text.to_owned();
    TerminalReadValue { text, total_lines, line_begin, line_end, truncated: false, screen: None }
}
