//! Makes a segment out of entries, and one out of several. Gone files do not come along.

use crate::{
    codec::{count, put},
    entry::{Entry, Sight},
    intern::Interner,
    segment::{BODY_MAX, DONE, FileRow, HEAD_MAX, PRIVATE, Posting, Row, Segment, TASK},
    token,
};

/// Between titles above, title and body, so that no phrase spans two of them.
const GAP: u32 = 8;
/// Most words that an entry is found by; the rest of a longer body is left out.
const PLACES_MAX: u32 = 1 << 20;
/// Before the name of a tag or keyword in the dictionary; no word of a text holds these.
pub(crate) const TAG: char = '#';
pub(crate) const KEYWORD: char = '!';

/// A segment in the making.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    segment: Segment,
    interner: Interner,
    lists: Vec<List>,
    /// Words of the entry at hand: term, place.
    found: Vec<(u32, u32)>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct List {
    last: u32,
    docs: Vec<u8>,
    places: Vec<u8>,
}

impl Builder {
    /// Bytes of postings so far.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn add(&mut self, name: &str, changed: i64, entries: &[Entry<'_>]) {
        let file = count(self.segment.files.len());
        let first = count(self.segment.rows.len());
        let name_words = self.terms(name.strip_suffix(".org").unwrap_or(name));
        let titles: Vec<Vec<u32>> = entries.iter().map(|entry| self.terms(&entry.title)).collect();
        for (at, entry) in entries.iter().enumerate() {
            let mut path = name_words.clone();
            let mut above = parent_of(entries, at);
            while let Some(index) = above {
                path.extend(titles.get(index).into_iter().flatten());
                above = parent_of(entries, index);
            }
            for tag in &entry.tags {
                path.extend(self.terms(tag));
            }
            let title = titles.get(at).map(Vec::as_slice).unwrap_or_default();
            self.entry(file, entry, at, &path, title);
        }
        self.segment.files.push(FileRow {
            name: name.to_owned(),
            changed,
            first,
            entries: count(entries.len()),
            alive: true,
        });
        self.segment.alive += count(entries.len());
    }

    fn entry(&mut self, file: u32, entry: &Entry<'_>, at: usize, path: &[u32], title: &[u32]) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut place = 0;
        for term in path {
            found.push((*term, place));
            place += 1;
        }
        let title_at = place + GAP;
        place = title_at;
        for term in title {
            found.push((*term, place));
            place += 1;
        }
        let body_at = place + GAP;
        place = body_at;
        token::words(&entry.body, |word| {
            if place < PLACES_MAX {
                found.push((self.interner.id(word), place));
                place += 1;
            }
        });
        let body = place - body_at;
        for tag in &entry.tags {
            let name = format!("{TAG}{}", crate::fold::fold(tag));
            found.push((self.interner.id(&name), 0));
        }
        if let Some(keyword) = &entry.todo {
            let name = format!("{KEYWORD}{}", crate::fold::fold(keyword));
            found.push((self.interner.id(&name), 0));
        }
        found.sort_unstable();
        self.lists.resize_with(self.interner.len(), List::default);
        let doc = count(self.segment.rows.len());
        for group in found.chunk_by(|one, other| one.0 == other.0) {
            self.post(doc, group, title_at, body_at);
        }
        self.found = found;
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        self.segment.rows.push(Row {
            file,
            body,
            title: u16::try_from(title.len()).unwrap_or(u16::MAX),
            path: u16::try_from(path.len()).unwrap_or(u16::MAX),
            parent: entry.parent.filter(|parent| *parent < count(at)).unwrap_or(u32::MAX),
            level: entry.level,
            flags: flag(entry.sight == Sight::Private, PRIVATE)
                | flag(entry.todo.is_some(), TASK)
                | flag(entry.done, DONE),
            dates: Row::dates(entry.dates),
        });
    }

    fn post(&mut self, doc: u32, group: &[(u32, u32)], title_at: u32, body_at: u32) {
        let Some(list) = group.first().and_then(|(term, _)| self.lists.get_mut(*term as usize)) else {
            return;
        };
        let before = list.docs.len() + list.places.len();
        let mut posting = Posting { doc, path: 0, title: 0, body: 0 };
        put(&mut list.places, count(group.len()));
        let mut last = 0;
        for (_, place) in group {
            let (counter, most) = if *place >= body_at {
                (&mut posting.body, BODY_MAX)
            } else if *place >= title_at {
                (&mut posting.title, HEAD_MAX)
            } else {
                (&mut posting.path, HEAD_MAX)
            };
            *counter = (*counter + 1).min(most);
            put(&mut list.places, place - last);
            last = *place;
        }
        put(&mut list.docs, doc - list.last);
        list.docs.push(posting.packed());
        list.last = doc;
        self.bytes += list.docs.len() + list.places.len() - before;
    }

    fn terms(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        token::words(text, |word| found.push(self.interner.id(word)));
        found
    }

    pub(crate) fn finish(self) -> Segment {
        let Self { mut segment, interner, lists, .. } = self;
        for (word, id) in interner.sorted() {
            let Some(list) = lists.get(id as usize).filter(|list| !list.docs.is_empty()) else {
                continue;
            };
            segment.docs.extend_from_slice(&list.docs);
            segment.places.extend_from_slice(&list.places);
            segment.end_term(word);
        }
        segment.shrink();
        segment
    }
}

fn parent_of(entries: &[Entry<'_>], at: usize) -> Option<usize> {
    let parent = entries.get(at)?.parent? as usize;
    (parent < at).then_some(parent)
}

/// Makes one segment of several, in their order.
pub(crate) fn merge(parts: &[Segment]) -> Segment {
    let mut whole = Segment::default();
    let moved: Vec<Vec<u32>> = parts.iter().map(|part| take_rows(&mut whole, part)).collect();
    let mut next: Vec<usize> = vec![0; parts.len()];
    loop {
        let heads = parts.iter().zip(&next).filter(|(part, at)| **at < part.terms.len());
        let Some(word) = heads.map(|(part, at)| part.terms.word(*at)).min() else {
            break;
        };
        let mut last = 0;
        let before = whole.docs.len();
        for ((part, at), moved) in parts.iter().zip(&mut next).zip(&moved) {
            if *at < part.terms.len() && part.terms.word(*at) == word {
                copy(&mut whole, part, *at, moved, &mut last);
                *at += 1;
            }
        }
        if whole.docs.len() > before {
            whole.end_term(word);
        }
    }
    whole.shrink();
    whole
}

/// Takes over files and entries that are there; returns the new number of each old entry.
fn take_rows(whole: &mut Segment, part: &Segment) -> Vec<u32> {
    let mut moved = vec![u32::MAX; part.rows.len()];
    for file in part.files.iter().filter(|file| file.alive) {
        let (number, first) = (count(whole.files.len()), count(whole.rows.len()));
        let range = file.first as usize..(file.first as usize).saturating_add(file.entries as usize);
        let (Some(rows), Some(targets)) = (part.rows.get(range.clone()), moved.get_mut(range)) else {
            continue;
        };
        for (row, target) in rows.iter().zip(targets) {
            *target = count(whole.rows.len());
            whole.rows.push(Row { file: number, ..*row });
        }
        whole.files.push(FileRow { first, ..file.clone() });
        whole.alive += file.entries;
    }
    moved
}

fn copy(whole: &mut Segment, part: &Segment, term: usize, moved: &[u32], last: &mut u32) {
    if part.alive as usize == part.rows.len() {
        copy_whole(whole, part, term, moved, last);
        return;
    }
    let mut postings = part.postings(term);
    let mut places: Vec<u32> = Vec::new();
    while let Some(posting) = postings.next() {
        let doc = moved.get(posting.doc as usize).copied().unwrap_or(u32::MAX);
        if doc == u32::MAX {
            continue;
        }
        places.clear();
        postings.places(|place| places.push(place));
        put(&mut whole.docs, doc - *last);
        whole.docs.push(posting.packed());
        *last = doc;
        put(&mut whole.places, count(places.len()));
        let mut before = 0;
        for place in &places {
            put(&mut whole.places, place - before);
            before = *place;
        }
    }
}

/// Where no file is gone, all steps but the first stay as they are.
fn copy_whole(whole: &mut Segment, part: &Segment, term: usize, moved: &[u32], last: &mut u32) {
    let (docs, places) = part.lists(term);
    let mut postings = part.postings(term);
    let Some(first) = postings.next() else {
        return;
    };
    let Some(moved_first) = moved.get(first.doc as usize).filter(|doc| **doc != u32::MAX) else {
        return;
    };
    put(&mut whole.docs, moved_first - *last);
    let behind = docs.len().saturating_sub(postings.bytes() + 1);
    whole.docs.extend_from_slice(docs.get(behind..).unwrap_or_default());
    whole.places.extend_from_slice(places);
    let mut end = first.doc;
    while let Some(posting) = postings.next() {
        end = posting.doc;
    }
    *last = moved.get(end as usize).copied().filter(|doc| *doc != u32::MAX).unwrap_or(*moved_first);
}
