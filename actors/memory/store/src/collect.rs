//! Gives back the room of objects that nothing names any more. Bounded per call; what a transaction puts meanwhile stays.
//!
//! First everything reachable is marked, some objects a call; then one segment a call, the emptiest, is copied without
//! its dead objects and removed. The copy is committed before anything is removed.

use crate::{error::Result, hash::Hash, object::names, segment::RECORD, store::Store};
use std::collections::{BTreeMap, BTreeSet};

/// A segment is copied when less than so many percent of it are alive.
const LIVE_PERCENT: u64 = 60;

/// A running collection.
#[derive(Debug)]
pub(crate) struct Mark {
    /// First halves of what is reachable.
    seen: BTreeSet<u128>,
    open: Vec<Hash>,
    /// Bytes alive in each segment.
    live: BTreeMap<u32, u64>,
    /// Segments older than the collection, and their lengths; only these are touched.
    old: BTreeMap<u32, u64>,
}

/// What one call did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Objects marked as alive.
    pub marked: usize,
    /// Objects copied.
    pub copied: usize,
    /// Bytes of segment files removed.
    pub removed_bytes: u64,
    /// Nothing is left to do until something is written again.
    pub done: bool,
}

impl Store {
    /// Goes on collecting: marks at most `limit` objects, or copies and removes one segment.
    ///
    /// # Errors
    /// [`crate::Error::Damaged`] when something reachable cannot be read: then nothing is removed any more.
    pub fn collect(&mut self, limit: usize) -> Result<Collected> {
        let Some(head) = self.pack.head() else {
            return Ok(Collected { done: true, ..Collected::default() });
        };
        let mut mark = match self.mark.take() {
            Some(mark) => mark,
            None => Mark {
                seen: BTreeSet::new(),
                open: vec![head.state],
                live: BTreeMap::new(),
                old: self.pack.sealed().into_iter().collect(),
            },
        };
        let mut done = Collected::default();
        while done.marked < limit {
            let Some(hash) = mark.open.pop() else { break };
            if mark.seen.insert(hash.fingerprint()) {
                let (kind, bytes) = self.pack.get_any(hash)?;
                mark.open.extend(names(kind, &bytes)?.into_iter().map(|named| named.hash));
                done.marked += 1;
                if let Some(place) = self.pack.place(hash) {
                    *mark.live.entry(place.segment).or_default() += bytes.len() as u64 + RECORD as u64;
                }
            }
        }
        if mark.open.is_empty() && done.marked < limit {
            done = self.sweep(&mut mark, done)?;
        }
        self.mark = (!done.done).then_some(mark);
        Ok(done)
    }

    fn sweep(&mut self, mark: &mut Mark, mut done: Collected) -> Result<Collected> {
        let worth = mark.old.iter().filter_map(|(number, len)| {
            let live = mark.live.get(number).copied().unwrap_or(0);
            (live.saturating_mul(100) < len.saturating_mul(LIVE_PERCENT)).then_some((live, *number, *len))
        });
        let Some((_, number, len)) = worth.min() else {
            done.done = true;
            return Ok(done);
        };
        let Some(head) = self.pack.head() else { return Ok(done) };
        let seen = &mark.seen;
        let copied = self.pack.copy_out(number, |key| seen.contains(&key)).and_then(|copied| {
            self.pack.commit(head.state)?;
            Ok(copied)
        });
        done.copied = copied.inspect_err(|_| self.pack.abort())?;
        self.pack.drop_segment(number)?;
        mark.old.remove(&number);
        done.removed_bytes = len;
        Ok(done)
    }

    /// Tells a running collection of a new state: it is marked as well, down to what is marked already.
    pub(crate) fn mark_too(&mut self, state: Hash) {
        if let Some(mark) = &mut self.mark {
            mark.open.push(state);
        }
    }
}
