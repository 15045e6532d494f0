//! Long results: where the rest is, and how to read it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Folder, Ran, run};

fn rows(count: usize) -> Folder {
    use std::fmt::Write as _;
    let mut text = String::new();
    for row in 1..=count {
        writeln!(text, "row number {row} of a long file").unwrap();
    }
    Folder::with(&[("rows.txt", &text)])
}

fn grep(folder: &Folder) -> Ran {
    run(&mut folder.call(&["grep", r#"{"pattern":"row"}"#]))
}

/// The place that a notice names.
fn pointer(ran: &Ran) -> String {
    let (_, rest) = ran.stdout.rsplit_once(" is in ").unwrap_or_else(|| panic!("{}", ran.stdout));
    rest.split(": ").next().unwrap().to_owned()
}

#[test]
fn a_long_list_shows_a_page_exact_counts_and_a_place_that_read_opens() {
    let folder = rows(10_000);
    let ran = grep(&folder);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.len() <= 50_000);
    assert!(ran.stdout.contains("10000 matches"), "{}", ran.stdout);
    let place = pointer(&ran);
    let saved = fs::read_to_string(&place).unwrap();
    assert_eq!(saved.matches("row number").count(), 10_000);
    let arguments = serde_json::json!({ "file_path": place, "offset": 10_000, "limit": 2 });
    let read = run(&mut folder.call(&["read", &arguments.to_string()]));
    assert_eq!(read.code, 0, "{read:?}");
    assert!(read.stdout.contains("row number 9997"), "{read:?}");
}

#[test]
fn twenty_long_results_keep_twenty_files() {
    let folder = rows(600);
    let places: Vec<_> = (0..20).map(|_| pointer(&grep(&folder))).collect();
    let distinct: BTreeSet<_> = places.iter().collect();
    assert_eq!(distinct.len(), 20);
    let first = fs::read_to_string(&places[0]).unwrap();
    assert!(places.iter().all(|place| fs::read_to_string(place).unwrap() == first));
}

#[test]
fn the_cap_of_the_configuration_bounds_what_is_shown() {
    let folder = rows(600);
    folder.configure("[spill]\nmax_inline_bytes = 2000\n");
    let ran = grep(&folder);
    assert!(ran.stdout.len() <= 2001, "{} bytes", ran.stdout.len());
    assert!(Path::new(&pointer(&ran)).is_file());
    assert_eq!(
        fs::read_dir(folder.state().join("spills/no-session"))
            .unwrap()
            .filter(|entry| {
                !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.')
            })
            .count(),
        1
    );
}

#[test]
fn a_state_that_cannot_be_written_still_gives_a_result() {
    let folder = rows(10_000);
    // A file stands where the directory should be made: this holds for root as well.
    fs::create_dir_all(folder.state().parent().unwrap()).unwrap();
    fs::write(folder.state(), "").unwrap();
    let ran = grep(&folder);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("10000 matches"));
    assert!(!ran.stdout.contains(" is in /"), "{}", ran.stdout);
}

#[test]
fn results_of_a_session_are_kept_with_it() {
    let folder = rows(600);
    let ran = run(&mut folder.call(&["grep", r#"{"pattern":"row"}"#, "--session", "s1"]));
    assert!(pointer(&ran).contains("/session-"), "{}", pointer(&ran));
}
