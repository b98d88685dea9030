//! The small language of searching: words, `prefix*`, `"a phrase"`, `-without`, and filters such as `tag:home` or
//! `before:2026-01-01`. Any text is a query; what is no filter is looked for as words.

use crate::{
    entry::{Day, day},
    fold::fold,
    token,
};

/// Most clauses of a query; what stands behind them in a pasted page is not looked for.
const CLAUSES_MAX: usize = 64;

/// Something that an entry's text must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// A word, its other forms included.
    Word(String),
    /// Any word that begins so.
    Prefix(String),
    /// These words, in this form and order.
    Phrase(Vec<String>),
}

/// Something else that must be so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// It has or inherits a tag.
    Tag(String),
    /// It is a task in this state.
    Todo(Todo),
    /// The name of its file holds this.
    File(String),
    /// One of its dates, or else the day on which its file was changed, is in this range: from, and before.
    Between(Day, Day),
}

/// States of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Todo {
    /// Not done.
    Open,
    /// Done.
    Done,
    /// Either.
    Any,
    /// With this keyword.
    Keyword(String),
}

/// Whether something is wanted or must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Wanted.
    With,
    /// Not wanted.
    Without,
}

/// A query, understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// What the text must and must not hold.
    pub clauses: Vec<(Sign, Clause)>,
    /// What else must be so.
    pub filters: Vec<(Sign, Filter)>,
}

impl Query {
    /// Understands a text. There are no errors: what is no filter is words.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let mut span = (Day::MIN, Day::MAX);
        for (sign, piece, quoted) in pieces(text) {
            if quoted {
                query.phrase(sign, piece);
                continue;
            }
            match filter(piece) {
                // Of several bounds the narrowest holds, for one and the same date.
                Some(Filter::Between(from, to)) if sign == Sign::With => {
                    span = (span.0.max(from), span.1.min(to));
                }
                Some(filter) => query.filters.push((sign, filter)),
                None => query.word(sign, piece),
            }
        }
        if span != (Day::MIN, Day::MAX) {
            query.filters.push((Sign::With, Filter::Between(span.0, span.1)));
        }
        query
    }

    fn phrase(&mut self, sign: Sign, text: &str) {
        let words = token::question(text);
        if !words.is_empty() {
            self.push(sign, Clause::Phrase(words));
        }
    }

    fn word(&mut self, sign: Sign, piece: &str) {
        let mut words = token::question(piece);
        let open = piece.ends_with('*');
        match words.len() {
            0 => {}
            1 => {
                let word = words.swap_remove(0);
                let single = token::is_dense(&word) && word.chars().count() == 1;
                let clause = if open || single { Clause::Prefix(word) } else { Clause::Word(word) };
                self.push(sign, clause);
            }
            _ => self.push(sign, Clause::Phrase(words)),
        }
    }

    fn push(&mut self, sign: Sign, clause: Clause) {
        if self.clauses.len() < CLAUSES_MAX
            && !self.clauses.iter().any(|known| known.0 == sign && known.1 == clause)
        {
            self.clauses.push((sign, clause));
        }
    }
}

/// Cuts a text at blanks outside quotes; a quote that is not closed goes to the end.
fn pieces(text: &str) -> Vec<(Sign, &str, bool)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (sign, body) = match rest.strip_prefix('-') {
            Some(body) if body.starts_with(|c: char| !c.is_whitespace()) => (Sign::Without, body),
            Some(_) | None => (Sign::With, rest),
        };
        if let Some(body) = body.strip_prefix('"') {
            let (phrase, tail) = body.split_once('"').unwrap_or((body, ""));
            found.push((sign, phrase, true));
            rest = tail.trim_start();
        } else {
            let end = body.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(body.len());
            let (piece, tail) = body.split_at_checked(end).unwrap_or((body, ""));
            found.push((sign, piece, false));
            rest = tail.trim_start();
        }
    }
    found
}

fn filter(piece: &str) -> Option<Filter> {
    let (name, value) = piece.split_once(':')?;
    if value.is_empty() {
        return None;
    }
    Some(match name.to_ascii_lowercase().as_str() {
        "tag" => Filter::Tag(fold(value)),
        "todo" => Filter::Todo(match value.to_lowercase().as_str() {
            "open" => Todo::Open,
            "done" => Todo::Done,
            "any" => Todo::Any,
            _ => Todo::Keyword(fold(value)),
        }),
        "file" => Filter::File(fold(value)),
        "before" => Filter::Between(Day::MIN, date(value)?),
        "after" => Filter::Between(date(value)?, Day::MAX),
        _ => return None,
    })
}

/// Reads `2026-01-31`, `2026-01` and `2026`; what is left out is the first.
fn date(text: &str) -> Option<Day> {
    let mut parts = text.splitn(3, '-');
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut part = || parts.next().map_or(Some(1), |part| part.parse().ok());
    let (month, of_month) = (part()?, part()?);
    day(year, month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(text: &str) -> (Sign, Clause) {
        (Sign::With, Clause::Word(text.to_owned()))
    }

    #[test]
    fn every_part_of_the_language_is_understood() {
        let query = Query::parse(
            "Boiler insta* \"Hot Water\" -radiator tag:Home -todo:done file:heat after:2026-01-01 before:2026-02",
        );
        assert_eq!(
            query.clauses,
            [
                word("boiler"),
                (Sign::With, Clause::Prefix("insta".into())),
                (Sign::With, Clause::Phrase(vec!["hot".into(), "water".into()])),
                (Sign::Without, Clause::Word("radiator".into())),
            ]
        );
        assert_eq!(
            query.filters,
            [
                (Sign::With, Filter::Tag("home".into())),
                (Sign::Without, Filter::Todo(Todo::Done)),
                (Sign::With, Filter::File("heat".into())),
                (Sign::With, Filter::Between(20_454, 20_485)),
            ]
        );
    }

    #[test]
    fn what_is_no_filter_is_words() {
        assert_eq!(Query::parse("boiler?  - +").clauses, [word("boiler")]);
        assert_eq!(
            Query::parse("before:lunch").clauses,
            [(Sign::With, Clause::Phrase(vec!["before".into(), "lunch".into()]))]
        );
        assert_eq!(Query::parse("\"open").clauses, [(Sign::With, Clause::Phrase(vec!["open".into()]))]);
        assert_eq!(Query::parse("木").clauses, [(Sign::With, Clause::Prefix("木".into()))]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in "\\PC{0,40}") {
            prop_assert!(Query::parse(&text).clauses.len() <= text.len());
        }

        #[test]
        fn text_like_queries_is_a_query(text in "[-\"* :a-c0-9木tagodefilbr]{0,40}") {
            prop_assert!(Query::parse(&text).clauses.len() <= text.len());
        }
    }
}
