//! Where things close within one paragraph, title or cell, found in one pass per kind and then looked up.
//!
//! Each begin of an emphasis, link or macro would otherwise search to the end by itself, and text full of begins
//! would take quadratic time.

use super::chars;

/// What can close something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// A marker of emphasis behind text and before a blank or punctuation: `*`, `/`, `_`, `+`, `=`, `~`.
    Star,
    Slash,
    Under,
    Plus,
    Equal,
    Tilde,
    Newline,
    /// `]]`
    Link,
    /// `>`
    Angle,
    /// `$`
    Dollar,
    /// `@@`
    Snippet,
    /// `)}}}`
    Macro,
    /// `\)`
    Round,
    /// `\]`
    Square,
    /// What ends the name of an inline source block or call.
    NameEnd,
}

const KINDS: usize = 15;

/// Positions in one text.
#[derive(Debug, Default)]
pub(super) struct Marks {
    lists: [Option<Vec<usize>>; KINDS],
    /// Partners of `[`, `{` and `(`, sorted by the opening one.
    pairs: [Option<Vec<(usize, usize)>>; 3],
}

impl Marks {
    pub(super) fn clear(&mut self) {
        for list in self.lists.iter_mut() {
            *list = None;
        }
        for list in self.pairs.iter_mut() {
            *list = None;
        }
    }

    /// Returns the first place of a mark at or behind `from`.
    pub(super) fn next(&mut self, text: &[u8], mark: Mark, from: usize) -> Option<usize> {
        let list = self.lists.get_mut(mark as usize)?.get_or_insert_with(|| places(text, mark));
        list.get(list.partition_point(|at| *at < from)).copied()
    }

    /// Returns where the bracket at `at` is closed.
    pub(super) fn partner(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let (kind, open, close) = match text.get(at)? {
            b'[' => (0, b'[', b']'),
            b'{' => (1, b'{', b'}'),
            b'(' => (2, b'(', b')'),
            _ => return None,
        };
        let list = self.pairs.get_mut(kind)?.get_or_insert_with(|| pairs(text, open, close));
        let found = list.binary_search_by_key(&at, |pair| pair.0).ok()?;
        list.get(found).map(|pair| pair.1)
    }
}

fn pairs(text: &[u8], open: u8, close: u8) -> Vec<(usize, usize)> {
    let (mut found, mut stack) = (Vec::new(), Vec::new());
    for at in memchr::memchr2_iter(open, close, text) {
        if text.get(at) == Some(&open) {
            stack.push(at);
        } else if let Some(begin) = stack.pop() {
            found.push((begin, at));
        }
    }
    found.sort_unstable();
    found
}

fn places(text: &[u8], mark: Mark) -> Vec<usize> {
    let word = |word: &[u8]| -> Vec<usize> {
        let head = word.first().copied().unwrap_or_default();
        memchr::memchr_iter(head, text)
            .filter(|at| text.get(*at..).is_some_and(|t| t.starts_with(word)))
            .collect()
    };
    let emphasis = |byte: u8| -> Vec<usize> {
        memchr::memchr_iter(byte, text)
            .filter(|at| {
                let front = text.get(..*at).and_then(chars::last);
                front.is_some_and(|c| !chars::is_space(c)) && closes(text.get(at + 1..).unwrap_or_default())
            })
            .collect()
    };
    match mark {
        Mark::Star => emphasis(b'*'),
        Mark::Slash => emphasis(b'/'),
        Mark::Under => emphasis(b'_'),
        Mark::Plus => emphasis(b'+'),
        Mark::Equal => emphasis(b'='),
        Mark::Tilde => emphasis(b'~'),
        Mark::Newline => memchr::memchr_iter(b'\n', text).collect(),
        Mark::Link => word(b"]]"),
        Mark::Angle => memchr::memchr_iter(b'>', text).collect(),
        Mark::Dollar => memchr::memchr_iter(b'$', text).collect(),
        Mark::Snippet => word(b"@@"),
        Mark::Macro => word(b")}}}"),
        Mark::Round => word(b"\\)"),
        Mark::Square => word(b"\\]"),
        Mark::NameEnd => {
            let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'[' | b'{' | b'(');
            text.iter().enumerate().filter(|(_, byte)| ends(byte)).map(|(at, _)| at).collect()
        }
    }
}

/// Says whether emphasis can end before this text: `org-emphasis-regexp-components` as it comes.
fn closes(rest: &[u8]) -> bool {
    chars::first(rest).is_none_or(|(c, _)| {
        chars::is_space(c)
            || matches!(c, '-' | '.' | ',' | ':' | '!' | '?' | ';' | '\'' | '"' | ')' | '}' | '\\' | '[')
    })
}
