//! One durable change: the files of a turn, who their entries are, and a snapshot. All of it or nothing.

use crate::{
    code::Writer,
    error::Result,
    hash::{Hash, Identity, Kind},
    identity,
    object::State,
    pack::Objects as _,
    snapshot::{Cause, Snapshot},
    store::Store,
    tree::{self, Changes, Role},
    version::{Common, Version},
};
use org::Doc;
use std::collections::BTreeMap;

/// A running transaction. Dropped without commit, it leaves no trace.
#[derive(Debug)]
pub struct Transaction<'a> {
    store: &'a mut Store,
    now: u64,
    counter: u64,
    /// Files that were put or removed.
    files: BTreeMap<String, Option<Hash>>,
    rosters: BTreeMap<String, Vec<Identity>>,
    /// Entries that left their file, with their content.
    gone: BTreeMap<Identity, (String, Hash)>,
    /// Entries that came into a file.
    came: BTreeMap<Identity, String>,
    /// Places of entries that nobody knew, by content.
    fresh: BTreeMap<Hash, Vec<(String, usize)>>,
    history: Changes,
    done: bool,
}

/// What a commit did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Committed {
    /// The root of the folder.
    pub root: Hash,
    /// Number of the snapshot, if one was taken.
    pub snapshot: Option<u64>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(store: &'a mut Store, now: u64) -> Self {
        let counter = store.state.counter;
        Self {
            store,
            now,
            counter,
            files: BTreeMap::new(),
            rosters: BTreeMap::new(),
            gone: BTreeMap::new(),
            came: BTreeMap::new(),
            fresh: BTreeMap::new(),
            history: Changes::new(),
            done: false,
        }
    }

    /// Puts a file as it is now; `doc` is the scan of these bytes. Returns its hash.
    ///
    /// # Errors
    /// [`crate::Error::ForeignScan`], [`crate::Error::Io`], and what reading the version before may give.
    pub fn put_file(&mut self, name: &str, bytes: &[u8], doc: &Doc) -> Result<Hash> {
        let old = self.version(name)?;
        if let Some(same) = old.as_ref().filter(|old| old.bytes == bytes) {
            let hash = same.file;
            self.keep(name, old);
            return Ok(hash);
        }
        // A scanner of another version may have seen other entries in the old bytes.
        let base = old.as_ref().filter(|old| old.placed.len() == old.doc.nodes.len());
        let common = base.map_or_else(Common::default, |old| Version::common(old, bytes, doc));
        let mut new = Version::write(&mut self.store.pack, bytes, doc, base, common)?;
        self.forget_fresh(name);
        let carried = identity::carry(base, &new, common);
        for (ordinal, known) in carried.into_iter().enumerate() {
            let id = known.unwrap_or_else(|| self.unknown(name, ordinal, &new));
            new.roster.push(id);
        }
        self.compare(name, old.as_ref(), Some(&new));
        self.files.insert(name.to_owned(), Some(new.file));
        self.rosters.insert(name.to_owned(), new.roster.clone());
        let hash = new.file;
        self.store.recent.put(name, new);
        Ok(hash)
    }

    /// Removes a file; its versions stay in the history.
    ///
    /// # Errors
    /// What reading the last version may give.
    pub fn remove_file(&mut self, name: &str) -> Result<()> {
        let Some(old) = self.version(name)? else { return Ok(()) };
        self.forget_fresh(name);
        self.compare(name, Some(&old), None);
        self.files.insert(name.to_owned(), None);
        self.rosters.remove(name);
        Ok(())
    }

    /// Returns the root as it will be.
    ///
    /// # Errors
    /// What reading the folder may give.
    pub fn root(&mut self) -> Result<Hash> {
        let changes = self
            .files
            .iter()
            .map(|(name, hash)| (name.as_bytes().to_vec(), hash.map(|hash| hash.to_bytes().to_vec())));
        let changes: Changes = changes.collect();
        tree::update(&mut self.store.pack, Role::Folder, self.store.state.now.folder, changes)
    }

    /// Makes everything durable, with a snapshot if there is a cause for one.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the disk refuses; then nothing of it happened.
    pub fn commit(mut self, cause: Option<Cause>) -> Result<Committed> {
        if self.files.is_empty() && cause.is_none() {
            self.done = true;
            self.store.pack.abort();
            return Ok(Committed { root: self.store.state.now.folder, snapshot: None });
        }
        let mut state = self.state()?;
        let snapshot = cause.map(|cause| self.snapshot(&mut state, cause)).transpose()?;
        let root = state.now.folder;
        self.finish(state)?;
        Ok(Committed { root, snapshot })
    }

    /// The version of a file that holds now, in this transaction.
    fn version(&mut self, name: &str) -> Result<Option<Version>> {
        let store = &mut *self.store;
        let hash = match self.files.get(name) {
            Some(hash) => *hash,
            None => {
                let found = tree::get(&store.pack, store.state.now.folder, name.as_bytes())?;
                found.map(|hash| tree::hash_in(&hash)).transpose()?
            }
        };
        let known = store.recent.take(name);
        let Some(hash) = hash else { return Ok(None) };
        if let Some(known) = known.filter(|known| known.file == hash) {
            return Ok(Some(known));
        }
        let roster = match self.rosters.get(name) {
            Some(roster) => roster.clone(),
            None => store.roster_of(&store.state.now, name)?,
        };
        Version::load(&store.pack, hash, roster).map(Some)
    }

    fn keep(&mut self, name: &str, version: Option<Version>) {
        if let Some(version) = version {
            self.store.recent.put(name, version);
        }
    }

    fn unknown(&mut self, name: &str, ordinal: usize, version: &Version) -> Identity {
        self.counter += 1;
        if let Some(placed) = version.placed.get(ordinal) {
            self.fresh.entry(placed.content).or_default().push((name.to_owned(), ordinal));
        }
        Identity::of("given", &[&self.store.pack.seed(), &self.counter.to_le_bytes()])
    }

    /// What was fresh in a file that is put again is looked at again.
    fn forget_fresh(&mut self, name: &str) {
        if self.rosters.contains_key(name) {
            self.fresh.values_mut().for_each(|places| places.retain(|(file, _)| file != name));
        }
    }

    /// Notes who came, who went and whose text changed.
    fn compare(&mut self, name: &str, old: Option<&Version>, new: Option<&Version>) {
        let all = |version: Option<&Version>| -> Vec<(Identity, Hash)> {
            let all = version.into_iter().flat_map(|version| version.roster.iter().zip(&version.placed));
            all.map(|(id, placed)| (*id, placed.content)).collect()
        };
        let (before, after) = (all(old), all(new));
        // Most of a file stays as it is at both ends.
        let front = before.iter().zip(&after).take_while(|(was, is)| was == is).count();
        let ends = before.iter().skip(front).rev().zip(after.iter().skip(front).rev());
        let back = ends.take_while(|(was, is)| was == is).count();
        let middle = |all: Vec<(Identity, Hash)>| -> BTreeMap<Identity, Hash> {
            let length = all.len() - front - back;
            all.into_iter().skip(front).take(length).collect()
        };
        let (before, after) = (middle(before), middle(after));
        for (id, content) in &before {
            match after.get(id) {
                Some(now) if now == content => {}
                Some(_) => self.past(*id, *content),
                None if self.came.get(id).is_some_and(|file| file != name) => {}
                None => {
                    self.came.remove(id);
                    self.gone.insert(*id, (name.to_owned(), *content));
                }
            }
        }
        for (id, content) in &after {
            if !before.contains_key(id) {
                self.came.insert(*id, name.to_owned());
                if let Some((_, was)) = self.gone.remove(id).filter(|(_, was)| was != content) {
                    self.past(*id, was);
                }
            }
        }
    }

    /// Writes a version into the history that is not the present one any more.
    fn past(&mut self, id: Identity, content: Hash) {
        self.counter += 1;
        let mut key = id.to_bytes().to_vec();
        key.extend_from_slice(&self.counter.to_be_bytes());
        let mut value = Writer::default();
        value.hash(content);
        value.number(self.now);
        value.number(self.store.state.next_snapshot.saturating_sub(1));
        self.history.insert(key, Some(value.0));
    }

    /// Finds entries again that moved to another file, or come back: their content is the same.
    fn reunite(&mut self) -> Result<Changes> {
        let mut lost = Changes::new();
        let gone: Vec<(Identity, Hash)> =
            self.gone.iter().map(|(id, (_, content))| (*id, *content)).collect();
        for (id, content) in gone {
            if let Some((name, ordinal)) = self.fresh.get_mut(&content).and_then(Vec::pop) {
                self.gone.remove(&id);
                self.assign(&name, ordinal, id);
            }
        }
        let store = &*self.store;
        let mut back = Vec::new();
        if !tree::all_empty(&store.pack, store.state.lost)? {
            for (content, places) in &self.fresh {
                let known = tree::get(&store.pack, store.state.lost, content.as_bytes())?;
                if let (Some(id), Some((name, ordinal))) = (known, places.first()) {
                    back.push((*content, crate::code::Reader(&id).identity()?, name.clone(), *ordinal));
                }
            }
        }
        for (content, id, name, ordinal) in back {
            lost.insert(content.to_bytes().to_vec(), None);
            let here = tree::get(&self.store.pack, self.store.state.now.whereabouts, id.as_bytes())?;
            if here.is_none() && !self.came.contains_key(&id) {
                self.assign(&name, ordinal, id);
            }
        }
        for (id, (_, content)) in std::mem::take(&mut self.gone) {
            self.past(id, content);
            lost.insert(content.to_bytes().to_vec(), Some(id.to_bytes().to_vec()));
            self.gone.insert(id, (String::new(), content));
        }
        Ok(lost)
    }

    fn assign(&mut self, name: &str, ordinal: usize, id: Identity) {
        let place = self.rosters.get_mut(name).and_then(|roster| roster.get_mut(ordinal));
        if let Some(place) = place {
            self.came.remove(place);
            *place = id;
            self.came.insert(id, name.to_owned());
            self.store.recent.rename(name, ordinal, id);
        }
    }

    /// Writes all maps.
    fn state(&mut self) -> Result<State> {
        let lost = self.reunite()?;
        let folder = self.root()?;
        let mut state = self.store.state;
        state.now.folder = folder;
        let whereabouts = self.whereabouts()?;
        let pack = &mut self.store.pack;
        let mut rosters = Changes::new();
        for (name, file) in &self.files {
            let roster = file.and_then(|_| self.rosters.get(name));
            let list = roster.map(|roster| {
                let items = roster.iter().map(|id| (Vec::new(), id.to_bytes().to_vec()));
                tree::build(pack, Role::Roster, items)
            });
            let list = list.transpose()?.map(|hash| hash.to_bytes().to_vec());
            rosters.insert(name.as_bytes().to_vec(), list);
        }
        state.now.rosters = tree::update(pack, Role::Rosters, state.now.rosters, rosters)?;
        state.now.whereabouts = tree::update(pack, Role::Whereabouts, state.now.whereabouts, whereabouts)?;
        state.lost = tree::update(pack, Role::Lost, state.lost, lost)?;
        let history = std::mem::take(&mut self.history);
        state.history = tree::update(pack, Role::History, state.history, history)?;
        Ok(state)
    }

    fn whereabouts(&self) -> Result<Changes> {
        let mut changes = Changes::new();
        let store = &*self.store;
        for id in self.gone.keys() {
            if tree::get(&store.pack, store.state.now.whereabouts, id.as_bytes())?.is_some() {
                changes.insert(id.to_bytes().to_vec(), None);
            }
        }
        for (id, name) in &self.came {
            changes.insert(id.to_bytes().to_vec(), Some(name.as_bytes().to_vec()));
        }
        Ok(changes)
    }

    /// Gives a snapshot a name, which keeps it for ever, and makes that durable.
    ///
    /// # Errors
    /// [`crate::Error::NoSnapshot`], and as for [`Transaction::commit`].
    pub fn name(mut self, number: u64, name: &str) -> Result<()> {
        let mut snapshot = self.store.snapshot(number)?;
        snapshot.cause.name = Some(name.to_owned());
        let mut state = self.state()?;
        let changes = Changes::from_iter([(number.to_be_bytes().to_vec(), Some(snapshot.write()))]);
        state.snapshots = tree::update(&mut self.store.pack, Role::Snapshots, state.snapshots, changes)?;
        self.finish(state)
    }

    /// Makes a state the one that holds.
    fn finish(mut self, mut state: State) -> Result<()> {
        state.counter = self.counter;
        let hash = self.store.pack.put(Kind::State, &state.write())?;
        self.store.pack.commit(hash)?;
        self.store.mark_too(hash);
        self.store.state = state;
        self.done = true;
        Ok(())
    }

    fn snapshot(&mut self, state: &mut State, cause: Cause) -> Result<u64> {
        let number = state.next_snapshot;
        let mut all = self.store.snapshots()?;
        all.push(Snapshot { number, when: self.now, cause, roots: state.now });
        let key = |number: u64| number.to_be_bytes().to_vec();
        let dropped = self.store.options.keep.dropped(&all, self.now);
        let mut changes: Changes = dropped.into_iter().map(|number| (key(number), None)).collect();
        changes.insert(key(number), all.last().map(Snapshot::write));
        state.snapshots = tree::update(&mut self.store.pack, Role::Snapshots, state.snapshots, changes)?;
        state.next_snapshot += 1;
        Ok(number)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.store.pack.abort();
            self.store.recent.clear();
        }
    }
}
