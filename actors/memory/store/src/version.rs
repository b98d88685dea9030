//! One version of a file: from bytes to objects and back. What did not change since the version before is compared and
//! not hashed again.

use crate::{
    error::{Error, Result},
    hash::{Hash, Identity, Kind},
    object::{Entry, File, Parts},
    pack::Objects,
    tree::{self, Role},
};
use org::Doc;
use std::{collections::BTreeSet, sync::Arc};

/// An entry of a version, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) entry: Hash,
    pub(crate) content: Hash,
    /// Index behind the last entry below it.
    pub(crate) last: usize,
    inherited: Arc<BTreeSet<String>>,
}

/// A version of a file with all that is known about it.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) bytes: Vec<u8>,
    pub(crate) doc: Doc,
    pub(crate) file: Hash,
    preamble: Hash,
    pub(crate) placed: Vec<Placed>,
    pub(crate) roster: Vec<Identity>,
}

/// How much two versions have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Common {
    /// Entries at the begin that are equal.
    pub(crate) front: usize,
    /// Entries at the end that are equal.
    pub(crate) back: usize,
}

impl Version {
    pub(crate) fn own(&self, at: usize) -> &[u8] {
        self.doc.nodes.get(at).map_or(&[], |node| node.own().of(&self.bytes))
    }

    pub(crate) fn title(&self, at: usize) -> String {
        self.doc.nodes.get(at).map(|node| node.title.text(&self.bytes)).unwrap_or_default()
    }

    /// Compares entry by entry from both ends.
    pub(crate) fn common(old: &Self, new_bytes: &[u8], new: &Doc) -> Common {
        let own = |at: usize| new.nodes.get(at).map_or(&[][..], |node| node.own().of(new_bytes));
        let (before, after) = (old.placed.len(), new.nodes.len());
        let least = before.min(after);
        let front = (0..least).take_while(|at| old.own(*at) == own(*at)).count();
        let back =
            (0..least - front).take_while(|at| old.own(before - 1 - at) == own(after - 1 - at)).count();
        Common { front, back }
    }

    /// Writes the objects of a file.
    pub(crate) fn write(
        objects: &mut impl Objects,
        bytes: &[u8],
        doc: &Doc,
        old: Option<&Self>,
        common: Common,
    ) -> Result<Self> {
        tiles(bytes, doc)?;
        let preamble = match old {
            Some(old) if old.doc.preamble.of(&old.bytes) == doc.preamble.of(bytes) => old.preamble,
            _ => objects.put(Kind::Content, doc.preamble.of(bytes))?,
        };
        let mut placed = places(objects, bytes, doc, old, common)?;
        let same_words = old.is_some_and(|old| old.doc.keywords == doc.keywords);
        let mut children: Vec<Vec<Hash>> = vec![Vec::new(); doc.nodes.len()];
        let mut top = Vec::new();
        for at in (0..doc.nodes.len()).rev() {
            let Some(this) = placed.get(at) else { break };
            let mut below = children.get_mut(at).map(std::mem::take).unwrap_or_default();
            let known =
                old.filter(|_| same_words).and_then(|old| unchanged(old, common, at, this, doc.nodes.len()));
            let hash = match known {
                Some(hash) => hash,
                None => {
                    below.reverse();
                    let children = if below.is_empty() { None } else { Some(list(objects, &below)?) };
                    let entry = Entry::of(bytes, doc, at, &this.inherited);
                    objects.put(Kind::Entry, &entry.write(Parts { content: this.content, children }))?
                }
            };
            if let Some(this) = placed.get_mut(at) {
                this.entry = hash;
            }
            let parent = doc.nodes.get(at).and_then(|node| node.parent);
            match parent.and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(hash),
                None => top.push(hash),
            }
        }
        top.reverse();
        let entries = if top.is_empty() { None } else { Some(list(objects, &top)?) };
        let file = objects.put(Kind::File, &File { preamble, entries }.write())?;
        Ok(Self { bytes: bytes.to_vec(), doc: doc.clone(), file, preamble, placed, roster: Vec::new() })
    }

    /// Reads a version back.
    pub(crate) fn load(objects: &impl Objects, file: Hash, roster: Vec<Identity>) -> Result<Self> {
        let mut bytes = Vec::new();
        let mut hashes = Vec::new();
        let preamble = File::read(&objects.get(Kind::File, file)?)?.preamble;
        walk(objects, file, &mut |own, entry| {
            bytes.extend_from_slice(own);
            hashes.extend(entry);
            Ok(())
        })?;
        let doc = org::scan(&bytes);
        // A scanner of another version may see other entries; then the old ones are no help.
        if doc.nodes.len() != hashes.len() {
            hashes.clear();
        }
        let inherited = inherited(&bytes, &doc);
        let lasts = lasts(&doc);
        let all = hashes.into_iter().zip(inherited.into_iter().zip(lasts));
        let placed = all
            .map(|((entry, parts), (inherited, last))| Placed {
                entry,
                content: parts.content,
                last,
                inherited,
            })
            .collect();
        Ok(Self { bytes, doc, file, preamble, placed, roster })
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn weight(&self) -> usize {
        self.bytes.len() + self.placed.len() * 600
    }
}

/// Calls with the text before the first headline, then with each entry's own bytes in the order of the file.
pub(crate) fn walk(
    objects: &impl Objects,
    file: Hash,
    each: &mut impl FnMut(&[u8], Option<(Hash, Parts)>) -> Result<()>,
) -> Result<()> {
    let file = File::read(&objects.get(Kind::File, file)?)?;
    each(&objects.get(Kind::Content, file.preamble)?, None)?;
    let mut open = below(objects, file.entries)?;
    while let Some(hash) = open.pop() {
        let (_, parts) = Entry::read(&objects.get(Kind::Entry, hash)?)?;
        each(&objects.get(Kind::Content, parts.content)?, Some((hash, parts)))?;
        open.extend(below(objects, parts.children)?);
    }
    Ok(())
}

/// Calls with each entry, what it names and the number of the entry above it, in the order of the file.
pub(crate) fn walk_entries(
    objects: &impl Objects,
    file: Hash,
    each: &mut impl FnMut(Entry, Parts, Option<usize>),
) -> Result<()> {
    let file = File::read(&objects.get(Kind::File, file)?)?;
    let mut open: Vec<_> = below(objects, file.entries)?.into_iter().map(|hash| (hash, None)).collect();
    let mut ordinal = 0;
    while let Some((hash, above)) = open.pop() {
        let (entry, parts) = Entry::read(&objects.get(Kind::Entry, hash)?)?;
        each(entry, parts, above);
        open.extend(below(objects, parts.children)?.into_iter().map(|hash| (hash, Some(ordinal))));
        ordinal += 1;
    }
    Ok(())
}

/// The hashes of a list, last one first.
pub(crate) fn below(objects: &impl Objects, list: Option<Hash>) -> Result<Vec<Hash>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    tree::all(objects, list)?.iter().rev().map(|(_, hash)| tree::hash_in(hash)).collect()
}

fn list(objects: &mut impl Objects, hashes: &[Hash]) -> Result<Hash> {
    let items = hashes.iter().map(|hash| (Vec::new(), hash.to_bytes().to_vec()));
    tree::build(objects, Role::Children, items)
}

/// The texts of a scan have to follow one another from the first byte to the last, else bytes would get lost.
fn tiles(bytes: &[u8], doc: &Doc) -> Result<()> {
    let mut at = doc.preamble.end;
    let mut sound = doc.preamble.begin == 0;
    for (index, node) in doc.nodes.iter().enumerate() {
        sound &= node.begin == at && node.own_end >= at && node.parent.is_none_or(|parent| parent < index);
        at = node.own_end;
    }
    if sound && at == bytes.len() { Ok(()) } else { Err(Error::ForeignScan) }
}

fn places(
    objects: &mut impl Objects,
    bytes: &[u8],
    doc: &Doc,
    old: Option<&Version>,
    common: Common,
) -> Result<Vec<Placed>> {
    let total = doc.nodes.len();
    let mut placed = Vec::with_capacity(total);
    let all = doc.nodes.iter().zip(inherited(bytes, doc)).zip(lasts(doc));
    for (at, ((node, inherited), last)) in all.enumerate() {
        let known = old.and_then(|old| old.placed.get(twin(common, at, total, old.placed.len())?));
        let content = match known {
            Some(known) => known.content,
            None => objects.put(Kind::Content, node.own().of(bytes))?,
        };
        placed.push(Placed { entry: content, content, last, inherited });
    }
    Ok(placed)
}

/// The index in the old version of an entry with the same own bytes.
pub(crate) const fn twin(common: Common, at: usize, total: usize, before: usize) -> Option<usize> {
    if at < common.front {
        Some(at)
    } else if at + common.back >= total {
        (at + before).checked_sub(total)
    } else {
        None
    }
}

/// The hash of an entry that has the same text, the same place in the tree and the same entries below.
fn unchanged(old: &Version, common: Common, at: usize, this: &Placed, total: usize) -> Option<Hash> {
    let before = old.placed.len();
    let was = old.placed.get(twin(common, at, total, before)?)?;
    let in_front = at < common.front;
    let same_below = if in_front {
        this.last <= common.front && was.last == this.last
    } else {
        was.last + total == this.last + before
    };
    (same_below && was.inherited == this.inherited).then_some(was.entry)
}

/// The tags that each entry inherits, from the file and the entries above it.
fn inherited(bytes: &[u8], doc: &Doc) -> Vec<Arc<BTreeSet<String>>> {
    let top: Arc<BTreeSet<String>> = Arc::new(doc.file_tags.iter().cloned().collect());
    let mut given: Vec<Arc<BTreeSet<String>>> = Vec::with_capacity(doc.nodes.len());
    let mut found = Vec::with_capacity(doc.nodes.len());
    for node in &doc.nodes {
        let above = node.parent.and_then(|parent| given.get(parent)).unwrap_or(&top).clone();
        let mut own = node.own_tags(bytes).filter(|tag| !above.contains(*tag)).peekable();
        let below = if own.peek().is_none() {
            above.clone()
        } else {
            Arc::new(above.iter().cloned().chain(own.map(str::to_owned)).collect())
        };
        given.push(below);
        found.push(above);
    }
    found
}

/// For each entry the index behind the last one below it.
fn lasts(doc: &Doc) -> Vec<usize> {
    let nodes = doc.nodes.iter();
    nodes.map(|node| doc.nodes.partition_point(|other| other.begin < node.end)).collect()
}
