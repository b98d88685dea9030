//! Torn writes, full disks and damaged bytes: the last committed state, a clear word, never wrong bytes.

use super::{TestDir, open, options, put};
use crate::{Error, Options, Store, discard};
use proptest::prelude::*;
use std::{collections::BTreeMap, fs, path::Path};

fn text(round: u64) -> Vec<u8> {
    format!("* a\ncommon\n* b {round}\n{}\n** c\n", "word ".repeat(30)).into_bytes()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn segments(dir: &Path) -> Vec<std::path::PathBuf> {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = all.filter(|path| path.extension().is_some_and(|end| end == "seg")).collect();
    found.sort();
    found
}

#[test]
fn write_torn_at_any_byte_leaves_a_committed_state() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let mut ends = BTreeMap::new();
    for round in 0..3 {
        put(&mut store, round, &[("a", Some(&text(round)))]);
        let last = segments(dir.path()).pop().unwrap();
        ends.insert((last.clone(), fs::metadata(&last).unwrap().len()), round);
    }
    drop(store);
    let last = segments(dir.path()).pop().unwrap();
    let whole = fs::read(&last).unwrap();
    for len in 0..whole.len() {
        // Zeros behind the cut, as a file system may leave them, at every ninth place.
        let tails: &[&[u8]] = if len % 9 == 0 { &[b"", &[0; 40]] } else { &[b""] };
        for garbage in tails {
            let torn = TestDir::new();
            copy(dir.path(), torn.path());
            fs::write(torn.path().join(last.file_name().unwrap()), [&whole[..len], *garbage].concat())
                .unwrap();
            let survivor = ends
                .iter()
                .filter(|((path, end), _)| *path != last || *end <= len as u64)
                .map(|(_, round)| *round)
                .max();
            let (mut store, _) = open(torn.path());
            let there = store.file("a").unwrap();
            assert_eq!(there, survivor.map(text), "cut at {len}");
            put(&mut store, 9, &[("a", Some(&text(9)))]);
            drop(store);
            let (store, opened) = open(torn.path());
            assert_eq!((store.file("a").unwrap(), opened.torn), (Some(text(9)), 0));
        }
    }
}

#[test]
fn full_disk_at_any_byte_leaves_the_state_before() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    put(&mut store, 1, &[("a", Some(&text(1)))]);
    let mut room = 0;
    loop {
        store.pack.room = Some(room);
        let mut turn = store.begin(2);
        turn.put_file("a", &text(2), &org::scan(&text(2))).unwrap();
        if turn.commit(None).is_ok() {
            break;
        }
        assert_eq!(store.file("a").unwrap().unwrap(), text(1));
        room += 1;
    }
    assert!(room > 500);
    assert_eq!(store.file("a").unwrap().unwrap(), text(2));
    assert!(store.verify().damage.is_empty());
    drop(store);
    assert_eq!(open(dir.path()).0.file("a").unwrap().unwrap(), text(2));
}

#[test]
fn damage_is_named_by_file_and_entry() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    put(&mut store, 1, &[("a.org", Some(b"* Garden\nneedle in here\n")), ("b.org", Some(b"* Other\n"))]);
    put(&mut store, 2, &[("b.org", Some(b"* Other\nmore\n"))]);
    drop(store);
    let path = segments(dir.path()).remove(0);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|window| window == b"needle").unwrap();
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (store, opened) = open(dir.path());
    assert_eq!(opened.damaged.len(), 1);
    let report = store.verify();
    assert_eq!(report.damage.len(), 1);
    assert_eq!(report.damage[0].belongs_to, "now, file a.org, entry Garden");
    assert!(store.file("a.org").is_err());
    assert_eq!(store.file("b.org").unwrap().unwrap(), b"* Other\nmore\n");
}

#[test]
fn last_write_of_which_only_the_end_reached_the_disk_does_not_count() {
    let dir = TestDir::new();
    let (mut store, _) = Store::open(dir.path(), Options::new([7; 16])).unwrap();
    put(&mut store, 1, &[("a", Some(&text(1)))]);
    let before = fs::read(&segments(dir.path())[0]).unwrap().len();
    put(&mut store, 2, &[("a", Some(&text(2)))]);
    drop(store);
    let path = segments(dir.path()).remove(0);
    let whole = fs::read(&path).unwrap();
    for lost in [before..before + 1, before..before + 300, before + 60..before + 90] {
        let mut bytes = whole.clone();
        bytes[lost].fill(0);
        fs::write(&path, bytes).unwrap();
        let (store, opened) = open(dir.path());
        assert_eq!(store.file("a").unwrap().unwrap(), text(1));
        assert!(opened.torn > 0 && opened.damaged.is_empty());
        assert!(store.verify().damage.is_empty());
    }
}

#[test]
fn lost_state_asks_for_a_rebuild() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let root = put(&mut store, 1, &[("a", Some(b"* a\n"))]).root;
    let state = store.pack.place(store.pack.head().unwrap().state).unwrap();
    // A second commit of the same state: the first was acknowledged.
    let head = store.pack.head().unwrap().state;
    store.pack.commit(head).unwrap();
    drop(store);
    let path = segments(dir.path()).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[state.offset as usize + 30] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(matches!(Store::open(dir.path(), options()), Err(Error::Rebuild(_))));
    discard(dir.path()).unwrap();
    let (mut store, opened) = open(dir.path());
    assert!(opened.created);
    assert_eq!(put(&mut store, 2, &[("a", Some(b"* a\n"))]).root, root);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_found_or_harmless(which: prop::sample::Index, place: prop::sample::Index, bits in 1_u8..) {
        let dir = TestDir::new();
        let (mut store, _) = open(dir.path());
        let mut snapshots = BTreeMap::new();
        for round in 0..8 {
            let number = put(&mut store, round, &[("a", Some(&text(round)))]).snapshot.unwrap();
            snapshots.insert(number, text(round));
        }
        drop(store);
        let mut files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| fs::metadata(path).unwrap().len() > 0);
        files.sort();
        let path = which.get(&files);
        let mut bytes = fs::read(path).unwrap();
        let at = place.index(bytes.len());
        bytes[at] ^= bits;
        fs::write(path, bytes).unwrap();
        match Store::open(dir.path(), options()) {
            Err(Error::Rebuild(_)) => {}
            Err(error) => prop_assert!(false, "{error}"),
            Ok((mut store, _)) => {
                for snapshot in store.snapshots().unwrap_or_default() {
                    if let Ok(there) = store.file_at(snapshot.number, "a") {
                        prop_assert_eq!(&there.unwrap(), &snapshots[&snapshot.number]);
                    }
                }
                let sound = store.verify().damage.is_empty();
                let now = store.file("a");
                if sound {
                    let now = now.unwrap();
                    prop_assert!(now.is_none() || snapshots.values().any(|text| Some(text) == now.as_ref()));
                }
                drop(store.collect(1_000));
                let mut turn = store.begin(99);
                if turn.put_file("a", &text(99), &org::scan(&text(99))).is_ok() && turn.commit(None).is_ok()
                    && let Ok(now) = store.file("a") {
                    prop_assert_eq!(now.unwrap(), text(99));
                }
            }
        }
    }
}
