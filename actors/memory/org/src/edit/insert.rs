//! Puts a new entry at a place in the tree. It must not take over entries that stand around it.

use super::{behind, checked, insert_lines, node_of};
use crate::{
    error::Error,
    escape,
    scan::Doc,
    splice::{Scope, Splice},
};

/// Where a new entry goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before an entry, on its level.
    Before(usize),
    /// Behind the subtree of an entry, on its level.
    After(usize),
    /// Under an entry, before its other children.
    FirstChild(usize),
    /// Under an entry, behind its other children.
    LastChild(usize),
    /// Before the first entry of the file.
    Top,
    /// At the end of the file, on the first level.
    End,
}

/// A new entry. Texts are foreign: they are escaped here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Draft {
    /// A keyword that the file defines.
    pub keyword: Option<String>,
    /// The letter of `[#A]`.
    pub priority: Option<char>,
    /// The title.
    pub title: String,
    /// Tags without colons.
    pub tags: Vec<String>,
    /// The text below.
    pub body: String,
}

/// Inserts an entry.
///
/// # Errors
/// [`Error::NoEntry`] when the place does not exist, [`Error::NoKeyword`] and [`Error::Argument`] for a draft that
/// cannot be written.
pub fn insert_entry(bytes: &[u8], doc: &Doc, place: Place, draft: &Draft) -> Result<Vec<Splice>, Error> {
    let (at, level, index) = match place {
        Place::Before(index) => {
            let node = node_of(doc, index)?;
            (node.begin, node.level, index)
        }
        Place::After(index) => {
            let node = node_of(doc, index)?;
            (node.end, node.level, behind(doc, index))
        }
        Place::FirstChild(index) => {
            let node = node_of(doc, index)?;
            let child = doc.nodes.get(index + 1).filter(|child| child.parent == Some(index));
            (node.own_end, child.map_or(node.level + 1, |child| child.level), index + 1)
        }
        Place::LastChild(index) => {
            let node = node_of(doc, index)?;
            (node.end, node.level + 1, behind(doc, index))
        }
        Place::Top => {
            let first = doc.nodes.first();
            (doc.preamble.end, first.map_or(1, |node| node.level), 0)
        }
        Place::End => (bytes.len(), 1, doc.nodes.len()),
    };
    let (headline, title) = headline(doc, level, draft)?;
    let mut text = vec![headline];
    let mut body = escape::body(&draft.body);
    if crate::meta::planning(body.as_bytes(), 0, body.len(), crate::Newline::Lf).is_some() {
        body.insert(0, '\n');
    }
    if !body.is_empty() {
        text.extend(body.split('\n').map(str::to_owned));
    }
    let mut splices = Vec::new();
    if bytes == b"\xEF\xBB\xBF" {
        let end = doc.newline.as_str();
        splices.push(Splice::insert(at, text.join(end) + end));
    } else {
        insert_lines(bytes, doc, at, &text, &mut splices);
    }
    let scope = Scope { added: index..index + 1, ..Scope::default() };
    checked(bytes, doc, splices, &scope, |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            new.level == level
                && new.title.of(after) == title.as_bytes()
                && new.keyword.map(|span| span.text(after)) == draft.keyword
                && new.planning.is_none()
                && new.drawer.is_none()
        })
    })
}

/// Returns the headline and its title as it must read back.
fn headline(doc: &Doc, level: usize, draft: &Draft) -> Result<(String, String), Error> {
    let title = escape::title(&draft.title, &doc.keywords);
    if title.is_empty() {
        return Err(Error::Argument { what: "title" });
    }
    let mut line = "*".repeat(level);
    if let Some(word) = &draft.keyword {
        doc.keywords.state(word.as_bytes()).ok_or(Error::NoKeyword { what: "such" })?;
        line.push(' ');
        line.push_str(word);
    }
    if let Some(letter) = draft.priority {
        if !letter.is_ascii_alphanumeric() {
            return Err(Error::Argument { what: "priority" });
        }
        line.push_str(&format!(" [#{}]", letter.to_ascii_uppercase()));
    }
    line.push(' ');
    line.push_str(&title);
    let mut tags: Vec<String> = Vec::new();
    for tag in &draft.tags {
        let tag = escape::tag(tag).ok_or(Error::Argument { what: "tag" })?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        line.push_str(&format!(" :{}:", tags.join(":")));
    }
    Ok((line, title))
}
