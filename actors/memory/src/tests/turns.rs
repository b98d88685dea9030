//! Turns: written once, taken back exactly, never over somebody else's edit.

use super::*;
use crate::ledger::Turn;

const OLD: &str = "* old entry of the owner\nsome text\n";

#[test]
fn same_step_asked_again_is_written_once() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    let first = home.change(1, note("a"));
    let text = home.read("inbox.org");
    assert_eq!(home.change(1, note("a")), first);
    home.reopen();
    assert_eq!(home.change(1, note("a")), first);
    assert_eq!(home.read("inbox.org"), text);
}

#[test]
fn undo_of_an_earlier_note_leaves_the_later_one() {
    let mut home = Home::new(&[("inbox.org", "* old entry")]);
    home.written(1, note("first"));
    home.written(2, note("second"));
    let with_both = home.read("inbox.org");
    home.undone(3, Change::Undo { turn: Some(turn(1).short()) });
    assert_eq!(
        home.read("inbox.org"),
        "* old entry\n* second\n:PROPERTIES:\n:CREATED: [2026-03-09 Mon 10:00]\n:END:\n"
    );
    home.undone(4, UNDO);
    assert_eq!(home.read("inbox.org"), "* old entry");
    assert_eq!(
        home.change(5, UNDO),
        Changed::Refused("There is nothing to undo in this conversation.".to_owned())
    );
    home.undone(6, Change::Undo { turn: Some(turn(4).short()) });
    home.undone(7, Change::Undo { turn: Some(turn(3).short()) });
    assert_eq!(home.read("inbox.org").len(), with_both.len());
}

#[test]
fn inbox_that_a_turn_made_goes_with_its_last_note() {
    let mut home = Home::new(&[]);
    home.written(1, note("first"));
    home.written(2, note("second"));
    home.undone(3, Change::Undo { turn: Some(turn(1).short()) });
    assert!(home.read("inbox.org").starts_with("#+TITLE: Inbox\n* second\n"));
    home.undone(4, UNDO);
    assert!(home.names().is_empty());
    home.undone(5, Change::Undo { turn: Some(turn(4).short()) });
    assert!(home.read("inbox.org").starts_with("#+TITLE: Inbox\n* second\n"));
}

#[test]
fn edits_of_others_stay_when_a_turn_is_taken_back() {
    let mut home = Home::new(&[("a.org", "* TODO pay the rent\ntext\n* other\n")]);
    home.written(1, done("pay the rent"));
    home.edit("a.org", "* other\n", "* other, changed\nmore\n");
    assert!(home.undone(2, UNDO).is_empty());
    assert_eq!(home.read("a.org"), "* TODO pay the rent\ntext\n* other, changed\nmore\n");
}

#[test]
fn piece_that_somebody_changed_stays_and_ours_lies_beside() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    home.written(1, note("call the plumber"));
    home.edit("inbox.org", "* call the plumber\n", "* call the plumber on Monday\n");
    let theirs = home.read("inbox.org");
    let conflicts = home.undone(2, UNDO);
    assert_eq!(conflicts, ["inbox.conflict-01010101.org"]);
    assert_eq!(home.read("inbox.org"), theirs);
    assert!(home.read("inbox.conflict-01010101.org").contains("* call the plumber\n"));
    home.undone(3, Change::Undo { turn: Some(turn(2).short()) });
    assert_eq!(home.names(), ["inbox.org"]);
}

#[test]
fn entry_that_somebody_removed_needs_no_undo() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    home.written(1, note("call the plumber"));
    home.write("inbox.org", OLD);
    assert!(home.undone(2, UNDO).is_empty());
    assert_eq!(home.read("inbox.org"), OLD);
}

#[test]
fn rollback_takes_back_all_steps_and_bars_late_tries() {
    let mut home = Home::new(&[("inbox.org", OLD), ("a.org", "* TODO pay\n")]);
    home.written(1, note("a"));
    let second = ChangeRequest { step: 1, ..request(1, done("pay")) };
    assert!(matches!(home.memory.change(&second), Changed::Written { .. }));
    let expected = Reply::RolledBack { steps: 2, conflicts: vec![] };
    assert_eq!(home.roll_back(1), expected);
    assert_eq!(home.roll_back(1), expected);
    assert_eq!((home.read("inbox.org").as_str(), home.read("a.org").as_str()), (OLD, "* TODO pay\n"));
    assert!(matches!(home.change(1, note("a")), Changed::Refused(_)));
    let again = ChangeRequest { attempt: 1, ..request(1, note("a")) };
    assert!(matches!(home.memory.change(&again), Changed::Written { .. }));
    assert_eq!(home.roll_back(9), Reply::RolledBack { steps: 0, conflicts: vec![] });
}

#[test]
fn rolled_back_undo_puts_back_what_it_took() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    home.written(1, note("a"));
    let text = home.read("inbox.org");
    home.undone(2, UNDO);
    assert_eq!(home.roll_back(2), Reply::RolledBack { steps: 1, conflicts: vec![] });
    assert_eq!(home.read("inbox.org"), text);
    home.undone(3, UNDO);
    assert_eq!(home.read("inbox.org"), OLD);
}

#[test]
fn list_names_turns_newest_first() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    home.written(1, note("a"));
    home.written(2, note("b"));
    home.undone(3, UNDO);
    let line = |number: u8, what: &str, live| Turn {
        turn: turn(number),
        at: WallMs(i64::from(number)),
        what: vec![what.to_owned()],
        live,
    };
    assert_eq!(
        home.memory.ledger.turns(),
        [
            line(3, "took back note \"b\" in inbox.org", true),
            line(2, "note \"b\" in inbox.org", false),
            line(1, "note \"a\" in inbox.org", true),
        ]
    );
}

#[test]
fn revert_is_a_turn_that_can_be_taken_back() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    home.written(1, note("a"));
    let text = home.read("inbox.org");
    let revert = Request::Revert { turn: "0101".to_owned(), by: turn(7), at: WallMs(7) };
    let expected = Reply::Reverted {
        turn: turn(1),
        what: vec!["note \"a\" in inbox.org".to_owned()],
        conflicts: vec![],
    };
    assert_eq!(home.memory.snapshot(&revert), expected);
    assert_eq!(home.memory.snapshot(&revert), expected);
    assert_eq!(home.read("inbox.org"), OLD);
    home.undone(8, Change::Undo { turn: Some("0707".to_owned()) });
    assert_eq!(home.read("inbox.org"), text);
    let unknown = Request::Revert { turn: "ff".to_owned(), by: turn(9), at: WallMs(9) };
    assert!(matches!(home.memory.snapshot(&unknown), Reply::Refused(_)));
}

#[test]
fn file_that_emacs_has_locked_is_not_written() {
    let mut home = Home::new(&[("inbox.org", OLD)]);
    std::os::unix::fs::symlink("me@host.1:1", home.path(".#inbox.org")).unwrap();
    assert_eq!(
        home.change(1, note("a")),
        Changed::Refused("inbox.org has unsaved changes in Emacs; save it and try again.".to_owned())
    );
    fs::remove_file(home.path(".#inbox.org")).unwrap();
    home.written(1, note("a"));
}

#[test]
fn link_out_of_the_memex_is_neither_read_nor_written() {
    let mut home = Home::new(&[]);
    let outside = home.dir.path().join("outside.org");
    fs::write(&outside, "* secret\n").unwrap();
    std::os::unix::fs::symlink(&outside, home.path("inbox.org")).unwrap();
    assert!(matches!(home.change(1, note("a")), Changed::Refused(_)));
    assert_eq!(fs::read_to_string(outside).unwrap(), "* secret\n");
    assert_eq!(home.memory.note(), "0 entries in 0 files");
}

#[test]
fn done_picks_open_tasks_and_says_why_not() {
    let mut home = Home::new(&[(
        "a.org",
        "* DONE pay the rent\n* TODO pay the rent of the garage\n* TODO call A\n* TODO call B\n* idea\n",
    )]);
    let sentence = |changed: Changed| {
        let Changed::Refused(sentence) = changed else { panic!("{changed:?}") };
        sentence
    };
    assert_eq!(sentence(home.change(1, done("pay the rent"))), "\"pay the rent\" is done already.");
    assert!(sentence(home.change(2, done("idea"))).contains("is no task"));
    assert!(matches!(home.change(3, done("call")), Changed::Ambiguous(two) if two.len() == 2));
    assert!(matches!(home.change(4, done("garege")), Changed::NotFound { near } if near.len() == 1));
    home.written(5, done("garage"));
    assert!(home.read("a.org").contains("* DONE pay the rent of the garage\n"));
}

#[test]
fn log_stays_bounded() {
    let mut home = Home::new(&[]);
    for number in 0..2100_u32 {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&number.to_be_bytes());
        let ask = ChangeRequest { turn: TurnKey::from_bytes(key), ..request(0, note("x")) };
        assert!(matches!(home.memory.change(&ask), Changed::Written { .. }));
        if number % 50 == 0 {
            fs::remove_file(home.path("inbox.org")).unwrap();
        }
    }
    home.reopen();
    let turns = home.memory.ledger.turns();
    assert!((1000..=2001).contains(&turns.len()), "{}", turns.len());
    home.undone(1, UNDO);
}

#[test]
fn log_that_was_deleted_or_emptied_is_told_and_the_notes_stay() {
    for emptied in [true, false] {
        let mut home = Home::new(&[("inbox.org", OLD)]);
        home.written(1, note("a"));
        home.reopen();
        assert_eq!(home.memory.degraded(), "");
        let log = home.dir.path().join("state/txn.log");
        let gone = if emptied { fs::write(&log, "") } else { fs::remove_file(&log) };
        gone.unwrap();
        let text = home.read("inbox.org");
        home.reopen();
        assert!(home.memory.degraded().contains("was deleted or emptied"), "{}", home.memory.degraded());
        assert_eq!(home.read("inbox.org"), text);
        home.written(2, note("b"));
        home.reopen();
        assert_eq!(home.memory.degraded(), "");
    }
}
