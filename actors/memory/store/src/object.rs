//! Entries, files and states as bytes, and which other objects they name. The encoding is canonical: the same entry has
//! the same bytes. Identities are not in here, so that a hash depends on nothing but the text.

use crate::{
    code::{Reader, Writer},
    error::{Error, Result},
    hash::{Hash, Kind},
    tree::{self, Node, Role},
};
use org::{Doc, Span};
use std::collections::BTreeSet;

/// A headline as an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry {
    /// `ID`, else `CUSTOM_ID`, with the word in front.
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) todo: Option<String>,
    pub(crate) priority: Option<String>,
    pub(crate) own_tags: BTreeSet<String>,
    pub(crate) inherited: BTreeSet<String>,
    /// Scheduled, deadline, closed.
    pub(crate) planning: [Option<String>; 3],
    pub(crate) properties: Vec<(String, String)>,
}

/// The hashes that an entry names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) content: Hash,
    pub(crate) children: Option<Hash>,
}

/// Tags that keep an entry from other eyes, as the memory actor reads them.
fn is_private(tag: &str) -> bool {
    let word = tag.trim_start_matches('@').to_lowercase();
    matches!(word.as_str(), "personal" | "private" | "secret")
}

/// Returns the value that names an entry, with the property that it stands in.
pub(crate) fn explicit_id(bytes: &[u8], doc: &Doc, at: usize) -> Option<String> {
    let drawer = doc.nodes.get(at)?.drawer?;
    ["ID", "CUSTOM_ID"].into_iter().find_map(|key| {
        let value = drawer.value(bytes, doc.newline, key)?.text(bytes);
        (!value.is_empty()).then(|| format!("{key} {value}"))
    })
}

impl Entry {
    pub(crate) fn of(bytes: &[u8], doc: &Doc, at: usize, inherited: &BTreeSet<String>) -> Self {
        let Some(node) = doc.nodes.get(at) else {
            return Self::default();
        };
        let text = |span: Option<Span>| span.map(|span| span.text(bytes));
        let planning = node.planning.unwrap_or_default();
        let mut properties: Vec<(String, String)> = node
            .drawer
            .iter()
            .flat_map(|drawer| drawer.properties(bytes, doc.newline))
            .map(|property| (property.key.text(bytes).to_uppercase(), property.value.text(bytes)))
            .collect();
        properties.sort();
        Self {
            id: explicit_id(bytes, doc, at),
            title: node.title.text(bytes),
            todo: text(node.keyword),
            priority: text(node.priority),
            own_tags: node.own_tags(bytes).map(str::to_owned).collect(),
            inherited: inherited.clone(),
            planning: [text(planning.scheduled), text(planning.deadline), text(planning.closed)],
            properties,
        }
    }

    pub(crate) fn write(&self, parts: Parts) -> Vec<u8> {
        let mut to = Writer::default();
        let words = |word: &Option<String>| word.clone().map(String::into_bytes);
        to.maybe(words(&self.id).as_deref());
        to.bytes(self.title.as_bytes());
        to.maybe(words(&self.todo).as_deref());
        to.maybe(words(&self.priority).as_deref());
        to.all(&self.own_tags);
        to.all(&self.inherited);
        self.planning.iter().for_each(|stamp| to.maybe(words(stamp).as_deref()));
        to.number(self.properties.len() as u64);
        for (key, value) in &self.properties {
            to.bytes(key.as_bytes());
            to.bytes(value.as_bytes());
        }
        let private = self.own_tags.iter().chain(&self.inherited).any(|tag| is_private(tag));
        to.byte(u8::from(private));
        to.hash(parts.content);
        write_maybe(&mut to, parts.children);
        to.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Parts)> {
        let mut from = Reader(bytes);
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let id = text(from.maybe()?);
        let title = from.text()?;
        let (todo, priority) = (text(from.maybe()?), text(from.maybe()?));
        let own_tags = read_all(&mut from)?;
        let inherited = read_all(&mut from)?;
        let planning = [text(from.maybe()?), text(from.maybe()?), text(from.maybe()?)];
        let properties =
            (0..from.count()?).map(|_| Ok((from.text()?, from.text()?))).collect::<Result<_>>()?;
        from.byte()?;
        let parts = Parts { content: from.hash()?, children: read_maybe(&mut from)? };
        from.end()?;
        Ok((Self { id, title, todo, priority, own_tags, inherited, planning, properties }, parts))
    }
}

fn read_all(from: &mut Reader<'_>) -> Result<BTreeSet<String>> {
    (0..from.count()?).map(|_| from.text()).collect()
}

fn write_maybe(to: &mut Writer, hash: Option<Hash>) {
    to.byte(u8::from(hash.is_some()));
    if let Some(hash) = hash {
        to.hash(hash);
    }
}

fn read_maybe(from: &mut Reader<'_>) -> Result<Option<Hash>> {
    match from.byte()? {
        0 => Ok(None),
        1 => Ok(Some(from.hash()?)),
        _ => Err(Error::Malformed("a mark is neither 0 nor 1")),
    }
}

/// A file: the text before the first headline, and the entries of the first level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub(crate) preamble: Hash,
    pub(crate) entries: Option<Hash>,
}

impl File {
    pub(crate) fn write(self) -> Vec<u8> {
        let mut to = Writer::default();
        to.hash(self.preamble);
        write_maybe(&mut to, self.entries);
        to.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader(bytes);
        let file = Self { preamble: from.hash()?, entries: read_maybe(&mut from)? };
        from.end()?;
        Ok(file)
    }
}

/// The roots of one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Roots {
    pub(crate) folder: Hash,
    pub(crate) rosters: Hash,
    pub(crate) whereabouts: Hash,
}

impl Roots {
    pub(crate) fn write(&self, to: &mut Writer) {
        [self.folder, self.rosters, self.whereabouts].into_iter().for_each(|hash| to.hash(hash));
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Self { folder: from.hash()?, rosters: from.hash()?, whereabouts: from.hash()? })
    }

    const fn all(&self) -> [Hash; 3] {
        [self.folder, self.rosters, self.whereabouts]
    }
}

/// Everything that is committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) now: Roots,
    pub(crate) history: Hash,
    pub(crate) snapshots: Hash,
    pub(crate) lost: Hash,
    /// Number of the next snapshot.
    pub(crate) next_snapshot: u64,
    /// Counts identities and old versions, so that each has a number of its own.
    pub(crate) counter: u64,
}

impl State {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut to = Writer::default();
        self.now.write(&mut to);
        [self.history, self.snapshots, self.lost].into_iter().for_each(|hash| to.hash(hash));
        to.number(self.next_snapshot);
        to.number(self.counter);
        to.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader(bytes);
        let state = Self {
            now: Roots::read(&mut from)?,
            history: from.hash()?,
            snapshots: from.hash()?,
            lost: from.hash()?,
            next_snapshot: from.number()?,
            counter: from.number()?,
        };
        from.end()?;
        Ok(state)
    }
}

/// An object that another one names, with what the name says about it.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) hash: Hash,
    pub(crate) key: Option<(Role, Vec<u8>)>,
}

/// Returns what an object names: what must stay as long as it stays.
pub(crate) fn names(kind: Kind, bytes: &[u8]) -> Result<Vec<Named>> {
    let plain = |hashes: &[Hash]| hashes.iter().map(|hash| Named { hash: *hash, key: None }).collect();
    match kind {
        Kind::Content => Ok(Vec::new()),
        Kind::Entry => {
            let (_, parts) = Entry::read(bytes)?;
            Ok(plain(&[Some(parts.content), parts.children].into_iter().flatten().collect::<Vec<_>>()))
        }
        Kind::File => {
            let file = File::read(bytes)?;
            Ok(plain(&[Some(file.preamble), file.entries].into_iter().flatten().collect::<Vec<_>>()))
        }
        Kind::State => {
            let state = State::read(bytes)?;
            let mut hashes = state.now.all().to_vec();
            hashes.extend([state.snapshots, state.history, state.lost]);
            Ok(plain(&hashes))
        }
        Kind::Node => {
            let node = Node::read(bytes)?;
            let mut found = Vec::new();
            for (key, value) in node.items {
                let hashes = match (node.level, node.role) {
                    (1.., _) | (0, Role::Children | Role::Folder | Role::Rosters) => {
                        vec![tree::hash_in(&value)?]
                    }
                    (0, Role::Roster | Role::Whereabouts | Role::Lost) => Vec::new(),
                    (0, Role::History) => vec![Reader(&value).hash()?],
                    (0, Role::Snapshots) => Roots::read(&mut Reader(&value))?.all().to_vec(),
                };
                let key = (node.level == 0).then_some((node.role, key));
                found.extend(hashes.into_iter().map(|hash| Named { hash, key: key.clone() }));
            }
            Ok(found)
        }
    }
}
