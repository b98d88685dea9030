//! What is looked for in one segment: a word with its other forms becomes one list of entries with counts. It does not
//! know of scores.

use crate::{
    query::Clause,
    segment::{Posting, Segment},
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
        let value = |posting: &Posting| {
            f32::from(posting.body)
                + places.title * f32::from(posting.title)
                + places.path * f32::from(posting.path)
        };
        match (terms.as_slice(), found.is_empty()) {
            ([(term, weight)], true) => {
                let mut postings = segment.postings(*term);
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
            // Every form of a word keeps its stem but for the last letter.
            let mut front = wanted.clone();
            front.pop();
            if front.len() >= 2 && !token::is_dense(word) {
                let kin = terms.beginning(&front).filter(|term| {
                    let other = terms.word(*term);
                    other != word && stem(other) == wanted
                });
                out.extend(kin.map(|term| (term, weight * KIN)));
            }
        }
    }
}

/// Entries that hold the words in a row, with how often. The rarest word is looked at first.
fn phrase(segment: &Segment, words: &[String]) -> Vec<Match> {
    let mut terms: Vec<(u32, usize)> = Vec::new();
    for (offset, word) in (0u32..).zip(words) {
        let Some(term) = segment.terms.find(word) else {
            return Vec::new();
        };
        terms.push((offset, term));
    }
    terms.sort_by_key(|(_, term)| segment.postings(*term).bytes());
    let mut kept: Option<Vec<(u32, u32)>> = None;
    for (offset, term) in terms {
        kept = Some(match kept {
            None => starts(segment, term, offset),
            Some(before) => narrowed(segment, term, offset, &before),
        });
    }
    let kept = kept.unwrap_or_default();
    kept.chunk_by(|one, other| one.0 == other.0)
        .filter_map(|chunk| {
            Some((chunk.first()?.0, f32::from(u16::try_from(chunk.len()).unwrap_or(u16::MAX))))
        })
        .collect()
}

/// Where a phrase would begin, going by one of its words.
fn starts(segment: &Segment, term: usize, offset: u32) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut postings = segment.postings(term);
    while let Some(posting) = postings.next() {
        postings.places(|place| {
            if let Some(start) = place.checked_sub(offset) {
                found.push((posting.doc, start));
            }
        });
    }
    found
}

fn narrowed(segment: &Segment, term: usize, offset: u32, before: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut postings = segment.postings(term);
    let mut left = before;
    while let (Some(posting), [(first, _), ..]) = (postings.next(), left) {
        if posting.doc < *first {
            continue;
        }
        let skip = left.iter().take_while(|(doc, _)| *doc < posting.doc).count();
        left = left.get(skip..).unwrap_or_default();
        let here = left.iter().take_while(|(doc, _)| *doc == posting.doc).count();
        let (same, rest) = left.split_at_checked(here).unwrap_or((left, &[]));
        if !same.is_empty() {
            let mut same = same.iter().peekable();
            postings.places(|place| {
                while same.next_if(|(_, start)| start.saturating_add(offset) < place).is_some() {}
                if let Some(start) = same.next_if(|(_, start)| start.checked_add(offset) == Some(place)) {
                    found.push(*start);
                }
            });
        }
        left = rest;
    }
    found
}
