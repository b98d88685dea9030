//! The few lines of a text that say most about a query. It works on one text and remembers nothing.

use crate::{
    query::{Clause, Query, Sign},
    stem::stem,
    token,
};
use std::{collections::BTreeSet, ops::Range};

/// Longest passage in bytes: some four lines of a terminal.
pub const PASSAGE_MAX: usize = 320;

/// Returns where the best few lines of a text are, whole lines where they are short enough. A text that has none of
/// the words gives its beginning.
#[must_use]
pub fn passage(text: &str, query: &Query) -> Range<usize> {
    let wanted: Vec<Clause> =
        query.clauses.iter().filter(|clause| clause.0 == Sign::With).map(|clause| clause.1.clone()).collect();
    best(text, &wanted, PASSAGE_MAX)
}

/// The same for any length.
pub(crate) fn best(text: &str, wanted: &[Clause], most: usize) -> Range<usize> {
    let lines = lines(text);
    let Some(first) = lines.iter().position(|line| !part(text, line).trim().is_empty()) else {
        return 0..0;
    };
    let wanted: &[Sought<'_>] = &wanted.iter().map(Sought::new).collect::<Vec<_>>();
    let seen: Vec<BTreeSet<usize>> = lines.iter().map(|line| having(part(text, line), wanted)).collect();
    // Each line is tried as the first; lines follow while they fit, as far as the last one that adds a word.
    let mut chosen = (0, 0, first..first + 1);
    for begin in first..lines.len() {
        let mut words: BTreeSet<usize> = BTreeSet::new();
        let mut hits = 0;
        for end in begin..lines.len() {
            let len =
                lines.get(end).map_or(0, |line| line.end) - lines.get(begin).map_or(0, |line| line.start);
            if len > most && end > begin {
                break;
            }
            if let Some(more) = seen.get(end).filter(|more| !more.is_empty()) {
                hits += more.len();
                words.extend(more);
                if (words.len(), hits) > (chosen.0, chosen.1) {
                    chosen = (words.len(), hits, begin..end + 1);
                }
            }
        }
    }
    let mut range = chosen.2;
    grow(&lines, &mut range, most);
    let begin = lines.get(range.start).map_or(0, |line| line.start);
    let end = lines.get(range.end - 1).map_or(begin, |line| line.end);
    if end - begin <= most {
        return begin..end;
    }
    window(text, begin..end, wanted, most)
}

/// Takes the next lines in as long as they fit.
fn grow(lines: &[Range<usize>], range: &mut Range<usize>, most: usize) {
    let len = |from: usize, to: usize| {
        Some(lines.get(to.checked_sub(1)?)?.end.saturating_sub(lines.get(from)?.start))
    };
    while range.end < lines.len() && len(range.start, range.end + 1).is_some_and(|len| len <= most) {
        range.end += 1;
    }
    while range.start > 0 && len(range.start - 1, range.end).is_some_and(|len| len <= most) {
        range.start -= 1;
    }
}

/// Cuts a long line around the first word that is wanted.
fn window(text: &str, line: Range<usize>, wanted: &[Sought<'_>], most: usize) -> Range<usize> {
    let mut from = line.start;
    let mut at = line.start;
    for piece in part(text, &line).split_inclusive(|c: char| !c.is_alphanumeric()) {
        if !having(piece, wanted).is_empty() {
            from = at.saturating_sub(most / 4).max(line.start);
            break;
        }
        at += piece.len();
    }
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let from = (from..=line.end).find(boundary).unwrap_or(line.end);
    let to = (from..=(from + most).min(line.end)).rev().find(boundary).unwrap_or(from);
    from..to
}

/// Lines without their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let begin = at;
            at += line.len();
            begin..begin + line.trim_end_matches(['\n', '\r']).len()
        })
        .collect()
}

fn part<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

/// A clause with the stem of its word.
struct Sought<'a> {
    clause: &'a Clause,
    stem: String,
}

impl<'a> Sought<'a> {
    fn new(clause: &'a Clause) -> Self {
        let stem = match clause {
            Clause::Word(word) => stem(word),
            Clause::Prefix(_) | Clause::Phrase(_) => String::new(),
        };
        Self { clause, stem }
    }

    fn is(&self, word: &str) -> bool {
        match self.clause {
            Clause::Word(wanted) => {
                word == wanted || (shares_front(word, &self.stem) && stem(word) == self.stem)
            }
            Clause::Prefix(prefix) => word.starts_with(prefix),
            // A phrase may go over a line end, so one of its words is enough.
            Clause::Phrase(phrase) => phrase.iter().any(|one| one == word),
        }
    }
}

/// Stemming costs more than a look at the first letters.
fn shares_front(word: &str, stem: &str) -> bool {
    word.bytes().zip(stem.bytes()).take(2).all(|(one, other)| one == other)
}

/// Which of the things wanted a line has.
fn having(line: &str, wanted: &[Sought<'_>]) -> BTreeSet<usize> {
    let mut has = BTreeSet::new();
    token::words(line, |word| {
        has.extend(wanted.iter().enumerate().filter(|(_, sought)| sought.is(word)).map(|(at, _)| at));
    });
    has
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_with_most_words_are_chosen() {
        let filler = "nothing to see here at all, really nothing\n".repeat(12);
        let text = format!("{filler}the boiler\nstands in the cellar\n{filler}");
        let found = text.get(passage(&text, &Query::parse("boilers cellar"))).unwrap();
        assert!(found.contains("the boiler\nstands in the cellar"));
        assert!(found.len() <= PASSAGE_MAX);
    }

    #[test]
    fn long_line_is_cut_around_a_word() {
        let text = "é ".repeat(500) + "boiler " + &"ü ".repeat(500);
        let found = text.get(passage(&text, &Query::parse("boiler"))).unwrap();
        assert!(found.contains("boiler"));
    }

    proptest! {
        #[test]
        fn range_lies_within_any_text(text in "(?s).{0,400}", query in "\\PC{0,12}") {
            let range = passage(&text, &Query::parse(&query));
            prop_assert!(text.get(range.clone()).is_some());
            prop_assert!(range.len() <= PASSAGE_MAX);
        }
    }
}
