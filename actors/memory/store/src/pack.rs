//! Objects on disk: segment files, appended only, and one durable write for a transaction. It never returns bytes that
//! do not have the hash they were asked by, and it never changes bytes that were committed.

mod cache;
pub(crate) mod open;

use crate::{
    error::{Error, Result, at},
    hash::{Hash, Kind},
    index::{Index, Place},
    pack::cache::Cache,
    segment::{self, Head, RECORD, Seed},
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// How many bytes of a transaction wait in memory.
const BUFFER_MAX: usize = 1 << 20;
/// Read at first; most objects are shorter and need no second read.
const GUESS: usize = 2048;

/// Where objects are kept. Trees are built over this, so that tests need no disk.
pub(crate) trait Objects {
    fn get(&self, kind: Kind, hash: Hash) -> Result<Vec<u8>>;
    fn put(&mut self, kind: Kind, payload: &[u8]) -> Result<Hash>;
}

/// The segment that is written.
#[derive(Debug)]
struct Active {
    number: u32,
    /// End of the last commit.
    committed: u64,
    /// Bytes of the transaction that are in the file already.
    flushed: u64,
}

/// An open pack.
#[derive(Debug)]
pub(crate) struct Pack {
    dir: PathBuf,
    seed: Seed,
    segment_bytes: u64,
    files: BTreeMap<u32, File>,
    index: Index,
    active: Active,
    buffer: Vec<u8>,
    /// What this transaction put, new or known; what is new is true.
    pending: Vec<(u128, bool)>,
    head: Option<Head>,
    poisoned: bool,
    /// Nodes of trees that were read or written last: the upper ones are needed by every turn.
    cache: RefCell<Cache>,
    /// Held as long as the pack is open.
    _lock: File,
    /// Bytes that a test lets through before the disk is full.
    #[cfg(test)]
    pub(crate) room: Option<u64>,
}

impl Objects for Pack {
    fn get(&self, kind: Kind, hash: Hash) -> Result<Vec<u8>> {
        if kind == Kind::Node
            && let Some(known) = self.cache.borrow_mut().get(hash)
        {
            return Ok(known);
        }
        let place = self.index.get(hash.fingerprint()).ok_or(Error::Missing(hash))?;
        let (found, payload) = self.record(hash, place)?;
        if found != kind || Hash::of(kind, &payload) != hash {
            return Err(Error::Damaged(hash));
        }
        if kind == Kind::Node {
            self.cache.borrow_mut().put(hash, &payload);
        }
        Ok(payload)
    }

    fn put(&mut self, kind: Kind, payload: &[u8]) -> Result<Hash> {
        let hash = Hash::of(kind, payload);
        let key = hash.fingerprint();
        if self.index.get(key).is_some() {
            self.pending.push((key, false));
            return Ok(hash);
        }
        if u32::try_from(payload.len()).is_err() {
            return Err(Error::TooLarge(payload.len()));
        }
        self.append(kind, hash, payload)?;
        if kind == Kind::Node {
            self.cache.borrow_mut().put(hash, payload);
        }
        Ok(hash)
    }
}

impl Pack {
    pub(crate) const fn head(&self) -> Option<Head> {
        self.head
    }

    pub(crate) const fn seed(&self) -> Seed {
        self.seed
    }

    pub(crate) fn count(&self) -> usize {
        self.index.len()
    }

    /// Bytes of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.values().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// Says how many bytes the committed part of each segment but the active one has.
    pub(crate) fn sealed(&self) -> Vec<(u32, u64)> {
        let old = self.files.iter().filter(|(number, _)| **number != self.active.number);
        old.filter_map(|(number, file)| Some((*number, file.metadata().ok()?.len()))).collect()
    }

    pub(crate) fn place(&self, hash: Hash) -> Option<Place> {
        self.index.get(hash.fingerprint())
    }

    /// Reads an object of any kind.
    pub(crate) fn get_any(&self, hash: Hash) -> Result<(Kind, Vec<u8>)> {
        let place = self.index.get(hash.fingerprint()).ok_or(Error::Missing(hash))?;
        let (kind, payload) = self.record(hash, place)?;
        if Hash::of(kind, &payload) == hash { Ok((kind, payload)) } else { Err(Error::Damaged(hash)) }
    }

    fn append(&mut self, kind: Kind, hash: Hash, payload: &[u8]) -> Result<()> {
        if self.poisoned {
            return Err(Error::Poisoned);
        }
        if self.active.committed >= self.segment_bytes && self.pending.iter().all(|(_, new)| !new) {
            self.rotate()?;
        }
        let offset = self.active.committed + self.active.flushed + self.buffer.len() as u64;
        let offset = u32::try_from(offset).or(Err(Error::TooLarge(payload.len())))?;
        segment::append_object(&mut self.buffer, kind, hash, payload);
        self.index.insert(hash.fingerprint(), Place { segment: self.active.number, offset });
        self.pending.push((hash.fingerprint(), true));
        if self.buffer.len() >= BUFFER_MAX { self.flush() } else { Ok(()) }
    }

    /// Writes what waits in memory, without making it durable.
    fn flush(&mut self) -> Result<()> {
        let Some(file) = self.files.get(&self.active.number) else {
            return Err(Error::Poisoned);
        };
        #[cfg(test)]
        if let Some(room) = &mut self.room {
            let Some(left) = room.checked_sub(self.buffer.len() as u64) else {
                let part = usize::try_from(*room).unwrap_or(0);
                let end = self.active.committed + self.active.flushed;
                file.write_all_at(self.buffer.get(..part).unwrap_or_default(), end).map_err(at(&self.dir))?;
                return Err(at(&self.dir)(std::io::ErrorKind::StorageFull.into()));
            };
            *room = left;
        }
        let end = self.active.committed + self.active.flushed;
        file.write_all_at(&self.buffer, end).map_err(at(segment_path(&self.dir, self.active.number)))?;
        self.active.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes the transaction durable with one write and one sync.
    pub(crate) fn commit(&mut self, state: Hash) -> Result<()> {
        if self.poisoned {
            return Err(Error::Poisoned);
        }
        let head = Head { sequence: self.head.map_or(1, |head| head.sequence + 1), state };
        segment::append_commit(&mut self.buffer, self.seed, head);
        self.flush()?;
        let path = segment_path(&self.dir, self.active.number);
        if let Some(file) = self.files.get(&self.active.number) {
            // After a failed sync nobody knows what is on the disk, and a second one would lie.
            file.sync_data().map_err(at(path)).inspect_err(|_| self.poisoned = true)?;
        }
        self.active.committed += self.active.flushed;
        self.active.flushed = 0;
        self.pending.clear();
        self.head = Some(head);
        self.index.settle();
        Ok(())
    }

    /// Forgets the transaction. Its bytes are cut off; if the disk refuses even that, nothing is written any more.
    pub(crate) fn abort(&mut self) {
        for (key, new) in std::mem::take(&mut self.pending) {
            if new {
                self.index.forget(key);
            }
        }
        self.buffer.clear();
        self.active.flushed = 0;
        let cut = self.files.get(&self.active.number).map(|file| file.set_len(self.active.committed));
        if !matches!(cut, Some(Ok(()))) {
            self.poisoned = true;
        }
    }

    /// Begins the next segment. The sidecar of the full one is only there to open faster.
    fn rotate(&mut self) -> Result<()> {
        let old = self.active.number;
        let found = segment::Found {
            objects: self.index.of(old),
            head: self.head,
            committed: usize::try_from(self.active.committed).unwrap_or(usize::MAX),
            damaged: false,
        };
        write_sidecar(&self.dir, old, &segment::sidecar(self.seed, &found))?;
        self.start(old + 1)
    }

    fn start(&mut self, number: u32) -> Result<()> {
        let path = segment_path(&self.dir, number);
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(&path);
        let file = options.map_err(at(&path))?;
        let header = segment::header(self.seed);
        file.write_all_at(&header, 0).map_err(at(&path))?;
        file.sync_data().map_err(at(&path))?;
        sync_dir(&self.dir)?;
        self.files.insert(number, file);
        self.active = Active { number, committed: header.len() as u64, flushed: 0 };
        Ok(())
    }

    fn record(&self, hash: Hash, place: Place) -> Result<(Kind, Vec<u8>)> {
        let offset = u64::from(place.offset);
        let written = self.active.committed + self.active.flushed;
        if place.segment == self.active.number && offset >= written {
            let begin = usize::try_from(offset - written).unwrap_or(usize::MAX);
            let rest = self.buffer.get(begin..).unwrap_or_default();
            let (kind, len) = segment::peek(rest).ok_or(Error::Damaged(hash))?;
            let payload = rest.get(RECORD..RECORD + len).ok_or(Error::Damaged(hash))?;
            return Ok((kind, payload.to_vec()));
        }
        let file = self.files.get(&place.segment).ok_or(Error::Missing(hash))?;
        let failed = || at(segment_path(&self.dir, place.segment));
        let mut start = [0; GUESS];
        let mut got = 0;
        while let Some(rest) = start.get_mut(got..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, offset + got as u64).map_err(failed())? {
                0 => break,
                more => got += more,
            }
        }
        let start = start.get(..got).unwrap_or_default();
        let (kind, len) = segment::peek(start).ok_or(Error::Damaged(hash))?;
        let part = start.get(RECORD..).unwrap_or_default();
        if let Some(payload) = part.get(..len) {
            return Ok((kind, payload.to_vec()));
        }
        let end = offset + RECORD as u64 + len as u64;
        // What is short enough needs no look at the file before room is made for it.
        if len > BUFFER_MAX && end > file.metadata().map_err(failed())?.len() {
            return Err(Error::Damaged(hash));
        }
        let mut payload = vec![0; len];
        let (head, tail) = payload.split_at_mut(part.len());
        head.copy_from_slice(part);
        match file.read_exact_at(tail, offset + start.len() as u64) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(Error::Damaged(hash));
            }
            other => other.map_err(failed())?,
        }
        Ok((kind, payload))
    }

    /// Copies what `keep` wants out of a segment; the caller commits and then drops it.
    pub(crate) fn copy_out(&mut self, number: u32, keep: impl Fn(u128) -> bool) -> Result<usize> {
        // An abort forgets what is recent; the old places must not be among it.
        self.index.retain(|_, _| true);
        let wanted: Vec<_> = self.index.of(number).into_iter().filter(|(key, _)| keep(*key)).collect();
        for (key, offset) in &wanted {
            let hash = Hash::from_slice(&[key.to_be_bytes(), [0; 16]].concat()).ok_or(Error::Poisoned)?;
            let (kind, payload) = self.record(hash, Place { segment: number, offset: *offset })?;
            let whole = Hash::of(kind, &payload);
            if whole.fingerprint() != *key {
                return Err(Error::Damaged(hash));
            }
            self.append(kind, whole, &payload)?;
        }
        Ok(wanted.len())
    }

    /// Removes a segment from which everything wanted was copied and committed.
    pub(crate) fn drop_segment(&mut self, number: u32) -> Result<()> {
        self.index.retain(|_, place| place.segment != number);
        self.files.remove(&number);
        for path in [sidecar_path(&self.dir, number), segment_path(&self.dir, number)] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(path)(error)),
                _ => {}
            }
        }
        Ok(())
    }
}

fn segment_path(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:08}.seg"))
}

fn sidecar_path(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:08}.idx"))
}

fn write_sidecar(dir: &Path, number: u32, bytes: &[u8]) -> Result<()> {
    let path = sidecar_path(dir, number);
    let options = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
    let file = options.map_err(at(&path))?;
    file.write_all_at(bytes, 0).map_err(at(&path))
}

fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(at(dir))
}
