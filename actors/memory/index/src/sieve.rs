//! Which entries of a segment may be hits at all: filters, unwanted words, and who may see what. It knows no scores.

use crate::{
    build::{KEYWORD, TAG},
    entry::Sight,
    fold::fold,
    query::{Filter, Sign, Todo},
    segment::{DONE, Segment, TASK},
    wanted::{Form, Match, Places, Want},
};

/// What may not be among the hits of a segment.
pub(crate) struct Sieve<'a> {
    segment: &'a Segment,
    sight: Sight,
    /// Files whose name fits; empty if any does.
    files: Vec<bool>,
    /// Entries that are in all lists that are wanted and in none that is not.
    marks: Vec<bool>,
    rest: Vec<(Sign, &'a Filter)>,
}

impl<'a> Sieve<'a> {
    pub(crate) fn new(
        segment: &'a Segment,
        unwanted: &[Want],
        filters: &'a [(Sign, Filter)],
        sight: Sight,
    ) -> Self {
        let places = Places { title: 1.0, path: 1.0 };
        let mut marks = Vec::new();
        for want in unwanted {
            marks.resize(segment.rows.len(), true);
            keep(&mut marks, Sign::Without, &want.matches(segment, places));
        }
        let mut files: Vec<bool> = Vec::new();
        let mut rest = Vec::new();
        for (sign, filter) in filters {
            let mark = match filter {
                Filter::Tag(tag) => format!("{TAG}{tag}"),
                Filter::Todo(Todo::Keyword(word)) => format!("{KEYWORD}{word}"),
                Filter::File(part) => {
                    files.resize(segment.files.len(), true);
                    for (fits, file) in files.iter_mut().zip(&segment.files) {
                        *fits &= fold(&file.name).contains(part) == (*sign == Sign::With);
                    }
                    continue;
                }
                Filter::Todo(_) | Filter::Between(..) => {
                    rest.push((*sign, filter));
                    continue;
                }
            };
            let want = Want { name: String::new(), forms: vec![(Form::Exact(mark), 1.0)], weight: 1.0 };
            marks.resize(segment.rows.len(), true);
            // The mark of a tag stands at place 0, which counts as path.
            keep(&mut marks, *sign, &want.matches(segment, places));
        }
        Self { segment, sight, files, marks, rest }
    }

    pub(crate) fn passes(&self, doc: u32) -> bool {
        let row = || self.segment.rows.get(doc as usize);
        let file_fits = |file: u32| self.files.get(file as usize).copied().unwrap_or(false);
        self.segment.is_alive(doc)
            && (self.sight == Sight::Private || row().is_some_and(|row| row.sight() == Sight::Open))
            && (self.files.is_empty() || row().is_some_and(|row| file_fits(row.file)))
            && (self.marks.is_empty() || self.marks.get(doc as usize).copied().unwrap_or(false))
            && self.rest.iter().all(|(sign, filter)| self.holds(doc, filter) == (*sign == Sign::With))
    }

    fn holds(&self, doc: u32, filter: &Filter) -> bool {
        let Some((file, row)) = self.segment.file(doc) else {
            return false;
        };
        match filter {
            Filter::Todo(Todo::Open) => row.flags & (TASK | DONE) == TASK,
            Filter::Todo(Todo::Done) => row.flags & DONE != 0,
            Filter::Todo(Todo::Any) => row.flags & TASK != 0,
            Filter::Between(from, to) => {
                let fits = |day: i64| i64::from(*from) <= day && day < i64::from(*to);
                let mut own = row.known_dates().map(i64::from).peekable();
                if own.peek().is_none() { fits(file.changed) } else { own.any(fits) }
            }
            // Looked up in the dictionary or by file name.
            Filter::Tag(_) | Filter::File(_) | Filter::Todo(Todo::Keyword(_)) => true,
        }
    }
}

/// Keeps the marks of entries that are in a list, or are not.
fn keep(marks: &mut [bool], sign: Sign, list: &[Match]) {
    let mut list = list.iter().map(|one| one.0).peekable();
    for (doc, mark) in (0u32..).zip(marks) {
        let is_there = list.next_if_eq(&doc).is_some();
        *mark &= is_there == (sign == Sign::With);
    }
}
