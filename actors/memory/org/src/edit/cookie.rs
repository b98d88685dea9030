//! Statistics cookies `[1/3]` and `[33%]` of headlines above a task. It must not touch the words around them.

use crate::{
    keyword::State,
    scan::{Doc, Node},
    span::Span,
    splice::Splice,
};

/// Finds the cookies of a range.
pub(super) fn all(bytes: &[u8], range: Span) -> Vec<Span> {
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'[', range.of(bytes)) {
        let begin = range.begin + at;
        let rest = Span::new(begin + 1, range.end).of(bytes);
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let first = digits(rest);
        let len = match rest.get(first) {
            Some(b'%') => first + 1,
            Some(b'/') => first + 1 + digits(rest.get(first + 1..).unwrap_or_default()),
            Some(_) | None => continue,
        };
        if rest.get(len) == Some(&b']') {
            found.push(Span::new(begin, begin + len + 2));
        }
    }
    found
}

/// Writes a cookie of the same form with new numbers.
pub(super) fn written(old: &[u8], done: usize, total: usize) -> String {
    if old.contains(&b'%') {
        format!("[{}%]", done * 100 / total.max(1))
    } else {
        format!("[{done}/{total}]")
    }
}

/// Returns the value of `COOKIE_DATA` that holds for an entry, and the entry that sets it.
fn data(bytes: &[u8], doc: &Doc, index: usize) -> Option<(usize, String)> {
    let mut at = Some(index);
    while let Some(index) = at {
        let node = doc.nodes.get(index)?;
        if let Some(value) = node.property(bytes, doc.newline, "COOKIE_DATA") {
            return Some((index, value.text(bytes).to_lowercase()));
        }
        at = node.parent;
    }
    None
}

fn says(value: &str, word: &str) -> bool {
    value.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

/// Updates the cookies of the entry above `index`, which now has this state; further up only if `COOKIE_DATA` says
/// `recursive`. Returns the entries touched and the splices.
pub(super) fn of_parents(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    state: Option<State>,
) -> (Vec<usize>, Vec<Splice>) {
    let (mut touched, mut splices) = (Vec::new(), Vec::new());
    let Some(node) = doc.nodes.get(index) else {
        return (touched, splices);
    };
    let above = node.parent.and_then(|parent| data(bytes, doc, parent));
    let recursive = above.as_ref().is_some_and(|(_, value)| says(value, "recursive"));
    let mut at = node.parent;
    while let Some(parent) = at {
        let Some(found) = doc.nodes.get(parent) else { break };
        let own = found.property(bytes, doc.newline, "COOKIE_DATA").map(|value| value.text(bytes));
        if own.is_some_and(|value| says(&value.to_lowercase(), "checkbox")) {
            break;
        }
        let level = if recursive { None } else { Some(node.level) };
        let (done, total) =
            count(doc, parent, level, |at, child| if at == index { state } else { child.state });
        let before = splices.len();
        for cookie in all(bytes, Span::new(found.begin, found.line_end)) {
            splices.push(Splice::replace(cookie, written(cookie.of(bytes), done, total)));
        }
        if splices.len() > before {
            touched.push(parent);
        }
        let top = above.as_ref().is_some_and(|(setter, _)| *setter == parent);
        at = if recursive && !top { found.parent } else { None };
    }
    (touched, splices)
}

/// Updates the cookies of the entry above one that leaves.
pub(super) fn without(bytes: &[u8], doc: &Doc, index: usize) -> (Vec<usize>, Vec<Splice>) {
    let parent = doc.nodes.get(index).and_then(|node| node.parent);
    let Some((parent, found)) = parent.and_then(|at| Some((at, doc.nodes.get(at)?))) else {
        return (Vec::new(), Vec::new());
    };
    let own = data(bytes, doc, parent).map_or_else(String::new, |(_, value)| value);
    if says(&own, "checkbox") {
        return (Vec::new(), Vec::new());
    }
    if !says(&own, "todo")
        && let Some(splices) = super::checkbox::recounted(bytes, doc, found)
    {
        let touched = if splices.is_empty() { Vec::new() } else { vec![parent] };
        return (touched, splices);
    }
    let going = doc.nodes.get(index).map(Node::subtree).unwrap_or_default();
    let stays = |node: &Node| node.begin < going.begin || node.begin >= going.end;
    let inside = |node: &&Node| node.begin > found.begin && node.begin < found.end && stays(node);
    let left = doc.nodes.iter().filter(inside).map(|node| node.level).next();
    let level = if says(&own, "recursive") { None } else { left };
    let (done, total) = count(doc, parent, level, |_, node| node.state.filter(|_| stays(node)));
    let mut splices = Vec::new();
    for cookie in all(bytes, Span::new(found.begin, found.line_end)) {
        let old = cookie.of(bytes);
        let none = left.is_none() && old.contains(&b'%');
        let text = if none { "[100%]".to_owned() } else { written(old, done, total) };
        splices.push(Splice::replace(cookie, text));
    }
    let touched = if splices.is_empty() { Vec::new() } else { vec![parent] };
    (touched, splices)
}

/// Counts done tasks and all tasks below an entry, of one level or of all.
fn count(
    doc: &Doc,
    parent: usize,
    level: Option<usize>,
    state: impl Fn(usize, &Node) -> Option<State>,
) -> (usize, usize) {
    let end = doc.nodes.get(parent).map_or(0, |node| node.end);
    let (mut done, mut total) = (0, 0);
    for (index, node) in
        doc.nodes.iter().enumerate().skip(parent + 1).take_while(|(_, node)| node.begin < end)
    {
        if level.is_some_and(|level| level != node.level) {
            continue;
        }
        if let Some(state) = state(index, node) {
            total += 1;
            done += usize::from(state.is_done());
        }
    }
    (done, total)
}
