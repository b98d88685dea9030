//! The index over the memex: kept up with the files, kept over restarts, asked for what a person or a model looks for.
//!
//! Derived and disposable: whatever is wrong with what was kept, it is built anew from the files. A changed file is put
//! when somebody searches next, so that writing does not wait for it.

use crate::{
    entry::At,
    folder::{File, Folder, Stat},
    replace::{self, Durable},
};
use index::{Asked, Bulk, Dates, Entry, Index, Query, Sight, Taken};
use org::Span;
use protocol::{
    label::Confidentiality,
    recall::{Day, Hit, Recalled},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

/// Files that may have changed since the index was kept; with more it is kept again when nobody waits. So few are put
/// again at the next start sooner than a large index is written at the end of this one.
const UNSAVED_MAX: usize = 50;

/// From so many files on the index is built in one go.
const BULK_MIN: usize = 64;

/// The index and what it knows of the files.
#[derive(Debug)]
pub(crate) struct Finder {
    index: Index,
    seen: BTreeMap<String, Stat>,
    pending: BTreeSet<String>,
    unsaved: usize,
    path: PathBuf,
}

impl Finder {
    /// Reads what was kept below the state folder.
    pub(crate) fn open(state: &Path) -> Self {
        let path = state.join("index.bin");
        replace::remove_quietly(&path.with_extension("new"));
        let (index, seen) = read(&path).unwrap_or_default();
        Self { index, seen, pending: BTreeSet::new(), unsaved: 0, path }
    }

    /// Says which files may have changed.
    pub(crate) fn note(&mut self, names: &BTreeSet<String>) {
        self.pending.extend(names.iter().cloned());
    }

    /// Names files of the index that are not there any more.
    pub(crate) fn missing(&self, folder: &Folder) -> BTreeSet<String> {
        self.seen.keys().filter(|name| !folder.files.contains_key(*name)).cloned().collect()
    }

    /// Puts what changed. `progress` is told how many files of how many are done.
    pub(crate) fn keep_up(&mut self, folder: &Folder, progress: &mut dyn FnMut(u64, u64)) {
        let pending = std::mem::take(&mut self.pending);
        let news: Vec<String> = pending.into_iter().filter(|name| folder.is_news(&self.seen, name)).collect();
        self.unsaved += news.len();
        let total = news.len() as u64;
        let mut bulk = (self.index.is_empty() && news.len() >= BULK_MIN).then(Bulk::default);
        for (done, name) in (0..).zip(&news) {
            match folder.files.get(name) {
                Some(file) => {
                    let (changed, entries) = entries(file);
                    match &mut bulk {
                        Some(bulk) => bulk.add(name, changed, &entries),
                        None => self.index.put(name, changed, &entries),
                    }
                    self.seen.insert(name.clone(), file.stat);
                }
                None => {
                    self.index.remove(name);
                    self.seen.remove(name);
                }
            }
            if total > BULK_MIN as u64 && done % BULK_MIN as u64 == 0 {
                progress(done, total);
            }
        }
        if let Some(bulk) = bulk {
            self.index = bulk.finish();
        }
    }

    /// Does what can wait. Seconds at a hundred thousand entries: nothing for the last moment of a process.
    pub(crate) fn rest(&mut self) {
        if self.index.wants_tidying() {
            self.index.tidy();
        }
        if self.unsaved > UNSAVED_MAX {
            match write(&self.path, &self.index, &self.seen) {
                Ok(()) => self.unsaved = 0,
                Err(err) => tracing::warn!(err = %err, "index not kept: the next start takes longer"),
            }
        }
    }

    /// Searches for words and filters.
    pub(crate) fn search(&self, folder: &Folder, words: &str, limit: u8, today: Day) -> Recalled {
        let query = Query::parse(words);
        let asked =
            Asked { limit: usize::from(limit), sight: Sight::Private, today: day(today), ..Asked::default() };
        let found = self.index.search(&query, &asked);
        let note = match found.taken {
            Taken::Exactly => None,
            Taken::Respelt if found.hits.is_empty() => None,
            Taken::Loosely if found.hits.is_empty() => None,
            Taken::Respelt => {
                Some("Nothing holds these words as they are written; words near to them are in:".to_owned())
            }
            Taken::Loosely => Some("Nothing holds all of these words; some of them are in:".to_owned()),
        };
        let hits = found.hits.iter().filter_map(|hit| shown(folder, hit, &query)).collect();
        Recalled::Hits { hits, total: u32::try_from(found.total).unwrap_or(u32::MAX), note }
    }
}

/// The entry of a hit with its best lines.
fn shown(folder: &Folder, hit: &index::Hit, query: &Query) -> Option<Hit> {
    let file = folder.files.get(&hit.file)?;
    // The first one stands for the text above all headlines.
    let index = usize::try_from(hit.ordinal).ok()?.checked_sub(1);
    let at = At { file, index };
    let text = body(at).text(&file.bytes);
    let passage = text.get(index::passage(&text, query)).unwrap_or_default();
    let lines: Vec<&str> = passage.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let passage = if lines.is_empty() { at.title() } else { lines.join("\n") };
    Some(Hit { entry: at.entry_ref(), todo: at.todo(), passage: at.labeled(passage) })
}

/// An entry's text without headline, planning and properties.
fn body(at: At<'_>) -> Span {
    match at.node() {
        Some(node) => Span::new(node.body, node.own_end),
        None => at.file.doc.preamble,
    }
}

/// What the index is told of a file: the day on which it changed, and its entries.
fn entries(file: &File) -> (index::Day, Vec<Entry<'_>>) {
    let changed = i32::try_from(file.modified().0.div_euclid(86_400)).unwrap_or_default();
    let all = std::iter::once(None).chain((0..file.doc.nodes.len()).map(Some));
    (changed, all.map(|index| entry(At { file, index })).collect())
}

fn entry(at: At<'_>) -> Entry<'_> {
    let file = at.file;
    let (bytes, doc) = (file.bytes.as_slice(), &file.doc);
    let text = |span: Span| String::from_utf8_lossy(span.of(bytes));
    let tags = at.tags().into_iter().map(Cow::Owned).collect();
    let open = at.label().confidentiality == Confidentiality::Normal;
    let sight = if open { Sight::Open } else { Sight::Private };
    let Some(node) = at.node() else {
        let title = doc.title.map(text).unwrap_or_default();
        return Entry { title, tags, sight, body: text(doc.preamble), ..Entry::default() };
    };
    let on = |span: Option<Span>| {
        let date = org::stamp_at(bytes, span?.begin)?.date;
        index::day(i32::from(date.year()), u32::try_from(date.month()).ok()?, u32::try_from(date.day()).ok()?)
    };
    let planning = node.planning.unwrap_or_default();
    let parent = node.parent.map_or(Some(0), |parent| u32::try_from(parent + 1).ok());
    Entry {
        parent,
        level: u8::try_from(node.level).unwrap_or(u8::MAX),
        title: text(node.title),
        tags,
        todo: node.keyword.map(text),
        done: at.is_done(),
        dates: Dates {
            scheduled: on(planning.scheduled),
            deadline: on(planning.deadline),
            closed: on(planning.closed),
            created: on(node.property(bytes, doc.newline, "CREATED")),
        },
        sight,
        body: text(body(at)),
    }
}

fn day(day: Day) -> Option<index::Day> {
    index::day(i32::from(day.year), u32::try_from(day.month).ok()?, u32::try_from(day.day).ok()?)
}

/// Reads what was kept; what cannot be read is told and made again.
fn read(path: &Path) -> Option<(Index, BTreeMap<String, Stat>)> {
    let bytes = fs::read(path).ok()?;
    let kept = parts(&bytes);
    if kept.is_none() {
        tracing::warn!("the kept index is damaged or of another version: it is built anew from the files");
    }
    kept
}

/// The files that the index knows, their length first, then the index.
fn parts(bytes: &[u8]) -> Option<(Index, BTreeMap<String, Stat>)> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (seen, index) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((Index::from_bytes(index).ok()?, serde_json::from_slice(seen).ok()?))
}

fn write(path: &Path, index: &Index, seen: &BTreeMap<String, Stat>) -> io::Result<()> {
    let seen = serde_json::to_vec(seen)?;
    let length = (seen.len() as u64).to_le_bytes();
    replace::put_away(path, &[&length, &seen, &index.to_bytes()], Durable::No)
}
