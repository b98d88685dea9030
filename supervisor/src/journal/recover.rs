//! From the files to the state, at each start. Decides what a bad byte means: the torn end of the newest segment was
//! never promised to anyone and is cut off; a bad record anywhere else had been durable and must not pass silently.

use super::{
    Durability, Error, Options, Position, State, disk,
    done::{Batch, DoneKeys},
    frame::{self, Frame, Piece},
    record::{Record, Unpark},
    sidecar,
};
use protocol::id::WallMs;
use std::{collections::BTreeSet, io::Write, path::Path};

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
    let mut listing = disk::list(dir)?;
    for name in &listing.staged {
        disk::remove(dir, name)?;
    }
    let mut recovered = Recovered {
        foreign: std::mem::take(&mut listing.foreign),
        ..Recovered::default()
    };
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
            let end = Position {
                segment: first,
                offset: checkpoint.bytes,
            };
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
    Ok(Loaded {
        state,
        end,
        checkpoint,
        recovered,
    })
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
    Error::Damaged {
        file,
        offset: wide(offset),
    }
}

/// Widens a length; no file of ours is longer than a `u64` can say.
pub(super) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
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
    let (length, checkpoint) = settle(dir, &file, &bytes, &survey, checkpoint, trust, recovered)?;
    let end = Position {
        segment: number,
        offset: length,
    };
    Ok(Some((state, end, checkpoint)))
}

/// Brings the file in line with what was replayed. Returns its length and the length of its checkpoint.
fn settle(
    dir: &Path,
    file: &str,
    bytes: &[u8],
    survey: &Survey<'_>,
    checkpoint: usize,
    trust: Trust,
    recovered: &mut Recovered,
) -> Result<(u64, u64), Error> {
    let end = survey.good_end();
    let torn = bytes.len() - end;
    if torn > 0 {
        recovered.cut = Some(Cut {
            file: file.to_owned(),
            offset: wide(end),
            bytes: wide(torn),
        });
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
        return Ok((wide(kept.len()), wide(checkpoint)));
    }
    if trust == Trust::Rewrite {
        let kept = bytes.get(..end).unwrap_or(bytes);
        disk::replace(dir, file, kept, Durability::Full)?;
    } else if torn > 0 {
        disk::cut(dir, file, wide(end))?;
    }
    Ok((wide(end), wide(checkpoint)))
}

/// A segment taken apart.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    pub(super) good: Vec<Frame<'a>>,
    /// Bad places, from and to.
    pub(super) gaps: Vec<(usize, usize)>,
}

impl<'a> Survey<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut survey = Self::default();
        for piece in frame::pieces(bytes) {
            match piece {
                Piece::Good(frame) => survey.good.push(frame),
                Piece::Bad { offset, end } => survey.gaps.push((offset, end)),
            }
        }
        survey
    }

    /// Returns where the last good record ends.
    pub(super) fn good_end(&self) -> usize {
        self.good.last().map_or(0, Frame::end)
    }

    /// Returns the good records as they lay, without the gaps.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let frames = self.good.iter();
        let whole = frames.filter_map(|frame| bytes.get(frame.offset..frame.end()));
        whole.flatten().copied().collect()
    }
}

/// A segment that is complete but not in force.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) file: disk::Staged,
    /// Length of the checkpoint, which is all that is in it.
    pub(super) bytes: u64,
}

/// Stages a segment that begins with the checkpoint of a state.
pub(super) fn begin_segment(
    dir: &Path,
    number: u32,
    state: &State,
    how: Durability,
) -> Result<Begun, Error> {
    let name = disk::segment_name(number);
    let mut bytes = 0;
    let file = disk::stage(dir, &name, how, |writer| {
        bytes = checkpoint(state, &name, writer)?;
        Ok(())
    })?;
    Ok(Begun { file, bytes })
}

/// Writes the checkpoint of a state, record by record, because it may be larger than what one wants in memory. Returns
/// its length.
pub(super) fn checkpoint(state: &State, name: &str, to: &mut impl Write) -> Result<u64, Error> {
    let mut bytes = 0;
    let mut buffer = Vec::new();
    let mut put = |record: &Record| {
        buffer.clear();
        frame::encode(record, &mut buffer)?;
        bytes += wide(buffer.len());
        to.write_all(&buffer).map_err(Error::io("write", name))
    };
    put(&state.checkpoint())?;
    let mut records = 0;
    for record in state.history() {
        put(&record)?;
        records += 1;
    }
    put(&Record::CheckpointEnd { records })?;
    Ok(bytes)
}

/// Reads the sidecars and rebuilds what is missing from the segments that are still there.
fn done_keys(
    dir: &Path,
    sidecars: &[u32],
    older: &[u32],
    newest: Option<u32>,
    recovered: &mut Recovered,
) -> Result<DoneKeys, Error> {
    let mut batches = Vec::new();
    let mut unreadable = Vec::new();
    for &number in sidecars {
        let file = disk::sidecar_name(number);
        // A second pass over the same directory finds it moved.
        if !dir.join(&file).exists() {
            continue;
        }
        let bytes = disk::read(dir, &file)?;
        match sidecar::decode(&bytes) {
            Some(batch) => batches.push(batch),
            None => unreadable.push((file, bytes)),
        }
    }
    // A crash between the writing of a merged sidecar and the removal of its parts leaves both.
    let whole: BTreeSet<u32> = batches
        .iter()
        .filter(|one| {
            let mut others = batches.iter().filter(|other| other.last != one.last);
            !others.any(|other| one.is_within(other))
        })
        .map(|batch| batch.last)
        .collect();
    batches.retain(|batch| whole.contains(&batch.last));
    for (file, bytes) in unreadable {
        disk::set_aside(dir, &file, &bytes)?;
        disk::remove(dir, &file)?;
        // It may have covered segments that are gone; only from the first one on can all be rebuilt.
        if older.first() != Some(&1) {
            recovered.keys_lost.push(file);
        }
    }
    for &number in older {
        let covered = |batch: &Batch| batch.first <= number && number <= batch.last;
        if !batches.iter().any(covered) {
            let batch = keys_of_segment(dir, number)?;
            let name = disk::sidecar_name(number);
            disk::replace(dir, &name, &sidecar::encode(&batch), Durability::Full)?;
            batches.push(batch);
        }
    }
    for &number in sidecars {
        let kept = batches.iter().any(|batch| batch.last == number);
        let name = disk::sidecar_name(number);
        if !kept && dir.join(&name).exists() {
            disk::remove(dir, &name)?;
        }
    }
    if let Some(newest) = newest
        && let Some(early) = batches.iter_mut().find(|batch| batch.last >= newest)
    {
        // A crash between the sealing of the keys and the new segment: the replay is about to find its keys itself, and
        // must not take their turns for repetitions.
        let own = keys_of_segment(dir, newest)?.keys;
        early.keys.retain(|key| own.binary_search(key).is_err());
    }
    Ok(DoneKeys::from_batches(batches))
}

/// Collects the keys of the turns that ended in a segment, not those that its checkpoint repeats.
fn keys_of_segment(dir: &Path, number: u32) -> Result<Batch, Error> {
    let file = disk::segment_name(number);
    let bytes = disk::read(dir, &file)?;
    let (frames, _) = frame::good_prefix(&bytes);
    let mut keys = BTreeSet::new();
    let mut newest = WallMs::default();
    let mut repeated = false;
    for frame in frames {
        let record = frame.record(&file)?;
        if matches!(
            record,
            Record::Checkpoint { .. } | Record::CheckpointEnd { .. }
        ) {
            repeated = matches!(record, Record::Checkpoint { .. });
        }
        if repeated {
            continue;
        }
        if let Record::Done { key, at, .. }
        | Record::Failed { key, at, .. }
        | Record::Unparked {
            key,
            how: Unpark::Drop,
            at,
        } = &record
        {
            keys.insert(key.to_bytes());
            newest = newest.max(*at);
        }
    }
    Ok(Batch {
        first: number,
        last: number,
        newest,
        keys: keys.into_iter().collect(),
    })
}
