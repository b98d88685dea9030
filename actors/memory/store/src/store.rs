//! The open store and what can be asked of it. Asking never writes.

use crate::{
    code::Reader,
    collect::Mark,
    error::{Error, Result},
    hash::{Hash, Identity, Kind},
    object::{Roots, State},
    pack::{Objects as _, Pack, open::Opened},
    segment::Seed,
    snapshot::{Keep, Snapshot},
    transaction::Transaction,
    tree::{self, Role},
    version::{self, Version},
};
use std::{collections::VecDeque, path::Path};

/// How a store is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Random bytes; they count only when the store is made.
    pub seed: [u8; 16],
    /// Which snapshots are kept.
    pub keep: Keep,
    /// A segment file is closed when it has so many bytes. It bounds what one `collect` copies.
    pub segment_bytes: u64,
    /// How many bytes of file versions may stay in memory, so that the next edit compares instead of hashing.
    pub recent_bytes: usize,
}

impl Options {
    /// Returns the usual options.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self { seed, keep: Keep::default(), segment_bytes: 4 << 20, recent_bytes: 6 << 20 }
    }
}

/// An open store. One process has it at a time.
#[derive(Debug)]
pub struct Store {
    pub(crate) pack: Pack,
    pub(crate) state: State,
    pub(crate) options: Options,
    pub(crate) recent: Recent,
    pub(crate) mark: Option<Mark>,
}

/// Where an entry stands: the file and its number among the headlines of the file, from 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Name of the file.
    pub name: String,
    /// Number of the headline.
    pub ordinal: usize,
}

/// A version of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// Its own bytes; `content` gives them.
    pub content: Hash,
    /// When it was replaced or removed, in milliseconds since 1970; none if it is the present one.
    pub until: Option<u64>,
    /// The last snapshot that may still have it; 0 is none.
    pub snapshot: u64,
}

/// How a snapshot is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seek<'a> {
    /// By number.
    Number(u64),
    /// By name, the newest of that name.
    Name(&'a str),
    /// By the begin of a turn's key, the newest.
    Turn(&'a str),
    /// The newest that is not younger than this moment.
    Time(u64),
}

/// Figures about a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Objects, those included that nobody needs any more.
    pub objects: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Number of the last commit.
    pub sequence: u64,
}

impl Store {
    /// Opens the store of a directory, or makes it.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Io`], and [`Error::Rebuild`] when the last committed state cannot be read: then
    /// `discard` the store, open it again and put all files.
    pub fn open(dir: &Path, options: Options) -> Result<(Self, Opened)> {
        let (mut pack, opened) = Pack::open(dir, options.seed, options.segment_bytes)?;
        let state = match pack.head() {
            Some(head) => pack.get(Kind::State, head.state).and_then(|bytes| State::read(&bytes)),
            None => begin(&mut pack),
        };
        let state = state.map_err(|error| {
            if matches!(error, Error::Io { .. }) { error } else { Error::Rebuild(Box::new(error)) }
        })?;
        let recent = Recent { room: options.recent_bytes, ..Recent::default() };
        Ok((Self { pack, state, options, recent, mark: None }, opened))
    }

    /// Begins a transaction; without a commit it leaves no trace. Time is in milliseconds since 1970.
    pub fn begin(&mut self, now: u64) -> Transaction<'_> {
        Transaction::new(self, now)
    }

    /// Returns the root of the folder as it was committed: a function of names and bytes and of nothing else.
    #[must_use]
    pub const fn root(&self) -> Hash {
        self.state.now.folder
    }

    /// Returns the names of the files with their hashes.
    ///
    /// # Errors
    /// [`Error::Damaged`] and its kin when what is needed cannot be read.
    pub fn files(&self) -> Result<Vec<(String, Hash)>> {
        self.files_of(self.state.now.folder)
    }

    /// Returns the bytes of a file as it was last put.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.file_of(&self.state.now, name)
    }

    /// Returns the snapshots, oldest first.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn snapshots(&self) -> Result<Vec<Snapshot>> {
        let all = tree::all(&self.pack, self.state.snapshots)?;
        all.iter().map(|(key, value)| Snapshot::read(number_of(key)?, value)).collect()
    }

    /// Returns one snapshot.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn find(&self, seek: Seek<'_>) -> Result<Option<Snapshot>> {
        let fits = |snapshot: &Snapshot| match seek {
            Seek::Number(number) => snapshot.number == number,
            Seek::Name(name) => snapshot.cause.name.as_deref() == Some(name),
            Seek::Turn(begin) => snapshot.cause.turn.as_deref().is_some_and(|turn| turn.starts_with(begin)),
            Seek::Time(moment) => snapshot.when <= moment,
        };
        Ok(self.snapshots()?.into_iter().rfind(fits))
    }

    pub(crate) fn snapshot(&self, number: u64) -> Result<Snapshot> {
        let value = tree::get(&self.pack, self.state.snapshots, &number.to_be_bytes())?;
        Snapshot::read(number, &value.ok_or(Error::NoSnapshot(number))?)
    }

    /// Returns the files of a snapshot with their hashes.
    ///
    /// # Errors
    /// [`Error::NoSnapshot`], else as for [`Store::files`].
    pub fn files_at(&self, snapshot: u64) -> Result<Vec<(String, Hash)>> {
        self.files_of(self.snapshot(snapshot)?.roots.folder)
    }

    /// Returns the bytes of a file in a snapshot.
    ///
    /// # Errors
    /// As for [`Store::files_at`].
    pub fn file_at(&self, snapshot: u64, name: &str) -> Result<Option<Vec<u8>>> {
        self.file_of(&self.snapshot(snapshot)?.roots, name)
    }

    /// Returns an entry's own bytes in a snapshot, without the entries below.
    ///
    /// # Errors
    /// As for [`Store::files_at`].
    pub fn entry_at(&self, snapshot: u64, identity: Identity) -> Result<Option<Vec<u8>>> {
        let roots = self.snapshot(snapshot)?.roots;
        let hash = self.content_of(&roots, identity)?;
        hash.map(|hash| self.content(hash)).transpose()
    }

    /// Says who an entry is.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn identify(&self, name: &str, ordinal: usize) -> Result<Option<Identity>> {
        Ok(self.roster_of(&self.state.now, name)?.get(ordinal).copied())
    }

    /// Says where an entry stands.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn locate(&self, identity: Identity) -> Result<Option<Place>> {
        self.place_of(&self.state.now, identity)
    }

    /// Returns the identity that an `ID` property gives.
    #[must_use]
    pub fn identity_of_id(id: &str) -> Identity {
        crate::identity::of_explicit(&format!("ID {id}"))
    }

    /// Returns the versions of an entry, oldest first, each once in a row.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn history(&self, identity: Identity) -> Result<Vec<Past>> {
        let mut past = Vec::new();
        for (_, value) in tree::below(&self.pack, self.state.history, identity.as_bytes())? {
            let mut from = Reader(&value);
            let (content, until, snapshot) = (from.hash()?, from.number()?, from.number()?);
            past.push(Past { content, until: Some(until), snapshot });
        }
        if let Some(content) = self.content_of(&self.state.now, identity)? {
            past.push(Past { content, until: None, snapshot: self.state.next_snapshot.saturating_sub(1) });
        }
        let mut once: Vec<Past> = Vec::new();
        for version in past {
            match once.last_mut().filter(|last| last.content == version.content) {
                Some(last) => *last = version,
                None => once.push(version),
            }
        }
        Ok(once)
    }

    /// Returns the bytes of a version of an entry.
    ///
    /// # Errors
    /// As for [`Store::files`].
    pub fn content(&self, hash: Hash) -> Result<Vec<u8>> {
        self.pack.get(Kind::Content, hash)
    }

    /// Returns figures.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let sequence = self.pack.head().map_or(0, |head| head.sequence);
        Stats { objects: self.pack.count(), bytes: self.pack.bytes(), sequence }
    }

    fn files_of(&self, folder: Hash) -> Result<Vec<(String, Hash)>> {
        let all = tree::all(&self.pack, folder)?.into_iter();
        all.map(|(name, hash)| Ok((text_of(name), tree::hash_in(&hash)?))).collect()
    }

    fn file_of(&self, roots: &Roots, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(hash) = tree::get(&self.pack, roots.folder, name.as_bytes())? else { return Ok(None) };
        let mut bytes = Vec::new();
        version::walk(&self.pack, tree::hash_in(&hash)?, &mut |own, _| {
            bytes.extend_from_slice(own);
            Ok(())
        })?;
        Ok(Some(bytes))
    }

    pub(crate) fn roster_of(&self, roots: &Roots, name: &str) -> Result<Vec<Identity>> {
        let Some(list) = tree::get(&self.pack, roots.rosters, name.as_bytes())? else {
            return Ok(Vec::new());
        };
        let all = tree::all(&self.pack, tree::hash_in(&list)?)?;
        all.iter().map(|(_, id)| Reader(id).identity()).collect()
    }

    fn place_of(&self, roots: &Roots, identity: Identity) -> Result<Option<Place>> {
        let name = tree::get(&self.pack, roots.whereabouts, identity.as_bytes())?;
        let Some(name) = name.map(text_of) else { return Ok(None) };
        let ordinal = self.roster_of(roots, &name)?.iter().position(|id| *id == identity);
        Ok(ordinal.map(|ordinal| Place { name, ordinal }))
    }

    fn content_of(&self, roots: &Roots, identity: Identity) -> Result<Option<Hash>> {
        let Some(place) = self.place_of(roots, identity)? else { return Ok(None) };
        let Some(file) = tree::get(&self.pack, roots.folder, place.name.as_bytes())? else { return Ok(None) };
        let mut contents = Vec::new();
        version::walk_entries(&self.pack, tree::hash_in(&file)?, &mut |_, parts, _| {
            contents.push(parts.content);
        })?;
        Ok(contents.get(place.ordinal).copied())
    }
}

/// Commits the state of an empty store, so that every later one has something to go back to.
fn begin(pack: &mut Pack) -> Result<State> {
    let state = empty(pack)?;
    let hash = pack.put(Kind::State, &state.write())?;
    pack.commit(hash)?;
    Ok(state)
}

fn empty(pack: &mut Pack) -> Result<State> {
    let mut map = |role| tree::build(pack, role, []);
    Ok(State {
        now: Roots {
            folder: map(Role::Folder)?,
            rosters: map(Role::Rosters)?,
            whereabouts: map(Role::Whereabouts)?,
        },
        history: map(Role::History)?,
        snapshots: map(Role::Snapshots)?,
        lost: map(Role::Lost)?,
        next_snapshot: 1,
        counter: 0,
    })
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn number_of(key: &[u8]) -> Result<u64> {
    key.try_into().map(u64::from_be_bytes).or(Err(Error::Malformed("a snapshot without number")))
}

/// Versions of the files that were put last, with a bound on their weight.
#[derive(Default, Debug)]
pub(crate) struct Recent {
    versions: VecDeque<(String, Version)>,
    weight: usize,
    room: usize,
}

impl Recent {
    pub(crate) fn take(&mut self, name: &str) -> Option<Version> {
        let at = self.versions.iter().position(|(known, _)| known == name)?;
        let (_, version) = self.versions.remove(at)?;
        self.weight = self.weight.saturating_sub(version.weight());
        Some(version)
    }

    pub(crate) fn put(&mut self, name: &str, version: Version) {
        let weight = version.weight();
        if weight > self.room {
            return;
        }
        while self.weight + weight > self.room
            && let Some((_, oldest)) = self.versions.pop_front()
        {
            self.weight = self.weight.saturating_sub(oldest.weight());
        }
        self.weight += weight;
        self.versions.push_back((name.to_owned(), version));
    }

    /// Gives an entry of a file another identity.
    pub(crate) fn rename(&mut self, name: &str, ordinal: usize, id: Identity) {
        let version = self.versions.iter_mut().find(|(known, _)| known == name);
        if let Some(place) = version.and_then(|(_, version)| version.roster.get_mut(ordinal)) {
            *place = id;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.versions.clear();
        self.weight = 0;
    }
}
