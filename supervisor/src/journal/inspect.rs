//! Looks at a journal beside a running supervisor: what happened to a turn, and whether every record is sound. Reads
//! only; the end of the newest segment may be half written and files may go away meanwhile, neither is an error.

use super::{
    Error, Record, State, disk,
    segment::{Survey, wide},
};
use std::{io, path::Path};

/// What a check of the whole journal found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Segment by segment, oldest first.
    pub segments: Vec<SegmentReport>,
    /// Files of done keys that cannot be read.
    pub bad_sidecars: Vec<String>,
}

impl Report {
    /// Says whether nothing is damaged. A bad end of the newest segment is none: it may be half written, and the next
    /// start cuts it off.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let older = self.segments.split_last().map_or(&[][..], |(_, older)| older);
        let newest = self.segments.last();
        self.bad_sidecars.is_empty()
            && older.iter().all(|segment| segment.bad.is_none())
            && newest.is_none_or(|segment| segment.records_behind == 0)
    }
}

/// What a check of one segment found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentReport {
    /// The segment.
    pub file: String,
    /// Whole records before the first bad place.
    pub records: u64,
    /// Whole records behind it.
    pub records_behind: u64,
    /// Length of the file.
    pub bytes: u64,
    /// Where the first bad place is.
    pub bad: Option<u64>,
}

/// Checks every record and every sidecar.
///
/// # Errors
/// [`Error::Io`] when the directory or a file cannot be read.
pub fn verify(dir: &Path) -> Result<Report, Error> {
    let listing = disk::list(dir)?;
    let mut report = Report::default();
    for number in listing.segments {
        let file = disk::segment_name(number);
        let Some(bytes) = still_there(disk::read(dir, &file))? else {
            continue;
        };
        let survey = Survey::of(&bytes);
        let bad = survey.gaps.first().map(|gap| gap.0);
        let limit = bad.unwrap_or(bytes.len());
        let before = survey.good.iter().take_while(|frame| frame.offset < limit);
        let records = before.count();
        report.segments.push(SegmentReport {
            file,
            records: wide(records),
            records_behind: wide(survey.good.len() - records),
            bytes: wide(bytes.len()),
            bad: bad.map(wide),
        });
    }
    for number in listing.sidecars {
        let file = disk::sidecar_name(number);
        if let Some(bytes) = still_there(disk::read(dir, &file))?
            && super::sidecar::decode(&bytes).is_none()
        {
            report.bad_sidecars.push(file);
        }
    }
    Ok(report)
}

/// Returns the records of the turns whose key begins with these hex digits, oldest first, each with its segment. What
/// lies before the retained segments is told by the oldest checkpoint.
///
/// # Errors
/// [`Error::Io`] when the directory or a file cannot be read; [`Error::UnknownRecord`] and [`Error::Malformed`] as at a
/// start. Bad places are passed over.
pub fn trace(dir: &Path, key_prefix: &str) -> Result<Vec<(u32, Record)>, Error> {
    let mut found = Vec::new();
    let mut is_oldest = true;
    for number in disk::list(dir)?.segments {
        let file = disk::segment_name(number);
        let Some(bytes) = still_there(disk::read(dir, &file))? else {
            continue;
        };
        let mut is_repetition = false;
        for frame in Survey::of(&bytes).good {
            let record = frame.record(&file)?;
            match record {
                Record::Checkpoint { .. } => is_repetition = !is_oldest,
                Record::CheckpointEnd { .. } => is_repetition = false,
                Record::Accepted { .. }
                | Record::Started { .. }
                | Record::Charged { .. }
                | Record::Done { .. }
                | Record::Failed { .. }
                | Record::Parked { .. }
                | Record::Unparked { .. }
                | Record::Intent { .. }
                | Record::Commit { .. }
                | Record::Uncertain { .. }
                | Record::Resolved { .. }
                | Record::Delivered { .. }
                | Record::Offset { .. }
                | Record::SnapTaken { .. }
                | Record::RollbackBegin { .. }
                | Record::RollbackDone { .. }
                | Record::Desired { .. }
                | Record::Notice { .. }
                | Record::Verb { .. } => {
                    let is_wanted = |key: protocol::id::TurnKey| {
                        !is_repetition && key.to_string().starts_with(key_prefix)
                    };
                    if record.key().is_some_and(is_wanted) {
                        found.push((number, record));
                    }
                }
            }
        }
        is_oldest = false;
    }
    Ok(found)
}

/// Replays any bytes as if they were a segment: the entry for fuzzing. Returns the state, the number of records that
/// were read, and the number of bad places and unreadable records.
#[must_use]
pub fn replay_bytes(bytes: &[u8]) -> (State, u64, u64) {
    let survey = Survey::of(bytes);
    let mut state = State::default();
    let (mut records, mut bad) = (0, wide(survey.gaps.len()));
    for frame in &survey.good {
        match frame.record("bytes") {
            Ok(record) => {
                state.apply(&record);
                records += 1;
            }
            Err(_) => bad += 1,
        }
    }
    (state, records, bad)
}

/// Returns how many bytes the journal's own files take.
pub(super) fn disk_bytes(dir: &Path) -> Result<u64, Error> {
    let listing = disk::list(dir)?;
    let segments = listing.segments.into_iter().map(disk::segment_name);
    let sidecars = listing.sidecars.into_iter().map(disk::sidecar_name);
    let mut bytes = 0;
    for name in segments.chain(sidecars) {
        let size = std::fs::metadata(dir.join(&name)).map_err(Error::io("examine", &name));
        bytes += still_there(size)?.map_or(0, |meta| meta.len());
    }
    Ok(bytes)
}

/// A file that was removed between listing and reading is no error.
fn still_there<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
