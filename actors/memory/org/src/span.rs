//! Byte ranges, lines and line ends. Positions are byte offsets into the file as it is on disk, never characters.

use memchr::memchr;

/// A range of bytes, end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// First byte.
    pub begin: usize,
    /// One behind the last byte.
    pub end: usize,
}

impl Span {
    /// Makes a span; an end before the begin gives an empty one.
    #[must_use]
    pub const fn new(begin: usize, end: usize) -> Self {
        let end = if end < begin { begin } else { end };
        Self { begin, end }
    }

    /// Returns the bytes it covers, or none if it reaches beyond the input.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.begin..self.end).unwrap_or_default()
    }

    /// Returns its bytes as text; undecodable ones become U+FFFD.
    #[must_use]
    pub fn text(self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(self.of(bytes)).into_owned()
    }

    /// Says whether it covers nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.begin >= self.end
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.begin)
    }
}

/// How the lines of a file end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Newline {
    /// LF, or a mixture, in which CR is an ordinary character.
    #[default]
    Lf,
    /// Every newline has a CR before it.
    CrLf,
}

impl Newline {
    /// Finds out how the lines of a file end.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut seen = false;
        for at in memchr::memchr_iter(b'\n', bytes) {
            seen = true;
            let before = at.checked_sub(1).and_then(|i| bytes.get(i));
            if before != Some(&b'\r') {
                return Self::Lf;
            }
        }
        if seen { Self::CrLf } else { Self::Lf }
    }

    /// Returns the bytes of one line end.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// A line: its content without line end, and where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) content: Span,
    pub(crate) next: usize,
}

/// Reads the line that begins at `at`; `None` at the end of the input.
pub(crate) fn line_at(bytes: &[u8], at: usize, newline: Newline) -> Option<Line> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    let Some(len) = memchr(b'\n', rest) else {
        return Some(Line { content: Span::new(at, bytes.len()), next: bytes.len() });
    };
    let cut = match newline {
        Newline::CrLf if len > 0 => 1,
        Newline::CrLf | Newline::Lf => 0,
    };
    Some(Line { content: Span::new(at, at + len - cut), next: at + len + 1 })
}

/// Iterates over the lines of a range.
pub(crate) fn lines(bytes: &[u8], range: Span, newline: Newline) -> impl Iterator<Item = Line> {
    let bytes = bytes.get(..range.end).unwrap_or_default();
    let mut at = range.begin;
    std::iter::from_fn(move || {
        let line = line_at(bytes, at, newline)?;
        at = line.next;
        Some(line)
    })
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns the span without blanks at its begin.
pub(crate) fn skip_blanks(bytes: &[u8], span: Span) -> Span {
    let count = span.of(bytes).iter().take_while(|byte| is_blank(**byte)).count();
    Span::new(span.begin + count, span.end)
}

/// Returns the span without blanks, CR and LF at both ends.
pub(crate) fn trim(bytes: &[u8], span: Span) -> Span {
    let white = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let text = span.of(bytes);
    let front = text.iter().take_while(white).count();
    let back = text.iter().rev().take_while(white).count();
    Span::new(span.begin + front, span.end.saturating_sub(back).max(span.begin + front))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newline_is_crlf_only_if_every_one_is() {
        assert_eq!(Newline::of(b"a\r\nb\r\n"), Newline::CrLf);
        assert_eq!(Newline::of(b"a\r\nb\n"), Newline::Lf);
        assert_eq!(Newline::of(b"a"), Newline::Lf);
        assert_eq!(Newline::of(b"\r"), Newline::Lf);
    }

    #[test]
    fn lines_cover_the_input() {
        let bytes = b"a\n\nb";
        let all = Span::new(0, bytes.len());
        let found: Vec<_> = lines(bytes, all, Newline::Lf).map(|line| line.content).collect();
        assert_eq!(found, [Span::new(0, 1), Span::new(2, 2), Span::new(3, 4)]);
    }

    #[test]
    fn trimming_blanks_only_gives_an_empty_span() {
        assert!(trim(b"  \r\n", Span::new(0, 4)).is_empty());
    }
}
