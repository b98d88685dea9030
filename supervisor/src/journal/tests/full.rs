//! A disk that is full or broken.

use super::{Dir, Journal, accepted, done, key, open, options, put};
use crate::journal::{Error, Known, Options, Reserve, disk::Sink, disk::open_end, segment::Survey};
use std::{
    fs::{self, File},
    io::{self, Write},
};

/// A file on a disk with room for so many more bytes, whose sync works or does not.
#[derive(Debug)]
struct Tight {
    file: File,
    room: usize,
    sync: Result<(), io::ErrorKind>,
}

impl Write for Tight {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let count = bytes.len().min(self.room);
        let written = self.file.write(&bytes[..count])?;
        self.room -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for Tight {
    fn sync(&mut self) -> io::Result<()> {
        self.sync.map_err(Into::into)
    }
}

fn tighten(journal: &mut Journal, room: usize, sync: Result<(), io::ErrorKind>) {
    let file = open_end(&journal.dir, "00000001.journal").unwrap();
    journal.sink = Box::new(Tight { file, room, sync });
}

#[test]
fn full_disk_closes_the_journal_until_it_is_reopened() {
    for room in [0, 5, 300, 500] {
        let dir = Dir::new();
        let (mut journal, _) = open(&dir);
        put(&mut journal, &[accepted(1, "a")]);
        let durable = journal.durable();
        tighten(&mut journal, room, Ok(()));

        journal.append(&accepted(2, "a")).unwrap();
        journal.append(&accepted(3, "a")).unwrap();
        let error = journal.sync().unwrap_err();

        assert!(error.is_disk_full(), "{error:?}");
        assert!(journal.is_failed());
        assert!(matches!(journal.append(&done(1)), Err(Error::Failed)));
        assert!(matches!(journal.sync(), Err(Error::Failed)));
        assert_eq!(journal.durable(), durable);

        let recovered = journal.reopen().unwrap();
        assert_eq!(recovered.mended, None);
        assert_eq!(journal.state().lookup(key(1)), Known::Open);
        assert_eq!(journal.state().lookup(key(3)), Known::Unknown);
        put(&mut journal, &[accepted(4, "a")]);
        drop(journal);
        let (journal, recovered) = open(&dir);
        assert_eq!(recovered.cut, None);
        assert_eq!(journal.state().lookup(key(4)), Known::Open);
    }
}

#[test]
fn real_full_device_is_reported_as_full() {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    let full = File::options().write(true).open("/dev/full").unwrap();
    journal.sink = Box::new(full);
    journal.append(&accepted(1, "a")).unwrap();
    assert!(journal.sync().unwrap_err().is_disk_full());
    drop(journal.reopen().unwrap());
    assert_eq!(journal.state().lookup(key(1)), Known::Unknown);
}

#[test]
fn segment_whose_sync_failed_is_written_anew() {
    let dir = Dir::new();
    let options = Options { reserve_bytes: 0, ..Options::default() };
    let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
    put(&mut journal, &[accepted(1, "a")]);
    let inode = |dir: &Dir| {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(dir.file("00000001.journal")).unwrap().ino()
    };
    let before = inode(&dir);
    tighten(&mut journal, usize::MAX, Err(io::ErrorKind::Other));
    journal.append(&accepted(2, "a")).unwrap();
    assert!(!journal.sync().unwrap_err().is_disk_full());

    drop(journal.reopen().unwrap());

    assert_ne!(inode(&dir), before);
    put(&mut journal, &[accepted(3, "a")]);
    let bytes = fs::read(dir.file("00000001.journal")).unwrap();
    assert_eq!(Survey::of(&bytes).good.len(), 5);
}

#[test]
fn rotation_that_cannot_be_prepared_leaves_the_old_segment_in_force() {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    // A directory in the way of the staged sidecar.
    let obstacle = dir.file("00000001.done.staged");
    fs::create_dir(&obstacle).unwrap();
    let mut number = 0;
    while journal.rotation_fault().is_none() {
        number += 1;
        put(&mut journal, &[accepted(number, "a"), done(number)]);
    }
    assert!(!journal.is_failed());
    put(&mut journal, &[accepted(9_999, "a")]);
    fs::remove_dir(&obstacle).unwrap();
    while journal.counters().rotations == 0 {
        number += 1;
        put(&mut journal, &[accepted(number, "a"), done(number)]);
    }
    assert!(journal.rotation_fault().is_none());
    drop(journal);
    let (journal, _) = open(&dir);
    assert_eq!(journal.state().lookup(key(9_999)), Known::Open);
    assert!((1..=number).all(|number| journal.state().lookup(key(number)) == Known::Done));
}

#[test]
fn reserve_is_made_released_and_made_again() {
    let dir = Dir::new();
    let options = Options { reserve_bytes: 64 * 1024, ..options() };
    let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
    let size = || fs::metadata(dir.file("reserve")).map(|meta| meta.len()).ok();
    assert_eq!(size(), Some(64 * 1024));
    journal.release_reserve().unwrap();
    journal.release_reserve().unwrap();
    assert_eq!(size(), None);
    assert_eq!(journal.restore_reserve().unwrap(), Reserve::Held);
    assert_eq!(size(), Some(64 * 1024));
}

#[test]
fn disk_that_is_too_small_gets_no_reserve() {
    let dir = Dir::new();
    let options = Options { reserve_bytes: u64::MAX / 8, ..options() };
    let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
    assert_eq!(journal.restore_reserve().unwrap(), Reserve::Absent);
    assert!(!dir.file("reserve").exists());
}
