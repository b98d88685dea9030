//! The few things that the journal does with files, each durable when it returns. Never overwrites a file that it did
//! not stage, never follows a name from outside the journal's directory.

use super::{Durability, Error};
use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

/// What a segment is written through; a test puts a full disk in its place.
pub(super) trait Sink: Write + Send + std::fmt::Debug {
    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// What lies in the journal's directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Numbers of the segments, ascending.
    pub(super) segments: Vec<u32>,
    /// Numbers of the sidecars, ascending.
    pub(super) sidecars: Vec<u32>,
    /// Leftovers of a crash between staging and publishing.
    pub(super) staged: Vec<String>,
    /// Damaged files that were set aside.
    pub(super) aside: Vec<String>,
    /// What is not ours.
    pub(super) foreign: Vec<String>,
}

pub(super) fn segment_name(number: u32) -> String {
    format!("{number:08}.journal")
}

pub(super) fn sidecar_name(number: u32) -> String {
    format!("{number:08}.done")
}

/// Name of the file that is freed when the disk is full.
pub(super) const RESERVE: &str = "reserve";

const STAGED: &str = ".staged";

fn number(name: &str, ending: &str) -> Option<u32> {
    let digits = name.strip_suffix(ending)?;
    let plain = digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// Reads the directory.
pub(super) fn list(dir: &Path) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    let entries = fs::read_dir(dir).map_err(Error::io("read directory", "journal"))?;
    for entry in entries {
        let entry = entry.map_err(Error::io("read directory", "journal"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == RESERVE {
            continue;
        }
        if let Some(number) = number(&name, ".journal") {
            listing.segments.push(number);
        } else if let Some(number) = number(&name, ".done") {
            listing.sidecars.push(number);
        } else if name.ends_with(STAGED) {
            listing.staged.push(name);
        } else if name.contains(".damaged-") {
            listing.aside.push(name);
        } else {
            listing.foreign.push(name);
        }
    }
    listing.segments.sort_unstable();
    listing.sidecars.sort_unstable();
    listing.foreign.sort_unstable();
    Ok(listing)
}

/// Makes the directory if it is missing, and closes it to others.
pub(super) fn prepare(dir: &Path) -> Result<(), Error> {
    let journal = || "the journal's directory".to_owned();
    if !dir.exists() {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(dir).map_err(Error::io("create", journal()))?;
        if let Some(parent) = dir.parent() {
            sync_dir(parent)?;
        }
    }
    let mode = fs::metadata(dir).map_err(Error::io("examine", journal()))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(Error::io("close to others", journal()))
}

/// Makes created, renamed and removed names durable.
pub(super) fn sync_dir(dir: &Path) -> Result<(), Error> {
    // `Path::parent` of a bare name is the empty path.
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(Error::io("sync", "the journal's directory"))
}

pub(super) fn read(dir: &Path, name: &str) -> Result<Vec<u8>, Error> {
    fs::read(dir.join(name)).map_err(Error::io("read", name))
}

pub(super) fn remove(dir: &Path, name: &str) -> Result<(), Error> {
    fs::remove_file(dir.join(name)).map_err(Error::io("remove", name))
}

/// Opens a segment at its end.
pub(super) fn open_end(dir: &Path, name: &str) -> Result<File, Error> {
    OpenOptions::new().append(true).open(dir.join(name)).map_err(Error::io("open", name))
}

/// Cuts a file back, durably.
pub(super) fn cut(dir: &Path, name: &str, length: u64) -> Result<(), Error> {
    OpenOptions::new()
        .write(true)
        .open(dir.join(name))
        .and_then(|file| file.set_len(length).and_then(|()| file.sync_all()))
        .map_err(Error::io("cut back", name))?;
    sync_dir(dir)
}

/// A file that is complete and durable, but not there yet under its name.
#[must_use]
#[derive(Debug)]
pub(super) struct Staged {
    dir: PathBuf,
    name: String,
    durability: Durability,
}

/// Writes a file beside the place where it belongs. A failure leaves nothing behind.
pub(super) fn stage(
    dir: &Path,
    name: &str,
    durability: Durability,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
) -> Result<Staged, Error> {
    let path = dir.join(format!("{name}{STAGED}"));
    let write = || {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)
            .map_err(Error::io("create", name))?;
        let mut writer = BufWriter::new(file);
        fill(&mut writer)?;
        writer.flush().map_err(Error::io("write", name))?;
        match durability {
            Durability::Full => writer.get_ref().sync_all().map_err(Error::io("sync", name)),
            Durability::Off => Ok(()),
        }
    };
    if let Err(error) = write() {
        // The leftover is harmless, removed at the next start, and this error is not the one that matters.
        drop(fs::remove_file(&path));
        return Err(error);
    }
    Ok(Staged { dir: dir.to_owned(), name: name.to_owned(), durability })
}

impl Staged {
    /// Puts the file in force, durably. After an error it may or may not be there.
    pub(super) fn publish(self) -> Result<(), Error> {
        let from = self.dir.join(format!("{}{STAGED}", self.name));
        fs::rename(from, self.dir.join(&self.name)).map_err(Error::io("rename", &self.name))?;
        match self.durability {
            Durability::Full => sync_dir(&self.dir),
            Durability::Off => Ok(()),
        }
    }
}

/// Stages and publishes bytes that are there already.
pub(super) fn replace(dir: &Path, name: &str, bytes: &[u8], how: Durability) -> Result<(), Error> {
    let write = |writer: &mut BufWriter<File>| writer.write_all(bytes).map_err(Error::io("write", name));
    stage(dir, name, how, write)?.publish()
}

/// Keeps a copy of a damaged file under the first free name, durably. Never overwrites an earlier one.
pub(super) fn set_aside(dir: &Path, name: &str, bytes: &[u8]) -> Result<String, Error> {
    for number in 1..=u32::MAX {
        let aside = format!("{name}.damaged-{number}");
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join(&aside));
        let mut file = match file {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other.map_err(Error::io("create", &aside))?,
        };
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(Error::io("write", &aside))?;
        sync_dir(dir)?;
        return Ok(aside);
    }
    Err(Error::io("create", name)(io::ErrorKind::AlreadyExists.into()))
}
