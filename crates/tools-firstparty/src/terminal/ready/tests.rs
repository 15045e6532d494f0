//! Verdicts on made-up sights.

use super::*;

/// What the processes show.
#[derive(Clone, Copy, Default)]
struct Stand {
    ended: bool,
    shell_in_front: bool,
    reader: Option<WaitingReader>,
}

impl Look for Stand {
    fn has_ended(&self) -> bool {
        self.ended
    }

    fn shell_is_in_front(&self) -> bool {
        self.shell_in_front
    }

    fn waiting_reader(&self) -> Option<WaitingReader> {
        self.reader
    }
}

const SHELL: Stand = Stand { ended: false, shell_in_front: true, reader: None };
const PROGRAM: Stand = Stand { ended: false, shell_in_front: false, reader: None };

/// A watch, and judgments at milliseconds after the send.
struct Case {
    watch: Watch,
    caps: TerminalCaps,
}

impl Case {
    fn new() -> Self {
        let watch = Watch {
            since: Instant::now(),
            timeout: Duration::from_secs(30),
            is_startup: false,
            prompts_expected: 1,
            reader_before: None,
        };
        Self { watch, caps: TerminalCaps::default() }
    }

    /// The verdict at `now`, the last output having come at `output`, with so many prompts.
    fn at(&self, now: u64, output: Option<u64>, prompts: u32, look: Stand) -> Option<WaitReason> {
        let at = |ms| self.watch.since + Duration::from_millis(ms);
        let seen = Seen {
            output_bytes: output.map_or(0, |_| 9),
            last_output: output.map(at),
            prompts,
            is_at_prompt: prompts > 0,
        };
        self.watch.judge(&self.caps, at(now), &seen, &look)
    }
}

fn reader(thread: i32, waits: u64) -> Option<WaitingReader> {
    Some(WaitingReader { thread, waits })
}

#[test]
fn the_prompt_of_a_quiet_shell_in_front_is_the_end() {
    let case = Case::new();
    assert_eq!(case.at(60, Some(20), 1, SHELL), None);
    assert_eq!(case.at(70, Some(20), 1, SHELL), Some(WaitReason::StdinRead));
    assert_eq!(case.at(70, Some(20), 0, SHELL), None);
}

#[test]
fn a_prompt_with_another_program_in_front_is_not() {
    // A nested shell that has the marks all the same.
    let case = Case::new();
    assert_eq!(case.at(3_400, Some(20), 1, PROGRAM), None);
    assert_eq!(case.at(3_520, Some(20), 1, PROGRAM), Some(WaitReason::InferredIdle));
}

#[test]
fn a_command_after_the_prompt_takes_it_back() {
    let case = Case::new();
    let seen = Seen {
        output_bytes: 9,
        last_output: Some(case.watch.since),
        prompts: 1,
        is_at_prompt: false,
    };
    let now = case.watch.since + Duration::from_secs(2);
    assert_eq!(case.watch.judge(&case.caps, now, &seen, &SHELL), None);
}

#[test]
fn a_prompt_with_another_to_come_must_be_quiet_for_longer() {
    let mut case = Case::new();
    case.watch.prompts_expected = 2;
    assert_eq!(case.at(400, Some(20), 1, SHELL), None);
    assert_eq!(case.at(520, Some(20), 1, SHELL), Some(WaitReason::StdinRead));
    assert_eq!(case.at(70, Some(20), 2, SHELL), Some(WaitReason::StdinRead));
}

#[test]
fn a_reader_counts_once_it_has_left_and_come_back() {
    let mut case = Case::new();
    case.watch.reader_before = reader(7, 3);
    let waiting = |thread, waits| Stand { reader: reader(thread, waits), ..PROGRAM };
    assert_eq!(case.at(500, Some(20), 0, waiting(7, 3)), None);
    assert_eq!(case.at(500, Some(20), 0, waiting(7, 4)), Some(WaitReason::StdinRead));
    assert_eq!(case.at(500, Some(20), 0, waiting(8, 3)), Some(WaitReason::StdinRead));
    assert_eq!(case.at(149, Some(20), 0, waiting(7, 4)), None, "too early");
    assert_eq!(case.at(500, Some(480), 0, waiting(7, 4)), None, "not quiet");
}

#[test]
fn silence_time_and_the_end() {
    let mut case = Case::new();
    assert_eq!(case.at(2_999, None, 0, PROGRAM), None);
    assert_eq!(case.at(3_000, None, 0, PROGRAM), Some(WaitReason::InferredIdle));
    assert_eq!(case.at(29_999, Some(29_990), 0, PROGRAM), None);
    assert_eq!(case.at(30_000, Some(29_990), 0, PROGRAM), Some(WaitReason::Timeout));
    let ended = Stand { ended: true, ..PROGRAM };
    assert_eq!(case.at(1, None, 0, ended), Some(WaitReason::SessionExit));
    case.watch.is_startup = true;
    assert_eq!(case.at(5_000, None, 0, PROGRAM), None, "a shell that says nothing is not ready");
    assert_eq!(case.at(30_000, None, 0, PROGRAM), Some(WaitReason::Timeout));
}
