//! What both search tools say below a page that is cut.

/// How to get at what a page leaves out: where the whole list is, or what to do without it.
pub(super) fn recovery(saved_at: Option<&str>, narrow: &str) -> String {
    match saved_at {
        Some(place) => format!("The whole list is in {place}: read it in pages, or grep it."),
        None => format!("The list is cut here; {narrow}."),
    }
}
