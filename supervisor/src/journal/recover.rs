//! From the files to the state, at each start. Decides what a bad byte means: the torn end of the newest segment was
//! never promised to anyone and is cut off; a bad record anywhere else had been durable and must not pass silently.

mod keys;

use super::{
    Durability, Error, Options, Position, Record, State, disk, frame,
    segment::{Survey, begin_segment, wide},
};
use keys::done_keys;
use std::path::Path;

/// What a start found. Show it: each field beyond the first three is something that a person should know.
#[must_use]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recovered {
    /// Segments that were kept.
    pub segments: usize,
    /// Records of the newest one that were replayed, checkpoint included.
    pub records: u64,
    /// Turns that are to be worked on again.
    pub open: usize,
    /// The torn end of the newest segment, which was cut off.
    pub cut: Option<Cut>,
    /// Bad places amid the newest segment; the records around them were kept.
    pub mended: Option<Mended>,
    /// Files of done keys that could not be read and could not be rebuilt: late redelivery of their turns would not be
    /// recognised.
    pub keys_lost: Vec<String>,
    /// Files in the directory that are not the journal's.
    pub foreign: Vec<String>,
    /// Damaged files that were set aside, now or earlier.
    pub aside: Vec<String>,
}

/// A torn end that was cut off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The segment.
    pub file: String,
    /// Where it ends now.
    pub offset: u64,
    /// How many bytes went.
    pub bytes: u64,
}

/// A segment that had bad places with good records behind them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mended {
    /// The segment.
    pub file: String,
    /// Where it is kept as it was.
    pub aside: String,
    /// Records that were kept.
    pub kept: u64,
    /// Bad places.
    pub gaps: u64,
    /// Bytes in them.
    pub skipped: u64,
}

/// What recovery hands to the journal.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) state: State,
    pub(super) end: Position,
    /// Where the checkpoint of the newest segment ends.
    pub(super) checkpoint: u64,
    pub(super) recovered: Recovered,
}

/// Whether the newest segment can be trusted to be on the disk as it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// Yes: what was synced is there.
    Disk,
    /// No: a sync failed, after which the kernel may show pages that it never wrote. Write it again.
    Rewrite,
}

/// Reads everything, repairs what may be repaired without asking, and returns the state.
pub(super) fn load(dir: &Path, options: &Options, trust: Trust) -> Result<Loaded, Error> {
    disk::prepare(dir)?;
    // A process that died between a rename and its sync left names that are visible but not durable.
    if options.durability == Durability::Full {
        disk::sync_dir(dir)?;
    }
    let mut listing = disk::list(dir)?;
    for name in &listing.staged {
        disk::remove(dir, name)?;
    }
    let mut recovered = Recovered { foreign: std::mem::take(&mut listing.foreign), ..Recovered::default() };
    let (state, end, checkpoint) = loop {
        let Some((&newest, older)) = listing.segments.split_last() else {
            let first = listing.sidecars.last().map_or(1, |last| last + 1);
            let done = done_keys(dir, &listing.sidecars, &[], None, &mut recovered)?;
            let mut state = State::with_done(done);
            let checkpoint = begin_segment(dir, first, &state, options.durability)?;
            checkpoint.file.publish()?;
            state.apply(&state.checkpoint());
            state.apply(&Record::CheckpointEnd { records: 0 });
            listing.segments.push(first);
            recovered.records = 2;
            let end = Position { segment: first, offset: checkpoint.bytes };
            break (state, end, checkpoint.bytes);
        };
        check_older(dir, older)?;
        let done = done_keys(dir, &listing.sidecars, older, Some(newest), &mut recovered)?;
        let state = State::with_done(done);
        if let Some(read) = newest_segment(dir, newest, older, state, trust, &mut recovered)? {
            break read;
        }
        listing.segments.pop();
    };
    recovered.segments = listing.segments.len();
    recovered.open = state.open_count();
    recovered.aside = disk::list(dir)?.aside;
    recovered.aside.sort_unstable();
    Ok(Loaded { state, end, checkpoint, recovered })
}

fn check_older(dir: &Path, older: &[u32]) -> Result<(), Error> {
    for &number in older {
        let file = disk::segment_name(number);
        let bytes = disk::read(dir, &file)?;
        let (frames, bad) = frame::good_prefix(&bytes);
        if let Some(offset) = bad.or(frames.is_empty().then_some(0)) {
            return Err(damaged(file, offset));
        }
    }
    Ok(())
}

fn damaged(file: String, offset: usize) -> Error {
    Error::Damaged { file, offset: wide(offset) }
}

/// Replays the newest segment. `None` when nothing of it can be read and the one before holds all there is.
fn newest_segment(
    dir: &Path,
    number: u32,
    older: &[u32],
    mut state: State,
    trust: Trust,
    recovered: &mut Recovered,
) -> Result<Option<(State, Position, u64)>, Error> {
    let file = disk::segment_name(number);
    let bytes = disk::read(dir, &file)?;
    let survey = Survey::of(&bytes);
    let mut checkpoint = None;
    for frame in &survey.good {
        let record = frame.record(&file)?;
        state.apply(&record);
        recovered.records += 1;
        let first_gap = survey.gaps.first().map_or(usize::MAX, |gap| gap.0);
        if checkpoint.is_none() && !state.is_within_checkpoint() && frame.offset < first_gap {
            checkpoint = Some(frame.end());
        }
    }
    let Some(checkpoint) = checkpoint else {
        // The checkpoint was durable before the segment got its name, so this is damage, except when nothing at all
        // can be read behind it and nothing is lost by going back.
        let torn = survey.good_end() <= survey.gaps.first().map_or(bytes.len(), |gap| gap.0);
        if torn && (number == 1 || older.last().is_some_and(|last| last + 1 == number)) {
            if !bytes.is_empty() {
                disk::set_aside(dir, &file, &bytes)?;
            }
            disk::remove(dir, &file)?;
            disk::sync_dir(dir)?;
            recovered.records = 0;
            return Ok(None);
        }
        let offset = survey.gaps.first().map_or(bytes.len(), |gap| gap.0);
        return Err(damaged(file, offset));
    };
    let length = settle(dir, &file, &bytes, &survey, trust, recovered)?;
    let end = Position { segment: number, offset: length };
    Ok(Some((state, end, wide(checkpoint))))
}

/// Brings the file in line with what was replayed. Returns its length.
fn settle(
    dir: &Path,
    file: &str,
    bytes: &[u8],
    survey: &Survey<'_>,
    trust: Trust,
    recovered: &mut Recovered,
) -> Result<u64, Error> {
    let end = survey.good_end();
    let torn = bytes.len() - end;
    if torn > 0 {
        recovered.cut = Some(Cut { file: file.to_owned(), offset: wide(end), bytes: wide(torn) });
    }
    let inner: Vec<_> = survey.gaps.iter().filter(|gap| gap.1 <= end).collect();
    if !inner.is_empty() {
        let aside = disk::set_aside(dir, file, bytes)?;
        let kept = survey.bytes(bytes);
        disk::replace(dir, file, &kept, Durability::Full)?;
        recovered.mended = Some(Mended {
            file: file.to_owned(),
            aside,
            kept: wide(survey.good.len()),
            gaps: wide(inner.len()),
            skipped: wide(inner.iter().map(|gap| gap.1 - gap.0).sum()),
        });
        return Ok(wide(kept.len()));
    }
    match trust {
        // Also syncs when there is nothing to cut: a process that died between a write and its sync left records that can
        // be read but are not durable, and from here on they are relied upon.
        Trust::Disk => disk::cut(dir, file, wide(end))?,
        Trust::Rewrite => {
            let kept = bytes.get(..end).unwrap_or(bytes);
            disk::replace(dir, file, kept, Durability::Full)?;
        }
    }
    Ok(wide(end))
}
