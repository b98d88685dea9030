//! The lines directly below a headline: planning and property drawer.
//!
//! Both count only at their place. A drawer with one malformed line is no drawer at all and stays ordinary text.

use crate::span::{Newline, Span, is_blank, line_at, lines, skip_blanks, trim};

/// The planning line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Planning {
    /// The line with its line end.
    pub line: Span,
    /// Timestamp behind `SCHEDULED:`, with brackets, ranges in full.
    pub scheduled: Option<Span>,
    /// Timestamp behind `DEADLINE:`.
    pub deadline: Option<Span>,
    /// Timestamp behind `CLOSED:`.
    pub closed: Option<Span>,
}

/// A property drawer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Drawer {
    /// From the `:PROPERTIES:` line to the `:END:` line, both with line end.
    pub span: Span,
    /// The lines between them.
    pub body: Span,
}

/// A line of a property drawer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Property {
    /// The key as written, `KEY+` included.
    pub key: Span,
    /// The value, trimmed.
    pub value: Span,
    /// The line with its line end.
    pub line: Span,
}

/// Longest timestamp of a planning line. Emacs knows no limit; this one keeps the search linear.
const BRACKET_MAX: usize = 1024;

const WORDS: [&[u8]; 3] = [b"SCHEDULED:", b"DEADLINE:", b"CLOSED:"];

/// Reads the planning line at `at`, if there is one.
pub(crate) fn planning(bytes: &[u8], at: usize, end: usize, newline: Newline) -> Option<Planning> {
    let line = line_at(bytes.get(..end)?, at, newline)?;
    let content = skip_blanks(bytes, line.content);
    // In small letters the line is one as well, but none of its words counts (measured).
    let first = content.of(bytes);
    let begins = |word: &&[u8]| first.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    WORDS.iter().find(|word| begins(word))?;
    let mut found = Planning { line: Span::new(at, line.next), ..Planning::default() };
    let mut rest = content;
    let mut boundary = true;
    while !rest.is_empty() {
        let text = rest.of(bytes);
        let hit = if boundary { word_at(text) } else { None };
        let Some(word) = hit else {
            boundary = text.first().is_some_and(|byte| !byte.is_ascii_alphanumeric());
            rest = Span::new(rest.begin + 1, rest.end);
            continue;
        };
        rest = skip_blanks(bytes, Span::new(rest.begin + word.len(), rest.end));
        boundary = true;
        if let Some(stamp) = bracket(bytes, rest) {
            match word {
                b"SCHEDULED:" => found.scheduled = Some(stamp),
                b"DEADLINE:" => found.deadline = Some(stamp),
                _ => found.closed = Some(stamp),
            }
            rest = Span::new(stamp.end, rest.end);
        }
    }
    Some(found)
}

fn word_at(text: &[u8]) -> Option<&'static [u8]> {
    WORDS.into_iter().find(|word| text.starts_with(word))
}

/// Returns the bracketed text at the begin of a span, with a second one joined by `--`.
fn bracket(bytes: &[u8], rest: Span) -> Option<Span> {
    let one = single_bracket(rest.of(bytes))?;
    let end = rest.begin + one;
    let tail = Span::new(end, rest.end).of(bytes);
    let second = tail.strip_prefix(b"--").and_then(single_bracket);
    Some(Span::new(rest.begin, end + second.map_or(0, |len| len + 2)))
}

/// A diary timestamp `<%%(..)>` is taken like any other: its text is kept and never evaluated.
fn single_bracket(text: &[u8]) -> Option<usize> {
    let close = match text.first()? {
        b'<' => b'>',
        b'[' => b']',
        _ => return None,
    };
    let date = text.get(1..11).is_some_and(|date| {
        let digit = |(at, byte): (usize, &u8)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        date.iter().enumerate().all(digit)
    });
    if !date && !text.starts_with(b"<%%(") {
        return None;
    }
    let near = text.iter().take(BRACKET_MAX);
    let len = near.copied().position(|byte| byte == close)? + 1;
    (len > 2).then_some(len)
}

/// Reads the property drawer at `at`, if there is a valid one.
pub(crate) fn drawer(bytes: &[u8], at: usize, end: usize, newline: Newline) -> Option<Drawer> {
    let within = bytes.get(..end)?;
    let first = line_at(within, at, newline)?;
    if !is_mark(first.content.of(bytes), b":PROPERTIES:") {
        return None;
    }
    for line in lines(within, Span::new(first.next, end), newline) {
        if is_mark(line.content.of(bytes), b":END:") {
            return Some(Drawer {
                span: Span::new(at, line.next),
                body: Span::new(first.next, line.content.begin),
            });
        }
        property(bytes, line.content)?;
    }
    None
}

fn is_mark(line: &[u8], mark: &[u8]) -> bool {
    let front = line.iter().take_while(|byte| is_blank(**byte)).count();
    let Some((word, tail)) = line.get(front..).and_then(|text| text.split_at_checked(mark.len())) else {
        return false;
    };
    word.eq_ignore_ascii_case(mark) && tail.iter().all(|byte| is_blank(*byte))
}

/// Reads `:key: value`; the key is the shortest run of non-blanks before a colon that a blank or the line end follows.
fn property(bytes: &[u8], content: Span) -> Option<Property> {
    let span = skip_blanks(bytes, content);
    let rest = span.of(bytes).strip_prefix(b":")?;
    for (at, byte) in rest.iter().enumerate() {
        if is_blank(*byte) {
            return None;
        }
        let after = rest.get(at + 1);
        if *byte == b':' && at > 0 && after.is_none_or(|byte| is_blank(*byte)) {
            let key = Span::new(span.begin + 1, span.begin + 1 + at);
            return Some(Property {
                key,
                value: trim(bytes, Span::new(key.end + 1, span.end)),
                line: content,
            });
        }
    }
    None
}

impl Drawer {
    /// Iterates over the properties in the order of the file, doubles included.
    pub fn properties(self, bytes: &[u8], newline: Newline) -> impl Iterator<Item = Property> {
        lines(bytes, self.body, newline).filter_map(move |line| {
            let mut found = property(bytes, line.content)?;
            found.line = Span::new(line.content.begin, line.next);
            Some(found)
        })
    }

    /// Returns the first value of a key, compared without regard to case.
    #[must_use]
    pub fn value(self, bytes: &[u8], newline: Newline, key: &str) -> Option<Span> {
        self.properties(bytes, newline)
            .find(|property| property.key.of(bytes).eq_ignore_ascii_case(key.as_bytes()))
            .map(|property| property.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Option<Vec<(&str, &str)>> {
        let bytes = text.as_bytes();
        let drawer = drawer(bytes, 0, bytes.len(), Newline::Lf)?;
        let text = |span: Span| std::str::from_utf8(span.of(bytes)).unwrap();
        Some(drawer.properties(bytes, Newline::Lf).map(|p| (text(p.key), text(p.value))).collect())
    }

    #[test]
    fn doubles_empty_values_and_odd_keys_are_kept_in_order() {
        let text = ":properties:\n:OPT: base\n:OPT+: first\n:colour:\n  :a:b:c: 1\n:END:\n";
        assert_eq!(keys(text).unwrap(), [("OPT", "base"), ("OPT+", "first"), ("colour", ""), ("a:b:c", "1")]);
    }

    #[test]
    fn drawer_with_one_bad_line_is_none() {
        assert_eq!(keys(":PROPERTIES:\n:K: v\ntext\n:END:\n"), None);
        assert_eq!(keys(":PROPERTIES:\n:K: v\n"), None);
        assert_eq!(keys(":PROPERTIES:\n:K:v\n:END:\n"), None);
    }

    #[test]
    fn last_of_a_kind_wins_in_a_planning_line() {
        let text =
            "  DEADLINE: <2026-03-09 Mon> XDEADLINE: <2026-01-01> DEADLINE:<2026-03-10>--<2026-03-11>\n";
        let found = planning(text.as_bytes(), 0, text.len(), Newline::Lf).unwrap();
        let deadline = found.deadline.unwrap();
        assert_eq!(deadline.text(text.as_bytes()), "<2026-03-10>--<2026-03-11>");
        assert_eq!(planning(b"x DEADLINE: <1>", 0, 15, Newline::Lf), None);
        let small = planning(b"deadline: <2026-03-09>\n", 0, 23, Newline::Lf).unwrap();
        assert_eq!((small.line, small.deadline), (Span::new(0, 23), None));
    }
}
