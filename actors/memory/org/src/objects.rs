//! Everything in a file beside its headlines: links, blocks, drawers, clocks, timestamps, lists, targets, footnotes.
//!
//! One linear walk over each section gives spans; a string is made only when one is shown. Nothing is opened, called or
//! evaluated. Sources of the rules: the Org manual, org-element of Org 9.5.5, and comparison with it over a corpus and
//! over generated text.

mod chars;
mod element;
mod entity;
mod lexer;
mod line;
mod link;
mod list;
mod marks;
mod radio;
mod relocate;
mod section;
mod source;
mod timestamp;

use crate::{
    scan::{Doc, scan},
    span::{Newline, Span},
};
pub use link::{LINK_TYPES, Link, LinkFormat, LinkTarget};
pub use list::Checkbox;
pub use source::Source;
use std::{borrow::Cow, collections::BTreeSet};
pub use timestamp::{Cookie, Moment, StampKind, Timestamp, read as timestamp};

/// All objects of a file, each kind in the order of the file. `node` is the index of the headline that a thing stands in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// Links of all formats.
    pub links: Vec<Link>,
    /// Source blocks.
    pub sources: Vec<Source>,
    /// Blocks but for source blocks.
    pub blocks: Vec<Block>,
    /// Drawers, property drawers included.
    pub drawers: Vec<DrawerSpan>,
    /// Clock lines.
    pub clocks: Vec<Clock>,
    /// Timestamps outside of planning and clock lines.
    pub timestamps: Vec<(Timestamp, Option<usize>)>,
    /// `[1/2]` and `[50%]`.
    pub cookies: Vec<Statistics>,
    /// Items of lists.
    pub items: Vec<Span>,
    /// Items with a checkbox.
    pub checkboxes: Vec<Tick>,
    /// Targets and radio targets.
    pub targets: Vec<Target>,
    /// Footnotes, references and definitions.
    pub footnotes: Vec<Note>,
    /// Keyword lines but for those that belong to the element below them.
    pub keywords: Vec<KeywordLine>,
    /// Values of the `#+CAPTION:` lines that belong to the element below them.
    pub captions: Vec<Span>,
}

/// Kinds of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// `#+begin_center`
    Center,
    /// `#+begin_comment`
    Comment,
    /// `#+begin: name`
    Dynamic,
    /// `#+begin_example`
    Example,
    /// `#+begin_export`
    Export,
    /// `#+begin_quote`
    Quote,
    /// Any other name.
    Special,
    /// `#+begin_verse`
    Verse,
}

/// A block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// With its affiliated keywords and both its lines.
    pub span: Span,
    /// What stands between them.
    pub body: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// Kinds of drawers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawerKind {
    /// Any drawer, also `:PROPERTIES:` at a place where it is none.
    Plain,
    /// A property drawer.
    Properties,
}

/// A drawer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawerSpan {
    /// Its kind.
    pub kind: DrawerKind,
    /// Its name.
    pub name: Span,
    /// All of it.
    pub span: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// A clock line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Begin of its line.
    pub begin: usize,
    /// Its timestamp.
    pub value: Option<Timestamp>,
    /// What stands behind `=>`; a clock without it is running.
    pub duration: Option<Span>,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// A statistics cookie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// With brackets.
    pub span: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// An item with a checkbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tick {
    /// Its state.
    pub state: Checkbox,
    /// Begin of the item's line.
    pub begin: usize,
    /// The three characters of the box.
    pub mark: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// Kinds of targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetKind {
    /// `<<..>>`
    Plain,
    /// `<<<..>>>`
    Radio,
}

/// A target of links.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Its kind.
    pub kind: TargetKind,
    /// With its angles.
    pub span: Span,
    /// What stands in them.
    pub value: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// A footnote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// Its label; an anonymous one has none.
    pub label: Option<Span>,
    /// All of it.
    pub span: Span,
    /// Whether it is a definition at the begin of a line; else a reference, which may hold its text.
    pub definition: bool,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// A keyword line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeywordLine {
    /// The key as written.
    pub key: Span,
    /// The value, trimmed.
    pub value: Span,
    /// Where it begins, affiliated keywords above it included.
    pub begin: usize,
    /// Its line with line end.
    pub line: Span,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// Finds all objects of a scanned file.
#[must_use]
pub fn objects(bytes: &[u8], doc: &Doc) -> Objects {
    match doc.newline {
        Newline::Lf => walk(bytes, doc),
        Newline::CrLf => {
            // Read as Emacs does, without the CRs; then every place is moved back.
            let (text, lines) = relocate::without_cr(bytes);
            let mut found = walk(&text, &scan(&text));
            found.relocate(&lines);
            found
        }
    }
}

/// Returns where the lines begin that are keyword lines in a section; `section` is given as it stands in the file.
pub(crate) fn keyword_lines(section: &[u8], newline: Newline) -> BTreeSet<usize> {
    let (text, lines) = match newline {
        Newline::Lf => (Cow::Borrowed(section), Vec::new()),
        Newline::CrLf => {
            let (text, lines) = relocate::without_cr(section);
            (Cow::Owned(text), lines)
        }
    };
    let lexer = lexer::Lexer::new(&text, radio::Radio::default());
    let mut walker = element::Walker::new(&text, lexer);
    walker.section(Span::new(0, text.len()), None);
    walker.out.relocate(&lines);
    walker.out.keywords.iter().map(|keyword| keyword.line.begin).collect()
}

fn walk(bytes: &[u8], doc: &Doc) -> Objects {
    let first = pass(bytes, doc, radio::Radio::default());
    let mut radios = first.targets.iter().filter(|target| target.kind == TargetKind::Radio).peekable();
    if radios.peek().is_none() {
        return first;
    }
    let radio = radio::Radio::new(radios.map(|target| target.value.of(bytes).to_vec()));
    pass(bytes, doc, radio)
}

fn pass(bytes: &[u8], doc: &Doc, radio: radio::Radio) -> Objects {
    let lexer = lexer::Lexer::new(bytes, radio);
    let mut walker = element::Walker::new(bytes, lexer);
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    if let Some(drawer) = doc.drawer {
        walker.property_drawer(drawer.span, None);
    }
    walker.section(Span::new(start, doc.preamble.end), doc.drawer.map(|drawer| drawer.span));
    for (index, node) in doc.nodes.iter().enumerate() {
        walker.node = Some(index);
        walker.objects(node.title, lexer::STANDARD);
        if let Some(drawer) = node.drawer {
            walker.property_drawer(drawer.span, Some(index));
        }
        walker.section(Span::new(node.body, node.own_end), None);
    }
    let mut out = walker.out;
    out.links.sort_by_key(|link| link.span.begin);
    out.timestamps.sort_by_key(|(stamp, _)| stamp.span.begin);
    out.cookies.sort_by_key(|cookie| cookie.span.begin);
    out.targets.sort_by_key(|target| target.span.begin);
    out.footnotes.sort_by_key(|note| note.span.begin);
    out.drawers.sort_by_key(|drawer| drawer.span.begin);
    out
}
