//! Hears from the kernel which files of the memex changed, so that nothing is looked at that did not.
//!
//! One inotify descriptor with a watch for each folder. Events lie in the kernel's queue before the writer's `close`
//! returns, so whoever empties the queue first and looks then misses nothing. Whatever is unclear, such as a queue that
//! ran over or a folder that moved, means: walk again. On file systems that report only what this machine does, such as
//! those of a network, there is no watch at all. Never reads a file.

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags},
    io::Errno,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    mem::MaybeUninit,
    path::{Path, PathBuf},
};

/// Room for events of one read; the kernel wants at least one event with the longest name.
const BUFFER: usize = 16 * 1024;

/// Magic numbers (`statfs(2)`) of local file systems, on which every change passes this kernel: ext, XFS, btrfs, tmpfs,
/// F2FS, ZFS, bcachefs, overlayfs.
const LOCAL: [u64; 8] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x794C_7630];

/// What came to be heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// These files, by their names below the memex, and no others. Empty: nothing happened.
    Files(BTreeSet<String>),
    /// Nobody knows: walk.
    Anything,
}

/// The watches over a memex.
#[derive(Debug)]
pub(crate) struct Watch {
    root: PathBuf,
    fd: OwnedFd,
    folders: BTreeMap<i32, String>,
}

impl Watch {
    /// Begins to listen, to no folder yet. `None` where the kernel cannot tell.
    pub(crate) fn new(root: &Path) -> Option<Self> {
        let kind = rustix::fs::statfs(root).ok()?.f_type;
        let local = u64::try_from(kind).is_ok_and(|kind| LOCAL.contains(&kind));
        if !local {
            return None;
        }
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Self { root: root.to_owned(), fd, folders: BTreeMap::new() })
    }

    /// Listens to a folder too; must come before it is read. Fails when the kernel has no watches left.
    pub(crate) fn add(&mut self, folder: &str) -> Result<(), Errno> {
        let wanted = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let number = inotify::add_watch(&self.fd, self.root.join(folder), wanted)?;
        self.folders.insert(number, folder.to_owned());
        Ok(())
    }

    /// Empties the kernel's queue.
    pub(crate) fn drain(&mut self) -> Heard {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        let (mut files, mut anything) = (BTreeSet::new(), false);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => continue,
                Err(_) => return Heard::Anything,
            };
            let flags = event.events();
            let lost = ReadFlags::QUEUE_OVERFLOW
                | ReadFlags::UNMOUNT
                | ReadFlags::IGNORED
                | ReadFlags::MOVE_SELF
                | ReadFlags::DELETE_SELF;
            let name = event.file_name().map(|name| name.to_str().map(str::to_owned));
            match (self.folders.get(&event.wd()), name) {
                _ if flags.intersects(lost) => {
                    anything = true;
                    if flags.contains(ReadFlags::IGNORED) {
                        self.folders.remove(&event.wd());
                    }
                }
                (Some(folder), Some(Ok(name))) => {
                    // A folder that changed its mode may have become readable, one that came or went brings files.
                    anything |= flags.contains(ReadFlags::ISDIR) || name == crate::ignore::FILE;
                    let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                    files.insert(path);
                }
                // The watched folder itself: its mode.
                (Some(_), None) => anything = true,
                (Some(_), Some(Err(_))) => {}
                (None, _) => anything = true,
            }
        }
        if anything { Heard::Anything } else { Heard::Files(files) }
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testdir::TestDir;
    use std::fs;

    fn heard(names: &[&str]) -> Heard {
        Heard::Files(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn closed_moved_and_deleted_files_are_named_and_folders_mean_a_walk() {
        let dir = TestDir::new();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let mut watch = Watch::new(dir.path()).unwrap();
        watch.add("").unwrap();
        watch.add("sub").unwrap();
        assert_eq!(watch.drain(), heard(&[]));
        fs::write(dir.path().join("a.org"), "x").unwrap();
        fs::write(dir.path().join("sub/b.org"), "x").unwrap();
        assert_eq!(watch.drain(), heard(&["a.org", "sub/b.org"]));
        fs::rename(dir.path().join("a.org"), dir.path().join("sub/c.org")).unwrap();
        fs::remove_file(dir.path().join("sub/b.org")).unwrap();
        assert_eq!(watch.drain(), heard(&["a.org", "sub/b.org", "sub/c.org"]));
        fs::create_dir(dir.path().join("more")).unwrap();
        assert_eq!(watch.drain(), Heard::Anything);
        fs::remove_dir_all(dir.path().join("sub")).unwrap();
        assert_eq!(watch.drain(), Heard::Anything);
    }
}
