//! One entry of the memex and what can be said about it: place, titles, tags, label, text.

use crate::folder::{File, Folder};
use org::{Node, Span};
use protocol::{
    label::{Confidentiality, Integrity, Label, Labeled},
    recall::EntryRef,
};

/// Longest title on its way, in bytes: what is longer is no title, and a line may have megabytes.
const TITLE_MAX: usize = 512;

/// Most titles of a path on its way, from the inside out.
const PATH_MAX: usize = 32;

/// An entry where it stands; no node means the text before the first headline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) file: &'a File,
    pub(crate) index: Option<usize>,
}

/// Entries of a whole memex.
pub(crate) trait All {
    /// All headlines, in the order of files and lines.
    fn entries(&self) -> impl Iterator<Item = At<'_>>;
    /// The texts before the first headline, one for each file.
    fn tops(&self) -> impl Iterator<Item = At<'_>>;
}

impl All for Folder {
    fn entries(&self) -> impl Iterator<Item = At<'_>> {
        self.files
            .values()
            .flat_map(|file| (0..file.doc.nodes.len()).map(move |index| At { file, index: Some(index) }))
    }

    fn tops(&self) -> impl Iterator<Item = At<'_>> {
        self.files.values().map(|file| At { file, index: None })
    }
}

impl<'a> At<'a> {
    pub(crate) fn node(self) -> Option<&'a Node> {
        self.file.doc.nodes.get(self.index?)
    }

    /// The entry and all above it, from the inside out.
    fn line(self) -> impl Iterator<Item = &'a Node> {
        let nodes = &self.file.doc.nodes;
        let mut at = self.index;
        std::iter::from_fn(move || {
            let node = nodes.get(at?)?;
            at = node.parent;
            Some(node)
        })
    }

    pub(crate) fn title(self) -> String {
        self.node().map_or_else(String::new, |node| node.title.text(&self.file.bytes))
    }

    pub(crate) fn id(self) -> Option<String> {
        let (bytes, newline) = (&self.file.bytes, self.file.doc.newline);
        let value = match self.node() {
            Some(node) => node.property(bytes, newline, "ID")?,
            None => self.file.doc.drawer?.value(bytes, newline, "ID")?,
        };
        Some(value.text(bytes)).filter(|id| !id.is_empty())
    }

    pub(crate) fn custom_id(self) -> Option<String> {
        let (bytes, newline) = (&self.file.bytes, self.file.doc.newline);
        let value = self.node()?.property(bytes, newline, "CUSTOM_ID")?;
        Some(value.text(bytes)).filter(|id| !id.is_empty())
    }

    pub(crate) fn entry_ref(self) -> EntryRef {
        let title = |node: &Node| {
            let span = Span::new(node.title.begin, node.title.end.min(node.title.begin + 4 * TITLE_MAX));
            cut(&span.text(&self.file.bytes), TITLE_MAX).0.to_owned()
        };
        let mut path: Vec<String> = self.line().take(PATH_MAX).map(title).collect();
        path.reverse();
        EntryRef {
            file: self.file.name.clone(),
            line: self.node().map_or(0, |node| u32::try_from(node.line).unwrap_or(u32::MAX)),
            path,
            id: self.id(),
        }
    }

    /// Says whether it stands below another one, or is it.
    pub(crate) fn is_below(self, other: Self) -> bool {
        let here = self.file.name == other.file.name;
        here && match (self.node(), other.node()) {
            (Some(node), Some(above)) => above.begin <= node.begin && node.end <= above.end,
            (_, None) => true,
            (None, Some(_)) => false,
        }
    }

    pub(crate) fn todo(self) -> Option<String> {
        let keyword = self.node()?.keyword?;
        Some(keyword.text(&self.file.bytes))
    }

    pub(crate) fn priority(self) -> Option<char> {
        let letter = self.node()?.priority?;
        letter.text(&self.file.bytes).chars().next()
    }

    /// Tags of the file, of the entries above and its own, in that order, each once.
    pub(crate) fn tags(self) -> Vec<String> {
        let mut own: Vec<&Node> = self.line().collect();
        own.reverse();
        let inherited = own.iter().flat_map(|node| node.own_tags(&self.file.bytes));
        let mut tags = self.file.doc.file_tags.clone();
        for tag in inherited {
            if !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
        tags
    }

    /// Commented and archived entries, and those below them, are on no list.
    pub(crate) fn is_set_aside(self) -> bool {
        let archived = |node: &Node| node.own_tags(&self.file.bytes).any(|tag| tag == "ARCHIVE");
        self.line().any(|node| node.commented || archived(node))
            || self.file.doc.file_tags.iter().any(|tag| tag == "ARCHIVE")
    }

    pub(crate) fn is_open(self) -> bool {
        self.node().is_some_and(Node::is_open)
    }

    pub(crate) fn is_done(self) -> bool {
        let state = self.node().and_then(|node| node.state);
        state.is_some_and(org::State::is_done)
    }

    /// Its own text, without children.
    pub(crate) fn own(self) -> Span {
        self.node().map_or(self.file.doc.preamble, Node::own)
    }

    /// Everything in the memex is the memex's word; tags say who may see it.
    pub(crate) fn label(self) -> Label {
        let tags = self.tags();
        let confidentiality = tags.iter().map(|tag| confidentiality(tag)).max();
        Label {
            confidentiality: confidentiality.unwrap_or(Confidentiality::Normal),
            integrity: Integrity::Memex,
        }
    }

    /// The label of the entry with all that stands below it.
    pub(crate) fn subtree_label(self) -> Label {
        let below = self.node().map_or(0..0, |node| {
            let nodes = &self.file.doc.nodes;
            let first = self.index.unwrap_or_default();
            first..nodes.partition_point(|other| other.begin < node.end)
        });
        below
            .map(|index| At { file: self.file, index: Some(index) })
            .fold(self.label(), |label, at| label.join(at.label()))
    }

    pub(crate) fn labeled(self, text: String) -> Labeled {
        Labeled { text, label: self.label() }
    }
}

/// `personal`, `@personal` and `private` keep an entry from remote models, `secret` from everybody.
fn confidentiality(tag: &str) -> Confidentiality {
    match tag.trim_start_matches('@').to_lowercase().as_str() {
        "personal" | "private" => Confidentiality::Personal,
        "secret" => Confidentiality::Secret,
        _ => Confidentiality::Normal,
    }
}

/// Cuts a text at a character boundary; says whether anything went.
pub(crate) fn cut(text: &str, max: usize) -> (&str, bool) {
    if text.len() <= max {
        return (text, false);
    }
    let end = (0..=max).rev().find(|at| text.is_char_boundary(*at));
    (text.get(..end.unwrap_or(0)).unwrap_or_default(), true)
}
