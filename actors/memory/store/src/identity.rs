//! Who is who in a new version of a file. Explicit ids decide; then equal content, title path, text below the headline
//! and neighbours, in this order. An identity is given once in a file.

use crate::{
    hash::{Hash, Identity},
    object::explicit_id,
    version::{Common, Version, twin},
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The identity that an `ID` or `CUSTOM_ID` gives; the value has the property's name in front.
pub(crate) fn of_explicit(value: &str) -> Identity {
    Identity::of("explicit", &[value.as_bytes()])
}

/// Matches two versions.
struct Match<'a> {
    old: Option<&'a Version>,
    new: &'a Version,
    found: Vec<Option<Identity>>,
    /// For each new entry the old one that it was.
    was: Vec<Option<usize>>,
    taken: BTreeSet<Identity>,
}

/// Carries identities over; `None` is an entry that nobody knows.
pub(crate) fn carry(old: Option<&Version>, new: &Version, common: Common) -> Vec<Option<Identity>> {
    let total = new.placed.len();
    let mut matching =
        Match { old, new, found: vec![None; total], was: vec![None; total], taken: BTreeSet::new() };
    let known = old.filter(|old| old.roster.len() == old.placed.len());
    // What stands at both ends as it stood is who it was; an explicit id among it is the same one.
    if let Some(old) = known {
        for at in 0..total {
            if let Some(was) = twin(common, at, total, old.placed.len()) {
                matching.take(at, was);
            }
        }
    }
    for at in 0..total {
        if matching.found.get(at).is_some_and(Option::is_none)
            && let Some(id) = explicit_id(&new.bytes, &new.doc, at)
        {
            matching.give(at, of_explicit(&id), None);
        }
    }
    let Some(old) = known.filter(|old| (0..old.placed.len()).any(|was| matching.is_free(was))) else {
        return matching.found;
    };
    // Explicit ids name their old place too, as neighbours for others.
    let places: BTreeMap<Identity, usize> = old.roster.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    for (found, was) in matching.found.iter().zip(matching.was.iter_mut()) {
        *was = was.or_else(|| found.and_then(|id| places.get(&id).copied()));
    }
    matching.by(|version, at| version.placed.get(at).map(|placed| placed.content));
    let (before, after) = (paths(old), paths(new));
    matching.by(|version, at| {
        let paths = if std::ptr::eq(version, old) { &before } else { &after };
        paths.get(at).copied()
    });
    matching.by(|version, at| {
        let own = version.own(at);
        let body = own.split(|byte| *byte == b'\n').next().map_or(0, |line| line.len() + 1);
        own.get(body..).filter(|body| body.iter().any(|byte| !byte.is_ascii_whitespace())).map(<[u8]>::to_vec)
    });
    matching.by_neighbour();
    matching.found
}

impl Match<'_> {
    fn give(&mut self, at: usize, id: Identity, was: Option<usize>) {
        if let (Some(found), Some(place)) = (self.found.get_mut(at), self.was.get_mut(at))
            && found.is_none()
            && self.taken.insert(id)
        {
            *found = Some(id);
            *place = was;
        }
    }

    fn take(&mut self, at: usize, was: usize) {
        if let Some(id) = self.old.and_then(|old| old.roster.get(was)) {
            self.give(at, *id, Some(was));
        }
    }

    /// An old entry that nobody is yet. One that had an explicit id and lost it may be anybody's.
    fn is_free(&self, was: usize) -> bool {
        self.old.and_then(|old| old.roster.get(was)).is_some_and(|id| !self.taken.contains(id))
    }

    /// Gives the identities of old entries to new ones with the same mark, in the order of the file.
    fn by<K: Ord>(&mut self, mark: impl Fn(&Version, usize) -> Option<K>) {
        let Some(old) = self.old else { return };
        if self.found.iter().all(Option::is_some) {
            return;
        }
        let mut free: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for was in (0..old.placed.len()).filter(|was| self.is_free(*was)) {
            if let Some(key) = mark(old, was) {
                free.entry(key).or_default().push_back(was);
            }
        }
        for at in 0..self.new.placed.len() {
            if self.found.get(at).is_some_and(Option::is_none)
                && let Some(key) = mark(self.new, at)
                && let Some(was) = free.get_mut(&key).and_then(VecDeque::pop_front)
            {
                self.take(at, was);
            }
        }
    }

    /// What stands where something went, behind the same neighbour and at the same level, is what went.
    fn by_neighbour(&mut self) {
        let Some(old) = self.old else { return };
        let level = |version: &Version, at: usize| version.doc.nodes.get(at).map(|node| node.level);
        let mut next = Some(0);
        for at in 0..self.new.placed.len() {
            if self.found.get(at).is_some_and(Option::is_none)
                && let Some(was) = next
                && self.is_free(was)
                && level(old, was) == level(self.new, at)
            {
                self.take(at, was);
            }
            next = self.was.get(at).copied().flatten().map(|was| was + 1);
        }
    }
}

/// A hash of the titles from the top down to each entry; chained, so that depth costs nothing.
fn paths(version: &Version) -> Vec<Hash> {
    let mut paths: Vec<Hash> = Vec::with_capacity(version.doc.nodes.len());
    for (at, node) in version.doc.nodes.iter().enumerate() {
        let above = node.parent.and_then(|parent| paths.get(parent));
        let mut text = above.map_or_else(Vec::new, |hash| hash.to_bytes().to_vec());
        text.extend_from_slice(version.title(at).as_bytes());
        paths.push(Hash::of(crate::hash::Kind::Content, &text));
    }
    paths
}
