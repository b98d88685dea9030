//! The lines of one section and the ends of everything that can be closed in it.
//!
//! Blocks, drawers and environments are looked up here, so that no begin starts a search of its own: searching per
//! begin would be quadratic. Positions are bytes of the whole file, line numbers count within the section.

use crate::span::{Span, is_blank};
use std::collections::BTreeMap;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) begin: usize,
    /// Without line end.
    pub(super) end: usize,
    /// First byte that is neither blank nor TAB.
    pub(super) text: usize,
}

/// What is closed by a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Close {
    /// `#+end_NAME`, in lower case.
    Block(Vec<u8>),
    /// `#+end` or `#+end:`; whether with the colon.
    Dynamic,
    /// `#+end:` only: how a list looks for it.
    DynamicColon,
    /// `:END:`.
    Drawer,
    /// `\end{NAME}`, in lower case.
    Environment(Vec<u8>),
    /// Two blank lines; the first of them.
    Gap,
}

/// A section; buffers are kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) lines: Vec<Line>,
    end: usize,
    closes: BTreeMap<Close, Vec<usize>>,
    grid: Option<(usize, usize)>,
}

impl Section {
    /// Takes the lines of a range.
    pub(super) fn fill(&mut self, bytes: &[u8], range: Span) {
        self.lines.clear();
        self.closes.clear();
        self.grid = None;
        self.end = range.end;
        let mut begin = range.begin;
        while begin < range.end {
            let rest = bytes.get(begin..range.end).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest).map_or(range.end, |at| begin + at);
            let line = bytes.get(begin..end).unwrap_or_default();
            let text = begin + line.iter().take_while(|byte| is_blank(**byte)).count();
            self.note(bytes, Line { begin, end, text });
            begin = end + 1;
        }
    }

    fn note(&mut self, bytes: &[u8], line: Line) {
        let number = self.lines.len();
        self.lines.push(line);
        let text = bytes.get(line.text..line.end).unwrap_or_default();
        match text {
            [] => {
                let above = number.checked_sub(1).and_then(|at| self.lines.get(at));
                if above.is_some_and(|above| above.text == above.end) {
                    self.closes.entry(Close::Gap).or_default().push(number - 1);
                }
            }
            [b'#', b'+', rest @ ..] if starts_fold(rest, b"end") => {
                let word = trim_end(rest.get(3..).unwrap_or_default());
                if let Some(name) = word.strip_prefix(b"_") {
                    self.close(Close::Block(name.to_ascii_lowercase()), number);
                } else if word.is_empty() || word == b":" {
                    self.close(Close::Dynamic, number);
                    if !word.is_empty() {
                        self.close(Close::DynamicColon, number);
                    }
                }
            }
            [b':', ..] if trim_end(text).eq_ignore_ascii_case(b":END:") => self.close(Close::Drawer, number),
            _ => {}
        }
        let tail = trim_end(text);
        if tail.ends_with(b"}")
            && let Some(at) = memchr::memmem::rfind(&tail.to_ascii_lowercase(), b"\\end{")
        {
            let name = tail.get(at + 5..tail.len() - 1).unwrap_or_default();
            self.close(Close::Environment(name.to_ascii_lowercase()), number);
        }
    }

    fn close(&mut self, close: Close, line: usize) {
        self.closes.entry(close).or_default().push(line);
    }

    /// Returns the first line from `from` to before `limit` that closes it.
    fn find(&self, close: &Close, from: usize, limit: usize) -> Option<usize> {
        let list = self.closes.get(close)?;
        let at = list.partition_point(|line| *line < from);
        list.get(at).copied().filter(|line| *line < limit)
    }

    pub(super) fn block_end(&self, name: &[u8], from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::Block(name.to_ascii_lowercase()), from, limit)
    }

    pub(super) fn dynamic_end(&self, from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::Dynamic, from, limit)
    }

    pub(super) fn dynamic_end_in_list(&self, from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::DynamicColon, from, limit)
    }

    pub(super) fn drawer_end(&self, from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::Drawer, from, limit)
    }

    pub(super) fn environment_end(&self, name: &[u8], from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::Environment(name.to_ascii_lowercase()), from, limit)
    }

    /// Returns the first of two blank lines.
    pub(super) fn gap(&self, from: usize, limit: usize) -> Option<usize> {
        self.find(&Close::Gap, from, limit.saturating_sub(1))
    }

    /// Returns where line `number` begins; the end of the section behind the last.
    pub(super) fn begin_of(&self, number: usize) -> usize {
        self.lines.get(number).map_or(self.end, |line| line.begin)
    }

    /// Returns where the line `number` ends, with its line end.
    pub(super) fn next_of(&self, number: usize) -> usize {
        self.begin_of(number + 1)
    }

    /// Returns the text of a line behind its indentation.
    pub(super) fn text<'a>(&self, bytes: &'a [u8], number: usize) -> &'a [u8] {
        self.lines.get(number).and_then(|line| bytes.get(line.text..line.end)).unwrap_or_default()
    }

    /// Returns the whole line.
    pub(super) fn whole<'a>(&self, bytes: &'a [u8], number: usize) -> &'a [u8] {
        self.lines.get(number).and_then(|line| bytes.get(line.begin..line.end)).unwrap_or_default()
    }

    /// Says whether only blanks and TABs stand in a line.
    pub(super) fn is_blank(&self, number: usize) -> bool {
        self.lines.get(number).is_none_or(|line| line.text == line.end)
    }

    /// Says whether a line is white: a CR counts here, as it does when Org skips to the next element.
    pub(super) fn is_white(&self, bytes: &[u8], number: usize) -> bool {
        self.text(bytes, number).iter().all(|byte| is_blank(*byte) || *byte == b'\r')
    }

    /// Returns the first line from `from` that is not white, `limit` if there is none before it.
    pub(super) fn skip_white(&self, bytes: &[u8], mut from: usize, limit: usize) -> usize {
        while from < limit && self.is_white(bytes, from) {
            from += 1;
        }
        from
    }

    /// Returns the line behind the last one in `from..to` that is not white.
    pub(super) fn trim_white(&self, bytes: &[u8], from: usize, mut to: usize) -> usize {
        while to > from && self.is_white(bytes, to - 1) {
            to -= 1;
        }
        to
    }

    /// Returns the column of the first text of a line, as Emacs counts it: TABs to the next multiple of eight.
    pub(super) fn indent(&self, bytes: &[u8], number: usize) -> usize {
        let Some(line) = self.lines.get(number) else {
            return 0;
        };
        let blanks = bytes.get(line.begin..line.text).unwrap_or_default();
        blanks.iter().fold(0, |column, byte| if *byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
    }

    /// Returns the end of the run of lines that can stand in a table made with table.el; remembered for the lines of
    /// the run, which would otherwise each ask again.
    pub(super) fn grid_end(&mut self, bytes: &[u8], from: usize, limit: usize) -> usize {
        if let Some((begin, end)) = self.grid
            && (begin..end).contains(&from)
        {
            return end.min(limit);
        }
        let mut end = from;
        while matches!(self.text(bytes, end), [b'+' | b'|', ..]) {
            end += 1;
        }
        self.grid = Some((from, end));
        end.min(limit)
    }
}

pub(super) fn starts_fold(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// Cuts blanks and TABs at the end.
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let len = text.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |at| at + 1);
    text.get(..len).unwrap_or_default()
}

/// Returns the length of the run of bytes that are not white.
pub(super) fn word_len(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0C')).unwrap_or(text.len())
}
