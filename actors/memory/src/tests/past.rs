//! The past: snapshots, differences, history, and the way back.

use super::*;
use protocol::snapshot::{Look, Scope};

fn look(home: &mut Home, look: Look) -> Vec<String> {
    let Reply::Lines(lines) = home.memory.snapshot(&Request::Look(look)) else { panic!() };
    lines
}

fn snapshots(home: &mut Home) -> Vec<String> {
    look(home, Look::Snapshots { limit: 50 })
}

fn restore(home: &mut Home, by: u8, snapshot: &str, scope: Scope) -> Reply {
    let request = Request::Restore { snapshot: snapshot.into(), scope, by: turn(by), at: WallMs(9) };
    home.memory.snapshot(&request)
}

fn restored(home: &mut Home, by: u8, snapshot: &str, scope: Scope) {
    let reply = restore(home, by, snapshot, scope);
    assert!(matches!(reply, Reply::Done(_)), "{reply:?}");
}

#[test]
fn every_turn_and_every_change_by_others_is_a_snapshot() {
    let mut home = Home::new(&[("inbox.org", "* old\n")]);
    home.written(1, note("a"));
    home.edit("inbox.org", "* old", "* old, changed");
    home.written(2, note("b"));
    // Killed before the store has heard of the last turn.
    home.reopen();
    let lines = snapshots(&mut home);
    let what: Vec<&str> = lines.iter().map(|line| line.splitn(3, ' ').nth(2).unwrap()).collect();
    let [b, others, a, first] = what.as_slice() else { panic!("{lines:?}") };
    assert!(b.ends_with("note \"b\" in inbox.org") && a.ends_with("note \"a\" in inbox.org"), "{lines:?}");
    assert_eq!((*others, *first), ("changed by others", "changed by others"));
}

#[test]
fn file_is_put_back_and_that_is_taken_back_again() {
    let mut home = Home::new(&[("a.org", "* one\n* two\n")]);
    home.edit("a.org", "* two", "* two, changed");
    home.written(1, note("unrelated"));
    let changed = home.read("a.org");
    restored(&mut home, 2, "1", Scope::File("a.org".into()));
    assert_eq!(home.read("a.org"), "* one\n* two\n");
    assert!(home.read("inbox.org").contains("unrelated"));
    home.undone(3, Change::Undo { turn: Some(turn(2).short()) });
    assert_eq!(home.read("a.org"), changed);
}

#[test]
fn everything_is_put_back_files_that_came_and_went_included() {
    let mut home = Home::new(&[("a.org", "* one\n"), ("sub/b.org", "* two\n")]);
    fs::remove_dir_all(home.path("sub")).unwrap();
    home.edit("a.org", "one", "uno");
    home.written(1, note("new"));
    restored(&mut home, 2, "1", Scope::Everything);
    assert_eq!(home.read("a.org"), "* one\n");
    assert_eq!(home.read("sub/b.org"), "* two\n");
    assert!(!home.path("inbox.org").exists());
    let again = restore(&mut home, 3, "1", Scope::Everything);
    assert_eq!(again, Reply::Done("nothing differs from snapshot 1".into()));
    home.undone(4, Change::Undo { turn: Some(turn(2).short()) });
    assert_eq!(home.read("a.org"), "* uno\n");
    assert!(home.read("inbox.org").contains("* new"));
    assert!(!home.path("sub/b.org").exists());
}

#[test]
fn folder_that_became_a_link_is_not_restored_into() {
    let mut home = Home::new(&[("sub/a.org", "* one\n")]);
    home.written(1, note("x"));
    fs::remove_dir_all(home.path("sub")).unwrap();
    let outside = home.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, home.path("sub")).unwrap();
    let reply = restore(&mut home, 2, "1", Scope::Everything);
    assert!(matches!(reply, Reply::Refused(_)), "{reply:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn same_restore_asked_twice_is_done_once() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    home.edit("a.org", "one", "uno");
    home.written(1, note("x"));
    let first = restore(&mut home, 2, "1", Scope::File("a.org".into()));
    home.edit("a.org", "one", "later");
    home.reopen();
    assert_eq!(restore(&mut home, 2, "1", Scope::File("a.org".into())), first);
    assert_eq!(home.read("a.org"), "* later\n");
}

#[test]
fn entry_is_put_back_where_it_stands_now_or_at_the_end_of_its_file() {
    let mut home = Home::new(&[("a.org", "* one\nold text\n* two\nmore\n")]);
    home.edit("a.org", "old text", "new text");
    home.edit("a.org", "* two", "* two\n* three");
    home.written(1, note("x"));
    restored(&mut home, 2, "1", Scope::Entry("one".into()));
    assert_eq!(home.read("a.org"), "* one\nold text\n* two\n* three\nmore\n");
    home.write("a.org", "* two\n* three\nmore\n");
    restored(&mut home, 3, "1", Scope::Entry("one".into()));
    assert_eq!(home.read("a.org"), "* two\n* three\nmore\n* one\nold text\n");
    let reply = restore(&mut home, 4, "1", Scope::Entry("nowhere".into()));
    assert!(matches!(reply, Reply::Refused(_)), "{reply:?}");
}

#[test]
fn file_that_emacs_has_open_is_not_restored() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    home.edit("a.org", "one", "uno");
    home.written(1, note("x"));
    std::os::unix::fs::symlink("somebody@host.1:1", home.path(".#a.org")).unwrap();
    let reply = restore(&mut home, 2, "1", Scope::File("a.org".into()));
    assert!(matches!(&reply, Reply::Refused(why) if why.contains("Emacs")), "{reply:?}");
    assert_eq!(home.read("a.org"), "* uno\n");
}

#[test]
fn difference_names_entries_and_history_their_versions() {
    let mut home = Home::new(&[("a.org", "* one\n** part\n* two\n"), ("b.org", "* three\n")]);
    home.edit("a.org", "* two\n", "* two\ntext\n");
    home.written(1, note("x"));
    home.edit("a.org", "** part\n", "");
    home.edit("b.org", "* three\n", "* three\n** part\n");
    home.written(2, note("y"));
    let lines = look(&mut home, Look::Diff { from: "1".into(), to: String::new() });
    assert!(lines.contains(&"~ entry a.org: two".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("> entry a.org: part -> b.org: part")), "{lines:?}");
    assert!(lines.contains(&"+ file inbox.org".to_owned()), "{lines:?}");
    let versions = look(&mut home, Look::History { entry: "two".into() });
    assert_eq!(versions.len(), 2, "{versions:?}");
    assert!(versions[0].starts_with("now: * two"), "{versions:?}");
    assert_eq!(look(&mut home, Look::Verify).len(), 1);
}

#[test]
fn named_snapshot_is_found_by_its_name_and_odd_names_are_refused() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    home.written(1, note("x"));
    let keep = |home: &mut Home, name: &str| {
        home.memory.snapshot(&Request::Keep { snapshot: "1".into(), name: name.into() })
    };
    for odd in ["", "12", "a b", "x/y"] {
        assert!(matches!(keep(&mut home, odd), Reply::Refused(_)), "{odd}");
    }
    assert!(matches!(keep(&mut home, "before-move"), Reply::Done(_)));
    home.reopen();
    restored(&mut home, 2, "before-move", Scope::Everything);
    assert!(!home.path("inbox.org").exists());
    let gone = restore(&mut home, 3, "no-such", Scope::Everything);
    assert!(matches!(&gone, Reply::Refused(why) if why.contains("no-such")), "{gone:?}");
}

#[test]
fn damaged_store_is_told_and_the_notes_go_on() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    home.written(1, note("x"));
    home.memory.close();
    let store = home.dir.path().join("state/store");
    for entry in fs::read_dir(&store).unwrap() {
        let path = entry.unwrap().path();
        let length = fs::metadata(&path).unwrap().len();
        fs::write(&path, vec![0x5a; usize::try_from(length).unwrap()]).unwrap();
    }
    home.reopen();
    assert!(!home.memory.degraded().is_empty());
    home.written(2, note("y"));
    assert!(home.read("inbox.org").contains("* y"));
}

#[test]
fn store_that_lost_its_last_commit_hears_of_the_files_again() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    home.written(1, note("x"));
    home.memory.close();
    let root = home.memory.past.store().unwrap().root();
    let segments = fs::read_dir(home.dir.path().join("state/store")).unwrap();
    let segment =
        segments.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|e| e == "seg"));
    let segment = segment.unwrap();
    let bytes = fs::read(&segment).unwrap();
    fs::write(&segment, &bytes[..bytes.len() - 7]).unwrap();
    home.reopen();
    assert_eq!(home.memory.past.store().unwrap().root(), root);
}

#[test]
fn deleted_store_is_built_again_and_others_while_away_are_a_snapshot() {
    let mut home = Home::new(&[("a.org", "* one\n"), ("b.org", "* two\n")]);
    home.memory.close();
    fs::remove_dir_all(home.dir.path().join("state/store")).unwrap();
    home.edit("a.org", "one", "uno");
    home.reopen();
    fs::remove_file(home.path("b.org")).unwrap();
    home.reopen();
    assert_eq!(home.memory.degraded(), "");
    assert_eq!(snapshots(&mut home).len(), 2);
    let lines = look(&mut home, Look::Diff { from: "1".into(), to: "2".into() });
    assert!(lines.contains(&"- file b.org".to_owned()), "{lines:?}");
}
