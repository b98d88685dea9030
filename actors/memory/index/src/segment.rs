//! One immutable part of the index: files, entries, a sorted dictionary and compressed postings. Only the mark that a
//! file is gone is ever changed. Postings that do not make sense end early; they never panic.

use crate::{
    codec::{Reader, count},
    entry::{Dates, Day, Sight},
};

/// A file as the segment knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) name: String,
    /// Day of the last change.
    pub(crate) changed: i64,
    pub(crate) first: u32,
    pub(crate) entries: u32,
    pub(crate) alive: bool,
}

/// An entry as the segment knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) file: u32,
    /// Words in the body; in the title; in file name, titles above and tags.
    pub(crate) body: u32,
    pub(crate) title: u16,
    pub(crate) path: u16,
    /// Parent within the file, or `u32::MAX`.
    pub(crate) parent: u32,
    pub(crate) level: u8,
    pub(crate) flags: u8,
    /// `Day::MIN` where there is none.
    pub(crate) dates: [Day; 4],
}

pub(crate) const PRIVATE: u8 = 1;
pub(crate) const TASK: u8 = 2;
pub(crate) const DONE: u8 = 4;

impl Row {
    pub(crate) fn dates(dates: Dates) -> [Day; 4] {
        dates.each().map(|day| day.unwrap_or(Day::MIN))
    }

    pub(crate) fn known_dates(&self) -> impl Iterator<Item = Day> {
        self.dates.into_iter().filter(|day| *day != Day::MIN)
    }

    /// The day that says how old the words are: written or closed, never what is only planned.
    pub(crate) fn written(&self) -> Option<Day> {
        let [_, _, closed, created] = self.dates;
        Some(closed.max(created)).filter(|day| *day != Day::MIN)
    }

    pub(crate) const fn sight(&self) -> Sight {
        if self.flags & PRIVATE == 0 { Sight::Open } else { Sight::Private }
    }
}

/// How often a word occurs in the parts of an entry, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) doc: u32,
    pub(crate) path: u8,
    pub(crate) title: u8,
    pub(crate) body: u8,
}

/// Largest counts that fit into a byte with the others. More occurrences tell nothing more.
pub(crate) const HEAD_MAX: u8 = 3;
pub(crate) const BODY_MAX: u8 = 15;

impl Posting {
    pub(crate) const fn packed(&self) -> u8 {
        self.path << 6 | self.title << 4 | self.body
    }

    const fn unpack(doc: u32, byte: u8) -> Self {
        Self { doc, path: byte >> 6, title: (byte >> 4) & HEAD_MAX, body: byte & BODY_MAX }
    }
}

/// A part of the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) files: Vec<FileRow>,
    pub(crate) rows: Vec<Row>,
    pub(crate) terms: Terms,
    /// Per term: step to the next entry, counts.
    pub(crate) docs: Vec<u8>,
    /// Per term and entry: how many places, steps between them.
    pub(crate) places: Vec<u8>,
    /// Entries of files that are there.
    pub(crate) alive: u32,
    /// Which entries are those of gone files; empty while there is none. Says what `files` says, but faster.
    pub(crate) gone: Vec<bool>,
}

/// The dictionary: sorted words, one after the other in one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) text: String,
    pub(crate) rows: Vec<Term>,
    /// Which letters a word has, so that most words are known not to be near another without reading them.
    pub(crate) letters: Vec<u32>,
}

/// Ends of a term's word and bytes; they begin where those of the one before end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) word: u32,
    pub(crate) docs: u32,
    pub(crate) places: u32,
}

/// Which letters occur, by their lowest bits.
pub(crate) fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

impl Terms {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    fn before(&self, at: usize) -> Term {
        at.checked_sub(1).and_then(|at| self.rows.get(at)).copied().unwrap_or_default()
    }

    pub(crate) fn word(&self, at: usize) -> &str {
        let end = self.rows.get(at).map_or(0, |term| term.word);
        self.text.get(self.before(at).word as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn find(&self, word: &str) -> Option<usize> {
        let at = self.first_from(word);
        (at < self.len() && self.word(at) == word).then_some(at)
    }

    /// The first term that is not smaller.
    pub(crate) fn first_from(&self, word: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle) < word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// All terms that begin so.
    pub(crate) fn beginning<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = usize> + 'a {
        (self.first_from(prefix)..self.len()).take_while(move |at| self.word(*at).starts_with(prefix))
    }
}

impl Segment {
    /// The postings of a term, entries of gone files included.
    pub(crate) fn postings(&self, term: usize) -> Postings<'_> {
        let (docs, places) = self.lists(term);
        Postings { docs: Reader::new(docs), places: Reader::new(places), last: 0, unread: 0 }
    }

    /// The bytes of a term's entries and places.
    pub(crate) fn lists(&self, term: usize) -> (&[u8], &[u8]) {
        let (from, to) = (self.terms.before(term), self.terms.rows.get(term).copied().unwrap_or_default());
        let docs = self.docs.get(from.docs as usize..to.docs as usize).unwrap_or_default();
        let places = self.places.get(from.places as usize..to.places as usize).unwrap_or_default();
        (docs, places)
    }

    /// Whether an entry that is there holds a term.
    pub(crate) fn is_in_use(&self, term: usize) -> bool {
        let mut postings = self.postings(term);
        std::iter::from_fn(|| postings.next()).any(|posting| self.is_alive(posting.doc))
    }

    pub(crate) fn is_alive(&self, doc: u32) -> bool {
        self.gone.is_empty() || self.gone.get(doc as usize) == Some(&false)
    }

    pub(crate) fn file(&self, doc: u32) -> Option<(&FileRow, &Row)> {
        let row = self.rows.get(doc as usize)?;
        Some((self.files.get(row.file as usize)?, row))
    }

    /// Marks a file as gone.
    pub(crate) fn bury(&mut self, file: u32) {
        if let Some(row) = self.files.get_mut(file as usize)
            && row.alive
        {
            row.alive = false;
            self.alive = self.alive.saturating_sub(row.entries);
            let first = row.first as usize;
            let range = first..first.saturating_add(row.entries as usize);
            self.gone.resize(self.rows.len(), false);
            self.gone.get_mut(range).unwrap_or_default().fill(true);
        }
    }

    /// What it costs to copy it, in bytes.
    pub(crate) const fn weight(&self) -> usize {
        self.docs.len() + self.places.len() + self.rows.len() * 8
    }

    pub(crate) const fn resident(&self) -> usize {
        self.docs.capacity()
            + self.places.capacity()
            + self.rows.capacity() * size_of::<Row>()
            + self.terms.text.capacity()
            + self.terms.rows.capacity() * (size_of::<Term>() + 4)
            + self.files.capacity() * (size_of::<FileRow>() + 48)
    }

    pub(crate) fn end_term(&mut self, word: &str) {
        self.terms.text.push_str(word);
        self.terms.letters.push(letters(word));
        let (word, docs) = (count(self.terms.text.len()), count(self.docs.len()));
        self.terms.rows.push(Term { word, docs, places: count(self.places.len()) });
    }

    pub(crate) fn shrink(&mut self) {
        self.docs.shrink_to_fit();
        self.places.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.terms.text.shrink_to_fit();
        self.terms.rows.shrink_to_fit();
        self.terms.letters.shrink_to_fit();
        self.files.shrink_to_fit();
    }
}

/// Walks over the entries that hold a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postings<'a> {
    docs: Reader<'a>,
    places: Reader<'a>,
    last: u32,
    /// Entries whose places were not read yet.
    unread: u32,
}

impl Postings<'_> {
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Posting> {
        let step = self.docs.number()?;
        self.last = self.last.checked_add(step)?;
        let packed = self.docs.byte()?;
        self.unread += 1;
        Some(Posting::unpack(self.last, packed))
    }

    /// Calls back with each place of the entry that came last.
    pub(crate) fn places(&mut self, mut each: impl FnMut(u32)) {
        while self.unread > 1 {
            self.unread -= 1;
            let Some(many) = self.places.number() else { return };
            if self.places.skip(many).is_none() {
                return;
            }
        }
        if self.unread == 1 {
            self.unread = 0;
            let Some(many) = self.places.number() else { return };
            let mut at = 0u32;
            for _ in 0..many {
                let Some(step) = self.places.number() else { return };
                at = at.saturating_add(step);
                each(at);
            }
        }
    }
}

impl Postings<'_> {
    /// How long the list is, in bytes: a cheap measure of how common the word is.
    pub(crate) const fn bytes(&self) -> usize {
        self.docs.left()
    }
}
