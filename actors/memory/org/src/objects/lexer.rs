//! Objects: what stands in running text. Regions within regions wait in a list, so that depth costs no stack.
//!
//! The rules are the regular expressions of org-element in Org 9.5.5, read by hand, with each "search forward" turned
//! into a look-up in [`Marks`].

use super::{
    Note, Objects, Statistics, Target, TargetKind, chars,
    entity::entity_len,
    line::label_len,
    link::{self, Found},
    marks::{Mark, Marks},
    radio::Radio,
    timestamp,
};
use crate::span::{Span, is_blank};

const LINK: u16 = 1;
const STAMP: u16 = 2;
const FOOTNOTE: u16 = 4;
const COOKIE: u16 = 8;
const TARGET: u16 = 16;
const MACRO: u16 = 32;
const SNIPPET: u16 = 64;
const INLINE: u16 = 128;
const CITATION: u16 = 256;

/// All objects: in paragraphs, titles and tags.
pub(super) const STANDARD: u16 = 511;
/// In captions.
pub(super) const CAPTION: u16 = STANDARD & !FOOTNOTE;
/// In the cells of tables.
pub(super) const CELL: u16 = CITATION | SNIPPET | FOOTNOTE | LINK | MACRO | TARGET | STAMP;
/// In the description of a link.
const DESCRIPTION: u16 = SNIPPET | INLINE | MACRO | COOKIE;
/// Emphasis, scripts and LaTeX only; they are allowed everywhere.
const MINIMAL: u16 = 0;

/// Reads objects.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    marks: Marks,
    pub(super) radio: Radio,
    waiting: Vec<(Span, u16)>,
    base: usize,
    text: &'a [u8],
    node: Option<usize>,
}

/// Says whether a byte can begin an object, or end the type of a plain link.
const fn matters(byte: u8) -> bool {
    matches!(
        byte,
        b'_' | b'^' | b'*' | b'~' | b'=' | b'+' | b'/' | b'[' | b'@' | b'{' | b'<' | b'$' | b'\\' | b':'
    )
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], radio: Radio) -> Self {
        Self { bytes, marks: Marks::default(), radio, waiting: Vec::new(), base: 0, text: &[], node: None }
    }

    /// Reads the objects of a range and of everything in it.
    pub(super) fn run(&mut self, range: Span, set: u16, node: Option<usize>, out: &mut Objects) {
        self.text = range.of(self.bytes);
        self.base = range.begin;
        self.node = node;
        self.marks.clear();
        self.waiting.push((Span::new(0, self.text.len()), set));
        while let Some((region, set)) = self.waiting.pop() {
            self.region(region, set, out);
        }
    }

    fn region(&mut self, region: Span, set: u16, out: &mut Objects) {
        let mut at = region.begin;
        let mut from = region.begin;
        let mut radio = self.next_radio(at, region, set);
        while at < region.end {
            if let Some(found) = radio
                && found.begin <= at
            {
                if found.begin >= from {
                    self.push_link(out, Found::radio(found));
                    at = found.end;
                    from = at;
                    radio = self.next_radio(at, region, set);
                    continue;
                }
                radio = self.next_radio(from, region, set);
                continue;
            }
            // Plain text is passed over in one go, up to the next radio link if there is one.
            let stop = radio.map_or(region.end, |found| found.begin);
            let rest = self.get(at, stop);
            let Some(skipped) = rest.iter().position(|byte| matters(*byte)) else {
                at = stop;
                continue;
            };
            at += skipped;
            let Some(byte) = self.text.get(at).copied() else {
                break;
            };
            let next = self.object(byte, at, Span::new(from, region.end), region, set, out);
            match next {
                Some(next) if next > at => {
                    at = next;
                    from = next;
                }
                Some(_) | None => at += 1,
            }
        }
    }

    fn next_radio(&self, from: usize, region: Span, set: u16) -> Option<Span> {
        if set & LINK == 0 { None } else { self.radio.next(self.text, from, region) }
    }

    fn get(&self, at: usize, end: usize) -> &'a [u8] {
        self.text.get(at..end).unwrap_or_default()
    }

    fn next(&mut self, mark: Mark, from: usize, len: usize, end: usize) -> Option<usize> {
        self.marks.next(self.text, mark, from).filter(|at| at + len <= end)
    }

    fn wait(&mut self, begin: usize, end: usize, set: u16) {
        if begin < end {
            self.waiting.push((Span::new(begin, end), set));
        }
    }

    /// Tries the object at `at` and returns where it ends. `free.begin` is where the last one ended.
    fn object(
        &mut self,
        byte: u8,
        at: usize,
        free: Span,
        region: Span,
        set: u16,
        out: &mut Objects,
    ) -> Option<usize> {
        let end = region.end;
        let rest = self.get(at, end);
        match byte {
            b'_' => {
                let inline = if set & INLINE == 0 { None } else { self.inline(at, free.begin, region) };
                inline.or_else(|| self.script(at, region)).or_else(|| self.emphasis(at, Mark::Under, region))
            }
            b'^' => self.script(at, region),
            b'*' => self.emphasis(at, Mark::Star, region),
            b'/' => self.emphasis(at, Mark::Slash, region),
            b'+' => {
                let plain = if set & LINK == 0 { None } else { link::plain_with_plus(self.text, at, free) };
                if let Some(found) = plain {
                    self.push_link(out, found);
                    return Some(found.span.end);
                }
                self.emphasis(at, Mark::Plus, region)
            }
            b'~' => self.emphasis(at, Mark::Tilde, region),
            b'=' => self.emphasis(at, Mark::Equal, region),
            b':' if set & LINK != 0 => {
                let found = link::plain(self.text, at, free)?;
                self.push_link(out, found);
                Some(found.span.end)
            }
            b'@' if set & SNIPPET != 0 => {
                let name = rest.strip_prefix(b"@@")?;
                let len = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
                if len == 0 || name.get(len) != Some(&b':') {
                    return None;
                }
                // Without an end it is its begin only (measured).
                Some(self.next(Mark::Snippet, at + len + 3, 2, end).map_or(at + len + 3, |close| close + 2))
            }
            b'{' if set & MACRO != 0 => self.macro_call(at, rest, end),
            b'$' => self.dollar(at, region),
            b'\\' => self.backslash(at, rest, end),
            b'<' => self.angle(at, rest, end, set, out),
            b'[' => self.square(at, rest, end, set, out),
            _ => None,
        }
    }

    fn push_link(&mut self, out: &mut Objects, found: Found) {
        if let Some(description) = found.description
            && !found.is_radio()
        {
            self.wait(description.begin, description.end, DESCRIPTION);
        }
        out.links.push(found.link(self.base, self.node));
    }

    /// Emphasis: text without white space at its ends, at most one line break in it.
    fn emphasis(&mut self, at: usize, mark: Mark, region: Span) -> Option<usize> {
        let end = region.end;
        if at > region.begin {
            let above = chars::last(self.get(region.begin, at))?;
            if !chars::is_space(above) && !matches!(above, '-' | '(' | '\'' | '"' | '{') {
                return None;
            }
        }
        let (first, len) = chars::first(self.get(at + 1, end))?;
        if chars::is_space(first) {
            return None;
        }
        let marker = *self.text.get(at)?;
        let from = at + 1 + len;
        // What stands before the end of the region closes, too.
        let last = (end > from && self.text.get(end - 1) == Some(&marker)).then_some(end - 1);
        let last = last.filter(|last| chars::last(self.get(at, *last)).is_some_and(|c| !chars::is_space(c)));
        let close = match (self.next(mark, from, 1, end), last) {
            (Some(close), Some(last)) => close.min(last),
            (close, last) => close.or(last)?,
        };
        let line = self.next(Mark::Newline, at, 1, close);
        if let Some(line) = line
            && self.next(Mark::Newline, line + 1, 1, close).is_some()
        {
            return None;
        }
        if !matches!(mark, Mark::Equal | Mark::Tilde) {
            self.wait(at + 1, close, STANDARD);
        }
        Some(close + 1)
    }

    /// Sub- and superscripts take the braces, brackets or word behind them.
    fn script(&mut self, at: usize, region: Span) -> Option<usize> {
        let line = self.get(region.begin, at);
        // At the begin of a line the first sign is the base of the second.
        let at = match chars::last(line) {
            None | Some('\n') => at + 1,
            Some(above) if chars::is_space(above) => return None,
            Some(_) => at,
        };
        if !matches!(self.text.get(at)?, b'_' | b'^') {
            return None;
        }
        let rest = self.get(at + 1, region.end);
        match rest.first()? {
            b'{' => {
                if let Some(len) = nested(rest, b'{', b'}') {
                    self.wait(at + 2, at + len, STANDARD);
                    return Some(at + 1 + len);
                }
                None
            }
            b'(' => {
                let len = nested(rest, b'(', b')')?;
                self.wait(at + 1, at + 1 + len, STANDARD);
                Some(at + 1 + len)
            }
            b'*' => Some(at + 2),
            first => {
                let mut len = usize::from(matches!(first, b'+' | b'-'));
                let mut good = 0;
                while let Some((c, width)) = chars::first(rest.get(len..)?) {
                    if c.is_alphanumeric() {
                        good = len + width;
                    } else if !matches!(c, '.' | ',' | '\\') {
                        break;
                    }
                    len += width;
                }
                (good > 0).then_some(at + 1 + good)
            }
        }
    }

    /// `src_lang[..]{..}` and `call_name[..](..)[..]`: nothing in them is an object.
    fn inline(&mut self, under: usize, free: usize, region: Span) -> Option<usize> {
        let front = self.get(free.max(region.begin), under);
        let (len, source) = if front.ends_with(b"src") {
            (3, true)
        } else if front.ends_with(b"call") {
            (4, false)
        } else {
            return None;
        };
        let word = under - len;
        let above = chars::last(self.get(region.begin, word));
        if !chars::begins_word(above, 'c') {
            return None;
        }
        let mut at = under + 1;
        loop {
            let stop = self.next(Mark::NameEnd, at, 1, region.end)?;
            at = stop;
            match (self.text.get(stop)?, source) {
                (b'[', _) | (b'{', true) | (b'(', false) => break,
                (b'{', false) | (b'(', true) => at += 1,
                _ => return None,
            }
        }
        if at == under + 1 {
            return None;
        }
        at = self.bracketed(at, b'[', region.end).unwrap_or(at);
        at = self.bracketed(at, if source { b'{' } else { b'(' }, region.end)?;
        if source {
            return Some(at);
        }
        Some(self.bracketed(at, b'[', region.end).unwrap_or(at))
    }

    fn bracketed(&mut self, at: usize, open: u8, end: usize) -> Option<usize> {
        (self.text.get(at) == Some(&open)).then_some(())?;
        self.marks.partner(self.text, at).map(|close| close + 1).filter(|close| *close <= end)
    }

    fn macro_call(&mut self, at: usize, rest: &[u8], end: usize) -> Option<usize> {
        let name = rest.strip_prefix(b"{{{")?;
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let len = name.iter().take_while(|byte| word(byte)).count();
        name.first().filter(|byte| byte.is_ascii_alphabetic())?;
        let tail = name.get(len..)?;
        if tail.starts_with(b"}}}") {
            return Some(at + len + 6);
        }
        (tail.first() == Some(&b'(')).then_some(())?;
        Some(self.next(Mark::Macro, at + len + 4, 4, end)? + 4)
    }

    /// `$..$` and `$$..$$`.
    fn dollar(&mut self, at: usize, region: Span) -> Option<usize> {
        let end = region.end;
        if self.get(at, end).starts_with(b"$$") {
            let mut close = self.next(Mark::Dollar, at + 2, 2, end)?;
            while !self.get(close, end).starts_with(b"$$") {
                close = self.next(Mark::Dollar, close + 1, 2, end)?;
            }
            return Some(close + 2);
        }
        if self.get(region.begin, at).last() == Some(&b'$') {
            return None;
        }
        if matches!(self.text.get(at + 1)?, b' ' | b'\t' | b'\n' | b',' | b'.' | b';') {
            return None;
        }
        let close = self.next(Mark::Dollar, at + 1, 1, end)?;
        if matches!(self.text.get(close - 1)?, b' ' | b'\t' | b'\n' | b',' | b'.') {
            return None;
        }
        let behind = chars::first(self.get(close + 1, end)).map(|(c, _)| c);
        let good = behind.is_none_or(|c| {
            c == '\''
                || !chars::is_word(c)
                    && !matches!(c, '*' | '+' | '-' | '/' | '=' | '_' | '\\' | '|' | '~' | '&')
        });
        good.then_some(close + 1)
    }

    fn backslash(&mut self, at: usize, rest: &[u8], end: usize) -> Option<usize> {
        match rest.get(1)? {
            b'(' => Some(self.next(Mark::Round, at + 2, 2, end)? + 2),
            b'[' => Some(self.next(Mark::Square, at + 2, 2, end)? + 2),
            byte if byte.is_ascii_alphabetic() => {
                let name = rest.get(1..)?;
                if let Some(len) = entity_len(name) {
                    return Some(at + 1 + len);
                }
                let mut len = 1 + name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                len += usize::from(rest.get(len) == Some(&b'*'));
                while let Some(argument) = argument(rest.get(len..)?) {
                    len += argument;
                }
                Some(at + len)
            }
            _ => None,
        }
    }

    fn angle(&mut self, at: usize, rest: &[u8], end: usize, set: u16, out: &mut Objects) -> Option<usize> {
        if rest.starts_with(b"<<") {
            if set & TARGET == 0 {
                return None;
            }
            let (kind, signs) =
                if target(rest, 3).is_some() { (TargetKind::Radio, 3) } else { (TargetKind::Plain, 2) };
            let len = target(rest, signs)?;
            let value = Span::new(at + signs, at + signs + len);
            let span = Span::new(self.base + at, self.base + value.end + signs);
            let shown = Span::new(self.base + value.begin, self.base + value.end);
            out.targets.push(Target { kind, span, value: shown, node: self.node });
            if kind == TargetKind::Radio {
                self.wait(value.begin, value.end, MINIMAL);
            }
            return Some(value.end + signs);
        }
        if set & STAMP != 0
            && let Some(stamp) = self.stamp(at, end, out)
        {
            return Some(stamp);
        }
        if set & LINK == 0 {
            return None;
        }
        let name = link::type_at(rest.get(1..)?)?;
        let close = self.next(Mark::Angle, at + 1, 1, end)?;
        let found = link::angle(self.text, at, name, close)?;
        self.push_link(out, found);
        Some(found.span.end)
    }

    fn stamp(&mut self, at: usize, end: usize, out: &mut Objects) -> Option<usize> {
        let stamp = timestamp::read(self.bytes, self.base + at, self.base + end)?;
        out.timestamps.push((stamp, self.node));
        Some(stamp.span.end - self.base)
    }

    fn square(&mut self, at: usize, rest: &[u8], end: usize, set: u16, out: &mut Objects) -> Option<usize> {
        match rest.get(1)? {
            b'[' if set & LINK != 0 => {
                let path = link::path_len(rest)?;
                let tail = at + 2 + path;
                let found = if self.get(tail, end).starts_with(b"][") {
                    let close = self.next(Mark::Link, tail + 3, 2, end)?;
                    Found::bracket(at, Span::new(at + 2, tail), Some(Span::new(tail + 2, close)), close + 2)
                } else if self.get(tail, end).starts_with(b"]]") {
                    Found::bracket(at, Span::new(at + 2, tail), None, tail + 2)
                } else {
                    return None;
                };
                self.push_link(out, found);
                Some(found.span.end)
            }
            b'f' | b'F' if set & FOOTNOTE != 0 => self.footnote(at, rest, end, out),
            b'c' if set & CITATION != 0 => self.citation(at, rest, end),
            b'%' | b'/' | b'0'..=b'9' => {
                if set & STAMP != 0
                    && let Some(stamp) = self.stamp(at, end, out)
                {
                    return Some(stamp);
                }
                if set & COOKIE == 0 {
                    return None;
                }
                let len = cookie(rest)?;
                let span = Span::new(self.base + at, self.base + at + len);
                out.cookies.push(Statistics { span, node: self.node });
                Some(at + len)
            }
            _ => None,
        }
    }

    fn footnote(&mut self, at: usize, rest: &[u8], end: usize, out: &mut Objects) -> Option<usize> {
        let inner =
            rest.get(4..).filter(|_| rest.get(..4).is_some_and(|h| h.eq_ignore_ascii_case(b"[fn:")))?;
        let len = label_len(inner);
        let inline = match inner.get(len)? {
            b':' => true,
            b']' if len > 0 => false,
            _ => return None,
        };
        let close = self.bracketed(at, b'[', end)?;
        let label = Span::new(self.base + at + 4, self.base + at + 4 + len);
        let span = Span::new(self.base + at, self.base + close);
        let label = (len > 0).then_some(label);
        out.footnotes.push(Note { label, span, definition: false, node: self.node });
        if inline {
            self.wait(at + 5 + len, close - 1, STANDARD);
        }
        Some(close)
    }

    fn citation(&mut self, at: usize, rest: &[u8], end: usize) -> Option<usize> {
        let style = rest.strip_prefix(b"[cite")?;
        let mut len = 0;
        if style.first() == Some(&b'/') {
            let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-');
            len = 1 + style.get(1..)?.iter().take_while(|byte| word(byte)).count();
        }
        (style.get(len) == Some(&b':') && len != 1).then_some(())?;
        let close = self.bracketed(at, b'[', end)?;
        let inner = self.get(at + 6 + len, close - 1);
        let key = memchr::memchr_iter(b'@', inner).any(|key| {
            inner
                .get(key + 1)
                .is_some_and(|b| b.is_ascii_alphanumeric() || b"-.:?!`'/*@+|(){}<>&_^$#%~".contains(b))
        });
        key.then_some(())?;
        self.wait(at + 6 + len, close - 1, MINIMAL);
        Some(close)
    }
}

/// Length of the bracketed text with at most three levels, all groups of one level alike
/// (`org-match-sexp-depth`, and its regular expression as it is).
fn nested(text: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    let (mut deep, mut shallow, mut inner) = (false, false, 0);
    for at in memchr::memchr2_iter(open, close, text) {
        if text.get(at) == Some(&open) {
            depth += 1;
            match depth {
                2 => inner = 0,
                3 => inner += 1,
                4 => return None,
                _ => {}
            }
        } else {
            match depth {
                1 => return (!(deep && shallow)).then_some(at + 1),
                2 if inner > 0 => deep = true,
                2 => shallow = true,
                _ => {}
            }
            depth -= 1;
        }
    }
    None
}

/// Length of `[..]` or `{..}` behind a LaTeX macro.
fn argument(text: &[u8]) -> Option<usize> {
    let close = match text.first()? {
        b'[' => b']',
        b'{' => b'}',
        _ => return None,
    };
    let inner = text.get(1..)?;
    let stops = |byte: &u8| match byte {
        b'\n' | b'{' | b'}' => true,
        b'[' | b']' => close == b']',
        _ => false,
    };
    let len = inner.iter().position(stops)?;
    (inner.get(len) == Some(&close)).then_some(len + 2)
}

/// Length of the value of a target with so many angles.
fn target(rest: &[u8], signs: usize) -> Option<usize> {
    let (open, inner) = rest.split_at_checked(signs)?;
    open.iter().all(|byte| *byte == b'<').then_some(())?;
    let len = memchr::memchr3(b'<', b'>', b'\n', inner)?;
    let value = inner.get(..len)?;
    let ends = value.first().is_some_and(|b| !is_blank(*b)) && value.last().is_some_and(|b| !is_blank(*b));
    let tail = inner.get(len..len + signs)?;
    (ends && tail.iter().all(|byte| *byte == b'>')).then_some(len)
}

/// Length of `[1/2]` or `[50%]`.
fn cookie(rest: &[u8]) -> Option<usize> {
    let digits = |at: usize| at + rest.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = digits(1);
    match rest.get(at)? {
        b'%' => at += 1,
        b'/' => at = digits(at + 1),
        _ => return None,
    }
    (rest.get(at) == Some(&b']')).then_some(at + 1)
}
