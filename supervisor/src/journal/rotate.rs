//! From a full segment to a fresh one. The order makes a crash at any point harmless: the done keys are durable before
//! anything that holds them may go, the new segment gets its name only when its checkpoint is durable, and old segments
//! go last.

use super::{
    Error, Options, State, disk,
    done::Horizon,
    segment::{Begun, begin_segment},
    sidecar,
};
use protocol::id::WallMs;
use std::path::Path;

/// A sidecar takes the one before into itself up to this part of all keys, so that there are never more than about
/// twice as many files.
const MERGE_PART: usize = 16;

/// A day, in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// Everything of the next segment that can be prepared while the old one is still in force.
pub(super) fn prepare(
    dir: &Path,
    options: &Options,
    state: &State,
    segment: u32,
) -> Result<(Begun, super::done::Batch), Error> {
    let batch = state.sealing(segment, options.done_keys / MERGE_PART);
    let name = disk::sidecar_name(batch.last);
    disk::replace(dir, &name, &sidecar::encode(&batch), options.durability)?;
    let begun = begin_segment(dir, segment + 1, state, options.durability)?;
    Ok((begun, batch))
}

/// Removes what the new segment makes superfluous. A failure costs space only and heals at the next rotation.
pub(super) fn retire(dir: &Path, options: &Options, state: &mut State, replaced: Vec<u32>) {
    let segments = match disk::list(dir) {
        Ok(listing) => listing.segments,
        Err(error) => {
            tracing::warn!(err = %error, "journal directory not readable");
            return;
        }
    };
    let surplus = segments.len().saturating_sub(options.segments.max(1));
    let (old, kept) = segments.split_at(surplus);
    let oldest = state.latest().0 - i64::from(options.done_days) * DAY_MS;
    let expired = state.expire(Horizon {
        keys: options.done_keys,
        oldest: WallMs(oldest),
        segment: kept.first().copied().unwrap_or_default(),
    });
    let sidecars = replaced.into_iter().chain(expired);
    let sidecars = sidecars.map(disk::sidecar_name);
    let old = old.iter().copied().map(disk::segment_name);
    let names: Vec<_> = sidecars.chain(old).collect();
    for name in names {
        if let Err(error) = disk::remove(dir, &name) {
            tracing::warn!(err = %error, file = name, "old journal file not removed");
        }
    }
}

/// Returns the size at which a segment is full: never less than twice its checkpoint, or a large state would make the
/// journal rotate all the time.
pub(super) fn limit(options: &Options, checkpoint: u64) -> u64 {
    options.segment_bytes.max(checkpoint.saturating_mul(2))
}

/// Returns the size at which a rotation that could not be prepared is tried again.
pub(super) const fn retry(options: &Options, size: u64) -> u64 {
    size.saturating_add(options.segment_bytes / 4)
}
