//! Locks held by the kernel: they go with their holder, however it dies, so none is ever stale.

use rustix::fs::{FlockOperation, flock};
use std::{
    fs::File,
    io::{self, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// What trying a lock comes to.
#[derive(Debug)]
pub enum Lock {
    /// Taken, for as long as the file or a copy of it stays open.
    Taken(File),
    /// Somebody holds it; the process id that it left, 0 when it left none.
    Held(u32),
}

/// Tries to take a lock.
///
/// # Errors
/// When the file cannot be opened.
pub fn take(path: &Path) -> io::Result<Lock> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Lock::Taken(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let text = std::fs::read_to_string(path)?;
            Ok(Lock::Held(text.trim().parse().unwrap_or(0)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Leaves a process id in a lock, for others to name its holder.
///
/// # Errors
/// When the file cannot be written.
pub fn sign(file: &mut File, pid: u32) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{pid}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_taker_learns_who_holds_the_lock() {
        let path = std::env::temp_dir().join(format!("pp-lock-{}", std::process::id()));
        let Lock::Taken(mut first) = take(&path).unwrap() else { panic!("free lock not taken") };
        sign(&mut first, 4711).unwrap();
        assert!(matches!(take(&path).unwrap(), Lock::Held(4711)));
        drop(first);
        assert!(matches!(take(&path).unwrap(), Lock::Taken(_)));
        std::fs::remove_file(&path).unwrap();
    }
}
