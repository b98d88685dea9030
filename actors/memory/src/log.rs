//! The transaction log on disk: frames of length, CRC32C and JSON, appended only.
//!
//! A torn tail is cut when the log is opened. What is appended with `Sync::Yes` is on disk before the call returns;
//! a failed append leaves the log as it was.

use crate::crash::Steps;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// Largest frame: far above the largest intent, so a length beyond it is damage and not data.
const FRAME_MAX: usize = 256 * 1024 * 1024;

/// Whether an append must reach the disk before it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sync {
    Yes,
    No,
}

/// An open log.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    len: u64,
    /// The mark is known to be there.
    marked: bool,
    /// Set when a failed append could not be undone; nothing is written any more.
    broken: bool,
    steps: Steps,
}

/// What was in the log.
#[derive(Debug)]
pub(crate) struct Opened<R> {
    pub(crate) log: Log,
    pub(crate) records: Vec<R>,
    /// A record in the middle was damaged; the log from there on was put aside under this path.
    pub(crate) damaged: Option<PathBuf>,
    /// Records were here once and none is now: somebody deleted or emptied the log.
    pub(crate) lost: bool,
    /// The file that tells so was damaged; it is made anew with the next record.
    pub(crate) marred: bool,
    /// Bytes of an append that was cut off, which were cut off whole.
    pub(crate) torn: u64,
}

/// The file that says that the log once held records.
fn mark(path: &Path) -> PathBuf {
    path.with_extension("mark")
}

/// What stands in it.
const MARK: &str = "The file txn.log holds what can be undone. Without it nothing can.\n";

/// Returns a name to put a damaged log under; what was put aside before is never overwritten.
fn free_name(path: &Path) -> PathBuf {
    let first = path.with_extension("damaged");
    let more = (1..1_000).map(|n| path.with_extension(format!("damaged-{n}")));
    std::iter::once(first.clone()).chain(more).find(|name| !name.exists()).unwrap_or(first)
}

impl Log {
    /// Opens the log, makes it if it is missing, and cuts a torn tail.
    pub(crate) fn open<R: DeserializeOwned>(path: &Path, steps: Steps) -> io::Result<Opened<R>> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        let bytes = fs::read(path)?;
        let mut records = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some((Some(json), after)) = next_frame(rest)
            && let Ok(record) = serde_json::from_slice(json)
        {
            records.push(record);
            rest = after;
        }
        // An append that was cut off leaves a piece of one frame and nothing behind it.
        let is_torn = next_frame(rest).is_none() && !holds_frame(rest);
        let damaged = (!is_torn).then(|| free_name(path));
        if let Some(aside) = &damaged {
            fs::write(aside, rest)?;
        }
        let (lost, marred) = match fs::read(mark(path)) {
            Ok(mark) => (bytes.is_empty(), mark != MARK.as_bytes()),
            Err(_) => (false, false),
        };
        let torn = if is_torn { rest.len() as u64 } else { 0 };
        let len = (bytes.len() - rest.len()) as u64;
        if !rest.is_empty() {
            file.set_len(len)?;
            file.sync_all()?;
        }
        let log = Self { path: path.to_owned(), file, len, marked: false, broken: false, steps };
        Ok(Opened { log, records, damaged, lost, marred, torn })
    }

    /// Returns the length in bytes.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Appends a record.
    pub(crate) fn append<R: Serialize>(&mut self, record: &R, sync: Sync) -> io::Result<()> {
        if self.broken || self.steps.stopped() {
            return Err(io::Error::other("an earlier write of the log failed"));
        }
        let frame = frame(record)?;
        let result = self.write(&frame, sync);
        match result {
            Ok(()) => {
                self.len += frame.len() as u64;
                self.mark();
            }
            Err(_) if self.steps.stopped() => {}
            Err(_) => self.broken = self.file.set_len(self.len).is_err(),
        }
        result
    }

    /// Remembers that the log holds records. Only that an emptied log is noticed depends on it, so it may fail.
    fn mark(&mut self) {
        if self.marked {
            return;
        }
        let path = mark(&self.path);
        let is_right = fs::read(&path).is_ok_and(|found| found == MARK.as_bytes());
        let make = || {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
            file.write_all(MARK.as_bytes())
        };
        self.marked = is_right || make().is_ok();
    }

    fn write(&mut self, frame: &[u8], sync: Sync) -> io::Result<()> {
        if self.steps.about_to_stop() {
            let half = frame.get(..frame.len() / 2).unwrap_or_default();
            self.file.write_all(half)?;
        }
        self.steps.reach()?;
        self.file.write_all(frame)?;
        match sync {
            Sync::Yes => self.file.sync_data(),
            Sync::No => Ok(()),
        }
    }

    /// Replaces the whole log by other records.
    pub(crate) fn rewrite<'a, R: Serialize + 'a>(
        &mut self,
        records: impl Iterator<Item = &'a R>,
    ) -> io::Result<()> {
        let temp = self.path.with_extension("new");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temp)?;
        let mut len = 0;
        for record in records {
            let frame = frame(record)?;
            file.write_all(&frame)?;
            len += frame.len() as u64;
        }
        file.sync_all()?;
        self.steps.reach()?;
        fs::rename(&temp, &self.path)?;
        if let Some(folder) = self.path.parent() {
            File::open(folder)?.sync_all()?;
        }
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.len = len;
        if len == 0 && mark(&self.path).exists() {
            fs::remove_file(mark(&self.path))?;
            self.marked = false;
        }
        Ok(())
    }
}

fn frame<R: Serialize>(record: &R) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(record)?;
    let len = u32::try_from(json.len()).map_err(io::Error::other)?;
    let mut frame = Vec::with_capacity(json.len() + 8);
    frame.extend_from_slice(&len.to_le_bytes());
    frame.extend_from_slice(&crc32c::crc32c(&json).to_le_bytes());
    frame.extend_from_slice(&json);
    Ok(frame)
}

/// Returns the next frame, `None` inside if its sum is wrong; `None` outside at the end or at a torn tail.
fn next_frame(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
    if len > FRAME_MAX {
        return Some((None, rest));
    }
    let (json, rest) = rest.split_at_checked(len)?;
    let whole = crc32c::crc32c(json) == u32::from_le_bytes(*sum);
    Some((whole.then_some(json), rest))
}

/// Says whether a whole frame lies somewhere behind the beginning: then a length is damaged, not the end cut off.
fn holds_frame(bytes: &[u8]) -> bool {
    (1..bytes.len()).any(|at| {
        let frame = bytes.get(at..).and_then(next_frame).and_then(|(json, _)| json);
        frame.is_some_and(|json| serde_json::from_slice::<serde::de::IgnoredAny>(json).is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testdir::TestDir;

    fn open(path: &Path) -> Opened<String> {
        Log::open(path, Steps::default()).unwrap()
    }

    #[test]
    fn log_cut_at_any_byte_gives_the_records_before() {
        let dir = TestDir::new();
        let path = dir.path().join("txn.log");
        let mut log = open(&path).log;
        for text in ["one", "two", "three"] {
            log.append(&text, Sync::Yes).unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        for len in 0..bytes.len() {
            fs::write(&path, &bytes[..len]).unwrap();
            let mut opened = open(&path);
            assert!(opened.damaged.is_none());
            let count = opened.records.len();
            opened.log.append(&"more", Sync::No).unwrap();
            let again = open(&path).records;
            assert_eq!(again.len(), count + 1, "cut at {len}");
        }
    }

    /// Found by `tests/show cases P6`: a length that says too much made everything behind it look like a torn end.
    #[test]
    fn damaged_length_is_not_taken_for_a_torn_tail() {
        let dir = TestDir::new();
        let path = dir.path().join("txn.log");
        let mut log = open(&path).log;
        for text in ["one", "two", "three"] {
            log.append(&text, Sync::Yes).unwrap();
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[2] = 0x7f;
        fs::write(&path, &bytes).unwrap();
        let opened = open(&path);
        assert!(opened.records.is_empty());
        assert_eq!(fs::read(opened.damaged.unwrap()).unwrap(), bytes);
    }

    #[test]
    fn damage_in_the_middle_is_put_aside() {
        let dir = TestDir::new();
        let path = dir.path().join("txn.log");
        let mut log = open(&path).log;
        for text in ["one", "two", "three"] {
            log.append(&text, Sync::Yes).unwrap();
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[8 + 5 + 8 + 1] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let opened = open(&path);
        assert_eq!(opened.records, ["one"]);
        let first = opened.damaged.unwrap();
        let kept = fs::read(&first).unwrap();
        assert!(!kept.is_empty());

        // A second time: what was put aside before stays.
        let mut bytes = fs::read(&path).unwrap();
        bytes[8] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let second = open(&path).damaged.unwrap();
        assert_ne!(second, first);
        assert_eq!(fs::read(&first).unwrap(), kept);
        assert_eq!(fs::read(&second).unwrap(), bytes);
    }
}
