//! Sends, and when they are over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;
use crate::seam::terminal::fake::SHELL;
use crate::seam::terminal::{Exit, TerminalSignal, WaitingReader};
use crate::terminal::keys::Key;
use crate::terminal::ready::WaitReason;
use crate::terminal::session::TerminalStatus;

#[test]
fn a_command_gives_what_came_up_until_the_prompt() {
    let (host, _terminals, session) = opened(echo);
    let sent = send(&session, "ls").expect("sent");
    assert_eq!(sent.shown.text, "$ ls\nout\n$");
    assert_eq!(sent.reason, WaitReason::StdinRead);
    assert_eq!(sent.status, TerminalStatus::Running {});
    assert_eq!(host.last().typed(), "ls\r");
}

#[test]
fn what_came_before_is_not_this_sends() {
    let (host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            fake.prompt();
        }
    });
    host.last().print("late output\r\n");
    host.last().prompt();
    // A prompt before the send is no answer to it.
    let sent = send(&session, "x").expect("sent");
    assert_eq!((sent.reason, sent.shown.text.as_str()), (WaitReason::InferredIdle, ""));
}

#[test]
fn a_late_prompt_of_the_command_before_is_not_the_answer() {
    let (host, _terminals, session) = opened(|fake, typed| match typed {
        b"" => fake.prompt(),
        b"slow\r" => fake.command(),
        // The command before ends now, and the shell takes what is typed a little later.
        _ => {
            fake.prompt();
            let fake = fake.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(30));
                fake.command();
                fake.print("second\r\n");
                fake.prompt();
            });
        }
    });
    let first = send(&session, "slow").expect("sent");
    assert_eq!(first.reason, WaitReason::InferredIdle);
    let caps = TerminalCaps { handoff_grace_ms: 30_000, ..patient() };
    let second = Slot::claim(&session).expect("free").send(&caps, &line("echo second"), &never);
    let second = second.expect("sent");
    assert_eq!(second.reason, WaitReason::StdinRead);
    assert!(second.shown.text.contains("second"), "{}", second.shown.text);
    assert!(!host.last().has_ended());
}

#[test]
fn every_line_is_waited_for() {
    let (_host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            return fake.prompt();
        }
        let fake = fake.clone();
        std::thread::spawn(move || {
            for line in ["one", "two", "three"] {
                fake.command();
                fake.print(&format!("{line}\r\n"));
                fake.prompt();
                std::thread::sleep(Duration::from_millis(30));
            }
        });
    });
    let caps = TerminalCaps { handoff_grace_ms: 30_000, ..patient() };
    let sent = Slot::claim(&session).expect("free").send(&caps, &line("a\nb\nc"), &never);
    let sent = sent.expect("sent");
    assert_eq!(sent.reason, WaitReason::StdinRead);
    assert!(sent.shown.text.ends_with("three\n$"), "{}", sent.shown.text);
}

#[test]
fn a_program_that_reads_is_told_from_one_that_still_waits_from_before() {
    let (host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            fake.prompt();
        }
        fake.in_front(Some(200));
    });
    let reader = |waits| Some(WaitingReader { thread: 200, waits });
    host.last().waits(reader(1));
    assert_eq!(send(&session, "x").expect("sent").reason, WaitReason::InferredIdle);
    let fake = host.last();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !fake.typed().contains('y') {
                std::thread::yield_now();
            }
            fake.waits(reader(2));
        });
        let sent = Slot::claim(&session).expect("free").send(&patient(), &line("y"), &never);
        assert_eq!(sent.expect("sent").reason, WaitReason::StdinRead);
    });
}

#[test]
fn output_without_end_is_ended_by_the_clock() {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let (host, _terminals, session) = opened(move |fake, typed| {
        if typed.is_empty() {
            return fake.prompt();
        }
        let (fake, stopped) = (fake.clone(), Arc::clone(&stopped));
        std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) && !fake.has_ended() {
                fake.print("y\r\n");
            }
        });
    });
    let caps = TerminalCaps { send_timeout_ms: 100, ..patient() };
    let sent = Slot::claim(&session).expect("free").send(&caps, &line("yes"), &never);
    let sent = sent.expect("sent");
    assert_eq!(sent.reason, WaitReason::Timeout);
    assert_eq!(sent.status, TerminalStatus::Running {});
    assert!(host.last().signals().is_empty(), "what runs runs on");
    stop.store(true, Ordering::Relaxed);
}

#[test]
fn the_end_of_the_shell_ends_the_send_with_all_that_was_printed() {
    let (_host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            return fake.prompt();
        }
        fake.print("last words\r\n");
        fake.exit(Exit::Code(3));
    });
    let sent = send(&session, "exit 3").expect("sent");
    assert_eq!(sent.reason, WaitReason::SessionExit);
    assert_eq!(sent.shown.text, "$ last words");
    assert_eq!(sent.status, TerminalStatus::Exited { exit_code: Some(3), signal: None });
    let again = send(&session, "ls").expect("a value, not a failure");
    assert_eq!((again.reason, again.shown.text.as_str()), (WaitReason::SessionExit, ""));
}

#[test]
fn one_send_at_a_time() {
    let (host, terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            fake.prompt();
        }
    });
    during_a_send(&session, &host.last(), || {
        let second = send(&session, "x").expect_err("busy");
        assert!(matches!(second, TerminalFault::SendActive(_)), "{second}");
        // Looking is allowed meanwhile.
        assert_eq!(terminals.list(&owner("a")).len(), 1);
        assert_eq!(session.shared.state().screen.page(0, 9, 99).shown.text, "$");
    });
    assert_eq!(send(&session, "x").expect("free again").reason, WaitReason::SessionExit);
}

#[test]
fn a_cancelled_send_interrupts_the_group_in_front_and_settles() {
    let (host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            return fake.prompt();
        }
        fake.command();
        fake.in_front(Some(300));
    });
    let fake = host.last();
    let stop = || fake.typed().contains("sleep");
    let slot = Slot::claim(&session).expect("free");
    let cancelled = slot.send(&caps(), &line("sleep 9"), &stop).expect_err("cancelled");
    assert!(matches!(cancelled, TerminalFault::Cancelled(_)), "{cancelled}");
    assert_eq!(fake.signals(), [(TerminalSignal::SigInt, 300)]);
    assert!(!fake.typed().contains('\u{3}'), "a signal, not a byte");
    assert!(Slot::claim(&session).is_ok(), "the slot is free");
}

#[test]
fn a_send_cancelled_before_it_types_types_nothing() {
    let (host, _terminals, session) = opened(echo);
    let slot = Slot::claim(&session).expect("free");
    let cancelled = slot.send(&caps(), &line("x"), &|| true).expect_err("cancelled");
    assert!(matches!(cancelled, TerminalFault::Cancelled("; nothing was typed")), "{cancelled}");
    assert_eq!((host.last().typed().as_str(), host.last().signals().len()), ("", 0));
}

#[test]
fn what_is_not_read_in_time_is_said() {
    let (host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            fake.prompt();
        }
    });
    host.last().accepts(4);
    let sent = send(&session, "123456789").expect("sent");
    assert_eq!((sent.reason, sent.untyped_bytes), (WaitReason::Timeout, 6));
    assert_eq!(host.last().typed(), "1234");
}

#[test]
fn keys_follow_the_text_in_the_form_the_program_asked_for() {
    let (host, _terminals, session) = opened(echo);
    let typed = Typed { text: "ab".to_owned(), keys: vec![Key::Up, Key::CtrlC], submit: false };
    let press = |caps: &TerminalCaps| {
        Slot::claim(&session).expect("free").send(caps, &typed, &never).expect("sent")
    };
    press(&caps());
    host.last().print("\x1b[?1h");
    press(&caps());
    assert_eq!(host.last().typed(), "ab\x1b[A\x03ab\x1bOA\x03");
}

#[test]
fn questions_are_answered_until_they_are_too_many() {
    let (host, _terminals, _session) = opened(echo);
    let answer = host.last().print("\x1b[H\x1b[6n\x1b[c");
    assert_eq!(answer, b"\x1b[1;1R\x1b[?1;2c");
    let flood = host.last().print(&"\x1b[5n".repeat(1_000));
    assert_eq!(flood.len(), 4 * 62, "64 between two sends");
    assert!(host.last().print("\x1b[5n").is_empty());
}

#[test]
fn a_prompt_that_another_program_prints_is_no_prompt() {
    let (host, _terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            return fake.prompt();
        }
        // It read the nonce somewhere, but it is in front itself.
        fake.in_front(Some(SHELL + 1));
        fake.prompt();
    });
    let started = Instant::now();
    assert_eq!(send(&session, "bash").expect("sent").reason, WaitReason::InferredIdle);
    assert!(started.elapsed() >= Duration::from_millis(90), "silence and the grace time");
    assert!(!host.last().has_ended());
}
