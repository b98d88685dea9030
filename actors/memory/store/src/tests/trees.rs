//! Trees: the same items give the same tree, however they got there.

use crate::{
    error::{Error, Result},
    hash::{Hash, Kind},
    pack::Objects,
    tree::{self, Changes, Role},
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Objects in memory.
#[derive(Default)]
struct Heap(BTreeMap<Hash, Vec<u8>>);

impl Objects for Heap {
    fn get(&self, _: Kind, hash: Hash) -> Result<Vec<u8>> {
        self.0.get(&hash).cloned().ok_or(Error::Missing(hash))
    }

    fn put(&mut self, kind: Kind, payload: &[u8]) -> Result<Hash> {
        let hash = Hash::of(kind, payload);
        self.0.insert(hash, payload.to_vec());
        Ok(hash)
    }
}

fn key(number: u32) -> Vec<u8> {
    format!("{number:05}").into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn changed_tree_is_the_tree_built_anew(
        steps in prop::collection::vec(prop::collection::btree_map(0_u32..3_000, prop::option::of(0_u8..4), 0..400), 1..8)
    ) {
        let mut heap = Heap::default();
        let mut model = BTreeMap::new();
        let mut root = tree::build(&mut heap, Role::Lost, []).unwrap();
        for step in steps {
            let changes: Changes =
                step.iter().map(|(number, value)| (key(*number), value.map(|value| vec![value]))).collect();
            root = tree::update(&mut heap, Role::Lost, root, changes.clone()).unwrap();
            for (key, value) in changes {
                match value {
                    Some(value) => drop(model.insert(key, value)),
                    None => drop(model.remove(&key)),
                }
            }
            let anew = tree::build(&mut heap, Role::Lost, model.clone()).unwrap();
            prop_assert_eq!(root, anew);
            let all: BTreeMap<_, _> = tree::all(&heap, root).unwrap().into_iter().collect();
            prop_assert_eq!(&all, &model);
            for number in step.keys() {
                prop_assert_eq!(tree::get(&heap, root, &key(*number)).unwrap(), model.get(&key(*number)).cloned());
            }
            let begins = tree::below(&heap, root, b"01").unwrap();
            prop_assert_eq!(begins.len(), model.keys().filter(|key| key.starts_with(b"01")).count());
        }
    }

    #[test]
    fn nodes_of_any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        drop(tree::Node::read(&bytes));
        for kind in [Kind::Content, Kind::Entry, Kind::File, Kind::Node, Kind::State] {
            drop(crate::object::names(kind, &bytes));
        }
    }
}

#[test]
fn one_change_writes_one_node_a_level() {
    let mut heap = Heap::default();
    let items = (0..20_000).map(|number| (key(number), vec![1]));
    let root = tree::build(&mut heap, Role::Lost, items).unwrap();
    let before = heap.0.len();
    tree::update(&mut heap, Role::Lost, root, Changes::from([(key(777), Some(vec![2]))])).unwrap();
    let made = heap.0.len() - before;
    assert!(made <= 8, "{made} nodes");
}
