//! The `LOGBOOK` drawer. It must be found where Emacs finds it, and made behind planning and properties.

use super::{indent_at, insert_lines};
use crate::{
    block,
    scan::{Doc, Node},
    span::{Span, lines, trim},
    splice::Splice,
};

/// A drawer: where it begins, where its first line begins, and what follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logbook {
    pub(crate) first: usize,
    pub(crate) begin: usize,
    pub(crate) behind: usize,
}

/// Finds the first closed `LOGBOOK` drawer of an entry. On purpose not as Emacs does: that takes one inside a source
/// block too, and would write its note into the program.
pub(crate) fn find(bytes: &[u8], doc: &Doc, node: &Node) -> Option<Logbook> {
    let body = Span::new(node.body, node.own_end);
    let hidden = block::verbatim(bytes, body, doc.newline);
    let mut open: Option<(usize, usize)> = None;
    for line in lines(bytes, body, doc.newline) {
        let at = line.content.begin;
        if hidden.iter().any(|span| span.begin <= at && at < span.end) {
            continue;
        }
        let text = trim(bytes, line.content).of(bytes);
        if open.is_none() && text.eq_ignore_ascii_case(b":LOGBOOK:") {
            open = Some((at, line.next));
        } else if text.eq_ignore_ascii_case(b":END:")
            && let Some((first, begin)) = open
        {
            return Some(Logbook { first, begin, behind: line.next });
        }
    }
    None
}

/// Adds a line on top of the drawer, which is made when there is none.
pub(crate) fn add(bytes: &[u8], doc: &Doc, node: &Node, line: &str, splices: &mut Vec<Splice>) {
    match find(bytes, doc, node) {
        Some(found) => {
            let indent = indent_at(bytes, found.first);
            splices.push(Splice::insert(found.begin, format!("{indent}{line}{}", doc.newline.as_str())));
        }
        None => {
            let indent = node.drawer.map_or_else(String::new, |drawer| indent_at(bytes, drawer.body.end));
            let text = [":LOGBOOK:", line, ":END:"].map(|line| format!("{indent}{line}"));
            insert_lines(bytes, doc, node.body, &text, splices);
        }
    }
}
