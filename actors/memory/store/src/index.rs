//! Where each object lies: a sorted vector, which is small, and a map of what came since. It holds no object.

use std::collections::BTreeMap;

/// How many new places are kept apart before they are merged into the vector.
const RECENT_MAX: usize = 16 * 1024;

/// A place in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) segment: u32,
    pub(crate) offset: u32,
}

/// Places by the first half of a hash.
#[derive(Default, Debug)]
pub(crate) struct Index {
    keys: Vec<u128>,
    places: Vec<Place>,
    recent: BTreeMap<u128, Place>,
}

impl Index {
    pub(crate) fn get(&self, key: u128) -> Option<Place> {
        if let Some(place) = self.recent.get(&key) {
            return Some(*place);
        }
        self.places.get(self.keys.binary_search(&key).ok()?).copied()
    }

    pub(crate) fn insert(&mut self, key: u128, place: Place) {
        self.recent.insert(key, place);
    }

    /// Forgets something that was inserted after the last [`Index::settle`].
    pub(crate) fn forget(&mut self, key: u128) {
        self.recent.remove(&key);
    }

    /// Adds what a segment holds, without the detour over the map.
    pub(crate) fn load(&mut self, found: &[(u128, u32)], segment: u32) {
        self.keys.extend(found.iter().map(|(key, _)| *key));
        self.places.extend(found.iter().map(|(_, offset)| Place { segment, offset: *offset }));
    }

    /// Sorts what was loaded; of two places of one object the later one stays.
    pub(crate) fn sort(&mut self) {
        let mut all: Vec<(u128, Place)> = self.keys.drain(..).zip(self.places.drain(..)).collect();
        all.sort_unstable_by_key(|(key, place)| (*key, std::cmp::Reverse(place.segment)));
        all.dedup_by_key(|(key, _)| *key);
        self.take(&all);
    }

    fn take(&mut self, all: &[(u128, Place)]) {
        self.keys = all.iter().map(|(key, _)| *key).collect();
        self.places = all.iter().map(|(_, place)| *place).collect();
    }

    /// Merges new places when there are many.
    pub(crate) fn settle(&mut self) {
        if self.recent.len() >= RECENT_MAX {
            self.retain(|_, _| true);
        }
    }

    /// Keeps the places for which `keep` says so.
    pub(crate) fn retain(&mut self, keep: impl Fn(u128, Place) -> bool) {
        let recent = std::mem::take(&mut self.recent);
        let total = self.keys.len() + recent.len();
        let (mut keys, mut places) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let mut add = |key: u128, place: Place| {
            if keep(key, place) {
                keys.push(key);
                places.push(place);
            }
        };
        let mut new = recent.into_iter().peekable();
        for (key, place) in self.keys.drain(..).zip(self.places.drain(..)) {
            while let Some((earlier, at)) = new.next_if(|(other, _)| *other < key) {
                add(earlier, at);
            }
            match new.next_if(|(other, _)| *other == key) {
                Some((_, newer)) => add(key, newer),
                None => add(key, place),
            }
        }
        new.for_each(|(key, place)| add(key, place));
        (self.keys, self.places) = (keys, places);
    }

    /// All places of a segment, in the order of the file.
    pub(crate) fn of(&self, segment: u32) -> Vec<(u128, u32)> {
        let old = self.keys.iter().zip(&self.places).filter(|(key, _)| !self.recent.contains_key(key));
        let mut found: Vec<(u128, u32)> = old
            .chain(&self.recent)
            .filter(|(_, place)| place.segment == segment)
            .map(|(key, place)| (*key, place.offset))
            .collect();
        found.sort_unstable_by_key(|(_, offset)| *offset);
        found
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len() + self.recent.keys().filter(|key| self.keys.binary_search(key).is_err()).count()
    }
}
