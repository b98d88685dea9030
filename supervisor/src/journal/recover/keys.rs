//! The done keys at a start: read from the sidecars, and from the segments where a sidecar is missing or damaged.

use super::Recovered;
use crate::journal::{
    Durability, Error, Record, Unpark, disk,
    done::{Batch, DoneKeys},
    frame, sidecar,
};
use protocol::id::WallMs;
use std::{collections::BTreeSet, path::Path};

/// Reads the sidecars and rebuilds what is missing from the segments that are still there.
pub(super) fn done_keys(
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
        if matches!(record, Record::Checkpoint { .. } | Record::CheckpointEnd { .. }) {
            repeated = matches!(record, Record::Checkpoint { .. });
        }
        if repeated {
            continue;
        }
        if let Record::Done { key, at, .. }
        | Record::Failed { key, at, .. }
        | Record::Unparked { key, how: Unpark::Drop, at } = &record
        {
            keys.insert(key.to_bytes());
            newest = newest.max(*at);
        }
    }
    Ok(Batch { first: number, last: number, newest, keys: keys.into_iter().collect() })
}
