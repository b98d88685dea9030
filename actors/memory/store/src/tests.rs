//! The store as a whole: against a model of plain maps, against damage, against crashes, and who is who.

mod damage;
mod identities;
mod model;
mod trees;

use crate::{Cause, Committed, Keep, Opened, Options, Store};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder for one test, removed when the test is over.
pub(super) struct TestDir(PathBuf);

impl TestDir {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("store-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(super) fn options() -> Options {
    Options { segment_bytes: 2_000, keep: Keep { newest: 4, hours: 0, days: 0 }, ..Options::new([7; 16]) }
}

pub(super) fn open(dir: &Path) -> (Store, Opened) {
    Store::open(dir, options()).unwrap()
}

/// Puts files (or removes them) in one transaction with a snapshot.
pub(super) fn put(store: &mut Store, now: u64, files: &[(&str, Option<&[u8]>)]) -> Committed {
    let mut turn = store.begin(now);
    for (name, bytes) in files {
        match bytes {
            Some(bytes) => drop(turn.put_file(name, bytes, &org::scan(bytes)).unwrap()),
            None => turn.remove_file(name).unwrap(),
        }
    }
    turn.commit(Some(Cause { turn: Some(format!("turn-{now}")), name: None })).unwrap()
}
