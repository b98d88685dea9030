//! After a crash: finds out which intents were carried out, and clears temporary files without losing a byte.
//!
//! The file decides: it is as after, as before, or it holds our text among later edits. A `.new` file whose bytes are
//! nobody's known state holds an edit that came between check and exchange; it is given back or kept beside.

use crate::{
    folder::Folder,
    hash::Hash,
    hunk::{self, Hunk},
    ledger::{Intent, Ledger, Record},
    replace::{exchange_names, hash_at, put_back, remove_quietly, temp_path},
};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// Settles open intents and removes our temporary files. Returns notes for the owner.
pub(crate) fn recover(folder: &Folder, ledger: &mut Ledger) -> io::Result<Vec<String>> {
    let mut notes = Vec::new();
    for intent in ledger.open_intents() {
        let path = folder.path(&intent.file);
        // A file that cannot be read is settled at a later start.
        let given_back = match clear_new(&intent, &path, &mut notes) {
            Ok(given_back) => given_back,
            Err(err) => {
                notes.push(format!("{} cannot be checked ({err})", intent.file));
                continue;
            }
        };
        let applied = !given_back && was_applied(&intent, &path).unwrap_or(false);
        ledger.append(Record::Settled { number: intent.number, applied })?;
    }
    for place in folders(folder, ledger) {
        sweep(&place, ledger, &mut notes);
    }
    Ok(notes)
}

fn was_applied(intent: &Intent, path: &Path) -> io::Result<bool> {
    let bytes = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(err) if err.kind() == io::ErrorKind::NotFound => None,
        Err(err) => return Err(err),
    };
    let hash = bytes.as_deref().map(Hash::of);
    if hash == intent.after {
        return Ok(true);
    }
    if hash == intent.before {
        return Ok(false);
    }
    Ok(bytes.is_some_and(|bytes| holds(&intent.hunks, &bytes)))
}

/// Says whether what was to be inserted is there; for a mere removal, whether what was to go is gone.
fn holds(hunks: &[Hunk], bytes: &[u8]) -> bool {
    let mut own = hunks.iter().filter(|hunk| !hunk.scaffold).peekable();
    own.peek().is_some()
        && own.all(|hunk| {
            if hunk.inserted.0.is_empty() {
                memchr::memmem::find(bytes, &hunk.removed.0).is_none()
            } else {
                hunk::locate(hunk, bytes).is_some() || hunk::headline_stands(hunk, bytes)
            }
        })
}

/// Deals with the `.new` file of an intent; returns whether an edit of somebody else was given back, which means that
/// ours did not happen.
fn clear_new(intent: &Intent, path: &Path, notes: &mut Vec<String>) -> io::Result<bool> {
    let aside = temp_path(path, intent.number, "new");
    let Some(hash) = hash_at(&aside)? else {
        return Ok(false);
    };
    if Some(hash) == intent.before || Some(hash) == intent.after {
        remove_quietly(&aside);
        return Ok(false);
    }
    if hash_at(path)? == intent.after {
        if intent.after.is_some() {
            exchange_names(&aside, path)?;
            remove_quietly(&aside);
        } else {
            put_back(&aside, path)?;
        }
        return Ok(true);
    }
    keep_beside(&aside, path, intent, notes)?;
    Ok(false)
}

fn keep_beside(aside: &Path, path: &Path, intent: &Intent, notes: &mut Vec<String>) -> io::Result<()> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("file");
    let name = format!("{stem}.conflict-{}-{}.org", intent.key.turn.short(), intent.number);
    put_back(aside, &path.with_file_name(&name))?;
    notes.push(format!(
        "an edit of {} was saved as {name} when the machine stopped: merge it by hand",
        intent.file
    ));
    Ok(())
}

/// Folders that may hold temporary files of ours.
fn folders(folder: &Folder, ledger: &Ledger) -> BTreeSet<PathBuf> {
    let mut places = BTreeSet::from([folder.path("")]);
    for file in ledger.files() {
        if let Some(parent) = folder.path(file).parent() {
            places.insert(parent.to_owned());
        }
    }
    places
}

fn sweep(place: &Path, ledger: &Ledger, notes: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(place) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(".passepartout-")) else {
            continue;
        };
        if rest.ends_with(".tmp") {
            remove_quietly(&entry.path());
        } else if let Some(number) = rest.strip_suffix(".new") {
            let intent = number.parse().ok().and_then(|number| ledger.intent(number));
            let hash = hash_at(&entry.path()).ok().flatten();
            let known = |intent: &Intent| hash.is_some() && (hash == intent.before || hash == intent.after);
            if intent.is_some_and(known) {
                remove_quietly(&entry.path());
            } else {
                notes.push(format!(
                    "{} holds an edit that was in the way of a write: merge it by hand",
                    entry.path().display()
                ));
            }
        }
    }
}
