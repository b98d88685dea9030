//! Patterns of the language file and how they fit words. It must never read a quoted word as anything but text.

use super::{
    calendar::Calendar,
    lex::{Word, key},
    slot::{Caught, Slot},
};
use crate::Error;
use serde::Deserialize;

/// A sequence of words and slots, parsed from its form in the language file.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    atom: Atom,
    optional: bool,
}

#[derive(Clone, Debug)]
enum Atom {
    /// One of these words.
    Literal {
        any: Vec<String>,
        colon: bool,
    },
    Slot(Slot),
}

/// Where a fit has to end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Anywhere,
}

impl Pattern {
    /// Fits the pattern to all the words.
    pub(super) fn whole(&self, words: &[Word<'_>], calendar: &Calendar) -> Option<Caught> {
        fit(&self.parts, words, Until::End, Caught::default(), calendar)
    }

    /// Fits the pattern to the first words, as many as it can.
    pub(super) fn prefix(&self, words: &[Word<'_>], calendar: &Calendar) -> Option<Caught> {
        fit(&self.parts, words, Until::Anywhere, Caught::default(), calendar)
    }
}

/// Fits the parts from `caught.used` on. Optional parts are tried before they are left out; text in the middle is
/// as short as it can be, so that "mark X as done" does not take "as" for a word of X.
fn fit(
    parts: &[Part],
    words: &[Word<'_>],
    until: Until,
    caught: Caught,
    calendar: &Calendar,
) -> Option<Caught> {
    let Some((part, rest)) = parts.split_first() else {
        return (until == Until::Anywhere || caught.used == words.len()).then_some(caught);
    };
    let at = caught.used;
    let taken = match &part.atom {
        Atom::Slot(Slot::Text) if rest.is_empty() => {
            return Some(caught.with_text(at, words.len()));
        }
        Atom::Slot(Slot::Text) => {
            return (at..=words.len())
                .find_map(|to| fit(rest, words, until, caught.with_text(at, to), calendar));
        }
        Atom::Literal { any, colon } => words.get(at).and_then(|word| {
            let same = !word.quoted && any.contains(&word.key);
            (same && (!colon || word.tail.starts_with(':'))).then(|| caught.with_literal())
        }),
        Atom::Slot(slot) => {
            words.get(at).filter(|word| !word.quoted).and_then(|word| caught.with_slot(*slot, word, calendar))
        }
    };
    taken
        .and_then(|taken| fit(rest, words, until, taken, calendar))
        .or_else(|| part.optional.then(|| fit(rest, words, until, caught, calendar)).flatten())
}

impl TryFrom<String> for Pattern {
    type Error = Error;

    fn try_from(pattern: String) -> Result<Self, Error> {
        let malformed = |why| Error::Pattern { pattern: pattern.clone(), why };
        let parts: Vec<Part> = pattern
            .split_whitespace()
            .map(|token| part(token).map_err(malformed))
            .collect::<Result<_, _>>()?;
        let texts = parts.iter().filter(|part| matches!(part.atom, Atom::Slot(Slot::Text))).count();
        match (parts.is_empty(), texts) {
            (true, _) => Err(malformed("it is empty")),
            (false, 0 | 1) => Ok(Self { parts }),
            (false, _) => Err(malformed("it has more than one {text}")),
        }
    }
}

fn part(token: &str) -> Result<Part, &'static str> {
    let inner = token
        .strip_prefix('[')
        .map(|rest| rest.strip_suffix(']').ok_or("a bracket is not closed"))
        .transpose()?;
    let optional = inner.is_some();
    let body = inner.unwrap_or(token);
    let slot = body.strip_prefix('{').map(|rest| {
        let name = rest.strip_suffix('}').ok_or("a brace is not closed")?;
        Slot::named(name).ok_or("there is no such slot")
    });
    let atom = match slot.transpose()? {
        Some(slot) => Atom::Slot(slot),
        None => literal(body)?,
    };
    Ok(Part { atom, optional })
}

fn literal(body: &str) -> Result<Atom, &'static str> {
    let (words, colon) = match body.strip_suffix(':') {
        Some(words) => (words, true),
        None => (body, false),
    };
    let any: Vec<String> = words.split('|').map(key).collect();
    if any.iter().any(|word| word.is_empty() || word.contains(['[', ']', '{', '}'])) {
        return Err("a word is empty or holds a bracket");
    }
    Ok(Atom::Literal { any, colon })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflex::{catalogue::english, lex::words};

    fn text(pattern: &str, said: &str) -> Option<String> {
        let pattern = Pattern::try_from(pattern.to_owned()).unwrap();
        let words = words(said);
        let language = english();
        let caught = pattern.whole(&words, &language.calendar)?;
        let (from, to) = caught.text?;
        let raws: Vec<_> = words[from..to].iter().map(|word| word.raw).collect();
        Some(raws.join(" "))
    }

    #[test]
    fn text_in_the_middle_leaves_optional_words_alone() {
        let marked = text("mark {text} [as] done", "Mark call  the plumber as done");
        assert_eq!(marked.as_deref(), Some("call the plumber"));
    }

    #[test]
    fn colon_is_wanted_where_the_pattern_has_one() {
        assert_eq!(text("outside: {text}", "outside ping"), None);
        assert_eq!(text("outside: {text}", "OUTSIDE: ping").as_deref(), Some("ping"));
    }

    #[test]
    fn quoted_word_is_no_order() {
        assert_eq!(text("note {text}", "\"note\" it"), None);
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for bad in ["", "[a", "{text", "{nothing}", "{text} a {text}", "a|", "a[b]"] {
            assert!(Pattern::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
    }
}
