//! Priority, tags and title of a headline. Each has its own span; the rest of the line stays as it is.

use super::{checked, node_of, touching};
use crate::{
    error::Error,
    escape,
    scan::{Doc, Node},
    span::{Span, is_blank, trim},
    splice::Splice,
};

/// Sets or clears the priority.
///
/// # Errors
/// [`Error::Argument`] for another character than an ASCII letter or digit, [`Error::Missing`] when there is none to
/// clear.
pub fn set_priority(bytes: &[u8], doc: &Doc, index: usize, to: Option<char>) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let letter = to.map(|letter| letter.to_ascii_uppercase());
    if letter.is_some_and(|letter| !letter.is_ascii_alphanumeric()) {
        return Err(Error::Argument { what: "priority" });
    }
    let splice = match (node.priority, letter) {
        (Some(old), Some(letter)) => Splice::replace(old, letter.to_string()),
        (Some(old), None) => {
            let end = old.end + 1;
            let blank = bytes.get(end).is_some_and(|byte| is_blank(*byte) && end < node.line_end);
            Splice::replace(Span::new(old.begin - 2, end + usize::from(blank)), "")
        }
        (None, Some(letter)) => match node.keyword {
            Some(keyword) => Splice::insert(keyword.end, format!(" [#{letter}]")),
            None => Splice::insert(first(bytes, node), format!("[#{letter}] ")),
        },
        (None, None) => return Err(Error::Missing { what: "priority" }),
    };
    checked(bytes, doc, vec![splice], &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            let now = new.priority.map(|span| span.text(after));
            now == letter.map(|letter| letter.to_string())
                && kept(bytes, node, after, new, [true, true, true])
        })
    })
}

/// Where the text of a headline begins, behind the blanks that follow its stars.
fn first(bytes: &[u8], node: &Node) -> usize {
    let begin = node.begin + node.level;
    let rest = Span::new(begin, node.line_end).of(bytes);
    begin + rest.iter().take_while(|byte| is_blank(**byte)).count()
}

/// Says whether keyword, title and tags read as before, each if asked.
fn kept(bytes: &[u8], old: &Node, after: &[u8], new: &Node, [keyword, title, tags]: [bool; 3]) -> bool {
    let text = |span: Option<Span>, bytes: &[u8]| span.map(|span| span.of(bytes).to_vec());
    (!keyword || text(old.keyword, bytes) == text(new.keyword, after))
        && (!title || old.title.of(bytes) == new.title.of(after))
        && (!tags || text(old.tags, bytes) == text(new.tags, after))
        && old.commented == new.commented
}

/// Replaces the own tags; an empty list clears them. Tags are escaped, doubles are dropped.
///
/// # Errors
/// [`Error::Argument`] for a word of which no tag can be made.
pub fn set_tags(bytes: &[u8], doc: &Doc, index: usize, to: &[&str]) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let mut tags: Vec<String> = Vec::new();
    for tag in to {
        let tag = escape::tag(tag).ok_or(Error::Argument { what: "tag" })?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let written = format!(":{}:", tags.join(":"));
    let line = Span::new(node.begin + node.level, node.line_end);
    let splice = match node.tags {
        Some(old) if !tags.is_empty() => Splice::replace(old, written.as_str()),
        Some(old) => {
            let head = Span::new(line.begin, old.begin).of(bytes);
            let blanks = head.iter().rev().take_while(|byte| is_blank(**byte)).count();
            // A headline needs the blank behind its stars.
            let begin = (old.begin - blanks).max(line.begin + 1);
            Splice::replace(Span::new(begin, node.line_end), "")
        }
        None if tags.is_empty() => Splice::insert(node.line_end, ""),
        None => {
            let end = trim(bytes, line).end;
            if end > line.begin {
                Splice::insert(end, format!(" {written}"))
            } else {
                Splice::insert(node.line_end, written.as_str())
            }
        }
    };
    checked(bytes, doc, vec![splice], &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            let now: Vec<&str> = new.own_tags(after).collect();
            now == tags && kept(bytes, node, after, new, [true, true, false])
        })
    })
}

/// Replaces the title, escaped; keyword, priority, tags and a statistics cookie stay.
///
/// # Errors
/// [`Error::Argument`] for an empty title.
pub fn set_title(bytes: &[u8], doc: &Doc, index: usize, to: &str) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let mut title = escape::title(to, &doc.keywords);
    if title.is_empty() {
        return Err(Error::Argument { what: "title" });
    }
    if let Some(cookie) = super::cookie::all(bytes, node.title).first()
        && super::cookie::all(title.as_bytes(), Span::new(0, title.len())).is_empty()
    {
        title = format!("{title} {}", cookie.text(bytes));
    }
    let splice = if node.title.is_empty() {
        let before = node.title.begin.checked_sub(1).and_then(|at| bytes.get(at));
        let apart = if before.is_some_and(|byte| is_blank(*byte)) { "" } else { " " };
        let tail = if node.tags.is_some() { " " } else { "" };
        Splice::insert(node.title.begin, format!("{apart}{title}{tail}"))
    } else {
        Splice::replace(node.title, title.as_str())
    };
    checked(bytes, doc, vec![splice], &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            new.title.of(after) == title.as_bytes() && kept(bytes, node, after, new, [true, false, true])
        })
    })
}
