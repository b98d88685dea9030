//! The text below a headline. Planning, properties, a `LOGBOOK` on top and children stay; foreign text is escaped.

use super::{checked, last_text, logbook, node_of, same_headline, touching};
use crate::{
    complete::insert_line,
    error::Error,
    escape, meta,
    scan::{Doc, Node},
    span::{Newline, Span, lines, trim},
    splice::Splice,
};

/// Escapes a text and gives its lines the file's line end, without one at the end.
fn prepared(bytes: &[u8], doc: &Doc, node: &Node, text: &str, at: usize) -> String {
    let mut text = escape::body(text);
    let directly = node.planning.is_none() && node.drawer.is_none() && at == node.body;
    if directly && meta::planning(text.as_bytes(), 0, text.len(), Newline::Lf).is_some() {
        // Behind a blank line it is text and no plan.
        text.insert(0, '\n');
    }
    debug_assert!(at <= bytes.len(), "the place lies in the file");
    text.replace('\n', doc.newline.as_str())
}

/// Where the text begins: behind a `LOGBOOK` that stands on top.
fn begin(bytes: &[u8], doc: &Doc, node: &Node) -> usize {
    match logbook::find(bytes, doc, node) {
        Some(found) if trim(bytes, Span::new(node.body, found.first)).is_empty() => found.behind,
        Some(_) | None => node.body,
    }
}

fn finish(bytes: &[u8], doc: &Doc, index: usize, splices: Vec<Splice>) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    checked(bytes, doc, splices, &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            let meta = |bytes: &[u8], node: &Node| {
                let planning = node.planning.unwrap_or_default().line.of(bytes).to_vec();
                let drawer = node.drawer.unwrap_or_default().span.of(bytes).to_vec();
                [planning, drawer].map(|text| text.trim_ascii_end().to_vec())
            };
            same_headline(bytes, node, after, new) && meta(bytes, node) == meta(after, new)
        })
    })
}

/// Replaces the text; blank lines before the next headline stay.
///
/// # Errors
/// [`Error::Verify`] when the text cannot be made harmless.
pub fn replace_body(bytes: &[u8], doc: &Doc, index: usize, text: &str) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let at = begin(bytes, doc, node);
    let old = Span::new(at, last_text(bytes, doc, Span::new(at, node.own_end)));
    let text = prepared(bytes, doc, node, text, at);
    let mut splices = Vec::new();
    if old.is_empty() && !text.is_empty() {
        insert_line(bytes, doc, at, &format!("{text}{}", doc.newline.as_str()), &mut splices);
    } else {
        let ended = old.of(bytes).ends_with(b"\n") && !text.is_empty();
        splices
            .push(Splice::replace(old, format!("{text}{}", if ended { doc.newline.as_str() } else { "" })));
    }
    finish(bytes, doc, index, splices)
}

/// Adds lines below the text, above the blank lines that stand before the next headline.
///
/// # Errors
/// [`Error::Argument`] when there is nothing to add.
pub fn append_body(bytes: &[u8], doc: &Doc, index: usize, text: &str) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let at = last_text(bytes, doc, Span::new(node.body, node.own_end));
    let text = prepared(bytes, doc, node, text, at);
    if text.is_empty() {
        return Err(Error::Argument { what: "text" });
    }
    let mut splices = Vec::new();
    insert_line(bytes, doc, at, &format!("{text}{}", doc.newline.as_str()), &mut splices);
    finish(bytes, doc, index, splices)
}

/// Replaces one passage of the text, which must occur exactly once.
///
/// # Errors
/// [`Error::Missing`] when it does not, [`Error::Argument`] when the new words would be more than text.
pub fn replace_text(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    old: &str,
    new: &str,
) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let body = Span::new(node.body, node.own_end);
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let (old, new) = (old.replace('\n', doc.newline.as_str()), new.replace('\n', doc.newline.as_str()));
    let mut hits = memchr::memmem::find_iter(body.of(bytes), old.as_bytes());
    let (Some(at), None, false) = (hits.next(), hits.next(), old.is_empty()) else {
        return Err(Error::Missing { what: "passage that occurs once" });
    };
    let gone = Span::new(body.begin + at, body.begin + at + old.len());
    let line = lines(bytes, body, doc.newline).find(|line| line.next > gone.begin);
    let head = Span::new(line.map_or(gone.begin, |line| line.content.begin), gone.begin);
    let tail = lines(bytes, Span::new(gone.end, body.end), doc.newline).next();
    let joined =
        [head.of(bytes), new.as_bytes(), tail.map_or(&[][..], |tail| tail.content.of(bytes))].concat();
    let joined = String::from_utf8_lossy(&joined).replace("\r\n", "\n");
    // Escaping would have to change words around the passage, so hostile words are refused instead.
    let at_begin = head.of(bytes).trim_ascii().is_empty();
    if (at_begin || new.chars().any(char::is_control)) && escape::body(&joined) != joined.trim_end() {
        return Err(Error::Argument { what: "replacement" });
    }
    finish(bytes, doc, index, vec![Splice::replace(gone, new)])
}

/// Adds a link as a line of its own below the text.
///
/// # Errors
/// [`Error::Argument`] for an empty target.
pub fn link(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    target: &str,
    description: Option<&str>,
) -> Result<Vec<Splice>, Error> {
    let target: String = target.trim().chars().filter(|c| !c.is_control()).collect();
    if target.is_empty() {
        return Err(Error::Argument { what: "link" });
    }
    let mut path = String::with_capacity(target.len());
    for c in target.chars() {
        if matches!(c, '[' | ']') {
            path.push('\\');
        }
        path.push(c);
    }
    if path.ends_with('\\') {
        path.push('\u{200B}');
    }
    let words = description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = match words.filter(|text| !text.is_empty()) {
        Some(words) => {
            let mut words = words.replace("]]", "]\u{200B}]");
            if words.ends_with(']') {
                words.push('\u{200B}');
            }
            format!("[[{path}][{words}]]")
        }
        None => format!("[[{path}]]"),
    };
    append_body(bytes, doc, index, &text)
}
