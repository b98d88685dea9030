//! The journal: what was promised to somebody must survive everything (supervision spec E4). Append-only segments of
//! checksummed JSON records; the state is what they add up to. The supervisor is the only writer and holds a lock on
//! that; nothing here may answer for a record before `sync` has returned.

mod disk;
mod done;
mod error;
mod frame;
mod inspect;
mod record;
mod recover;
mod repair;
mod reserve;
mod rotate;
mod segment;
mod sidecar;
mod state;
mod tagged;
mod turn;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use frame::RECORD_MAX;
pub use inspect::{Report, SegmentReport, replay_bytes, trace, verify};
pub use record::{Ending, Record, Unpark};
pub use recover::{Cut, Mended, Recovered};
pub use repair::{Repaired, repair};
pub use reserve::Reserve;
pub use state::{ANSWERS_BYTES_MAX, ANSWERS_MAX, NOTICES_MAX, State, VERBS_MAX};
pub use turn::{Answer, Charge, Doubt, Fate, Known, Notice, Parked, Rollback, Sent, Snap, Step, Turn};

use disk::Sink;
use recover::{Loaded, Trust};
use std::path::{Path, PathBuf};

/// Records that wait are written, without sync, when they reach this many bytes, so that a burst does not grow the heap.
const PENDING_MAX: usize = 256 * 1024;

/// How the journal is kept. The defaults are those of the settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// A segment is sealed when it reaches this size.
    pub segment_bytes: u64,
    /// Segments that are kept for `trace`, the one being written included.
    pub segments: usize,
    /// Size of the reserve; 0 means none.
    pub reserve_bytes: u64,
    /// Keys of ended turns that are remembered.
    pub done_keys: usize,
    /// For how many days at most.
    pub done_days: u32,
    /// Whether `sync` syncs.
    pub durability: Durability,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 4 * 1024 * 1024,
            segments: 4,
            reserve_bytes: 16 * 1024 * 1024,
            done_keys: 100_000,
            done_days: 30,
            durability: Durability::Full,
        }
    }
}

/// Whether `sync` syncs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Yes.
    Full,
    /// No; for tests that write hundreds of thousands of records.
    Off,
}

/// A place in the journal. Later is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    /// The segment.
    pub segment: u32,
    /// The byte after the record.
    pub offset: u64,
}

/// What the journal did since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Records appended.
    pub records: u64,
    /// Syncs that had something to sync.
    pub syncs: u64,
    /// Bytes written, checkpoints not included.
    pub bytes: u64,
    /// Segments sealed.
    pub rotations: u64,
}

/// What stands between the journal and its next record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Health {
    Sound,
    /// A write failed: the end of the file may be torn.
    WriteFailed,
    /// A sync failed: what the file shows may not be on the disk.
    SyncFailed,
}

/// The journal, open for writing. What its records add up to is kept by whoever decides on it, and handed in where the
/// files need it.
pub struct Journal {
    dir: PathBuf,
    options: Options,
    sink: Box<dyn Sink>,
    /// Encoded, not yet written.
    pending: Vec<u8>,
    /// Where the written part ends.
    written: Position,
    /// Up to where all is durable.
    durable: Position,
    rotate_at: u64,
    health: Health,
    rotation_fault: Option<Error>,
    counters: Counters,
}

/// Without the pending bytes, which hold user text.
impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("dir", &self.dir)
            .field("written", &self.written)
            .field("durable", &self.durable)
            .field("health", &self.health)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

/// Frees the reserve of a journal that cannot be opened because the disk is full.
///
/// # Errors
/// [`Error::Io`] when the system refuses.
pub fn release_reserve(dir: &Path) -> Result<(), Error> {
    reserve::release(dir)
}

impl Journal {
    /// Opens the journal, making the directory if there is none: reads it back, cuts a torn end off durably, and keeps
    /// what it adds up to. The caller holds the lock that makes it the only writer.
    ///
    /// # Errors
    /// [`Error::Damaged`] when a record that had been durable cannot be read; [`Error::UnknownRecord`] when a newer
    /// build wrote it; [`Error::Io`] when the system refuses.
    pub fn open(dir: &Path, options: &Options) -> Result<(Self, State, Recovered), Error> {
        let loaded = recover::load(dir, options, Trust::Disk)?;
        reserve::make(dir, options.reserve_bytes)?;
        let sink = disk::open_end(dir, &disk::segment_name(loaded.end.segment))?;
        let journal = Self {
            dir: dir.to_owned(),
            options: *options,
            sink: Box::new(sink),
            pending: Vec::new(),
            written: loaded.end,
            durable: loaded.end,
            rotate_at: rotate::limit(options, loaded.checkpoint),
            health: Health::Sound,
            rotation_fault: None,
            counters: Counters::default(),
        };
        Ok((journal, loaded.state, loaded.recovered))
    }

    /// Takes a record in; the disk has it with the next [`Self::sync`]. Nobody may be told before.
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Encode`] concern this record only. [`Error::Failed`] and [`Error::Io`] mean that
    /// no record is taken until [`Self::reopen`].
    pub fn append(&mut self, record: &Record) -> Result<Position, Error> {
        self.check()?;
        frame::encode(record, &mut self.pending)?;
        self.counters.records += 1;
        let end = Position {
            segment: self.written.segment,
            offset: self.written.offset + segment::wide(self.pending.len()),
        };
        if self.pending.len() >= PENDING_MAX {
            self.write()?;
        }
        Ok(end)
    }

    /// Makes everything durable that was appended before, with one sync, and starts a new segment when this one is full.
    /// Returns up to where all is durable.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk is full or broken: none of the records since the last sync may be relied on, and no
    /// record is taken until [`Self::reopen`]. [`Error::Failed`] when that was so already.
    pub fn sync(&mut self, state: &mut State) -> Result<Position, Error> {
        self.check()?;
        self.write()?;
        if self.durable < self.written {
            if self.options.durability == Durability::Full
                && let Err(source) = self.sink.sync()
            {
                self.health = Health::SyncFailed;
                let file = disk::segment_name(self.written.segment);
                return Err(Error::io("sync", file)(source));
            }
            self.counters.syncs += 1;
            self.durable = self.written;
        }
        let durable = self.durable;
        if self.written.offset >= self.rotate_at {
            self.rotate(state);
        }
        Ok(durable)
    }

    /// Reads everything back after a failure and takes records again. Returns what the disk adds up to: what had been
    /// appended and not synced is not in it, unless it reached the disk after all.
    ///
    /// # Errors
    /// As [`Self::open`]; the journal then stays closed to records and this can be tried again.
    pub fn reopen(&mut self) -> Result<(State, Recovered), Error> {
        let trust = match self.health {
            Health::Sound | Health::WriteFailed => Trust::Disk,
            Health::SyncFailed => Trust::Rewrite,
        };
        if self.health == Health::Sound {
            self.health = Health::WriteFailed;
        }
        self.pending = Vec::new();
        let Loaded { state, end, checkpoint, recovered } = recover::load(&self.dir, &self.options, trust)?;
        self.sink = Box::new(disk::open_end(&self.dir, &disk::segment_name(end.segment))?);
        self.written = end;
        self.durable = end;
        self.rotate_at = rotate::limit(&self.options, checkpoint);
        self.health = Health::Sound;
        Ok((state, recovered))
    }

    /// Frees the reserve, so that the last records can be written to a full disk.
    ///
    /// # Errors
    /// [`Error::Io`] when the system refuses.
    pub fn release_reserve(&mut self) -> Result<(), Error> {
        reserve::release(&self.dir)
    }

    /// Takes the reserve back when there is room for it again.
    ///
    /// # Errors
    /// [`Error::Io`] when the system refuses for another reason than lack of room.
    pub fn restore_reserve(&mut self) -> Result<Reserve, Error> {
        reserve::make(&self.dir, self.options.reserve_bytes)
    }

    /// Starts a segment that says what is known: after a failure the disk is behind what has happened since.
    ///
    /// # Errors
    /// [`Error::Io`] when the segment cannot be written; no record is taken then until [`Self::reopen`].
    pub fn checkpoint(&mut self, state: &mut State) -> Result<(), Error> {
        self.check()?;
        self.rotate(state);
        match self.rotation_fault.take() {
            None => Ok(()),
            Some(error) => {
                self.health = Health::WriteFailed;
                Err(error)
            }
        }
    }

    /// Returns how many bytes are free on the journal's disk.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        rustix::fs::statvfs(&self.dir).map_or(0, |stat| stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    /// Returns up to where all is durable.
    #[must_use]
    pub const fn durable(&self) -> Position {
        self.durable
    }

    /// Says whether records wait for a [`Self::sync`].
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.pending.is_empty() || self.durable < self.written
    }

    /// Says whether a write or sync has failed, so that no record is taken until [`Self::reopen`].
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.health != Health::Sound
    }

    /// Returns why the last try to start a new segment failed, if it did. The journal goes on in the old one and tries
    /// again a quarter of a segment later.
    #[must_use]
    pub const fn rotation_fault(&self) -> Option<&Error> {
        self.rotation_fault.as_ref()
    }

    /// Returns what was done since the journal was opened.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns how many bytes the journal's own files take, the reserve not included.
    ///
    /// # Errors
    /// [`Error::Io`] when the directory cannot be read.
    pub fn disk_bytes(&self) -> Result<u64, Error> {
        inspect::disk_bytes(&self.dir)
    }

    fn check(&self) -> Result<(), Error> {
        match self.health {
            Health::Sound => Ok(()),
            Health::WriteFailed | Health::SyncFailed => Err(Error::Failed),
        }
    }

    fn write(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if let Err(source) = self.sink.write_all(&self.pending) {
            self.health = Health::WriteFailed;
            self.pending = Vec::new();
            let file = disk::segment_name(self.written.segment);
            return Err(Error::io("write", file)(source));
        }
        let bytes = segment::wide(self.pending.len());
        self.written.offset += bytes;
        self.counters.bytes += bytes;
        self.pending.clear();
        Ok(())
    }

    /// Starts a new segment. All records are durable in the old one, so a failure here takes nothing back: before the new
    /// segment has its name the old one goes on, afterwards only a reopening can tell which one counts.
    fn rotate(&mut self, state: &mut State) {
        let segment = self.written.segment;
        let (begun, batch) = match rotate::prepare(&self.dir, &self.options, state, segment) {
            Ok(prepared) => prepared,
            Err(error) => {
                self.rotation_fault = Some(error);
                self.rotate_at = rotate::retry(&self.options, self.written.offset);
                return;
            }
        };
        let next = Position { segment: segment + 1, offset: begun.bytes };
        let opened =
            begun.file.publish().and_then(|()| disk::open_end(&self.dir, &disk::segment_name(next.segment)));
        match opened {
            Ok(sink) => self.sink = Box::new(sink),
            Err(error) => {
                // Its name may not be on the disk yet, so a reopening gives it the name again.
                self.rotation_fault = Some(error);
                self.health = Health::SyncFailed;
                return;
            }
        }
        self.written = next;
        self.durable = next;
        self.rotate_at = rotate::limit(&self.options, next.offset);
        self.rotation_fault = None;
        self.counters.rotations += 1;
        let replaced = state.seal(batch);
        rotate::retire(&self.dir, &self.options, state, replaced);
    }
}
