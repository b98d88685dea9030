//! The memex as it was last seen: every Org file with its bytes, hash and scan.
//!
//! Reading only. It follows no symbolic links, so nothing outside of the folder can come in; a link to a file inside
//! would only show the same entries twice. A file is read again only when the kernel named it or its stat changed; a
//! writer must therefore compare bytes itself before it replaces anything.

use crate::{
    hash::{Hash, Sums},
    ignore::{self, Ignore, Is},
    links::Link,
    watch::{Heard, Watch},
};
use org::Doc;
use serde::{Deserialize, Serialize};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// Largest file that is read. Ten times the largest file of the Org corpus; the owner is told about larger ones.
pub(crate) const FILE_MAX: u64 = 16 * 1024 * 1024;

/// Deepest folder that is entered, so that a mistake in the tree cannot exhaust the stack of paths.
const DEPTH_MAX: usize = 32;

/// What tells whether a file changed without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Stat {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stat {
    fn of(meta: &Metadata) -> Self {
        Self {
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            size: meta.size(),
            inode: meta.ino(),
        }
    }
}

/// A file as it was last read.
#[derive(Debug)]
pub(crate) struct File {
    /// Path below the memex, with `/`.
    pub(crate) name: String,
    pub(crate) stat: Stat,
    /// Of the bytes, once somebody asks.
    sums: OnceCell<Sums>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) doc: Doc,
    /// Its links, once somebody asks.
    pub(crate) links: OnceCell<Vec<Link>>,
    /// A copy that a conflict left behind: searched, but never written and never on a list.
    pub(crate) copy: bool,
}

impl File {
    fn new(name: String, stat: Stat, bytes: Vec<u8>, doc: Doc) -> Self {
        let (sums, links) = (OnceCell::new(), OnceCell::new());
        Self { copy: is_copy(&name), sums, doc, links, name, stat, bytes }
    }

    /// A file as it is going to be written, with its scan. `like` is the file as it is.
    pub(crate) fn planned(name: &str, bytes: Vec<u8>, doc: Doc, like: Option<&Self>) -> Self {
        let stat = Stat { modified: (0, 0), changed: (0, 0), size: 0, inode: 0 };
        let like = like.map(|old| (old.bytes.as_slice(), old.sums()));
        let sums = Sums::of(&bytes, like);
        let file = Self::new(name.to_owned(), stat, bytes, doc);
        file.sums.get_or_init(|| sums);
        file
    }

    /// Returns the hash of the bytes. Costs a pass over them the first time.
    pub(crate) fn hash(&self) -> Hash {
        self.sums().hash()
    }

    fn sums(&self) -> &Sums {
        self.sums.get_or_init(|| Sums::of(&self.bytes, None))
    }

    /// Time of the last change, for ranking.
    pub(crate) const fn modified(&self) -> (i64, i64) {
        self.stat.modified
    }
}

/// The files of the memex by name.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    pub(crate) files: BTreeMap<String, File>,
    /// Why the folder as a whole cannot be read.
    pub(crate) trouble: Option<String>,
    /// Files that were left out, by name, one sentence each.
    skipped: BTreeMap<String, String>,
    ignore: Ignore,
    watch: Option<Watch>,
    /// What the watch says is not enough: walk.
    unsure: bool,
    /// Files that came, changed or went since somebody asked.
    dirty: BTreeSet<String>,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            trouble: None,
            skipped: BTreeMap::new(),
            ignore: Ignore::default(),
            watch: None,
            unsure: true,
            dirty: BTreeSet::new(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Returns what to listen to for changes by others.
    pub(crate) const fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    /// Says what was left out, one sentence each.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = &String> {
        self.skipped.values()
    }

    /// Returns the names of the files that came, changed or went since it was asked last.
    pub(crate) fn take_dirty(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.dirty)
    }

    /// Says whether a file is another one than was seen, or went.
    pub(crate) fn is_news(&self, seen: &BTreeMap<String, Stat>, name: &str) -> bool {
        let stat = self.files.get(name).map(|file| file.stat);
        stat.is_none() || seen.get(name) != stat.as_ref()
    }

    /// Makes the next refresh look at every file, whatever the kernel says.
    pub(crate) const fn distrust(&mut self) {
        self.unsure = true;
    }

    /// Reads what changed since the last time.
    pub(crate) fn refresh(&mut self, progress: &mut dyn FnMut(u64, u64)) {
        let heard = self.watch.as_mut().map(Watch::drain);
        match heard {
            Some(Heard::Files(names)) if !self.unsure => {
                for name in names {
                    self.look(&name);
                }
            }
            Some(_) | None => self.walk_all(progress),
        }
    }

    /// Looks at a file that the kernel named.
    fn look(&mut self, name: &str) {
        let file = name.rsplit('/').next().unwrap_or(name);
        if is_hidden(file) || !is_org(file) || self.ignore.leaves_out_file(name) {
            return;
        }
        let known = self.files.get(name).map(|file| file.stat);
        match fs::symlink_metadata(self.path(name)) {
            Ok(meta) if meta.is_file() && known == Some(Stat::of(&meta)) => {}
            Ok(meta) if meta.is_file() => {
                self.forget(name);
                let mut found = Vec::new();
                self.take(name.to_owned(), &meta, &mut found);
                if let Some((name, _)) = found.pop() {
                    self.load(name);
                }
            }
            Ok(_) | Err(_) => self.forget(name),
        }
    }

    fn forget(&mut self, name: &str) {
        self.dirty.insert(name.to_owned());
        self.files.remove(name);
        self.skipped.remove(name);
    }

    /// Walks the folder and reads what changed.
    fn walk_all(&mut self, progress: &mut dyn FnMut(u64, u64)) {
        self.skipped.clear();
        self.trouble = None;
        let (ignore, why) = Ignore::read(&self.root);
        self.ignore = ignore;
        if let Some(why) = why {
            self.skipped.insert(ignore::FILE.to_owned(), why);
        }
        self.watch = self.watch.take().or_else(|| Watch::new(&self.root));
        let mut found = Vec::new();
        let walked = self.walk(&mut found);
        self.unsure = walked.is_err() || self.watch.is_none();
        if let Err(err) = walked {
            self.watch = None;
            self.trouble = Some(format!(
                "The folder of your notes, {}, cannot be read ({err}). Check that it exists and that this user may \
                 read it, then try again.",
                self.root.display()
            ));
            return;
        }
        let total = found.len() as u64;
        let mut old = std::mem::take(&mut self.files);
        for (done, (name, stat)) in (0..).zip(found) {
            progress(done, total);
            match old.remove(&name).filter(|file| file.stat == stat) {
                Some(file) => {
                    self.files.insert(name, file);
                }
                None => self.load(name),
            }
        }
        self.dirty.extend(old.into_keys());
        progress(total, total);
    }

    /// Reads one file again after it was written. If it holds what was planned, that was scanned and hashed already.
    pub(crate) fn reload(&mut self, name: &str, planned: Option<File>) {
        self.forget(name);
        let path = self.path(name);
        let meta = fs::symlink_metadata(&path).ok().filter(Metadata::is_file);
        match (meta, planned) {
            (Some(meta), Some(planned)) if fs::read(&path).is_ok_and(|now| now == planned.bytes) => {
                let stat = Stat::of(&meta);
                self.files.insert(name.to_owned(), File { stat, ..planned });
            }
            (Some(_), _) => self.load(name.to_owned()),
            (None, _) => {}
        }
    }

    fn load(&mut self, name: String) {
        let path = self.path(&name);
        // The stat comes before the bytes: a change in between shows at the next refresh.
        let read = fs::symlink_metadata(&path).and_then(|meta| Ok((Stat::of(&meta), fs::read(&path)?)));
        match read {
            Ok((stat, bytes)) => {
                let doc = org::scan(&bytes);
                self.dirty.insert(name.clone());
                let file = File::new(name.clone(), stat, bytes, doc);
                self.files.insert(name, file);
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => self.skip(&name, format!("{name} cannot be read ({err})")),
        }
    }

    fn skip(&mut self, name: &str, why: String) {
        self.skipped.insert(name.to_owned(), why);
    }

    /// Listens to a folder, or to none any more when the kernel has no room for all.
    fn listen(&mut self, folder: &str) {
        if let Some(watch) = &mut self.watch
            && let Err(err) = watch.add(folder)
        {
            tracing::warn!(err = %err, "no watch for a folder: every question walks the memex");
            self.watch = None;
        }
    }

    /// Lists the Org files, sorted by name.
    fn walk(&mut self, found: &mut Vec<(String, Stat)>) -> io::Result<()> {
        let mut folders = vec![(String::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            // First the watch, then the look: what changes in between is seen twice and not never.
            self.listen(&folder);
            let entries = match fs::read_dir(self.root.join(&folder)) {
                Ok(entries) => entries,
                Err(err) if depth == 0 => return Err(err),
                Err(err) => {
                    self.skip(&folder, format!("{folder} cannot be read ({err})"));
                    continue;
                }
            };
            for entry in entries {
                let entry = entry?;
                let Ok(name) = entry.file_name().into_string() else {
                    self.skip(&format!("{folder}/"), format!("a name in /{folder} is not UTF-8: rename it"));
                    continue;
                };
                if is_hidden(&name) {
                    continue;
                }
                let Ok(meta) = entry.metadata() else { continue };
                let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                if meta.is_dir() && depth < DEPTH_MAX && !self.ignore.leaves_out(&name, Is::Folder) {
                    folders.push((name, depth + 1));
                } else if meta.is_file() && is_org(&name) && !self.ignore.leaves_out(&name, Is::File) {
                    self.take(name, &meta, found);
                }
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(())
    }

    fn take(&mut self, name: String, meta: &Metadata, found: &mut Vec<(String, Stat)>) {
        if meta.len() > FILE_MAX {
            self.skip(&name, format!("{name} is larger than 16 MiB: split it to have it read"));
        } else {
            found.push((name, Stat::of(meta)));
        }
    }

    /// Says how much there is: `1000 entries in 12 files`.
    pub(crate) fn note(&self) -> String {
        let entries: usize = self.files.values().map(|file| file.doc.nodes.len()).sum();
        let plural = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {more}"),
        };
        format!("{} in {}", plural(entries, "entry", "entries"), plural(self.files.len(), "file", "files"))
    }
}

/// Hidden files, Emacs' locks (`.#x`), autosaves (`#x#`) and backups (`x~`), and our own temporary files.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

fn is_org(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ext| ext == "org")
}

fn is_copy(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.contains(".conflict-") || file.contains(".sync-conflict-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_leftovers_are_hidden_and_copies_known() {
        for name in [".#a.org", "#a.org#", "a.org~", ".git"] {
            assert!(is_hidden(name), "{name}");
        }
        assert!(!is_hidden("a.org") && is_org("x/a.org") && !is_org("a.txt"));
        assert!(is_copy("x/inbox.conflict-0a1b2c3d.org"));
        assert!(is_copy("n.sync-conflict-20260302-090000-ABCDEFG.org"));
        assert!(!is_copy("conflict.org"));
    }
}
