//! How a job is shown in one row.

use tool_seams::Job;

use crate::text::cut;
use crate::text::escape::one_row;

/// `ID [KIND] status: label`, with the details that there are, in at most `max_bytes`.
pub(crate) fn row(job: &Job, label_max_chars: usize, max_bytes: usize) -> String {
    let kind = if job.id.as_str().strip_prefix(&job.kind).is_some_and(|rest| rest.starts_with('-'))
    {
        String::new()
    } else {
        format!("[{}] ", one_row(&job.kind))
    };
    let row = format!(
        "{} {kind}{}: {}",
        one_row(job.id.as_str()),
        standing(job),
        label(job, label_max_chars)
    );
    let kept = cut::to_bytes(&row, max_bytes);
    if kept.len() == row.len() {
        return row;
    }
    format!("{}…", cut::to_bytes(&row, max_bytes.saturating_sub('…'.len_utf8())))
}

/// The status, and more on it if there is any.
pub(crate) fn standing(job: &Job) -> String {
    match &job.detail {
        Some(detail) => format!("{}, {}", job.status.as_str(), one_row(detail)),
        None => job.status.as_str().to_owned(),
    }
}

fn label(job: &Job, max_chars: usize) -> String {
    let label = one_row(&job.label);
    match cut::to_chars(&label, max_chars) {
        Some(kept) => format!("{kept}…"),
        None => label.into_owned(),
    }
}
