//! Whose terminals are whose, and how they begin and end.

use super::*;
use crate::seam::terminal::Exit;
use crate::terminal::service::Closing;

#[test]
fn names_are_unique_for_an_owner_and_free_for_another() {
    let host = FakeHost::new(echo);
    let terminals = Terminals::new(Arc::new(host));
    let open = |agent, name| terminals.open(&caps(), opening(agent, name), &never);
    let (first, shown) = open("a", Some("work")).expect("it opens");
    assert_eq!((first.id().as_str(), shown.text.as_str()), ("pty-1", "$"));
    let twice = open("a", Some("work")).expect_err("taken");
    assert!(matches!(twice, TerminalFault::DuplicateName(_)), "{twice}");
    open("b", Some("work")).expect("another agent's");
    open("a", None).expect("no name");
    let ids: Vec<String> = terminals.list(&owner("a")).iter().map(|one| one.id()).collect();
    assert_eq!(ids, ["pty-1", "pty-3"]);
    assert_eq!(
        terminals.close(&caps(), &owner("a"), "pty-1", &never).expect("closed"),
        Closing::Closed
    );
    open("a", Some("work")).expect("free again");
}

#[test]
fn a_name_is_taken_while_its_terminal_is_being_opened() {
    let host = FakeHost::new(|_, _| ());
    let terminals = Terminals::new(Arc::new(host.clone()));
    std::thread::scope(|scope| {
        let opening_one = scope.spawn(|| {
            let caps = TerminalCaps { open_timeout_ms: 2_000, ..caps() };
            terminals.open(&caps, opening("a", Some("work")), &never).expect_err("no prompt")
        });
        while host.opened.lock().expect("no panic").is_empty() {
            std::thread::yield_now();
        }
        let twice = terminals.open(&caps(), opening("a", Some("work")), &never);
        assert!(matches!(twice, Err(TerminalFault::DuplicateName(_))));
        assert!(terminals.list(&owner("a")).is_empty(), "not there before it is ready");
        let failed = opening_one.join().expect("no panic");
        assert!(failed.to_string().contains("shows no prompt"), "{failed}");
    });
    assert!(host.last().has_ended(), "what did not come up is ended");
    assert!(terminals.open(&caps(), opening("a", Some("work")), &|| true).is_err());
}

#[test]
fn an_open_that_fails_says_what_the_shell_said() {
    let host = FakeHost::new(|fake, _| {
        fake.print("bad option\r\n");
        fake.exit(Exit::Code(2));
    });
    let terminals = Terminals::new(Arc::new(host.clone()));
    let failed = terminals.open(&caps(), opening("a", None), &never).expect_err("it ended");
    assert_eq!(
        failed.to_string(),
        "the terminal could not be opened: the shell ended at once:\nbad option"
    );
    let terminals = Terminals::new(Arc::new(FakeHost { fails: true, ..host }));
    let failed = terminals.open(&caps(), opening("a", None), &never).expect_err("no shell");
    assert_eq!(failed.to_string(), "the terminal could not be opened: no such shell");
    assert!(terminals.list(&owner("a")).is_empty());
}

#[test]
fn a_cancelled_open_leaves_nothing() {
    let host = FakeHost::new(|_, _| ());
    let terminals = Terminals::new(Arc::new(host.clone()));
    let opened = || !host.opened.lock().expect("no panic").is_empty();
    let failed = terminals.open(&caps(), opening("a", Some("x")), &opened).expect_err("cancelled");
    assert!(matches!(failed, TerminalFault::Cancelled(_)), "{failed}");
    assert!(host.last().has_ended());
    let before = terminals.open(&caps(), opening("a", Some("x")), &|| true).expect_err("cancelled");
    assert!(
        matches!(before, TerminalFault::Cancelled(_)),
        "the name is free, and nothing is started"
    );
    assert_eq!(host.opened.lock().expect("no panic").len(), 1);
}

#[test]
fn there_are_only_so_many() {
    let terminals = Terminals::new(Arc::new(FakeHost::new(echo)));
    let caps = TerminalCaps { max_per_agent: 2, max_total: 3, ..caps() };
    let open = |agent| terminals.open(&caps, opening(agent, None), &never).map(|_| ());
    open("a").and_then(|()| open("a")).expect("two");
    assert!(matches!(open("a"), Err(TerminalFault::TooMany { max: 2 })));
    open("b").expect("the third of all");
    assert!(matches!(open("b"), Err(TerminalFault::TooMany { max: 3 })));
}

#[test]
fn others_terminals_are_out_of_reach() {
    let (host, terminals, _session) = opened(echo);
    let code = |fault: TerminalFault| {
        contract_registry::ToolError::from(fault).info().expect("coded").code.to_string()
    };
    let find = |agent, id| terminals.get(&owner(agent), id).map(|_| ()).map_err(code);
    assert_eq!(find("a", "pty-1"), Ok(()));
    assert_eq!(find("b", "pty-1"), Err("TERMINAL_FOREIGN".to_owned()));
    let other_session = JobOwner { session: None, ..owner("a") };
    assert!(terminals.get(&other_session, "pty-1").is_err());
    for id in ["pty-2", "pty-01", "pty-", "pty--1", "1", "", "pty-99999999999999999999"] {
        assert_eq!(find("a", id), Err("TERMINAL_NOT_FOUND".to_owned()), "{id}");
    }
    let foreign = terminals.close(&caps(), &owner("b"), "pty-1", &never);
    assert!(foreign.is_err() && !host.last().has_ended());
}

#[test]
fn closing_again_does_no_harm() {
    let (host, terminals, session) = opened(echo);
    let close = |agent| terminals.close(&caps(), &owner(agent), "pty-1", &never);
    assert_eq!(close("a").expect("closed"), Closing::Closed);
    assert!(host.last().has_ended());
    assert_eq!(close("a").expect("closed before"), Closing::Already);
    assert!(matches!(terminals.get(&owner("a"), "pty-1"), Err(TerminalFault::Closed(_))));
    assert!(matches!(close("b"), Err(TerminalFault::Unknown(_))), "never theirs");
    assert!(matches!(Slot::claim(&session), Err(TerminalFault::Closing(_))));
}

#[test]
fn closing_ends_a_send() {
    let (host, terminals, session) = opened(|fake, typed| {
        if typed.is_empty() {
            fake.prompt();
        }
    });
    during_a_send(&session, &host.last(), || {
        let closed = terminals.close(&caps(), &owner("a"), "pty-1", &never);
        assert_eq!(closed.expect("closed"), Closing::Closed);
    });
}

#[test]
fn what_does_not_end_stays_listed_and_is_closed_later() {
    let (host, terminals, session) = opened(echo);
    host.last().survives(true);
    let failed = terminals.close(&caps(), &owner("a"), "pty-1", &|| true).expect_err("it lives");
    assert!(matches!(failed, TerminalFault::Cancelled(_)), "{failed}");
    assert_eq!(terminals.list(&owner("a")).len(), 1);
    assert!(Slot::claim(&session).is_ok(), "and can be used");
    host.last().survives(false);
    let closed = terminals.close(&caps(), &owner("a"), "pty-1", &never).expect("closed");
    assert_eq!(closed, Closing::Closed);
}

#[test]
fn an_agent_that_goes_takes_its_terminals_with_it() {
    let host = FakeHost::new(echo);
    let terminals = Terminals::new(Arc::new(host.clone()));
    for agent in ["a", "b", "a"] {
        terminals.open(&caps(), opening(agent, None), &never).expect("it opens");
    }
    terminals.end_owner(&owner("a"));
    let ended = || {
        let opened = host.opened.lock().expect("no panic");
        opened.iter().map(|(_, fake)| fake.has_ended()).collect::<Vec<_>>()
    };
    assert_eq!(ended(), [true, false, true]);
    terminals.end_all();
    assert_eq!(ended(), [true, true, true]);
    let refused = terminals.open(&caps(), opening("b", None), &never).expect_err("over");
    assert!(matches!(refused, TerminalFault::Ending), "{refused}");
}

#[test]
fn an_agent_that_goes_ends_what_is_being_opened() {
    let host = FakeHost::new(|_, _| ());
    let terminals = Terminals::new(Arc::new(host.clone()));
    std::thread::scope(|scope| {
        let opening_one =
            scope.spawn(|| terminals.open(&patient(), opening("a", None), &never).map(|_| ()));
        while host.opened.lock().expect("no panic").is_empty() {
            std::thread::yield_now();
        }
        terminals.end_owner(&owner("a"));
        let failed = opening_one.join().expect("no panic").expect_err("ended");
        assert!(matches!(failed, TerminalFault::OwnerEnded), "{failed}");
    });
    assert!(host.last().has_ended());
}

#[test]
fn dropping_the_last_handle_ends_everything() {
    let (host, terminals, session) = opened(echo);
    drop(session);
    let other = terminals.clone();
    drop(terminals);
    assert!(!host.last().has_ended());
    drop(other);
    assert!(host.last().has_ended());
}

#[test]
fn the_shell_is_told_where_it_is() {
    let (host, _terminals, _session) = opened(echo);
    let opened = host.opened.lock().expect("no panic");
    let (what, _) = opened.first().expect("one");
    let of = |name| {
        what.environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    };
    assert_eq!(of("TERM"), Some("xterm-256color"));
    assert_eq!((of("TENON_PTY_SESSION_ID"), of("TENON_SESSION_ID")), (Some("pty-1"), Some("s")));
    assert_eq!((what.rows, what.cols), (40, 160));
    assert_eq!(what.program.first().map(String::as_str), Some("/bin/bash"));
}
