//! Toggles a checkbox, with the boxes of the items above it and the cookies of its entry, as Emacs counts them.

use super::{checked, cookie, node_of, touching};
use crate::{
    block,
    error::Error,
    scan::{Doc, Node},
    span::{Line, Span, is_blank, lines, skip_blanks, trim},
    splice::Splice,
};
use std::collections::BTreeMap;

/// A list item.
#[derive(Clone, Copy, Debug)]
struct Item {
    line: Span,
    indent: usize,
    /// The character in the box.
    mark: Option<(usize, u8)>,
    parent: Option<usize>,
    list: usize,
}

/// What follows the bullet of an item: its box, if it has one.
#[derive(Clone, Copy, Debug)]
struct Bullet {
    mark: Option<(usize, u8)>,
}

/// The items of an entry, and its cookies with the item that each stands in.
#[derive(Debug, Default)]
struct Lists {
    items: Vec<Item>,
    cookies: Vec<(Span, Option<usize>)>,
}

/// Toggles the box of the list item whose line holds the byte `at`.
///
/// # Errors
/// [`Error::Missing`] when that line is no item with a box.
pub fn toggle_checkbox(bytes: &[u8], doc: &Doc, index: usize, at: usize) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let mut lists = read(bytes, doc, node);
    let here = |item: &Item| item.line.begin <= at && at < item.line.end.max(item.line.begin + 1);
    let missing = Error::Missing { what: "checkbox" };
    let item = lists.items.iter().position(here).ok_or(missing.clone())?;
    let list = {
        let found = lists.items.get_mut(item).ok_or(missing.clone())?;
        let (_, mark) = found.mark.as_mut().ok_or(missing)?;
        *mark = if *mark == b'X' { b' ' } else { b'X' };
        found.list
    };
    settle(&mut lists.items, list);
    let mut splices: Vec<Splice> = Vec::new();
    for (place, mark) in lists.items.iter().filter_map(|item| item.mark) {
        splices.push(Splice::replace(Span::new(place, place + 1), [mark]));
    }
    splices.extend(counted(bytes, doc, node, &lists));
    checked(bytes, doc, splices, &touching(&[index]), |_, _| true)
}

/// Counts the boxes of an entry anew; `None` when it has none.
pub(super) fn recounted(bytes: &[u8], doc: &Doc, node: &Node) -> Option<Vec<Splice>> {
    let lists = read(bytes, doc, node);
    lists.items.iter().any(|item| item.mark.is_some()).then(|| counted(bytes, doc, node, &lists))
}

/// Writes the cookies of an entry as its boxes call for.
fn counted(bytes: &[u8], doc: &Doc, node: &Node, lists: &Lists) -> Vec<Splice> {
    let mut splices = Vec::new();
    let data = node.property(bytes, doc.newline, "COOKIE_DATA").map(|value| value.text(bytes).to_lowercase());
    let data = data.unwrap_or_default();
    let says = |word: &str| data.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    if !says("todo") {
        for (cookie, holder) in &lists.cookies {
            let (done, total) = count(&lists.items, *holder, says("recursive"));
            splices.push(Splice::replace(*cookie, cookie::written(cookie.of(bytes), done, total)));
        }
    }
    splices
}

/// Gives each item that has a box and items with boxes below it the mark that these call for, deepest first.
fn settle(items: &mut [Item], list: usize) {
    let mut below: BTreeMap<usize, [bool; 3]> = BTreeMap::new();
    for index in (0..items.len()).rev() {
        let Some(item) = items.get_mut(index).filter(|item| item.list == list) else { continue };
        if let (Some((_, mark)), Some([off, on, part])) = (item.mark.as_mut(), below.get(&index)) {
            *mark = match (off, on, part) {
                (_, _, true) | (true, true, false) => b'-',
                (false, true, false) => b'X',
                (true, false, false) => b' ',
                (false, false, false) => *mark,
            };
        }
        if let (Some(parent), Some((_, mark))) = (item.parent, item.mark) {
            let seen = below.entry(parent).or_default();
            let [off, on, part] = seen;
            *off |= mark == b' ';
            *on |= mark == b'X';
            *part |= mark == b'-';
        }
    }
}

/// Counts the boxes directly below an item, or those of the outermost items; all of them if asked.
fn count(items: &[Item], holder: Option<usize>, recursive: bool) -> (usize, usize) {
    let within = |mut at: usize| {
        while let Some(parent) = items.get(at).and_then(|item| item.parent) {
            if Some(parent) == holder {
                return true;
            }
            at = parent;
        }
        holder.is_none()
    };
    let counted = |(index, item): &(usize, &Item)| {
        item.parent == holder || (recursive && within(*index) && Some(*index) != holder)
    };
    let marks = items.iter().enumerate().filter(counted).filter_map(|(_, item)| item.mark);
    let (mut done, mut total) = (0, 0);
    for (_, mark) in marks {
        total += 1;
        done += usize::from(mark == b'X');
    }
    (done, total)
}

fn read(bytes: &[u8], doc: &Doc, node: &Node) -> Lists {
    let body = Span::new(node.body, node.own_end);
    let hidden = block::verbatim(bytes, body, doc.newline);
    let mut lists = Lists::default();
    let head = cookie::all(bytes, Span::new(node.begin, node.line_end));
    lists.cookies.extend(head.into_iter().map(|cookie| (cookie, None)));
    let mut open: Vec<usize> = Vec::new();
    let (mut blanks, mut list, mut next) = (0, 0, 0);
    for line in lines(bytes, body, doc.newline) {
        let at = line.content.begin;
        while hidden.get(next).is_some_and(|span| span.end <= at) {
            next += 1;
        }
        if hidden.get(next).is_some_and(|span| span.begin <= at) {
            continue;
        }
        if trim(bytes, line.content).is_empty() {
            blanks += 1;
            if blanks > 1 {
                open.clear();
            }
            continue;
        }
        blanks = 0;
        let indent = indent(bytes, line.content);
        if open.is_empty() {
            list += 1;
        }
        while open.last().and_then(|at| lists.items.get(*at)).is_some_and(|item| item.indent >= indent) {
            open.pop();
        }
        if let Some(Bullet { mark }) = item(bytes, line) {
            let parent = open.last().copied();
            open.push(lists.items.len());
            lists.items.push(Item { line: line.content, indent, mark, parent, list });
        }
        let holder = open.last().copied();
        lists.cookies.extend(cookie::all(bytes, line.content).into_iter().map(|cookie| (cookie, holder)));
    }
    lists
}

/// The column of the first character; a TAB goes to the next multiple of eight.
fn indent(bytes: &[u8], content: Span) -> usize {
    let text = content.of(bytes).iter().take_while(|byte| is_blank(**byte));
    text.fold(0, |column, byte| if *byte == b'\t' { column / 8 * 8 + 8 } else { column + 1 })
}

/// Reads a bullet; inside is the box, if there is one.
fn item(bytes: &[u8], line: Line) -> Option<Bullet> {
    let text = skip_blanks(bytes, line.content);
    let rest = text.of(bytes);
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let len = match rest.first()? {
        b'-' | b'+' => 1,
        b'*' if text.begin > line.content.begin => 1,
        b'0'..=b'9' if matches!(rest.get(digits), Some(b'.' | b')')) => digits + 1,
        _ => return None,
    };
    if !rest.get(len).is_none_or(|byte| is_blank(*byte)) {
        return None;
    }
    let mut inner = skip_blanks(bytes, Span::new(text.begin + len, text.end));
    if inner.of(bytes).starts_with(b"[@")
        && let Some(close) = memchr::memchr(b']', inner.of(bytes))
    {
        inner = skip_blanks(bytes, Span::new(inner.begin + close + 1, inner.end));
    }
    let mark = match inner.of(bytes) {
        [b'[', mark @ (b' ' | b'X' | b'-'), b']', tail @ ..]
            if tail.first().is_none_or(|byte| is_blank(*byte)) =>
        {
            Some((inner.begin + 1, *mark))
        }
        _ => None,
    };
    Some(Bullet { mark })
}
