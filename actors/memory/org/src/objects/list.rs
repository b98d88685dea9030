//! Plain lists: where their items begin and end. One pass over the lines; depth is a stack on the heap.

use super::section::{Section, starts_fold, word_len};
use crate::span::{Span, is_blank};

/// The state of a checkbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checkbox {
    /// `[ ]`
    Off,
    /// `[X]`
    On,
    /// `[-]`
    Partial,
}

/// An item of a list, as lines of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) indent: usize,
    /// Line behind it.
    pub(super) end: usize,
}

/// What stands at the begin of an item's line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) checkbox: Option<(Checkbox, Span)>,
    /// The tag before `::`.
    pub(super) tag: Option<Span>,
    /// Begin of the text.
    pub(super) body: usize,
}

/// Returns the length of the bullet when a line begins an item.
pub(super) fn bullet(section: &Section, bytes: &[u8], number: usize) -> Option<usize> {
    let line = section.lines.get(number)?;
    let text = bytes.get(line.text..line.end)?;
    let len = match text.first()? {
        b'-' | b'+' => 1,
        b'*' if line.text > line.begin => 1,
        b'0'..=b'9' => {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            matches!(text.get(digits), Some(b'.' | b')')).then_some(digits + 1)?
        }
        _ => return None,
    };
    text.get(len).is_none_or(|byte| is_blank(*byte)).then_some(len)
}

/// Reads bullet, counter, checkbox and tag of the item at a line.
pub(super) fn head(section: &Section, bytes: &[u8], number: usize) -> Option<Head> {
    let len = bullet(section, bytes, number)?;
    let line = section.lines.get(number)?;
    let text = bytes.get(line.text..line.end)?;
    let ordered = text.first().is_some_and(u8::is_ascii_digit);
    let blanks =
        |at: usize| at + text.get(at..).unwrap_or_default().iter().take_while(|b| is_blank(**b)).count();
    let mut at = blanks(len);
    if let Some(counter) = counter(text.get(at..)?) {
        at = blanks(at + counter);
    }
    let mut checkbox = None;
    if let Some([b'[', mark @ (b' ' | b'X' | b'x' | b'-'), b']']) = text.get(at..at + 3)
        && text.get(at + 3).is_none_or(|byte| is_blank(*byte))
    {
        let state = match mark {
            b' ' => Some(Checkbox::Off),
            b'X' => Some(Checkbox::On),
            b'-' => Some(Checkbox::Partial),
            _ => None,
        };
        let span = Span::new(line.text + at, line.text + at + 3);
        checkbox = state.map(|state| (state, span));
        at = blanks(at + 3);
    }
    let rest = text.get(at..)?;
    let tag = tag_len(rest);
    let body = match tag {
        Some((_, next)) if !ordered => at + next,
        Some(_) | None => at,
    };
    let tag = tag.filter(|_| !ordered).map(|(len, _)| Span::new(line.text + at, line.text + at + len));
    Some(Head { checkbox, tag, body: line.text + body })
}

/// `[@5]`, `[@start:5]`, `[@c]`.
fn counter(text: &[u8]) -> Option<usize> {
    let mut at = 2;
    let rest = text.strip_prefix(b"[@")?;
    if starts_fold(rest, b"start:") {
        at += 6;
    }
    let value = text.get(at..)?;
    let len = match value.first()? {
        b'0'..=b'9' => value.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        byte if byte.is_ascii_alphabetic() => 1,
        _ => return None,
    };
    (value.get(len) == Some(&b']')).then_some(at + len + 1)
}

/// Length of the tag before the last `::`, and where the text behind it begins.
fn tag_len(text: &[u8]) -> Option<(usize, usize)> {
    let mut end = text.len();
    while let Some(at) = memchr::memmem::rfind(text.get(..end)?, b"::") {
        let front = text.get(..at)?;
        let behind = text.get(at + 2..)?;
        let apart = front.last().is_some_and(|byte| is_blank(*byte));
        if apart && behind.first().is_none_or(|byte| is_blank(*byte)) {
            let blanks = behind.iter().take_while(|byte| is_blank(**byte)).count();
            // The blanks before the colons belong to the longest tag but for the last one.
            return Some((front.len() - 1, at + 2 + blanks));
        }
        end = at + 1;
    }
    None
}

/// Finds the items of the list that begins at `from`, in the order of their lines.
pub(super) fn structure(section: &Section, bytes: &[u8], from: usize, limit: usize) -> Vec<Row> {
    let (mut done, mut open): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    let mut line = from;
    let close = |open: &mut Vec<Row>, done: &mut Vec<Row>, end: usize| {
        if let Some(mut row) = open.pop() {
            row.end = end;
            done.push(row);
        }
    };
    while line < limit {
        if section.is_blank(line) {
            // Two blank lines end every list; one at the end of the section is no second one.
            if line + 1 < section.lines.len() && section.is_blank(line + 1) {
                while !open.is_empty() {
                    close(&mut open, &mut done, line);
                }
                break;
            }
            line += 1;
            continue;
        }
        let indent = section.indent(bytes, line);
        if bullet(section, bytes, line).is_some() {
            while open.last().is_some_and(|row| indent <= row.indent) {
                close(&mut open, &mut done, line);
            }
            open.push(Row { line, indent, end: line + 1 });
            line += 1;
            continue;
        }
        if open.last().is_some_and(|row| indent <= row.indent) {
            let end = section.trim_white(bytes, from, line);
            while open.last().is_some_and(|row| indent <= row.indent) {
                close(&mut open, &mut done, end);
            }
            if open.is_empty() {
                break;
            }
        }
        line = skip(section, bytes, line, limit) + 1;
    }
    if !open.is_empty() {
        let end = section.trim_white(bytes, from, limit);
        while !open.is_empty() {
            close(&mut open, &mut done, end);
        }
    }
    done.sort_unstable_by_key(|row| row.line);
    done
}

/// Returns the last line of the block or drawer that begins in a line, else the line itself.
fn skip(section: &Section, bytes: &[u8], line: usize, limit: usize) -> usize {
    let text = section.text(bytes, line);
    let found = match text {
        [b'#', b'+', rest @ ..] if starts_fold(rest, b"begin_") => {
            let name = rest.get(6..).unwrap_or_default();
            let name = name.get(..word_len(name)).unwrap_or_default();
            if name.is_empty() { None } else { section.block_end(name, line, limit) }
        }
        [b'#', b'+', rest @ ..] if starts_fold(rest, b"begin:") => section.dynamic_end_in_list(line, limit),
        [b':', ..] if super::line::drawer_name(text).is_some() => section.drawer_end(line, limit),
        _ => None,
    };
    found.unwrap_or(line)
}
