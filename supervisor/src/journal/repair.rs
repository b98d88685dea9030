//! What the operator runs when a start refused a damaged journal. Keeps every record that can still be read, and the
//! damaged file beside it for ever. Needs the same lock as the supervisor; never runs by itself.

use super::{
    Durability, Error, Record, State, disk,
    segment::{Survey, checkpoint, wide},
};
use std::path::Path;

/// What was done to one segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repaired {
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

/// Replaces each damaged segment by what can be read of it. The torn end of the newest one is left to the next start.
///
/// # Errors
/// [`Error::Io`] when the system refuses; [`Error::UnknownRecord`] and [`Error::Malformed`] when the state before a
/// lost checkpoint cannot be computed. A second run goes on where the first one stopped.
pub fn repair(dir: &Path) -> Result<Vec<Repaired>, Error> {
    let segments = disk::list(dir)?.segments;
    let newest = segments.last().copied();
    let mut before = None;
    let mut done = Vec::new();
    for number in segments {
        let file = disk::segment_name(number);
        let bytes = disk::read(dir, &file)?;
        let survey = Survey::of(&bytes);
        let whole = checkpoint_is_whole(&survey, &file)?;
        let torn_end_only =
            Some(number) == newest && survey.gaps.iter().all(|gap| gap.0 >= survey.good_end());
        if !whole || !(survey.gaps.is_empty() || torn_end_only) {
            let aside = disk::set_aside(dir, &file, &bytes)?;
            let kept = if whole {
                disk::replace(dir, &file, &survey.bytes(&bytes), Durability::Full)?;
                wide(survey.good.len())
            } else {
                rebuild(dir, number, before, &survey, &bytes)?
            };
            done.push(Repaired {
                file,
                aside,
                kept,
                gaps: wide(survey.gaps.len()),
                skipped: wide(survey.gaps.iter().map(|gap| gap.1 - gap.0).sum()),
            });
        }
        before = Some(number);
    }
    Ok(done)
}

/// Says whether the checkpoint lies whole before the first bad place.
fn checkpoint_is_whole(survey: &Survey<'_>, file: &str) -> Result<bool, Error> {
    let limit = survey.gaps.first().map_or(usize::MAX, |gap| gap.0);
    let mut state = State::default();
    for frame in survey.good.iter().take_while(|frame| frame.offset < limit) {
        state.apply(&frame.record(file)?);
        if !state.is_within_checkpoint() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes a segment anew whose checkpoint is lost. The checkpoint said what the segments before add up to, so that is
/// computed again; what is left of the old one follows as plain records, which changes nothing that is there already.
fn rebuild(
    dir: &Path,
    number: u32,
    before: Option<u32>,
    survey: &Survey<'_>,
    bytes: &[u8],
) -> Result<u64, Error> {
    let file = disk::segment_name(number);
    let mut state = State::default();
    if let Some(before) = before {
        let file = disk::segment_name(before);
        let bytes = disk::read(dir, &file)?;
        for frame in Survey::of(&bytes).good {
            state.apply(&frame.record(&file)?);
        }
    }
    let mut rest = Vec::new();
    let mut kept = 0;
    for frame in &survey.good {
        let record = frame.record(&file)?;
        if !matches!(record, Record::Checkpoint { .. } | Record::CheckpointEnd { .. }) {
            rest.extend_from_slice(bytes.get(frame.offset..frame.end()).unwrap_or_default());
            kept += 1;
        }
    }
    let mut content = Vec::new();
    checkpoint(&state, &file, &mut content)?;
    content.append(&mut rest);
    disk::replace(dir, &file, &content, Durability::Full)?;
    Ok(kept)
}
