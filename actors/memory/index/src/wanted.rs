//! What is looked for in one segment: a word with its other forms becomes one list of entries with counts. It does not
//! know of scores.

use crate::{
    query::Clause,
    segment::{Posting, Postings, Segment},
    stem::stem,
    token,
};

/// A form under which something wanted may stand in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Exact(String),
    /// Every word with the same stem.
    Kin(String),
    Prefix(String),
    Phrase(Vec<String>),
}

/// Something wanted: any of its forms, each with what an occurrence counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Want {
    pub(crate) name: String,
    pub(crate) forms: Vec<(Form, f32)>,
    pub(crate) weight: f32,
}

/// What an occurrence counts by its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) title: f32,
    pub(crate) path: f32,
}

/// An entry that has what is wanted, and how much of it.
pub(crate) type Match = (u32, f32);

/// Another form of the word counts a little less than the one that was typed.
pub(crate) const KIN: f32 = 0.9;

impl Want {
    pub(crate) fn of(clause: &Clause) -> Self {
        let (name, form) = match clause {
            Clause::Word(word) => (word.clone(), Form::Kin(word.clone())),
            Clause::Prefix(prefix) => (format!("{prefix}*"), Form::Prefix(prefix.clone())),
            Clause::Phrase(words) => (words.join(" "), Form::Phrase(words.clone())),
        };
        Self { name, forms: vec![(form, 1.0)], weight: 1.0 }
    }

    /// Returns the entries of a segment that have it, in order; those of gone files are left out.
    pub(crate) fn matches(&self, segment: &Segment, places: Places) -> Vec<Match> {
        let mut terms: Vec<(usize, f32)> = Vec::new();
        let mut found: Vec<Match> = Vec::new();
        for (form, weight) in &self.forms {
            match form {
                Form::Phrase(words) if words.len() > 1 => {
                    let phrase = phrase(segment, words);
                    found.extend(phrase.into_iter().map(|(doc, count)| (doc, count * weight)));
                }
                Form::Exact(_) | Form::Kin(_) | Form::Prefix(_) | Form::Phrase(_) => {
                    terms_of(segment, form, *weight, &mut terms);
                }
            }
        }
        // A word reached by two ways counts by the better one.
        terms.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        terms.dedup_by_key(|term| term.0);
        let value = |posting: &Posting| -> f32 {
            f32::from(posting.body)
                + places.title * f32::from(posting.title)
                + places.path * f32::from(posting.path)
        };
        match (terms.as_slice(), found.is_empty()) {
            ([(term, weight)], true) => {
                let mut postings = segment.postings(*term);
                // Two bytes are the least that an entry takes.
                found.reserve_exact(postings.bytes() / 2);
                while let Some(posting) = postings.next() {
                    found.push((posting.doc, weight * value(&posting)));
                }
            }
            ([], _) => {}
            _ => found = add_up(segment, &terms, &found, value),
        }
        if segment.alive as usize != segment.rows.len() {
            found.retain(|(doc, _)| segment.is_alive(*doc));
        }
        found
    }
}

fn add_up(
    segment: &Segment,
    terms: &[(usize, f32)],
    found: &[Match],
    value: impl Fn(&Posting) -> f32,
) -> Vec<Match> {
    let mut sums = vec![0f32; segment.rows.len()];
    let mut add = |doc: u32, much: f32| {
        if let Some(sum) = sums.get_mut(doc as usize) {
            *sum += much;
        }
    };
    for (doc, much) in found {
        add(*doc, *much);
    }
    for (term, weight) in terms {
        let mut postings = segment.postings(*term);
        while let Some(posting) = postings.next() {
            add(posting.doc, weight * value(&posting));
        }
    }
    (0u32..).zip(sums).filter(|(_, sum)| *sum > 0.0).collect()
}

fn terms_of(segment: &Segment, form: &Form, weight: f32, out: &mut Vec<(usize, f32)>) {
    let terms = &segment.terms;
    match form {
        Form::Exact(word) => out.extend(terms.find(word).map(|term| (term, weight))),
        Form::Phrase(words) => {
            let term = words.first().and_then(|word| terms.find(word));
            out.extend(term.map(|term| (term, weight)));
        }
        Form::Prefix(prefix) => out.extend(terms.beginning(prefix).map(|term| (term, weight))),
        Form::Kin(word) => {
            out.extend(terms.find(word).map(|term| (term, weight)));
            let wanted = stem(word);
            // Every form of a word begins with its stem, but for a last `i` that was a `y`.
            let front = wanted.strip_suffix('i').unwrap_or(&wanted);
            if front.len() >= 2 && !token::is_dense(word) {
                let kin = terms.beginning(front).filter(|term| {
                    let other = terms.word(*term);
                    other != word && stem(other) == wanted
                });
                out.extend(kin.map(|term| (term, weight * KIN)));
            }
        }
    }
}

/// Entries that hold the words in a row, with how often.
fn phrase(segment: &Segment, words: &[String]) -> Vec<Match> {
    let mut cursors: Vec<Cursor<'_>> = Vec::new();
    for (offset, word) in (0u32..).zip(words) {
        let Some(term) = segment.terms.find(word) else {
            return Vec::new();
        };
        cursors.push(Cursor { offset, postings: segment.postings(term), doc: 0 });
    }
    // The rarest word leads.
    cursors.sort_by_key(|cursor| cursor.postings.bytes());
    let mut found = Vec::new();
    let mut starts: Vec<u32> = Vec::new();
    let mut target = 0;
    while let Some(doc) = meet(&mut cursors, target) {
        starts.clear();
        let mut first = true;
        for cursor in &mut cursors {
            cursor.narrow(&mut starts, first);
            first = false;
        }
        if !starts.is_empty() {
            found.push((doc, f32::from(u16::try_from(starts.len()).unwrap_or(u16::MAX))));
        }
        target = doc.saturating_add(1);
    }
    found
}

/// A word of a phrase on its way through the entries.
struct Cursor<'a> {
    offset: u32,
    postings: Postings<'a>,
    /// One more than the entry that it stands at, 0 before the first.
    doc: u32,
}

/// Moves all cursors to the next entry that has every word, from `target` on.
fn meet(cursors: &mut [Cursor<'_>], target: u32) -> Option<u32> {
    let mut target = target;
    loop {
        let begun = target;
        for cursor in cursors.iter_mut() {
            while cursor.doc <= target {
                cursor.doc = cursor.postings.next()?.doc.checked_add(1)?;
            }
            target = cursor.doc - 1;
        }
        if target == begun && cursors.iter().all(|cursor| cursor.doc == target + 1) {
            return Some(target);
        }
    }
}

impl Cursor<'_> {
    /// Keeps the places where a phrase may begin, going by this word too.
    fn narrow(&mut self, starts: &mut Vec<u32>, first: bool) {
        let offset = self.offset;
        if first {
            self.postings.places(|place| starts.extend(place.checked_sub(offset)));
            return;
        }
        let (mut read, mut kept) = (0, 0);
        self.postings.places(|place| {
            while starts.get(read).is_some_and(|start| start.saturating_add(offset) < place) {
                read += 1;
            }
            if let Some(start) =
                starts.get(read).copied().filter(|start| start.checked_add(offset) == Some(place))
                && let Some(slot) = starts.get_mut(kept)
            {
                *slot = start;
                read += 1;
                kept += 1;
            }
        });
        starts.truncate(kept);
    }
}
