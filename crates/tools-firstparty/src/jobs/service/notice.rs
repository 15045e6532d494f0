//! The text of a notice: which jobs have ended, and how to get their output.

use tool_seams::Job;

use crate::config::JobsCaps;
use crate::jobs::rows;

/// One row a job as far as they fit, then how many more there are and what to do.
pub(super) fn text(caps: &JobsCaps, jobs: &[Job]) -> String {
    let head = match jobs {
        [_] => "A background job has ended:\n",
        _ => "Background jobs have ended:\n",
    };
    let foot = "Get its output with job_output and its id.";
    // The longest that can come after the rows: `(and N more)`, with N as long as a count gets.
    let mut room = caps.notice_max_bytes.saturating_sub(head.len() + foot.len() + 40);
    let mut text = head.to_owned();
    let mut left = jobs.len();
    for job in jobs {
        let row = rows::row(job, caps.row_label_max_chars, room.saturating_sub(1)) + "\n";
        if row.len() > room {
            break;
        }
        room -= row.len();
        left -= 1;
        text.push_str(&row);
    }
    if left > 0 {
        text.push_str(&format!("(and {left} more; job_list shows them)\n"));
    }
    text + foot
}
