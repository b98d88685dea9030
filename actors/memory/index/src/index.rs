//! The index: segments, and which file lives in which. A file that comes anew leaves its old entries behind as dead;
//! merging drops them. It must not depend on the order in which files came.

use crate::{
    build::{Builder, merge},
    entry::{Day, Entry},
    segment::Segment,
};
use std::collections::BTreeMap;

/// Bytes of postings at which a big build begins a new segment, so that its memory stays bounded.
const BUILD_MAX: usize = 4 << 20;
/// Small segments are merged at once up to this size; that takes some two milliseconds.
const SMALL_MAX: usize = 64 << 10;
/// So many small segments of one size are merged.
const FAN: usize = 4;
/// With more segments than this, or more dead entries than live ones, it is time to tidy up.
const SEGMENTS_MAX: usize = 12;

/// Full-text index over entries.
#[derive(Debug, Clone, Default)]
pub struct Index {
    segments: BTreeMap<u32, Segment>,
    next: u32,
    /// Segment and number of each file.
    places: BTreeMap<String, (u32, u32)>,
    sizes: Sizes,
}

/// Sums over all entries that are there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) entries: u32,
    body: u64,
    title: u64,
    path: u64,
}

impl Sizes {
    /// Mean length of an entry, at least one word.
    pub(crate) fn mean(&self, title: f32, path: f32) -> f32 {
        let per =
            |sum: u64| f64::from(u32::try_from(sum).unwrap_or(u32::MAX)) / f64::from(self.entries.max(1));
        let mean = per(self.body) + f64::from(title) * per(self.title) + f64::from(path) * per(self.path);
        crate::search::narrow(mean.max(1.0))
    }
}

/// An index in the making: much faster than file by file, when there are many.
#[derive(Debug, Default)]
pub struct Bulk {
    parts: Vec<Segment>,
    builder: Builder,
    in_part: u32,
    /// Part and number of each file.
    names: BTreeMap<String, (usize, u32)>,
}

impl Bulk {
    /// Adds a file; of two with one name the last counts.
    pub fn add(&mut self, file: &str, changed: Day, entries: &[Entry<'_>]) {
        if let Some((part, number)) = self.names.remove(file) {
            if part == self.parts.len() {
                self.cut();
            }
            if let Some(part) = self.parts.get_mut(part) {
                part.bury(number);
            }
        }
        self.names.insert(file.to_owned(), (self.parts.len(), self.in_part));
        self.builder.add(file, i64::from(changed), entries);
        self.in_part += 1;
        if self.builder.bytes() >= BUILD_MAX {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.parts.push(std::mem::take(&mut self.builder).finish());
        self.in_part = 0;
    }

    /// Returns the index.
    #[must_use]
    pub fn finish(mut self) -> Index {
        self.cut();
        let mut index = Index::default();
        let whole = merge(&self.parts);
        drop(self.parts);
        index.take(whole);
        index
    }
}

impl Index {
    /// Puts a file's entries in the place of those it had.
    pub fn put(&mut self, file: &str, changed: Day, entries: &[Entry<'_>]) {
        self.remove(file);
        let mut builder = Builder::default();
        builder.add(file, i64::from(changed), entries);
        self.take(builder.finish());
        self.merge_small();
    }

    /// Forgets a file.
    pub fn remove(&mut self, file: &str) {
        let Some((id, number)) = self.places.remove(file) else {
            return;
        };
        let Some(segment) = self.segments.get_mut(&id) else {
            return;
        };
        segment.bury(number);
        if let Some(row) = segment.files.get(number as usize) {
            let rows = segment.rows.iter().skip(row.first as usize).take(row.entries as usize);
            for row in rows {
                self.sizes.entries -= 1;
                self.sizes.body -= u64::from(row.body);
                self.sizes.title -= u64::from(row.title);
                self.sizes.path -= u64::from(row.path);
            }
        }
        if segment.alive == 0 && segment.files.iter().all(|file| !file.alive) {
            self.segments.remove(&id);
        }
    }

    /// Returns whether [`Index::tidy`] is worth its time.
    #[must_use]
    pub fn wants_tidying(&self) -> bool {
        let all: usize = self.segments.values().map(|segment| segment.rows.len()).sum();
        self.segments.len() > SEGMENTS_MAX || all > 2 * self.sizes.entries as usize
    }

    /// Makes one segment of all. It takes seconds for a hundred thousand entries: call it when nothing else is due.
    pub fn tidy(&mut self) {
        let ids: Vec<u32> = self.segments.keys().copied().collect();
        self.merge(&ids);
    }

    /// Names of the files, in order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Returns how many entries there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.sizes.entries as usize
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.sizes.entries == 0
    }

    /// Returns about how many bytes it keeps in memory.
    #[must_use]
    pub fn resident(&self) -> usize {
        let names: usize = self.places.keys().map(|name| name.len() + 64).sum();
        self.segments.values().map(Segment::resident).sum::<usize>() + names
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = (u32, &Segment)> {
        self.segments.iter().map(|(id, segment)| (*id, segment))
    }

    pub(crate) fn segment(&self, id: u32) -> Option<&Segment> {
        self.segments.get(&id)
    }

    /// Segment and first entry of a file.
    pub(crate) fn place(&self, file: &str) -> Option<(u32, u32, u32)> {
        let (id, number) = *self.places.get(file)?;
        let row = self.segments.get(&id)?.files.get(number as usize)?;
        Some((id, row.first, row.entries))
    }

    pub(crate) const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Takes a segment in whose files are not known yet.
    pub(crate) fn take(&mut self, segment: Segment) {
        if segment.files.is_empty() {
            return;
        }
        let id = self.next;
        self.next += 1;
        for (number, file) in (0u32..).zip(&segment.files) {
            if file.alive {
                self.places.insert(file.name.clone(), (id, number));
            }
        }
        for (doc, row) in (0u32..).zip(&segment.rows) {
            if segment.alive as usize == segment.rows.len() || segment.is_alive(doc) {
                self.sizes.entries += 1;
                self.sizes.body += u64::from(row.body);
                self.sizes.title += u64::from(row.title);
                self.sizes.path += u64::from(row.path);
            }
        }
        self.segments.insert(id, segment);
    }

    /// Merges the small segments of one size when there are enough of them: sizes grow by the same factor, so that
    /// each posting is copied a few times only.
    fn merge_small(&mut self) {
        let mut size = SMALL_MAX >> 4;
        while size <= SMALL_MAX {
            let small: Vec<u32> =
                self.segments.iter().filter(|one| one.1.weight() <= size).map(|one| *one.0).collect();
            if small.len() >= FAN {
                self.merge(&small);
            }
            size *= 4;
        }
    }

    fn merge(&mut self, ids: &[u32]) {
        let parts: Vec<Segment> = ids.iter().filter_map(|id| self.segments.remove(id)).collect();
        let whole = merge(&parts);
        for row in
            parts.iter().flat_map(|part| part.files.iter().filter(|file| file.alive).map(move |f| (part, f)))
        {
            let (part, file) = row;
            for row in part.rows.iter().skip(file.first as usize).take(file.entries as usize) {
                self.sizes.entries -= 1;
                self.sizes.body -= u64::from(row.body);
                self.sizes.title -= u64::from(row.title);
                self.sizes.path -= u64::from(row.path);
            }
        }
        self.take(whole);
    }
}
