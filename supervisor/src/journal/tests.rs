//! The journal as a whole, on a real directory: each test kills, harms or fills it in some way and looks at what a start
//! makes of it.

mod damage;
mod full;
mod model;
mod rotation;
mod speed;

use super::{Durability, Error, Options, Position, Record, Recovered, State, record};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

pub(super) use record::tests::{accepted, done, key, name};

/// A directory of its own that leaves nothing behind.
#[derive(Debug)]
pub(super) struct Dir(PathBuf);

impl Dir {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("passepartout-journal-{}-{count}", std::process::id());
        let dir = Self(std::env::temp_dir().join(name).join("journal"));
        fs::create_dir_all(dir.0.parent().unwrap()).unwrap();
        dir
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Every file with its bytes.
    pub(super) fn picture(&self) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(&self.0).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let bytes = fs::read(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), bytes)
        });
        files.collect()
    }

    /// A new directory that holds these files.
    pub(super) fn from_picture(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let dir = Self::new();
        fs::create_dir(&dir.0).unwrap();
        for (name, bytes) in files {
            fs::write(dir.0.join(name), bytes).unwrap();
        }
        dir
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        fs::remove_dir_all(self.0.parent().unwrap()).unwrap();
    }
}

/// Small segments, no reserve, no sync: fast.
pub(super) fn options() -> Options {
    Options { segment_bytes: 16 * 1024, reserve_bytes: 0, durability: Durability::Off, ..Options::default() }
}

pub(super) fn open(dir: &Dir) -> (Journal, Recovered) {
    Journal::open(dir.path(), &options()).unwrap()
}

/// Appends and syncs.
pub(super) fn put(journal: &mut Journal, records: &[Record]) {
    for record in records {
        journal.append(record).unwrap();
    }
    journal.sync().unwrap();
}

/// The journal together with what its records add up to, as the hub keeps them together.
#[derive(Debug)]
pub(super) struct Journal {
    journal: super::Journal,
    state: State,
}

impl Journal {
    pub(super) fn open(dir: &Path, options: &Options) -> Result<(Self, Recovered), Error> {
        let (journal, state, recovered) = super::Journal::open(dir, options)?;
        Ok((Self { journal, state }, recovered))
    }

    pub(super) fn append(&mut self, record: &Record) -> Result<Position, Error> {
        let position = self.journal.append(record)?;
        self.state.apply(record);
        Ok(position)
    }

    pub(super) fn sync(&mut self) -> Result<Position, Error> {
        self.journal.sync(&mut self.state)
    }

    pub(super) fn reopen(&mut self) -> Result<Recovered, Error> {
        let (state, recovered) = self.journal.reopen()?;
        self.state = state;
        Ok(recovered)
    }

    pub(super) const fn state(&self) -> &State {
        &self.state
    }
}

impl std::ops::Deref for Journal {
    type Target = super::Journal;

    fn deref(&self) -> &super::Journal {
        &self.journal
    }
}

impl std::ops::DerefMut for Journal {
    fn deref_mut(&mut self) -> &mut super::Journal {
        &mut self.journal
    }
}
