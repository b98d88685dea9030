//! Edits as byte splices, and the check that an edit did what was asked and nothing else.
//!
//! Every byte outside of the splices stays. Nothing may be written to a file that [`verify`] has not passed.

use crate::{
    error::Error,
    scan::{Doc, Node, scan},
    span::Span,
};

/// Replaces `remove` bytes at `at` by `insert`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// Where, in the file as it was.
    pub at: usize,
    /// How many bytes go.
    pub remove: usize,
    /// What comes.
    pub insert: Vec<u8>,
}

impl Splice {
    /// Makes a splice that replaces a span.
    #[must_use]
    pub fn replace(span: Span, insert: impl Into<Vec<u8>>) -> Self {
        Self { at: span.begin, remove: span.len(), insert: insert.into() }
    }

    /// Makes a splice that only inserts.
    #[must_use]
    pub fn insert(at: usize, insert: impl Into<Vec<u8>>) -> Self {
        Self { at, remove: 0, insert: insert.into() }
    }
}

/// Carries out splices that stand in order and do not overlap.
///
/// # Errors
/// [`Error::Splice`] when one reaches beyond the file or overlaps the one before it.
pub fn apply(bytes: &[u8], splices: &[Splice]) -> Result<Vec<u8>, Error> {
    let more: usize = splices.iter().map(|splice| splice.insert.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + more);
    let mut at = 0;
    for splice in splices {
        let misfit = Error::Splice { at: splice.at };
        let kept = bytes.get(at..splice.at).ok_or(misfit.clone())?;
        out.extend_from_slice(kept);
        out.extend_from_slice(&splice.insert);
        at = splice.at.checked_add(splice.remove).filter(|end| *end <= bytes.len()).ok_or(misfit)?;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok(out)
}

/// What an edit may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Allowed {
    Append,
    Touch(usize),
}

/// Rescans after an edit. `touched` is the node that was edited; `None` means that one headline was added at the end.
///
/// # Errors
/// [`Error::Verify`] when the number of headlines, the keywords or the bytes of any other node changed.
pub fn verify(before: &[u8], doc: &Doc, after: &[u8], touched: Option<usize>) -> Result<Doc, Error> {
    let allowed = touched.map_or(Allowed::Append, Allowed::Touch);
    let found = scan(after);
    let wrong = |what| Err(Error::Verify { what });
    let added = match allowed {
        Allowed::Append => 1,
        Allowed::Touch(_) => 0,
    };
    if found.nodes.len() != doc.nodes.len() + added {
        return wrong("number of headlines");
    }
    if found.keywords != doc.keywords {
        return wrong("keywords");
    }
    if found.file_tags != doc.file_tags {
        return wrong("file tags");
    }
    let preamble = found.preamble.of(after);
    if !same(doc.preamble.of(before), preamble, doc.nodes.is_empty()) {
        return wrong("text before the first headline");
    }
    for (index, (old, new)) in doc.nodes.iter().zip(&found.nodes).enumerate() {
        let last = index + 1 == doc.nodes.len();
        let kept = match allowed {
            Allowed::Touch(touched) if touched == index => same_entry(before, old, after, new),
            Allowed::Touch(_) => old.own().of(before) == new.own().of(after),
            Allowed::Append => same(old.own().of(before), new.own().of(after), last),
        };
        if !kept {
            return wrong("another entry");
        }
    }
    Ok(found)
}

/// What an edit may change; everything else has to stay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Entries whose own bytes may change, by their place before the edit.
    pub touched: Vec<usize>,
    /// Whether the text before the first headline may change.
    pub preamble: bool,
    /// Entries that go, by their place before the edit.
    pub removed: std::ops::Range<usize>,
    /// Entries that come, by their place after the edit.
    pub added: std::ops::Range<usize>,
}

/// Rescans after an edit and compares all that the scope does not name.
///
/// # Errors
/// [`Error::Verify`] when the number of headlines, the keywords or the bytes of any other entry changed.
pub fn verify_within(before: &[u8], doc: &Doc, after: &[u8], scope: &Scope) -> Result<Doc, Error> {
    let found = scan(after);
    let wrong = |what| Err(Error::Verify { what });
    if found.nodes.len() + scope.removed.len() != doc.nodes.len() + scope.added.len() {
        return wrong("number of headlines");
    }
    if found.keywords != doc.keywords {
        return wrong("keywords");
    }
    if found.file_tags != doc.file_tags {
        return wrong("file tags");
    }
    let unended = !before.ends_with(b"\n");
    let at_end = |span: Span| unended && span.end == before.len();
    if !scope.preamble && !same(doc.preamble.of(before), found.preamble.of(after), at_end(doc.preamble)) {
        return wrong("text before the first headline");
    }
    let old = doc.nodes.iter().enumerate().filter(|(index, _)| !scope.removed.contains(index));
    let new = found.nodes.iter().enumerate().filter(|(index, _)| !scope.added.contains(index));
    for ((index, old), (_, new)) in old.zip(new) {
        let kept = if scope.touched.contains(&index) {
            old.level == new.level
        } else {
            same(old.own().of(before), new.own().of(after), at_end(old.own()))
        };
        if !kept {
            return wrong("another entry");
        }
    }
    Ok(found)
}

/// The text before an appended entry may have got its missing final newline, or, in a new file, a title line.
fn same(old: &[u8], new: &[u8], at_end: bool) -> bool {
    if old == new {
        return true;
    }
    let Some(more) = new.strip_prefix(old).filter(|_| at_end) else {
        return false;
    };
    more == b"\n" || more == b"\r\n" || (old.is_empty() && more.starts_with(b"#+TITLE: "))
}

/// An edited entry keeps its place, its title and its tags. A repeater in the title may have moved on.
fn same_entry(before: &[u8], old: &Node, after: &[u8], new: &Node) -> bool {
    let digits = |bytes: &[u8]| bytes.contains(&b'<');
    let title = old.title.of(before);
    old.level == new.level
        && old.parent == new.parent
        && (title == new.title.of(after) || digits(title))
        && old.tags.map(|tags| tags.of(before)) == new.tags.map(|tags| tags.of(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splices_replace_only_their_bytes() {
        let splices = [Splice::replace(Span::new(1, 2), "XX"), Splice::insert(3, "!")];
        assert_eq!(apply(b"abcd", &splices).unwrap(), b"aXXc!d");
    }

    #[test]
    fn misplaced_splices_are_refused() {
        assert!(apply(b"ab", &[Splice::insert(3, "x")]).is_err());
        assert!(apply(b"ab", &[Splice::replace(Span::new(1, 9), "")]).is_err());
        let crossing = [Splice::replace(Span::new(0, 2), ""), Splice::insert(1, "x")];
        assert!(apply(b"abc", &crossing).is_err());
    }

    #[test]
    fn verify_sees_a_headline_or_keyword_that_was_smuggled_in() {
        let before = b"* a\nx\n";
        let doc = scan(before);
        assert!(verify(before, &doc, b"* a\nx\n* b\n* c\n", None).is_err());
        assert!(verify(before, &doc, b"* a\nx\n* b\n#+TODO: b | c\n", None).is_err());
        assert!(verify(before, &doc, b"* a\ny\n* b\n", None).is_err());
        assert!(verify(before, &doc, b"* a\nx\n* b\n", None).is_ok());
    }
}
