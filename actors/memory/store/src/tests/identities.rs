//! Who is who after an edit.

use super::{TestDir, open, put};
use crate::{Fate, Identity, Store};

fn id(store: &Store, name: &str, ordinal: usize) -> Identity {
    store.identify(name, ordinal).unwrap().unwrap()
}

/// The identities of a file before and after an edit.
fn edit(before: &str, after: &str) -> (Vec<Identity>, Vec<Identity>) {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let all = |store: &Store, text: &str| {
        (0..org::scan(text.as_bytes()).nodes.len()).map(|at| id(store, "a", at)).collect()
    };
    put(&mut store, 1, &[("a", Some(before.as_bytes()))]);
    let old = all(&store, before);
    put(&mut store, 2, &[("a", Some(after.as_bytes()))]);
    (old, all(&store, after))
}

#[test]
fn edited_title_keeps_identity() {
    let (old, new) = edit("* a\n1\n* b\n* c\n", "* a\n1\n* B!\n* c\n");
    assert_eq!(old, new);
}

#[test]
fn edited_text_keeps_identity() {
    let (old, new) = edit("* a\n1\n* b\n2\n* c\n", "* a\n1\n* b\n3\n* c\n");
    assert_eq!(old, new);
}

#[test]
fn moved_entry_keeps_identity() {
    let (old, new) = edit("* a\n1\n* b\n2\n* c\n3\n", "* c\n3\n* a\n1\n* b\n2\n");
    assert_eq!(new, [old[2], old[0], old[1]]);
}

#[test]
fn equal_entries_are_two() {
    let (old, new) = edit("* a\n* a\n", "* x\n* a\n* a\n* a\n");
    assert_ne!(old[0], old[1]);
    let mut all = new.clone();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4);
    assert!(new.contains(&old[0]) && new.contains(&old[1]));
}

#[test]
fn new_entry_takes_nobodys_identity() {
    let (old, new) = edit("* a\n1\n* b\n2\n", "* a\n1\n* new\n* b\n2\n");
    assert_eq!((new[0], new[2]), (old[0], old[1]));
    assert!(!old.contains(&new[1]));
}

#[test]
fn id_property_decides() {
    let entry = |id: &str, title: &str| format!("* {title}\n:PROPERTIES:\n:ID: {id}\n:END:\n");
    let (old, new) = edit(
        &(entry("1", "a") + &entry("2", "b")),
        &(entry("2", "a") + &entry("1", "b") + &entry("1", "copy")),
    );
    assert_eq!(new[..2], [old[1], old[0]]);
    assert!(!old.contains(&new[2]));
    assert_eq!(old[0], Store::identity_of_id("1"));
}

#[test]
fn entry_keeps_identity_in_another_file_and_when_it_comes_back() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    put(&mut store, 1, &[("a", Some(b"* x\ntext\n* y\n")), ("b", Some(b"* z\n"))]);
    let x = id(&store, "a", 0);
    // One turn, target first.
    put(&mut store, 2, &[("b", Some(b"* z\n* x\ntext\n")), ("a", Some(b"* y\n"))]);
    assert_eq!(id(&store, "b", 1), x);
    // Two turns, as an edit from outside is seen.
    put(&mut store, 3, &[("b", Some(b"* z\n"))]);
    assert_eq!(store.locate(x).unwrap(), None);
    put(&mut store, 4, &[("a", Some(b"* y\n** x\ntext\n"))]);
    // Away for a while and at another level: its own bytes differ, so it is somebody new.
    assert_ne!(id(&store, "a", 1), x);
    put(&mut store, 5, &[("a", Some(b"* y\n* x\ntext\n"))]);
    let again = id(&store, "a", 1);
    put(&mut store, 6, &[("a", Some(b"* y\n"))]);
    put(&mut store, 7, &[("a", Some(b"* y\n* x\ntext\n"))]);
    assert_eq!(id(&store, "a", 1), again);
    put(&mut store, 8, &[("a", None)]);
    put(&mut store, 9, &[("c", Some(b"* y\n* x\ntext\n"))]);
    assert_eq!(id(&store, "c", 1), again);
}

#[test]
fn history_lists_each_version_with_its_end() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let versions: [&[u8]; 3] = [b"* x\n1\n", b"* x\n2\n", b"* x\n3\n"];
    for (now, bytes) in versions.iter().enumerate() {
        put(&mut store, now as u64, &[("a", Some(bytes))]);
    }
    let x = id(&store, "a", 0);
    let history = store.history(x).unwrap();
    let contents: Vec<Vec<u8>> = history.iter().map(|past| store.content(past.content).unwrap()).collect();
    assert_eq!(contents, versions);
    assert_eq!(history.iter().map(|past| past.until).collect::<Vec<_>>(), [Some(1), Some(2), None]);
    put(&mut store, 9, &[("a", None)]);
    assert_eq!(store.history(x).unwrap().last().unwrap().until, Some(9));
    assert_eq!(store.entry_at(2, x).unwrap().unwrap(), versions[1]);
    assert_eq!(store.entry_at(4, x).unwrap(), None);
}

#[test]
fn difference_names_what_happened() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    put(
        &mut store,
        1,
        &[("a", Some(b"* stays\n* edited\n1\n* moves\n5\n* goes\n")), ("b", Some(b"* other\n"))],
    );
    put(
        &mut store,
        2,
        &[("a", Some(b"* stays\n* edited\n2\n")), ("b", Some(b"* other\n* moves\n5\n* comes\n"))],
    );
    let diff = store.diff(1, 2).unwrap();
    let mut entries: Vec<(Fate, String)> = diff
        .iter()
        .filter(|difference| difference.entry.is_some())
        .map(|difference| {
            let (_, title) = difference.after.clone().or(difference.before.clone()).unwrap();
            (difference.fate, title)
        })
        .collect();
    entries.sort();
    let expected =
        [(Fate::Added, "comes"), (Fate::Removed, "goes"), (Fate::Changed, "edited"), (Fate::Moved, "moves")];
    assert_eq!(entries, expected.map(|(fate, title)| (fate, title.to_owned())));
    assert_eq!(diff.len(), 6);
    assert_eq!(store.diff_to_now(2).unwrap(), []);
}
