//! What changed between two snapshots, entry by entry, with titles for people.

use crate::{
    error::Result,
    hash::{Hash, Identity},
    object::Roots,
    store::Store,
    tree, version,
};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a file or entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// It is new.
    Added,
    /// It is not there any more.
    Removed,
    /// Its own text is another.
    Changed,
    /// It stands in another file or under another entry, and its own text is the same.
    Moved,
    /// Both.
    MovedAndChanged,
}

/// One difference. Files come first, then entries; each in the order of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What happened.
    pub fate: Fate,
    /// The entry; none is the file itself. A file is changed when anything in it is.
    pub entry: Option<Identity>,
    /// File and title before.
    pub before: Option<(String, String)>,
    /// File and title after.
    pub after: Option<(String, String)>,
}

/// An entry of one side.
struct Side {
    file: String,
    title: String,
    content: Hash,
    above: Option<Identity>,
}

impl Store {
    /// Compares two snapshots. What is equal by hash is not read.
    ///
    /// # Errors
    /// [`crate::Error::NoSnapshot`], and [`crate::Error::Damaged`] and its kin.
    pub fn diff(&self, before: u64, after: u64) -> Result<Vec<Difference>> {
        self.compare(&self.snapshot(before)?.roots, &self.snapshot(after)?.roots)
    }

    /// Compares a snapshot with what was committed last.
    ///
    /// # Errors
    /// As for [`Store::diff`].
    pub fn diff_to_now(&self, before: u64) -> Result<Vec<Difference>> {
        self.compare(&self.snapshot(before)?.roots, &self.state.now)
    }

    fn compare(&self, before: &Roots, after: &Roots) -> Result<Vec<Difference>> {
        if before.folder == after.folder {
            return Ok(Vec::new());
        }
        let old: BTreeMap<_, _> = tree::all(&self.pack, before.folder)?.into_iter().collect();
        let new: BTreeMap<_, _> = tree::all(&self.pack, after.folder)?.into_iter().collect();
        let names: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let mut found = Vec::new();
        let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
        for key in names {
            let (was, is) = (old.get(key), new.get(key));
            if was == is {
                continue;
            }
            let name = String::from_utf8_lossy(key).into_owned();
            if let Some(was) = was {
                self.side(before, &name, tree::hash_in(was)?, &mut left)?;
            }
            if let Some(is) = is {
                self.side(after, &name, tree::hash_in(is)?, &mut right)?;
            }
            let fate = match (was, is) {
                (None, _) => Fate::Added,
                (_, None) => Fate::Removed,
                _ => Fate::Changed,
            };
            let place = Some((name, String::new()));
            let before = was.and(place.clone());
            found.push(Difference { fate, entry: None, before, after: is.and(place) });
        }
        found.extend(entries(left, right));
        Ok(found)
    }

    fn side(&self, roots: &Roots, name: &str, file: Hash, to: &mut BTreeMap<Identity, Side>) -> Result<()> {
        let roster = self.roster_of(roots, name)?;
        let mut ids = roster.iter();
        version::walk_entries(&self.pack, file, &mut |entry, parts, above| {
            if let Some(id) = ids.next() {
                let above = above.and_then(|at| roster.get(at)).copied();
                let side = Side { file: name.to_owned(), title: entry.title, content: parts.content, above };
                to.insert(*id, side);
            }
        })
    }
}

fn entries(left: BTreeMap<Identity, Side>, mut right: BTreeMap<Identity, Side>) -> Vec<Difference> {
    let mut found = Vec::new();
    for (id, was) in left {
        let is = right.remove(&id);
        let fate = match &is {
            None => Fate::Removed,
            Some(is) => {
                let moved = is.file != was.file || is.above != was.above;
                match (moved, is.content != was.content) {
                    (true, true) => Fate::MovedAndChanged,
                    (true, false) => Fate::Moved,
                    (false, true) => Fate::Changed,
                    (false, false) => continue,
                }
            }
        };
        let after = is.map(|is| (is.file, is.title));
        found.push(Difference { fate, entry: Some(id), before: Some((was.file, was.title)), after });
    }
    found.extend(right.into_iter().map(|(id, is)| Difference {
        fate: Fate::Added,
        entry: Some(id),
        before: None,
        after: Some((is.file, is.title)),
    }));
    found
}
