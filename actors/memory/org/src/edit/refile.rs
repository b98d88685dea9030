//! Moves subtrees: within a file, to another file, into an archive. Only stars change inside of what moves.

use super::{behind, checked, cookie, node_of, property};
use crate::{
    error::Error,
    scan::{Doc, Node, scan},
    span::{Newline, Span, lines},
    splice::{Scope, Splice, apply},
    stamp,
};
use jiff::civil::DateTime;

/// Returns a subtree on another level, with the line ends of another file and one at its end.
fn shifted(bytes: &[u8], doc: &Doc, index: usize, level: usize, newline: Newline) -> Result<Vec<u8>, Error> {
    let root = node_of(doc, index)?;
    let mut out = Vec::with_capacity(root.subtree().len() + 16);
    for node in doc.nodes.iter().skip(index).take_while(|node| node.begin < root.end) {
        let stars = (node.level + level).saturating_sub(root.level).max(1);
        out.extend(std::iter::repeat_n(b'*', stars));
        for line in lines(bytes, Span::new(node.begin + node.level, node.own_end), doc.newline) {
            out.extend_from_slice(line.content.of(bytes));
            out.extend_from_slice(newline.as_str().as_bytes());
        }
    }
    Ok(out)
}

/// Inserts a subtree at a place, behind a line end.
fn placed(bytes: &[u8], doc: &Doc, at: usize, text: Vec<u8>) -> Splice {
    if at == bytes.len() && at > 0 && !bytes.ends_with(b"\n") {
        Splice::insert(at, [doc.newline.as_str().as_bytes(), &text].concat())
    } else {
        Splice::insert(at, text)
    }
}

/// Where a subtree goes in a file: offset, index and level.
fn goal(bytes: &[u8], doc: &Doc, target: Option<usize>) -> Result<(usize, usize, usize), Error> {
    match target {
        Some(target) => {
            let node = node_of(doc, target)?;
            Ok((node.end, behind(doc, target), node.level + 1))
        }
        None => Ok((bytes.len(), doc.nodes.len(), 1)),
    }
}

/// Moves a subtree under another entry of the file as its last child, or to the end of the file on the first level.
///
/// # Errors
/// [`Error::IntoItself`] when the target lies within the subtree.
pub fn refile(bytes: &[u8], doc: &Doc, index: usize, target: Option<usize>) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let last = behind(doc, index);
    if target.is_some_and(|target| (index..last).contains(&target)) {
        return Err(Error::IntoItself);
    }
    let (at, place, level) = goal(bytes, doc, target)?;
    let text = shifted(bytes, doc, index, level, doc.newline)?;
    let count = last - index;
    let first = if place > index { place - count } else { place };
    // What ends the file without a line end leaves together with the place before it.
    let splices = vec![placed(bytes, doc, at, text), Splice::replace(node.subtree(), "")];
    let splices = if at == bytes.len() && node.end == at && !bytes.ends_with(b"\n") {
        let text = shifted(bytes, doc, index, level, doc.newline)?;
        vec![Splice::replace(node.subtree(), text)]
    } else {
        splices
    };
    let scope = Scope { removed: index..last, added: first..first + count, ..Scope::default() };
    let titles = |bytes: &[u8], nodes: &[Node]| -> Vec<(Vec<u8>, bool)> {
        nodes.iter().map(|node| (node.title.of(bytes).to_vec(), node.keyword.is_some())).collect()
    };
    let moved = titles(bytes, doc.nodes.get(index..last).unwrap_or_default());
    checked(bytes, doc, splices, &scope, |after, found| {
        let new = found.nodes.get(first..first + count).unwrap_or_default();
        titles(after, new) == moved && new.first().is_some_and(|node| node.level == level)
    })
}

/// Moves a subtree to another file. Returns the splices of the source and those of the target.
///
/// # Errors
/// [`Error::Verify`] when either file would change more than that, for example its keywords.
pub fn refile_to(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    target_bytes: &[u8],
    target_doc: &Doc,
    target: Option<usize>,
) -> Result<(Vec<Splice>, Vec<Splice>), Error> {
    let node = node_of(doc, index)?;
    let count = behind(doc, index) - index;
    let (at, first, level) = goal(target_bytes, target_doc, target)?;
    let text = shifted(bytes, doc, index, level, target_doc.newline)?;
    let come = vec![placed(target_bytes, target_doc, at, text)];
    let scope = Scope { added: first..first + count, ..Scope::default() };
    let come = checked(target_bytes, target_doc, come, &scope, |_, found| {
        found.nodes.get(first).is_some_and(|new| new.level == level)
    })?;
    let scope = Scope { removed: index..index + count, ..Scope::default() };
    let gone = checked(bytes, doc, vec![Splice::replace(node.subtree(), "")], &scope, |_, _| true)?;
    Ok((gone, come))
}

/// What an archived entry shall remember.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context<'a> {
    /// Name of the file it came from, as it shall be written.
    pub file: &'a str,
    /// The file's category, used unless a `CATEGORY` property holds.
    pub category: &'a str,
    /// When.
    pub now: DateTime,
}

/// An entry on its way into the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archived {
    /// The splices of the source.
    pub splices: Vec<Splice>,
    /// The subtree on the first level, with the `ARCHIVE_` properties; to be appended to the archive file.
    pub text: Vec<u8>,
}

/// Takes a subtree out of a file and makes the text for its archive.
///
/// # Errors
/// [`Error::Verify`] when the file would change more than that.
pub fn archive(bytes: &[u8], doc: &Doc, index: usize, context: Context<'_>) -> Result<Archived, Error> {
    let node = node_of(doc, index)?;
    let count = behind(doc, index) - index;
    let mut text = shifted(bytes, doc, index, 1, doc.newline)?;
    let keyword = node.keyword.map_or_else(String::new, |span| span.text(bytes));
    let time = stamp::inactive(context.now);
    let above = above(doc, index);
    let category = std::iter::once(index).chain(above.iter().copied()).find_map(|at| {
        let value = doc.nodes.get(at)?.property(bytes, doc.newline, "CATEGORY")?;
        Some(value.text(bytes)).filter(|value| !value.is_empty())
    });
    let values = [
        ("ARCHIVE_TIME", time.trim_matches(['[', ']']).to_owned()),
        ("ARCHIVE_FILE", context.file.to_owned()),
        ("ARCHIVE_OLPATH", path(bytes, doc, &above)),
        ("ARCHIVE_CATEGORY", category.unwrap_or_else(|| context.category.to_owned())),
        ("ARCHIVE_TODO", keyword),
        ("ARCHIVE_ITAGS", inherited(bytes, doc, node, &above)),
    ];
    for (key, value) in values.iter().filter(|(_, value)| !value.trim().is_empty()) {
        let moved = scan(&text);
        let mut splices = Vec::new();
        let root = moved.nodes.first().ok_or(Error::NoEntry)?;
        property::put(&text, &moved, root, key, value, &mut splices);
        text = apply(&text, &splices)?;
    }
    let (touched, mut splices) = cookie::without(bytes, doc, index);
    splices.push(Splice::replace(node.subtree(), ""));
    let scope = Scope { touched, removed: index..index + count, ..Scope::default() };
    let splices = checked(bytes, doc, splices, &scope, |_, _| true)?;
    Ok(Archived { splices, text })
}

/// Returns the entries above one, nearest first.
fn above(doc: &Doc, index: usize) -> Vec<usize> {
    let parent = |at: &usize| doc.nodes.get(*at).and_then(|node| node.parent);
    std::iter::successors(parent(&index), parent).collect()
}

/// The titles above from the top, as Emacs shows them: without counted cookies, links as their descriptions.
fn path(bytes: &[u8], doc: &Doc, above: &[usize]) -> String {
    let title = |at: &usize| {
        let node = doc.nodes.get(*at)?;
        let mut out = String::new();
        let mut from = node.title.begin;
        for cookie in cookie::all(bytes, node.title) {
            let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
            let percent = bytes.get(cookie.end - 2) == Some(&b'%');
            // A cookie without numbers, such as `[/]`, is kept.
            if digit(cookie.begin + 1) && (percent || digit(cookie.end - 2)) {
                out.push_str(&Span::new(from, cookie.begin).text(bytes));
                from = cookie.end;
            }
        }
        out.push_str(&Span::new(from, node.title.end).text(bytes));
        Some(unlinked(&out).trim().to_owned())
    };
    let titles: Vec<String> = above.iter().rev().filter_map(title).collect();
    titles.join("/")
}

/// Puts the description of each link in its place, or the target if it has none.
fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, link)) = rest.split_once("[[") {
        out.push_str(head);
        let Some((inner, tail)) = link.split_once("]]") else {
            out.push_str("[[");
            rest = link;
            continue;
        };
        out.push_str(inner.split_once("][").map_or(inner, |(_, words)| words));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The tags that the entry had from above and from the file, without its own.
fn inherited(bytes: &[u8], doc: &Doc, own: &Node, above: &[usize]) -> String {
    let mut tags: Vec<String> = doc.file_tags.clone();
    for node in above.iter().rev().filter_map(|at| doc.nodes.get(*at)) {
        for tag in node.own_tags(bytes) {
            if !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
    }
    tags.retain(|tag| !own.own_tags(bytes).any(|known| known == tag));
    tags.join(" ")
}
