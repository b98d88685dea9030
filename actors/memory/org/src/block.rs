//! Keyword lines and verbatim blocks of one section (the text between two headlines).
//!
//! Inside src, example, export, comment and verse blocks nothing is a keyword line. A begin without an end before the
//! next headline is no block. The search for ends is one backward pass: asking per begin would be quadratic.

use crate::span::{Newline, Span, is_blank, lines, skip_blanks, trim};

/// A line that begins with `#+`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Directive {
    /// `#+begin_` one of [`VERBATIM`].
    Begin(usize),
    /// `#+end_` one of [`VERBATIM`].
    End(usize),
    /// `#+TODO:` or `#+SEQ_TODO:` and its value.
    Todo(Span),
    /// `#+TYP_TODO:` and its value.
    TypTodo(Span),
    /// `#+FILETAGS:` and its value.
    FileTags(Span),
    /// `#+TITLE:` and its value.
    Title(Span),
}

/// A directive and the line it stands in, with its line end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) directive: Directive,
    pub(crate) line: Span,
}

const VERBATIM: [&[u8]; 5] = [b"src", b"example", b"export", b"comment", b"verse"];

/// Reads a line as a directive, if it is one of those that matter here.
pub(crate) fn directive(bytes: &[u8], content: Span) -> Option<Directive> {
    let span = skip_blanks(bytes, content);
    let rest = span.of(bytes).strip_prefix(b"#+")?;
    let after = |skip: usize| Span::new(span.begin + 2 + skip, span.end);
    if let Some(name) = strip_prefix_fold(rest, b"begin_") {
        let kind = kind_of(name, |rest| rest.first().is_none_or(|byte| is_blank(*byte)))?;
        return Some(Directive::Begin(kind));
    }
    if let Some(name) = strip_prefix_fold(rest, b"end_") {
        let kind = kind_of(name, |rest| rest.iter().all(|byte| is_blank(*byte) || *byte == b'\r'))?;
        return Some(Directive::End(kind));
    }
    let colon = rest.iter().take(12).position(|byte| *byte == b':')?;
    let key = rest.get(..colon)?;
    let is = |word: &[u8]| key.eq_ignore_ascii_case(word);
    let made: fn(Span) -> Directive = match key.len() {
        4 if is(b"todo") => Directive::Todo,
        8 if is(b"seq_todo") => Directive::Todo,
        8 if is(b"typ_todo") => Directive::TypTodo,
        8 if is(b"filetags") => Directive::FileTags,
        5 if is(b"title") => Directive::Title,
        _ => return None,
    };
    Some(made(trim(bytes, after(colon + 1))))
}

fn kind_of(name: &[u8], ends: impl Fn(&[u8]) -> bool) -> Option<usize> {
    VERBATIM.iter().position(|kind| strip_prefix_fold(name, kind).is_some_and(&ends))
}

fn strip_prefix_fold<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

/// Returns the verbatim blocks among the events of one section.
fn resolve(events: &[Event]) -> Vec<Span> {
    let mut next_end: [Option<usize>; VERBATIM.len()] = [None; VERBATIM.len()];
    let mut ends: Vec<Option<usize>> = Vec::with_capacity(events.len());
    for event in events.iter().rev() {
        let known = match event.directive {
            Directive::Begin(kind) => next_end.get(kind).copied().flatten(),
            Directive::End(kind) => {
                if let Some(slot) = next_end.get_mut(kind) {
                    *slot = Some(event.line.end);
                }
                None
            }
            Directive::Todo(_) | Directive::TypTodo(_) | Directive::FileTags(_) | Directive::Title(_) => None,
        };
        ends.push(known);
    }
    let (mut blocks, mut covered) = (Vec::new(), 0);
    for (event, end) in events.iter().zip(ends.into_iter().rev()) {
        if event.line.begin < covered {
            continue;
        }
        if let Some(end) = end {
            blocks.push(Span::new(event.line.begin, end));
            covered = end;
        }
    }
    blocks
}

/// Returns the verbatim blocks and comment lines of a section: nothing in them is a date, keyword or task.
#[must_use]
pub fn verbatim(bytes: &[u8], section: Span, newline: Newline) -> Vec<Span> {
    let mut events = Vec::new();
    let mut comments = Vec::new();
    for line in lines(bytes, section, newline) {
        let span = Span::new(line.content.begin, line.next);
        if let Some(directive) = directive(bytes, line.content) {
            events.push(Event { directive, line: span });
        } else if is_comment(skip_blanks(bytes, line.content).of(bytes)) {
            comments.push(span);
        }
    }
    let mut blocks = resolve(&events);
    blocks.extend(comments);
    blocks.sort_by_key(|span| (span.begin, span.end));
    blocks
}

fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'#'] | [b'#', b' ', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<&str> {
        let all = Span::new(0, text.len());
        verbatim(text.as_bytes(), all, Newline::Lf)
            .iter()
            .map(|span| std::str::from_utf8(span.of(text.as_bytes())).unwrap())
            .collect()
    }

    #[test]
    fn block_without_end_is_none() {
        assert!(blocks("#+begin_src x\n#+begin_src y\n#+end_example\n").is_empty());
    }

    #[test]
    fn block_ends_at_the_first_end_of_its_kind() {
        let text = "#+BEGIN_SRC sh\n#+begin_example\n #+End_src \n#+end_example\n# note\n";
        assert_eq!(blocks(text), ["#+BEGIN_SRC sh\n#+begin_example\n #+End_src \n", "# note\n"]);
    }
}
