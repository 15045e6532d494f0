//! The screen, its history, and output that is out to break them.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn caps(rows: u16, cols: u16) -> TerminalCaps {
    TerminalCaps { rows, cols, ..TerminalCaps::default() }
}

fn screen(rows: u16, cols: u16) -> Screen {
    Screen::new(&caps(rows, cols), "n1").expect("a size")
}

fn shown(rows: u16, cols: u16, output: &str) -> String {
    let mut screen = screen(rows, cols);
    screen.mark();
    screen.feed(output.as_bytes());
    screen.since_mark(usize::MAX).text
}

#[test]
fn carriage_returns_and_backspaces_act_as_on_a_screen() {
    assert_eq!(shown(5, 20, "10%\r50%\r100%\r\ndone"), "100%\ndone");
    assert_eq!(shown(5, 20, "abc\x08\x08X\r\n"), "aXc");
    assert_eq!(shown(5, 20, "a\tb\x1b[2;3Hc\x1b[K"), "a       b\n  c");
    assert_eq!(shown(5, 20, "\x1b[31mred\x1b[0m \x1b]0;title\x07ok"), "red ok");
}

#[test]
fn lines_that_the_screen_wrapped_are_joined_wherever_they_stand() {
    let long = "0123456789".repeat(9);
    for after in [0, 1, 5, 9, 30] {
        let expected = format!("first\n{long}{}", "\nx".repeat(after));
        let output = format!("first\r\n{long}{}", "\r\nx".repeat(after));
        assert_eq!(shown(6, 20, &output), expected, "{after}");
    }
}

#[test]
fn only_what_came_since_the_mark_is_new() {
    let mut screen = screen(4, 20);
    screen.feed(b"old 1\r\nold 2\r\n$ ");
    screen.mark();
    assert_eq!(screen.since_mark(100).text, "$");
    screen.feed(b"ls\r\na\r\nb\r\nc\r\nd\r\n$ ");
    assert_eq!(screen.since_mark(100).text, "$ ls\na\nb\nc\nd\n$");
    assert_eq!(screen.since_mark(5), Shown { text: "c\nd\n$".to_owned(), truncated: true });
}

#[test]
fn a_wiped_screen_shows_what_came_after() {
    let mut screen = screen(4, 20);
    screen.feed(b"old 1\r\nold 2\r\n$ ");
    screen.mark();
    screen.feed(b"clear\r\n\x1b[H\x1b[2J\x1b[3J$ ");
    assert_eq!(screen.since_mark(100).text, "$");
    let page = screen.page(0, 10, 100);
    assert_eq!(page.shown.text, "old 1\nold 2\n$ clear\n$");
}

#[test]
fn a_program_that_draws_over_the_screen_shows_all_of_it() {
    let mut screen = screen(4, 20);
    screen.feed(b"top\r\nmiddle\r\n$ ");
    screen.mark();
    screen.feed(b"\x1b[1;1HTOP");
    assert_eq!(screen.since_mark(100).text, "TOP\nmiddle\n$");
}

#[test]
fn the_alternate_screen_comes_and_goes() {
    for (on, off) in [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?47h", "\x1b[?47l")] {
        let mut screen = screen(4, 20);
        screen.feed(b"$ vim\r\n");
        screen.mark();
        screen.feed(on.as_bytes());
        screen.feed(b"\x1b[H\x1b[2J~\x1b[4;1H-- INSERT --");
        assert_eq!(screen.since_mark(100).text, "~\n\n\n-- INSERT --");
        assert_eq!(screen.full_screen().as_deref(), Some("~\n\n\n-- INSERT --"));
        assert_eq!(screen.page(0, 9, 100).shown.text, "$ vim");
        screen.mark();
        screen.feed(off.as_bytes());
        assert_eq!(screen.full_screen(), None);
        screen.feed(b"\x1b[2;1H$ ");
        assert_eq!(screen.page(0, 9, 100).shown.text, "$ vim\n$");
    }
}

#[test]
fn pages_count_back_from_the_newest_line() {
    let mut screen = screen(3, 20);
    screen.feed(b"1\r\n2\r\n3\r\n\r\n5\r\n");
    let page = |offset, count| {
        let page = screen.page(offset, count, 100);
        (page.shown.text, page.begin, page.end, page.total, page.shown.truncated)
    };
    assert_eq!(page(0, 2), ("\n5".to_owned(), 0, 2, 5, false));
    assert_eq!(page(1, 1), (String::new(), 1, 2, 5, false));
    assert_eq!(page(3, 99), ("1\n2".to_owned(), 3, 5, 5, false));
    assert_eq!(page(9, 1), (String::new(), 5, 5, 5, false));
    let cut = screen.page(0, 5, 3);
    assert_eq!((cut.shown.text.as_str(), cut.begin, cut.end), ("\n\n5", 0, 3));
    assert!(cut.shown.truncated);
}

#[test]
fn history_is_bounded_in_lines_and_in_bytes() {
    for (lines, bytes) in [(100, 1 << 20), (1 << 20, 400)] {
        let caps = TerminalCaps {
            scrollback_max_lines: lines,
            scrollback_max_bytes: bytes,
            ..caps(2, 20)
        };
        let mut screen = Screen::new(&caps, "n1").expect("a size");
        screen.mark();
        for number in 0..1_000 {
            screen.feed(format!("{number:03}\r\n").as_bytes());
        }
        let page = screen.page(0, 1_000, 1 << 20);
        assert_eq!(page.total, 101);
        assert!(page.shown.text.starts_with("899\n"), "{}", page.shown.text);
        assert!(page.shown.truncated);
        assert!(!screen.page(0, 10, 1 << 20).shown.truncated);
        assert!(screen.since_mark(1 << 20).truncated);
    }
}

#[test]
fn questions_are_answered_at_the_place_where_they_were_asked() {
    let mut screen = screen(5, 10);
    let answers = screen.feed(b"ab\x1b[6ncd\r\n\x1b[6n0123456789\x1b[6n\x1b[c");
    let answer = |text: &str| Event::Answer(text.to_owned());
    let expected = ["\x1b[1;3R", "\x1b[2;1R", "\x1b[2;10R", "\x1b[?1;2c"].map(answer);
    assert_eq!(answers, expected);
}

#[test]
fn marks_are_events_and_leave_no_trace() {
    let mut screen = screen(5, 20);
    let events = screen.feed(b"\x1b]133;C;tenon=n1\x07out\r\n$ \x1b]133;D;tenon=n1\x07");
    assert_eq!(events, [Event::Command, Event::Prompt]);
    assert_eq!(screen.page(0, 9, 100).shown.text, "out\n$");
}

#[test]
fn hostile_sequences_cost_little() {
    let started = Instant::now();
    let unended = "x".repeat(2_000_000);
    let hostile = [
        format!("\x1b]0;{unended}"),
        format!("\x1bP{unended}"),
        format!("\x1b[{}m", "9;".repeat(200_000)),
        "\x1b[99999999b".repeat(2_000),
        "x\x1b[65535b".repeat(2_000),
        "\x1b[65535S\x1b[65535T\x1b[65535L\x1b[65535M\x1b[65535@\x1b[65535P".repeat(500),
        "\x1b[65535;65535H\x1b[65535I\x1b[65535Z\x1b[8;65535;65535t".repeat(2_000),
        "\x1b[2J".repeat(2_000),
        "\x1b#8".repeat(200),
        "\x1b]52;c;aGk=\x07\x1b]2;t\x07".repeat(20_000),
    ];
    let mut screen = screen(40, 160);
    for output in &hostile {
        for portion in output.as_bytes().chunks(PORTION_BYTES) {
            screen.feed(portion);
        }
        // Ends what was left open.
        screen.feed(b"\x18\x1b\\\x1bc");
        screen.feed(b"here");
        let text = screen.since_mark(1 << 20).text;
        assert!(text.ends_with("here"), "{:?}: {text:?}", output.get(..9));
    }
    assert_eq!(screen.terminal.size(), (160, 40));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

proptest! {
    #[test]
    fn nothing_is_too_odd_to_be_shown(
        pieces in proptest::collection::vec(prop_oneof![
            "[\x1b\x07\r\n\t\x08a-z0-9;?\\[\\]HJKmhlrSTLM@PXb#]{0,20}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..30),
            Just("é😀界\u{301}".as_bytes().to_vec()),
        ], 0..20),
        size in 1usize..40,
    ) {
        let bytes = pieces.concat();
        let (mut whole, mut cut) = (screen(6, 12), screen(6, 12));
        let events = whole.feed(&bytes);
        let mut cut_events = Vec::new();
        for chunk in bytes.chunks(size) {
            cut_events.extend(cut.feed(chunk));
        }
        prop_assert_eq!(events, cut_events);
        prop_assert_eq!(whole.page(0, 999, 1 << 20), cut.page(0, 999, 1 << 20));
        prop_assert_eq!(whole.since_mark(1 << 20), cut.since_mark(1 << 20));
        prop_assert_eq!(whole.full_screen(), cut.full_screen());
        prop_assert!(!whole.page(0, 999, 1 << 20).shown.text.contains("the screen starts anew"));
    }
}
