//! The store against plain maps.

use super::{TestDir, open, options, put};
use crate::{Cause, Seek, Store};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Files = BTreeMap<String, Vec<u8>>;

#[derive(Clone, Debug)]
enum Step {
    Put(u8, Vec<u8>),
    Remove(u8),
    Commit,
    Abort,
    Back(prop::sample::Index),
    Reopen,
    Collect,
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "\\*{1,4} (TODO |DONE )?[a-c]{1,3}( :private:| :x:y:)?\r?\n".prop_map(String::into_bytes),
        2 => "[a-c ]{0,9}\n".prop_map(String::into_bytes),
        1 => Just(b":PROPERTIES:\n:ID: same\n:END:\n".to_vec()),
        1 => Just(b"#+FILETAGS: :f:\n".to_vec()),
        1 => Just(b"#+TODO: a b | c\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => Just(vec![b'*'; 300]),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(line(), 0..60).prop_map(|lines| lines.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..4, text()).prop_map(|(name, text)| Step::Put(name, text)),
        1 => (0_u8..4).prop_map(Step::Remove),
        4 => Just(Step::Commit),
        1 => Just(Step::Abort),
        1 => any::<prop::sample::Index>().prop_map(Step::Back),
        2 => Just(Step::Reopen),
        2 => Just(Step::Collect),
    ]
}

/// Brings the store to what the model says, in one transaction.
fn write(store: &mut Store, now: u64, from: &Files, to: &Files, cause: Option<Cause>) -> Option<u64> {
    let mut turn = store.begin(now);
    for (name, bytes) in to.iter().filter(|(name, bytes)| from.get(*name) != Some(bytes)) {
        turn.put_file(name, bytes, &org::scan(bytes)).unwrap();
    }
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        turn.remove_file(name).unwrap();
    }
    turn.commit(cause).unwrap().snapshot
}

fn anew(files: &Files) -> crate::Hash {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    write(&mut store, 0, &Files::new(), files, None);
    store.root()
}

fn check(store: &Store, files: &Files, snapshots: &BTreeMap<u64, Files>) {
    let names: Vec<String> = store.files().unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, files.keys().cloned().collect::<Vec<_>>());
    for (name, bytes) in files {
        assert_eq!(store.file(name).unwrap().as_ref(), Some(bytes));
        let total = org::scan(bytes).nodes.len();
        for ordinal in 0..total {
            let id = store.identify(name, ordinal).unwrap().unwrap();
            assert!(store.locate(id).unwrap().is_some() || bytes.windows(4).any(|window| window == b"same"));
        }
        assert_eq!(store.identify(name, total).unwrap(), None);
    }
    for snapshot in store.snapshots().unwrap() {
        let there = &snapshots[&snapshot.number];
        assert_eq!(store.files_at(snapshot.number).unwrap().len(), there.len());
        for (name, bytes) in there {
            assert_eq!(store.file_at(snapshot.number, name).unwrap().as_ref(), Some(bytes));
        }
    }
    let report = store.verify();
    assert!(report.damage.is_empty(), "{:?}", report.damage);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn store_is_what_plain_maps_say(steps in prop::collection::vec(step(), 1..40)) {
        let dir = TestDir::new();
        let (mut store, _) = open(dir.path());
        let (mut committed, mut wanted) = (Files::new(), Files::new());
        let mut snapshots = BTreeMap::new();
        for (now, step) in steps.into_iter().enumerate() {
            let now = now as u64;
            match step {
                Step::Put(name, bytes) => drop(wanted.insert(format!("{name}.org"), bytes)),
                Step::Remove(name) => drop(wanted.remove(&format!("{name}.org"))),
                Step::Commit => {
                    let number = write(&mut store, now, &committed, &wanted, Some(Cause::default()));
                    committed = wanted.clone();
                    snapshots.insert(number.unwrap(), committed.clone());
                }
                Step::Abort => {
                    let mut turn = store.begin(now);
                    for (name, bytes) in &wanted {
                        turn.put_file(name, bytes, &org::scan(bytes)).unwrap();
                    }
                    turn.root().unwrap();
                    drop(turn);
                    wanted = committed.clone();
                }
                Step::Back(which) => {
                    let all = store.snapshots().unwrap();
                    if !all.is_empty() {
                        let number = which.get(&all).number;
                        let there = store.files_at(number).unwrap();
                        wanted = there
                            .into_iter()
                            .map(|(name, _)| (name.clone(), store.file_at(number, &name).unwrap().unwrap()))
                            .collect();
                        write(&mut store, now, &committed, &wanted, None);
                        committed = wanted.clone();
                        prop_assert_eq!(&wanted, &snapshots[&number]);
                    }
                }
                Step::Reopen => {
                    drop(store);
                    let (again, opened) = open(dir.path());
                    prop_assert!(opened.damaged.is_empty() && opened.torn == 0);
                    store = again;
                }
                Step::Collect => drop(store.collect(20).unwrap()),
            }
        }
        check(&store, &committed, &snapshots);
        prop_assert_eq!(store.root(), anew(&committed));
        for _ in 0..10_000 {
            if store.collect(50).unwrap().done {
                break;
            }
        }
        check(&store, &committed, &snapshots);
        drop(store);
        let (store, _) = open(dir.path());
        check(&store, &committed, &snapshots);
    }

    #[test]
    fn any_bytes_come_back(bytes: Vec<u8>, more in text()) {
        let dir = TestDir::new();
        let (mut store, _) = open(dir.path());
        put(&mut store, 1, &[("a", Some(&bytes)), ("b", Some(&more))]);
        prop_assert_eq!(store.file("a").unwrap().unwrap(), bytes);
        prop_assert_eq!(store.file("b").unwrap().unwrap(), more);
    }
}

#[test]
fn very_deep_file_comes_back() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let mut text = Vec::new();
    for depth in 1..2_000 {
        text.extend(vec![b'*'; depth]);
        text.extend(b" a\n");
    }
    put(&mut store, 1, &[("deep.org", Some(&text))]);
    assert_eq!(store.file("deep.org").unwrap().unwrap(), text);
    assert!(store.verify().damage.is_empty());
}

#[test]
fn scan_of_other_bytes_is_refused() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    let mut turn = store.begin(1);
    let error = turn.put_file("a", b"* a\n* bc\n", &org::scan(b"* a\n")).unwrap_err();
    assert!(matches!(error, crate::Error::ForeignScan), "{error}");
}

#[test]
fn second_process_is_kept_out() {
    let dir = TestDir::new();
    let _first = open(dir.path());
    assert!(matches!(Store::open(dir.path(), options()), Err(crate::Error::Locked)));
}

#[test]
fn snapshot_is_found_by_each_of_its_names() {
    let dir = TestDir::new();
    let (mut store, _) = open(dir.path());
    put(&mut store, 10, &[("a", Some(b"1"))]);
    let mut turn = store.begin(20);
    turn.put_file("a", b"2", &org::scan(b"2")).unwrap();
    turn.commit(Some(Cause { turn: None, name: Some("before the move".to_owned()) })).unwrap();
    for now in 30_u8..50 {
        put(&mut store, u64::from(now), &[("a", Some(&[now]))]);
    }
    let number = |seek| store.find(seek).unwrap().map(|snapshot| snapshot.number);
    assert_eq!(number(Seek::Name("before the move")), Some(2));
    assert_eq!(number(Seek::Number(1)), None, "only the named one and the last four are kept");
    assert_eq!(number(Seek::Turn("turn-4")), Some(22));
    assert_eq!(number(Seek::Time(29)), Some(2));
    assert_eq!(store.snapshots().unwrap().len(), 5);
    assert_eq!(store.file_at(2, "a").unwrap().unwrap(), b"2");
}
