//! Puts new bytes in the place of a file so that at every moment the name holds the old or the new ones.
//!
//! Nothing is written over bytes that were not seen: the file is compared right before it is exchanged, and what
//! came out of the exchange is compared again, so that an edit in between is put back and not lost. Names: while it
//! is being written the new file ends in `.tmp`; from then on it ends in `.new`, and after the exchange that name
//! holds the old bytes. A `.tmp` may always be deleted, a `.new` only when its bytes are known.

use crate::{crash::Steps, hash::Hash};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

/// Why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// It is not what it was when the edit was planned.
    #[error("the file was changed meanwhile")]
    Changed,
    /// Emacs holds unsaved edits.
    #[error("the file has unsaved changes in Emacs")]
    Locked,
    /// It is a symbolic link or no regular file.
    #[error("not a regular file")]
    NotAFile,
    /// The system refused.
    #[error("the system refused")]
    Io(#[from] io::Error),
}

/// A file to be replaced.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) path: &'a Path,
    /// Number of the intent, part of the temporary names.
    pub(crate) number: u64,
    /// The bytes that may be replaced; `None` if there must be no file.
    pub(crate) old: Option<&'a [u8]>,
}

/// Returns the bytes of a file, `None` if there is none.
pub(crate) fn bytes_at(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

/// Returns the hash of a file, `None` if there is none.
pub(crate) fn hash_at(path: &Path) -> io::Result<Option<Hash>> {
    Ok(bytes_at(path)?.as_deref().map(Hash::of))
}

/// Says whether a file holds these bytes; without bytes, whether there is none. Compares the bytes themselves: that is
/// surer than a hash, and quicker.
fn holds(path: &Path, bytes: Option<&[u8]>) -> io::Result<bool> {
    Ok(bytes_at(path)?.as_deref() == bytes)
}

/// Says whether Emacs marks unsaved edits of a file: it makes the link `.#name` beside it.
pub(crate) fn is_locked(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    fs::symlink_metadata(path.with_file_name(format!(".#{name}"))).is_ok()
}

pub(crate) fn temp_path(path: &Path, number: u64, ending: &str) -> PathBuf {
    path.with_file_name(format!(".passepartout-{number}.{ending}"))
}

/// Replaces a file by new bytes, or removes it if there are none.
pub(crate) fn replace(target: &Target<'_>, new: Option<&[u8]>, steps: &Steps) -> Result<(), Fault> {
    if is_locked(target.path) {
        return Err(Fault::Locked);
    }
    match fs::symlink_metadata(target.path) {
        Ok(meta) if !meta.is_file() => return Err(Fault::NotAFile),
        Ok(_) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => {}
        Err(err) => return Err(err.into()),
    }
    let result = match new {
        Some(bytes) => exchange(target, bytes, steps),
        None => remove(target, steps),
    };
    if result.is_err() && !steps.stopped() {
        // Only a `.tmp` is surely ours alone; a `.new` is dealt with where its bytes are known.
        remove_quietly(&temp_path(target.path, target.number, "tmp"));
    }
    result
}

fn exchange(target: &Target<'_>, bytes: &[u8], steps: &Steps) -> Result<(), Fault> {
    let temp = temp_path(target.path, target.number, "tmp");
    let fresh = temp_path(target.path, target.number, "new");
    write_temp(target, &temp, bytes, steps)?;
    if !holds(target.path, target.old)? {
        return Err(Fault::Changed);
    }
    fs::rename(&temp, &fresh)?;
    steps.reach()?;
    let done = if target.old.is_some() {
        swap(target, &fresh, bytes, steps)
    } else {
        let moved = renameat_with(CWD, &fresh, CWD, target.path, RenameFlags::NOREPLACE);
        match moved {
            Err(rustix::io::Errno::EXIST) => Err(Fault::Changed),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                fs::rename(&fresh, target.path).map_err(Fault::from)
            }
            other => other.map_err(|err| Fault::Io(err.into())),
        }
    };
    if let Err(fault) = done {
        if !steps.stopped() && holds(&fresh, Some(bytes))? {
            remove_quietly(&fresh);
        }
        return Err(fault);
    }
    steps.reach()?;
    sync_folder(target.path)?;
    Ok(())
}

fn write_temp(target: &Target<'_>, temp: &Path, bytes: &[u8], steps: &Steps) -> Result<(), Fault> {
    remove_quietly(temp);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(temp)?;
    steps.reach()?;
    if steps.about_to_stop() {
        file.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default())?;
    }
    steps.reach()?;
    file.write_all(bytes)?;
    if let Ok(meta) = fs::metadata(target.path) {
        file.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o7777))?;
    }
    file.sync_all()?;
    steps.reach()?;
    Ok(())
}

/// Exchanges both names; if somebody wrote in between, exchanges them back.
fn swap(target: &Target<'_>, fresh: &Path, bytes: &[u8], steps: &Steps) -> Result<(), Fault> {
    match renameat_with(CWD, fresh, CWD, target.path, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            return fs::rename(fresh, target.path).map_err(Fault::from);
        }
        Err(rustix::io::Errno::NOENT) => return Err(Fault::Changed),
        Err(err) => return Err(Fault::Io(err.into())),
    }
    steps.reach()?;
    if holds(fresh, target.old)? {
        remove_quietly(fresh);
        return Ok(());
    }
    renameat_with(CWD, fresh, CWD, target.path, RenameFlags::EXCHANGE)
        .map_err(|err| Fault::Io(err.into()))?;
    debug_assert_ne!(Some(bytes), target.old, "a write that changes nothing");
    Err(Fault::Changed)
}

/// Removes a file by way of the `.new` name, so that an edit in between can be put back.
fn remove(target: &Target<'_>, steps: &Steps) -> Result<(), Fault> {
    if !holds(target.path, target.old)? {
        return Err(Fault::Changed);
    }
    let aside = temp_path(target.path, target.number, "new");
    fs::rename(target.path, &aside)?;
    steps.reach()?;
    if !holds(&aside, target.old)? {
        put_back(&aside, target.path)?;
        return Err(Fault::Changed);
    }
    remove_quietly(&aside);
    steps.reach()?;
    sync_folder(target.path)?;
    Ok(())
}

/// Gives a file its name back unless there is a new one.
pub(crate) fn put_back(aside: &Path, path: &Path) -> io::Result<()> {
    renameat_with(CWD, aside, CWD, path, RenameFlags::NOREPLACE)?;
    Ok(())
}

/// Exchanges two names.
pub(crate) fn exchange_names(one: &Path, two: &Path) -> io::Result<()> {
    renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE)?;
    Ok(())
}

fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Whether a file must be on the disk before its name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Durable {
    Yes,
    /// It can be made again.
    No,
}

/// Puts a file of the state folder in the place of the one before.
pub(crate) fn put_away(path: &Path, parts: &[&[u8]], durable: Durable) -> io::Result<()> {
    let temp = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temp)?;
    for part in parts {
        file.write_all(part)?;
    }
    if durable == Durable::Yes {
        file.sync_data()?;
    }
    fs::rename(temp, path)
}

/// Removes a temporary file of ours; if that fails, the next start removes it.
pub(crate) fn remove_quietly(path: &Path) {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => {}
        Err(err) => tracing::warn!(err = %err.kind(), "temporary file not removed"),
    }
}

/// Says what happened and what to do.
pub(crate) fn sentence(fault: &Fault, name: &str) -> String {
    match fault {
        Fault::Changed => {
            format!("{name} keeps changing while it is written; nothing was written. Try again in a moment.")
        }
        Fault::Locked => {
            format!("{name} has unsaved changes in Emacs; save it and try again.")
        }
        Fault::NotAFile => format!(
            "{name} is a link or no ordinary file; nothing was written. Put the file itself into the folder and try \
             again."
        ),
        Fault::Io(err) => io_sentence(err, name),
    }
}

/// As [`sentence`], for what the system refuses.
pub(crate) fn io_sentence(err: &io::Error, name: &str) -> String {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let kind = err.kind();
    if kind == StorageFull || kind == QuotaExceeded {
        "The disk is full; nothing was written. Free some space and try again.".to_owned()
    } else if kind == ReadOnlyFilesystem {
        format!("{name} lies on a read-only disk; nothing was written. Make it writable and try again.")
    } else if kind == PermissionDenied {
        format!(
            "{name} may not be written by this user; nothing was written. Check the permissions of the file and its \
             folder, then try again."
        )
    } else {
        format!("{name} could not be written ({err}); nothing was written. Try again.")
    }
}
