//! Source blocks and their header line. Nothing is run.

use super::section::{trim_end, word_len};
use crate::span::{Span, trim};

/// A source block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// With its affiliated keywords and both its lines.
    pub span: Span,
    /// Where its first line begins.
    pub block_begin: usize,
    /// The code as it stands in the file.
    pub body: Span,
    /// Its language.
    pub language: Option<Span>,
    /// Switches such as `-n 10`.
    pub switches: Option<Span>,
    /// Header arguments.
    pub parameters: Option<Span>,
    /// Value of `#+NAME:`.
    pub name: Option<Span>,
    /// Value of `:tangle`, in quotation marks or not.
    pub tangle: Option<Span>,
    /// The headline it stands in.
    pub node: Option<usize>,
}

impl Source {
    /// Reads the header line `head` of a block.
    pub(super) fn read(
        bytes: &[u8],
        head: Span,
        span: Span,
        body: Span,
        name: Option<Span>,
        node: Option<usize>,
    ) -> Self {
        let text = head.of(bytes);
        let front = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mut at = front + b"#+begin_src".len();
        let mut found = Self { span, block_begin: head.begin, body, name, node, ..Self::default() };
        let place = |from: usize, to: usize| {
            let span = trim(bytes, Span::new(head.begin + from, head.begin + to));
            Some(span).filter(|span| !span.is_empty())
        };
        if let Some((begin, len)) = word(text, at) {
            found.language = place(begin, begin + len);
            at = begin + len;
            let begin = at;
            while let Some(end) = switch(text, at) {
                at = end;
            }
            found.switches = place(begin, at);
        }
        let end = text.len();
        found.parameters = place(at, end);
        found.tangle = found.parameters.and_then(|parameters| tangle(bytes, parameters));
        found
    }

    pub(super) fn relocate(&mut self, spot: &impl Fn(Span) -> Span) {
        self.span = spot(self.span);
        self.block_begin = spot(Span::new(self.block_begin, self.block_begin)).begin;
        self.body = spot(self.body);
        for part in
            [&mut self.language, &mut self.switches, &mut self.parameters, &mut self.name, &mut self.tangle]
        {
            *part = part.map(spot);
        }
    }

    /// Returns the code without the commas that protect lines from being structure.
    #[must_use]
    pub fn code(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len());
        for line in self.body.of(bytes).split_inclusive(|byte| *byte == b'\n') {
            let front = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let (blanks, text) = line.split_at_checked(front).unwrap_or((&[], line));
            let commas = text.iter().take_while(|byte| **byte == b',').count();
            let behind = text.get(commas..).unwrap_or_default();
            let guarded = commas > 0 && (behind.starts_with(b"*") || behind.starts_with(b"#+"));
            out.extend_from_slice(blanks);
            out.extend_from_slice(text.get(usize::from(guarded)..).unwrap_or_default());
        }
        out
    }
}

fn blanks(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
}

fn word(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let begin = at + blanks(text, at);
    let len = word_len(text.get(begin..)?);
    (begin > at && len > 0).then_some((begin, len))
}

/// Returns the end of a switch: ` -l "fmt"`, ` -i`, ` -k`, ` -r`, ` -n 10`, ` +n`.
fn switch(text: &[u8], at: usize) -> Option<usize> {
    let begin = at + blanks(text, at);
    (begin > at).then_some(())?;
    let sign = *text.get(begin)?;
    let letter = text.get(begin + 1)?.to_ascii_lowercase();
    match (sign, letter) {
        (b'-' | b'+', b'n') => {
            let end = begin + 2;
            let number = end + blanks(text, end);
            let digits = text.get(number..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
            Some(if digits > 0 { number + digits } else { end })
        }
        (b'-', b'i' | b'k' | b'r') => Some(begin + 2),
        (b'-', b'l') => {
            let rest = text.get(begin + 2..)?.strip_prefix(b" \"")?;
            let close = rest.iter().rposition(|byte| *byte == b'"').filter(|close| *close > 0)?;
            Some(begin + 4 + close + 1)
        }
        _ => None,
    }
}

/// Finds the value of `:tangle` in header arguments.
fn tangle(bytes: &[u8], parameters: Span) -> Option<Span> {
    let text = parameters.of(bytes);
    let key = b":tangle";
    let at = memchr::memmem::find_iter(text, key).find(|at| {
        let above = at.checked_sub(1).and_then(|at| text.get(at));
        above.is_none_or(|byte| matches!(byte, b' ' | b'\t'))
            && text.get(at + key.len()).is_some_and(|byte| matches!(byte, b' ' | b'\t'))
    })?;
    let rest = text.get(at + key.len()..)?;
    let next = memchr::memmem::find_iter(rest, b" :").next().unwrap_or(rest.len());
    let begin = parameters.begin + at + key.len();
    let len = trim_end(rest.get(..next)?).len();
    let span = trim(bytes, Span::new(begin, begin + len));
    Some(span).filter(|span| !span.is_empty())
}
