//! Lists and sorted maps as trees of small nodes, cut where the content says so: the same items give the same hash
//! whatever was there before, and one changed item changes one node a level. No node is changed in place.

mod read;

pub(crate) use read::{all, all_empty, below, get};

use crate::{
    code::{Reader, Writer},
    error::{Error, Result},
    hash::{Hash, Kind},
    pack::Objects,
};
use std::collections::BTreeMap;

/// About one item in 32 ends a node.
const CUT_MASK: u8 = 31;
/// Most items of a node, should chance never cut.
const ITEMS_MAX: usize = 256;

/// What a tree holds; it is part of the bytes of each node, and says which values are hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Hashes of entries in the order of the file.
    Children = 1,
    /// Names of files and their hashes: its root is the root of the memex.
    Folder = 2,
    /// Names of files and the lists of their identities.
    Rosters = 3,
    /// Identities of the entries of a file, in its order.
    Roster = 4,
    /// Identities and the file where each was seen last.
    Whereabouts = 5,
    /// Old versions of entries.
    History = 6,
    /// Snapshots by number.
    Snapshots = 7,
    /// Contents of entries that went, and who they were.
    Lost = 8,
}

impl Role {
    const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Children,
            2 => Self::Folder,
            3 => Self::Rosters,
            4 => Self::Roster,
            5 => Self::Whereabouts,
            6 => Self::History,
            7 => Self::Snapshots,
            8 => Self::Lost,
            _ => return None,
        })
    }
}

/// A key (empty in lists) and its value. Above the leaves: the last key below a node and its hash.
pub(crate) type Item = (Vec<u8>, Vec<u8>);
/// What becomes of keys: a new value, or none.
pub(crate) type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A node as it is stored.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) role: Role,
    pub(crate) level: u8,
    pub(crate) items: Vec<Item>,
}

impl Node {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader(bytes);
        let role = Role::of(reader.byte()?).ok_or(Error::Malformed("a tree of an unknown kind"))?;
        let level = reader.byte()?;
        let count = reader.count()?;
        let mut items = Vec::with_capacity(count.min(ITEMS_MAX));
        for _ in 0..count {
            items.push((reader.bytes()?.to_vec(), reader.bytes()?.to_vec()));
        }
        reader.end()?;
        Ok(Self { role, level, items })
    }

    fn load(objects: &impl Objects, hash: Hash) -> Result<Self> {
        Self::read(&objects.get(Kind::Node, hash)?)
    }

    fn last_key(&self) -> &[u8] {
        self.items.last().map_or(&[], |(key, _)| key)
    }
}

/// The hash that an item holds.
pub(crate) fn hash_in(value: &[u8]) -> Result<Hash> {
    Hash::from_slice(value).ok_or(Error::Malformed("a value is no hash"))
}

/// Says whether a node ends behind an item. Maps cut by key, so that a new value moves no border.
fn cuts(level: u8, (key, value): &Item) -> bool {
    let last = if level == 0 && !key.is_empty() {
        crc32c::crc32c(key).to_le_bytes().first().copied()
    } else {
        value.last().copied()
    };
    last.unwrap_or_default() & CUT_MASK == 0
}

/// Collects items into nodes.
struct Level {
    role: Role,
    level: u8,
    open: Vec<Item>,
    made: Vec<Item>,
}

impl Level {
    const fn new(role: Role, level: u8) -> Self {
        Self { role, level, open: Vec::new(), made: Vec::new() }
    }

    fn push(&mut self, objects: &mut impl Objects, item: Item) -> Result<()> {
        let cut = cuts(self.level, &item);
        self.open.push(item);
        if cut || self.open.len() >= ITEMS_MAX { self.seal(objects) } else { Ok(()) }
    }

    fn seal(&mut self, objects: &mut impl Objects) -> Result<()> {
        if let Some((last, _)) = self.open.last() {
            let last = last.clone();
            let hash = write(objects, self.role, self.level, &self.open)?;
            self.made.push((last, hash.to_bytes().to_vec()));
            self.open.clear();
        }
        Ok(())
    }
}

fn write(objects: &mut impl Objects, role: Role, level: u8, items: &[Item]) -> Result<Hash> {
    let mut writer = Writer::default();
    writer.byte(role as u8);
    writer.byte(level);
    writer.number(items.len() as u64);
    for (key, value) in items {
        writer.bytes(key);
        writer.bytes(value);
    }
    objects.put(Kind::Node, &writer.0)
}

/// Builds a tree of items that are in order.
pub(crate) fn build(
    objects: &mut impl Objects,
    role: Role,
    items: impl IntoIterator<Item = Item>,
) -> Result<Hash> {
    let mut level = Level::new(role, 0);
    for item in items {
        level.push(objects, item)?;
    }
    level.seal(objects)?;
    finish(objects, role, 0, level.made)
}

/// Builds the levels above `made`, and goes down again where a level turns out to be one node.
fn finish(objects: &mut impl Objects, role: Role, mut height: u8, mut made: Vec<Item>) -> Result<Hash> {
    while made.len() > 1 {
        height = height.checked_add(1).ok_or(Error::Malformed("a tree is too high"))?;
        let mut level = Level::new(role, height);
        for item in made {
            level.push(objects, item)?;
        }
        level.seal(objects)?;
        made = level.made;
    }
    let Some((_, hash)) = made.first() else {
        return write(objects, role, 0, &[]);
    };
    let mut root = hash_in(hash)?;
    let mut node = Node::load(objects, root)?;
    while let (1.., [(_, only)]) = (node.level, node.items.as_slice()) {
        root = hash_in(only)?;
        node = Node::load(objects, root)?;
    }
    Ok(root)
}

/// Changes keys of a map. Gives the very tree that [`build`] makes of the result.
pub(crate) fn update(
    objects: &mut impl Objects,
    role: Role,
    root: Hash,
    mut changes: Changes,
) -> Result<Hash> {
    if changes.is_empty() {
        return Ok(root);
    }
    let top = Node::load(objects, root)?.level;
    for height in 0..=top {
        let (gone, made) = rechunk(objects, role, root, height, changes)?;
        if height == top {
            return finish(objects, role, height, made);
        }
        changes = gone.into_iter().map(|key| (key, None)).collect();
        changes.extend(made.into_iter().map(|(key, hash)| (key, Some(hash))));
    }
    Ok(root)
}

/// Cuts one level anew from each change to the next border that is an old one too. Returns the last keys of the nodes
/// that go and the nodes that come.
fn rechunk(
    objects: &mut impl Objects,
    role: Role,
    root: Hash,
    height: u8,
    changes: Changes,
) -> Result<(Vec<Vec<u8>>, Vec<Item>)> {
    let mut gone = Vec::new();
    let mut level = Level::new(role, height);
    let mut changes = changes.into_iter().peekable();
    while let Some((first, _)) = changes.peek() {
        let mut node = read::node_for(objects, root, height, first)?;
        loop {
            let last = node.last_key().to_vec();
            let next = read::node_behind(objects, root, height, &last)?;
            gone.push(last.clone());
            let mut old = node.items.into_iter().peekable();
            loop {
                let due = |key: &Vec<u8>| next.is_none() || *key <= last;
                let change = match (changes.peek(), old.peek()) {
                    (Some((key, _)), Some((there, _))) => key <= there,
                    (Some((key, _)), None) => due(key),
                    (None, Some(_)) => false,
                    (None, None) => break,
                };
                if change && let Some((key, value)) = changes.next() {
                    old.next_if(|(there, _)| *there == key);
                    if let Some(value) = value {
                        level.push(objects, (key, value))?;
                    }
                } else if let Some(item) = old.next() {
                    level.push(objects, item)?;
                } else {
                    break;
                }
            }
            match next {
                Some(behind) if !level.open.is_empty() => node = behind,
                Some(_) | None => break,
            }
        }
        level.seal(objects)?;
    }
    Ok((gone, level.made))
}
