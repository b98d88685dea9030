//! Keys of turns that ended, so that a late redelivery is recognised (supervision spec E4). Sixteen bytes a key:
//! 100,000 of them must not cost more than 2 MB. Pure; the files are `sidecar`'s business.

use protocol::id::{TurnKey, WallMs};
use std::collections::BTreeSet;

/// How much is remembered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horizon {
    /// At least the newest so many keys, unless they are too old.
    pub(super) keys: usize,
    /// Keys that ended before this are forgotten.
    pub(super) oldest: WallMs,
    /// Keys of this segment and later ones stay: a start would only read them back.
    pub(super) segment: u32,
}

/// The keys that ended in some segments in a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Batch {
    /// First segment.
    pub(super) first: u32,
    /// Last segment; the sidecar bears its number.
    pub(super) last: u32,
    /// When the newest of them ended.
    pub(super) newest: WallMs,
    /// Sorted, without repetition.
    pub(super) keys: Vec<[u8; 16]>,
}

impl Batch {
    fn contains(&self, key: &[u8; 16]) -> bool {
        self.keys.binary_search(key).is_ok()
    }

    /// Says whether nothing is lost without `self` when there is `other`.
    pub(super) const fn is_within(&self, other: &Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }
}

/// The remembered keys: one sorted batch per sidecar, and the ones of the segment that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct DoneKeys {
    sealed: Vec<Batch>,
    recent: BTreeSet<[u8; 16]>,
    newest: WallMs,
}

impl DoneKeys {
    /// Starts from the batches that were read back, in any order.
    pub(super) fn from_batches(mut sealed: Vec<Batch>) -> Self {
        sealed.sort_by_key(|batch| batch.last);
        Self { sealed, ..Self::default() }
    }

    pub(super) fn contains(&self, key: TurnKey) -> bool {
        let key = key.to_bytes();
        self.recent.contains(&key) || self.sealed.iter().rev().any(|batch| batch.contains(&key))
    }

    pub(super) fn insert(&mut self, key: TurnKey, at: WallMs) {
        self.newest = self.newest.max(at);
        self.recent.insert(key.to_bytes());
    }

    /// Returns how many keys are remembered; a key that stands in two batches counts twice.
    pub(super) fn len(&self) -> usize {
        self.recent.len() + self.sealed.iter().map(|batch| batch.keys.len()).sum::<usize>()
    }

    /// Returns the batch that the end of `segment` seals. Small ones grow: it takes the batch before into itself while
    /// both together are at most `merge` keys, and always when that one already bears this segment's number.
    pub(super) fn sealing(&self, segment: u32, merge: usize) -> Batch {
        let mut batch = Batch {
            first: segment,
            last: segment,
            newest: self.newest,
            keys: self.recent.iter().copied().collect(),
        };
        let taken_in = self
            .sealed
            .last()
            .filter(|last| last.last >= segment || last.keys.len() + self.recent.len() <= merge);
        if let Some(last) = taken_in {
            batch.first = last.first.min(segment);
            batch.last = last.last.max(segment);
            batch.newest = last.newest.max(batch.newest);
            batch.keys.extend_from_slice(&last.keys);
            batch.keys.sort_unstable();
            batch.keys.dedup();
        }
        batch
    }

    /// Puts a batch from [`Self::sealing`] in force, once it is durable. Returns the sidecars that it replaces.
    pub(super) fn seal(&mut self, batch: Batch) -> Vec<u32> {
        let mut replaced = Vec::new();
        self.sealed.retain(|old| {
            let within = old.is_within(&batch);
            if within && old.last != batch.last {
                replaced.push(old.last);
            }
            !within
        });
        self.sealed.push(batch);
        self.recent.clear();
        self.newest = WallMs::default();
        replaced
    }

    /// Forgets what lies beyond the horizon, whole batches at a time. Returns their sidecars.
    pub(super) fn expire(&mut self, horizon: Horizon) -> Vec<u32> {
        let mut gone = Vec::new();
        while let Some(oldest) = self.sealed.first() {
            let enough = self.len() - oldest.keys.len() >= horizon.keys;
            let young = !enough && oldest.newest >= horizon.oldest;
            if young || oldest.last >= horizon.segment {
                break;
            }
            gone.push(oldest.last);
            self.sealed.remove(0);
        }
        gone
    }

    #[cfg(test)]
    pub(super) fn to_set(&self) -> BTreeSet<[u8; 16]> {
        let sealed = self.sealed.iter().flat_map(|batch| &batch.keys).copied();
        sealed.chain(self.recent.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::tests::key;

    fn filled(segments: u32, each: u64, merge: usize) -> DoneKeys {
        let mut done = DoneKeys::default();
        let mut number = 0;
        for segment in 1..=segments {
            for _ in 0..each {
                number += 1;
                done.insert(key(number), WallMs(i64::from(segment) * 1_000));
            }
            let batch = done.sealing(segment, merge);
            done.seal(batch);
        }
        done
    }

    #[test]
    fn small_batches_grow_and_large_ones_stay_apart() {
        let done = filled(10, 10, 30);
        let spans: Vec<_> = done.sealed.iter().map(|b| (b.first, b.last)).collect();
        assert_eq!(spans, [(1, 3), (4, 6), (7, 9), (10, 10)]);
        assert!((1..=100).all(|number| done.contains(key(number))));
        assert!(!done.contains(key(101)));
    }

    #[test]
    fn newest_keys_stay_and_memory_is_bounded() {
        let mut done = filled(100, 10, 20);
        let gone = done.expire(Horizon { keys: 200, oldest: WallMs(0), segment: 101 });
        assert_eq!(gone.len(), 40);
        assert_eq!(done.len(), 200);
        assert!((801..=1000).all(|number| done.contains(key(number))));
    }

    #[test]
    fn keys_that_are_too_old_are_forgotten() {
        let mut done = filled(10, 10, 10);
        let gone = done.expire(Horizon { keys: 1_000, oldest: WallMs(4_000), segment: 11 });
        assert_eq!(gone, [1, 2, 3]);
        assert!(!done.contains(key(30)) && done.contains(key(31)));
    }

    #[test]
    fn segment_sealed_twice_loses_no_key() {
        let mut done = filled(3, 10, 0);
        done.insert(key(99), WallMs(1));
        let batch = done.sealing(3, 0);
        assert_eq!((batch.first, batch.last, batch.keys.len()), (3, 3, 11));
        assert!(done.seal(batch).is_empty());
        assert_eq!(done.len(), 31);
    }
}
