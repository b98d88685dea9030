//! Opens a pack: takes the lock, finds the segments, cuts what was never committed. It never removes a committed byte.

use super::{Active, Pack, segment_path, sidecar_path, write_sidecar};
use crate::{
    error::{Error, Result, at},
    index::Index,
    segment::{self, HEADER, Head, Rank, Seed},
};
use rustix::fs::{FlockOperation, flock};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::{self, DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

/// What was found on opening.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opened {
    /// There was no committed state: the store is empty and waits for the files.
    pub created: bool,
    /// Bytes of a write that was never committed; they were cut.
    pub torn: u64,
    /// Segment files in which a record could not be read. `verify` says what it hits.
    pub damaged: Vec<String>,
}

impl Pack {
    pub(crate) fn open(dir: &Path, seed: Seed, segment_bytes: u64) -> Result<(Self, Opened)> {
        let lock = lock(dir)?;
        let mut pack = Self {
            dir: dir.to_owned(),
            seed,
            segment_bytes,
            files: BTreeMap::new(),
            index: Index::default(),
            active: Active { number: 0, committed: 0, flushed: 0 },
            buffer: Vec::new(),
            pending: Vec::new(),
            head: None,
            poisoned: false,
            cache: RefCell::default(),
            _lock: lock,
            #[cfg(test)]
            room: None,
        };
        let mut opened = Opened::default();
        let numbers = numbers(dir)?;
        if let Some(seed) = numbers.iter().find_map(|number| first_seed(dir, *number)) {
            pack.seed = seed;
        }
        for number in &numbers {
            let is_last = numbers.last() == Some(number);
            pack.load(*number, is_last, &mut opened)?;
        }
        pack.index.sort();
        if pack.active.number == 0 {
            pack.start(numbers.last().map_or(1, |last| last + 1))?;
        }
        opened.created = pack.head.is_none();
        Ok((pack, opened))
    }

    fn load(&mut self, number: u32, is_last: bool, opened: &mut Opened) -> Result<()> {
        let path = segment_path(&self.dir, number);
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(at(&path))?;
        let len = file.metadata().map_err(at(&path))?.len();
        let sidecar = fs::read(sidecar_path(&self.dir, number)).ok();
        let noted = sidecar.and_then(|bytes| segment::read_sidecar(&bytes, self.seed, len));
        let known = noted.is_some();
        let found = match noted {
            Some(found) => found,
            None => {
                let rank = if is_last { Rank::Last } else { Rank::Earlier };
                segment::scan(&fs::read(&path).map_err(at(&path))?, self.seed, rank)
            }
        };
        if is_last && found.head.is_none() && len <= HEADER as u64 && first_seed(&self.dir, number).is_none()
        {
            // The crash came when the segment was begun: there is nothing in it.
            opened.torn += len;
            return fs::remove_file(&path).map_err(at(&path));
        }
        self.index.load(&found.objects, number);
        let newer = |head: &Head| self.head.is_none_or(|old| head.sequence > old.sequence);
        self.head = found.head.filter(newer).or(self.head);
        // Records behind a lost header are readable, but nothing may be appended to a damaged file.
        if found.damaged || first_seed(&self.dir, number) != Some(self.seed) {
            opened.damaged.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        } else if is_last {
            let committed = found.committed as u64;
            if committed < len {
                opened.torn = len - committed;
                file.set_len(committed).map_err(at(&path))?;
            }
            self.active = Active { number, committed, flushed: 0 };
        } else if !known {
            write_sidecar(&self.dir, number, &segment::sidecar(self.seed, &found))?;
        }
        self.files.insert(number, file);
        Ok(())
    }
}

fn first_seed(dir: &Path, number: u32) -> Option<Seed> {
    use std::os::unix::fs::FileExt as _;
    let mut header = [0; HEADER];
    File::open(segment_path(dir, number)).ok()?.read_exact_at(&mut header, 0).ok()?;
    segment::seed_of(&header)
}

fn lock(dir: &Path) -> Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(at(dir))?;
    let path = dir.join("lock");
    let options = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let lock = options.map_err(at(&path))?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked),
        Err(error) => Err(at(path)(error.into())),
    }
}

fn numbers(dir: &Path) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(dir).map_err(at(dir))? {
        let name = entry.map_err(at(dir))?.file_name();
        let number: Option<u32> = name.to_str().and_then(|name| name.strip_suffix(".seg")?.parse().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes everything that the store wrote: its history is gone, the memex is untouched.
///
/// # Errors
/// [`Error::Locked`] when somebody uses it, [`Error::Io`] when the disk refuses.
pub fn discard(dir: &Path) -> Result<()> {
    let _lock = lock(dir)?;
    for number in numbers(dir)? {
        let sidecar = sidecar_path(dir, number);
        if sidecar.exists() {
            fs::remove_file(&sidecar).map_err(at(&sidecar))?;
        }
        let path = segment_path(dir, number);
        fs::remove_file(&path).map_err(at(&path))?;
    }
    Ok(())
}
