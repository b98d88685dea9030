//! A file that only takes up space: freed when the disk is full, so that the last records can still be written
//! (supervision spec A3). Absent on a small disk, where it would be the reason why the disk is full.

use super::{Error, disk};
use rustix::{
    fs::{FallocateFlags, fallocate, statvfs},
    io::Errno,
};
use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path};

/// The disk must have this many times the reserve, or there is none.
const ROOM: u64 = 4;

/// Whether the reserve is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reserve {
    /// It is there and can be released.
    Held,
    /// Released, not wanted, or the disk is too small for it.
    Absent,
}

/// Makes the reserve unless it is there already.
pub(super) fn make(dir: &Path, bytes: u64) -> Result<Reserve, Error> {
    let path = dir.join(disk::RESERVE);
    let there = path.metadata().map_or(0, |meta| meta.len());
    if there == bytes && bytes > 0 {
        return Ok(Reserve::Held);
    }
    release(dir)?;
    let refused = |errno: Errno| Error::io("reserve space in", disk::RESERVE)(errno.into());
    let room = statvfs(dir).map_err(refused)?;
    if bytes == 0 || room.f_bavail.saturating_mul(room.f_frsize) < bytes.saturating_mul(ROOM) {
        return Ok(Reserve::Absent);
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .map_err(Error::io("create", disk::RESERVE))?;
    match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(Reserve::Held),
        Err(errno) => {
            release(dir)?;
            // A file system that cannot reserve, or that filled up meanwhile, is no reason not to start.
            let small = [Errno::OPNOTSUPP, Errno::NOSPC, Errno::DQUOT, Errno::FBIG];
            if small.contains(&errno) {
                return Ok(Reserve::Absent);
            }
            Err(refused(errno))
        }
    }
}

/// Frees the reserve.
pub(super) fn release(dir: &Path) -> Result<(), Error> {
    match std::fs::remove_file(dir.join(disk::RESERVE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(Error::io("remove", disk::RESERVE)),
    }
}
