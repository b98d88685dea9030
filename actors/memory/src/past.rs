//! The store beside the memex: what the files were, under a root hash, with a snapshot for every change.
//!
//! The files are the truth. When the store cannot be read or written, memory goes on without it and says so; history is
//! all that can be lost here. What stands in `seen.json` only saves work: a file whose stat is another is put again.

use crate::{
    folder::{Folder, Stat},
    replace::{self, Durable},
};
use protocol::id::{TurnKey, WallMs};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};
use store::{Cause, Error, Options, Seek, Snapshot, Store};

/// Files of one transaction while the store is built: enough to share the syncs, few enough to show progress.
const BATCH: usize = 256;

/// Objects that one call of the collector looks at; it runs when nobody waits.
const COLLECT: usize = 20_000;

/// The store, if it can be used.
#[derive(Debug)]
pub(crate) struct Past {
    store: Option<Store>,
    trouble: Option<String>,
    seen: BTreeMap<String, Stat>,
    seen_path: PathBuf,
    unsaved: bool,
}

impl Past {
    /// Opens the store below the state folder. What went wrong comes beside it, a sentence each.
    pub(crate) fn open(state: &Path, seed: [u8; 16]) -> (Self, Vec<String>) {
        let dir = state.join("store");
        let seen_path = state.join("seen.json");
        replace::remove_quietly(&seen_path.with_extension("new"));
        let mut notes = Vec::new();
        let opened = make(&dir).and_then(|()| Store::open(&dir, Options::new(seed)));
        let opened = match opened {
            Err(Error::Rebuild(cause)) => {
                notes.push(format!(
                    "the history of your notes could not be read ({cause}) and begins anew; the notes are untouched"
                ));
                set_aside(&dir).and_then(|()| Store::open(&dir, Options::new(seed)))
            }
            other => other,
        };
        match opened {
            Ok((store, opened)) => {
                if !opened.damaged.is_empty() {
                    notes.push(format!(
                        "{} in the history of your notes is damaged: `ctl snapshots verify` says what it hits",
                        opened.damaged.join(", ")
                    ));
                }
                if opened.torn > 0 {
                    tracing::warn!(bytes = opened.torn, "an unfinished commit of the store was cut off");
                }
                // A store that lost something may lack what was seen: every file is put again.
                let whole = !opened.created && opened.torn == 0 && opened.damaged.is_empty();
                let seen = if whole { read_seen(&seen_path) } else { BTreeMap::new() };
                (Self { store: Some(store), trouble: None, seen, seen_path, unsaved: false }, notes)
            }
            Err(error) => {
                let trouble = Some(trouble(&error));
                (Self { store: None, trouble, seen: BTreeMap::new(), seen_path, unsaved: false }, notes)
            }
        }
    }

    /// Says why there is no history just now.
    pub(crate) fn trouble(&self) -> Option<&String> {
        self.trouble.as_ref()
    }

    /// Returns the store, or the sentence that says why there is none.
    pub(crate) fn store(&self) -> Result<&Store, String> {
        self.store.as_ref().ok_or_else(|| self.trouble.clone().unwrap_or_default())
    }

    /// Returns the store for changes, as above.
    pub(crate) fn store_mut(&mut self) -> Result<&mut Store, String> {
        let trouble = self.trouble.clone().unwrap_or_default();
        self.store.as_mut().ok_or(trouble)
    }

    /// Takes in what changed in the folder, as one snapshot. `turn` is the turn that wrote it; none stands for others.
    pub(crate) fn keep_up(
        &mut self,
        folder: &Folder,
        dirty: &BTreeSet<String>,
        turn: Option<TurnKey>,
        now: WallMs,
        progress: &mut dyn FnMut(u64, u64),
    ) {
        let Some(store) = &mut self.store else {
            return;
        };
        let news: Vec<&String> = dirty.iter().filter(|name| folder.is_news(&self.seen, name)).collect();
        if news.is_empty() {
            return;
        }
        let when = u64::try_from(now.0).unwrap_or_default();
        let cause = Cause { turn: turn.map(|turn| turn.to_string()), name: None };
        let total = news.len() as u64;
        let (before, mut done) = (store.root(), 0);
        let mut batches = news.chunks(BATCH).peekable();
        while let Some(batch) = batches.next() {
            let last = batches.peek().is_none();
            if let Err(error) = put(store, folder, batch, when, last.then(|| (before, cause.clone()))) {
                tracing::error!(err = %error, "history of the notes not written");
                self.trouble = Some(trouble(&error));
                self.store = None;
                return;
            }
            done += batch.len() as u64;
            if total > BATCH as u64 {
                progress(done, total);
            }
        }
        for name in news {
            match folder.files.get(name) {
                Some(file) => self.seen.insert(name.clone(), file.stat),
                None => self.seen.remove(name),
            };
        }
        self.unsaved = true;
    }

    /// Names the files of which the store has not heard as they are.
    pub(crate) fn news(&self, folder: &Folder, dirty: &BTreeSet<String>) -> Vec<String> {
        dirty.iter().filter(|name| folder.is_news(&self.seen, name)).cloned().collect()
    }

    /// Does what can wait: remembers which files were seen, gives back room.
    pub(crate) fn rest(&mut self) {
        self.remember();
        if let Some(store) = &mut self.store
            && let Err(error) = store.collect(COLLECT)
        {
            tracing::warn!(err = %error, "room of old history not given back");
        }
    }

    /// Keeps which files were seen.
    pub(crate) fn remember(&mut self) {
        if self.unsaved
            && let Err(err) = serde_json::to_vec(&self.seen)
                .map_err(io::Error::from)
                .and_then(|seen| replace::put_away(&self.seen_path, &[&seen], Durable::No))
        {
            tracing::warn!(err = %err, "seen files not remembered: the next start takes longer");
        }
        self.unsaved = false;
    }

    /// Names files that are in the store and not in the folder: they went while nobody looked.
    pub(crate) fn missing(&self, folder: &Folder) -> BTreeSet<String> {
        let known = self.store.as_ref().and_then(|store| store.files().ok()).unwrap_or_default();
        known.into_iter().map(|(name, _)| name).filter(|name| !folder.files.contains_key(name)).collect()
    }

    /// Finds the snapshot that an operator means.
    pub(crate) fn find(&self, said: &str) -> Result<Snapshot, String> {
        let store = self.store()?;
        let said = said.trim();
        let number = said.parse().ok().and_then(|number| store.find(Seek::Number(number)).transpose());
        let seeks = [Seek::Name(said), Seek::Turn(said)];
        let found = number.or_else(|| seeks.iter().find_map(|seek| store.find(*seek).transpose()));
        match found {
            Some(Ok(snapshot)) if !said.is_empty() => Ok(snapshot),
            Some(Err(error)) => Err(unreadable(&error)),
            Some(Ok(_)) | None => Err(format!("There is no snapshot `{said}`.")),
        }
    }
}

/// What an operator is told when something of the history cannot be read.
pub(crate) fn unreadable(error: &Error) -> String {
    format!(
        "The history of your notes cannot be read there ({error}): `ctl snapshots verify` says what is damaged."
    )
}

fn trouble(error: &Error) -> String {
    format!(
        "the history of your notes cannot be kept ({error}); notes are read and written as ever. Free some space or look \
         at the state folder, then: passepartout ctl restart memory"
    )
}

fn put(
    store: &mut Store,
    folder: &Folder,
    names: &[&String],
    when: u64,
    snapshot: Option<(store::Hash, Cause)>,
) -> Result<(), Error> {
    let mut transaction = store.begin(when);
    for name in names {
        match folder.files.get(*name) {
            Some(file) => {
                transaction.put_file(name, &file.bytes, &file.doc)?;
            }
            None => transaction.remove_file(name)?,
        }
    }
    // What was only looked at again is no change.
    let cause = match snapshot {
        Some((before, cause)) if transaction.root()? != before => Some(cause),
        Some(_) | None => None,
    };
    transaction.commit(cause).map(drop)
}

fn make(dir: &Path) -> Result<(), Error> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|source| Error::Io { path: dir.to_owned(), source })
}

/// Keeps what cannot be read, for whoever can read it, and makes room for a new store.
fn set_aside(dir: &Path) -> Result<(), Error> {
    let io = |source| Error::Io { path: dir.to_owned(), source };
    let aside =
        (1..1_000).map(|n| dir.with_file_name(format!("store.damaged-{n}"))).find(|path| !path.exists());
    let aside = aside.ok_or_else(|| io(io::ErrorKind::AlreadyExists.into()))?;
    fs::rename(dir, aside).map_err(io)?;
    make(dir)
}

fn read_seen(path: &Path) -> BTreeMap<String, Stat> {
    let Ok(text) = fs::read(path) else {
        return BTreeMap::new();
    };
    serde_json::from_slice(&text).unwrap_or_else(|_| {
        tracing::warn!("the list of seen files is damaged: every file is looked at anew");
        BTreeMap::new()
    })
}
