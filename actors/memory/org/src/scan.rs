//! The scanner: one pass over the lines finds headlines and keyword lines, a second reads each headline.
//!
//! The result is a flat vector in the order of the file, so depth costs nothing. Blocks do not protect a headline:
//! a star line inside one is a headline and the block is then none.

use crate::{
    block::{self, Directive, Event},
    headline,
    keyword::{Keywords, Sequence, State},
    meta::{self, Drawer, Planning},
    objects::keyword_lines,
    span::{Newline, Span, is_blank, lines, trim},
};
use memchr::{memchr_iter, memmem};

/// One headline and what belongs to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// First star.
    pub begin: usize,
    /// End of the headline without its line end.
    pub line_end: usize,
    /// Begin of the text behind planning and property drawer.
    pub body: usize,
    /// End of its own text: the next headline of any level.
    pub own_end: usize,
    /// End of its subtree.
    pub end: usize,
    /// Index of the headline that it stands under.
    pub parent: Option<usize>,
    /// Number of stars.
    pub level: usize,
    /// Line of the headline, from 1.
    pub line: usize,
    /// The TODO keyword.
    pub keyword: Option<Span>,
    /// What the keyword means.
    pub state: Option<State>,
    /// The character in `[#A]`.
    pub priority: Option<Span>,
    /// Whether it is a `COMMENT` headline.
    pub commented: bool,
    /// The title without keyword, priority and tags.
    pub title: Span,
    /// Own tags with their colons.
    pub tags: Option<Span>,
    /// The planning line.
    pub planning: Option<Planning>,
    /// The property drawer.
    pub drawer: Option<Drawer>,
}

/// A scanned file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Doc {
    /// How its lines end.
    pub newline: Newline,
    /// Its TODO keywords.
    pub keywords: Keywords,
    /// Tags that all its entries inherit.
    pub file_tags: Vec<String>,
    /// Value of the first `#+TITLE`.
    pub title: Option<Span>,
    /// The text before the first headline.
    pub preamble: Span,
    /// Property drawer at the begin of the file.
    pub drawer: Option<Drawer>,
    /// The headlines in the order of the file.
    pub nodes: Vec<Node>,
}

impl Node {
    /// Returns the headline, its meta lines and its text, without children.
    #[must_use]
    pub const fn own(&self) -> Span {
        Span::new(self.begin, self.own_end)
    }

    /// Returns headline to end of subtree.
    #[must_use]
    pub const fn subtree(&self) -> Span {
        Span::new(self.begin, self.end)
    }

    /// Returns the tags of the headline itself.
    pub fn own_tags<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a str> {
        let text = self.tags.unwrap_or_default().of(bytes);
        let text = std::str::from_utf8(text).unwrap_or_default();
        text.split(':').filter(|tag| !tag.is_empty())
    }

    /// Returns the first value of a property.
    #[must_use]
    pub fn property(&self, bytes: &[u8], newline: Newline, key: &str) -> Option<Span> {
        self.drawer?.value(bytes, newline, key)
    }

    /// Says whether it is a task that is still to do.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        match self.state {
            Some(state) => !state.is_done(),
            None => false,
        }
    }
}

/// Scans a file.
#[must_use]
pub fn scan(bytes: &[u8]) -> Doc {
    let newline = Newline::of(bytes);
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut collector = Collector::default();
    let mut nodes = Vec::new();
    let all = Span::new(start, bytes.len());
    // Most lines are text: one look at their first byte, and only line ends are searched for.
    let mut begin = start;
    let mut open = start;
    let ends = memchr_iter(b'\n', all.of(bytes)).map(|at| start + at).chain([bytes.len()]);
    for (number, end) in (1..).zip(ends) {
        let rest = bytes.get(begin..end).unwrap_or_default();
        if let Some(kind) = Matter::of(rest) {
            let content = Span::new(begin, end - usize::from(newline == Newline::CrLf && end < bytes.len()));
            let next = bytes.len().min(end + 1);
            match kind {
                Matter::Star => {
                    if let Some(stars) = headline::stars(content.of(bytes)) {
                        let above = Span::new(open, begin);
                        collector.flush(bytes, above, newline);
                        open = next;
                        nodes.push(unread(content, next, stars, number));
                    }
                }
                Matter::Hash => {
                    if let Some(directive) = block::directive(bytes, content) {
                        collector.events.push(Event { directive, line: Span::new(begin, next) });
                    }
                }
            }
        }
        begin = end + 1;
    }
    collector.flush(bytes, Span::new(open, bytes.len()), newline);
    let mut doc = Doc {
        newline,
        keywords: Keywords::new(collector.sequences),
        file_tags: collector.file_tags,
        title: collector.title,
        preamble: Span::new(0, nodes.first().map_or(bytes.len(), |node| node.begin)),
        drawer: None,
        nodes,
    };
    doc.drawer = file_drawer(bytes, &doc, start);
    link(&mut doc.nodes, bytes.len());
    for node in &mut doc.nodes {
        read(bytes, node, newline, &doc.keywords);
    }
    doc
}

/// What a line may be, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Matter {
    /// It begins with a star.
    Star,
    /// It begins with `#+` behind blanks.
    Hash,
}

impl Matter {
    fn of(line: &[u8]) -> Option<Self> {
        match line.first()? {
            b'*' => Some(Self::Star),
            b'#' => (line.get(1) == Some(&b'+')).then_some(Self::Hash),
            b' ' | b'\t' => {
                let text = line.iter().position(|byte| !is_blank(*byte))?;
                line.get(text..)?.starts_with(b"#+").then_some(Self::Hash)
            }
            _ => None,
        }
    }
}

/// A node of which only the place is known; `body` holds the begin of the next line until it is read.
const fn unread(content: Span, next: usize, stars: usize, line: usize) -> Node {
    Node {
        begin: content.begin,
        line_end: content.end,
        body: next,
        own_end: next,
        end: next,
        parent: None,
        level: stars,
        line,
        keyword: None,
        state: None,
        priority: None,
        commented: false,
        title: Span::new(content.end, content.end),
        tags: None,
        planning: None,
        drawer: None,
    }
}

/// Finds parents and ends with a stack of the open headlines.
fn link(nodes: &mut [Node], len: usize) {
    let begins: Vec<usize> = nodes.iter().map(|node| node.begin).collect();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut ends = vec![len; nodes.len()];
    for (index, node) in nodes.iter_mut().enumerate() {
        node.own_end = begins.get(index + 1).copied().unwrap_or(len);
        while let Some((above, level)) = open.last().copied() {
            if level < node.level {
                node.parent = Some(above);
                break;
            }
            if let Some(end) = ends.get_mut(above) {
                *end = node.begin;
            }
            open.pop();
        }
        open.push((index, node.level));
    }
    for (node, end) in nodes.iter_mut().zip(ends) {
        node.end = end;
    }
}

fn read(bytes: &[u8], node: &mut Node, newline: Newline, keywords: &Keywords) {
    let rest = Span::new(node.begin + node.level, node.line_end);
    let found = headline::parse(bytes, rest, keywords);
    node.keyword = found.keyword;
    node.state = found.state;
    node.priority = found.priority;
    node.commented = found.commented;
    node.title = found.title;
    node.tags = found.tags;
    node.planning = meta::planning(bytes, node.body, node.own_end, newline);
    if let Some(planning) = node.planning {
        node.body = planning.line.end;
    }
    node.drawer = meta::drawer(bytes, node.body, node.own_end, newline);
    if let Some(drawer) = node.drawer {
        node.body = drawer.span.end;
    }
}

/// The drawer of the file itself may follow blank lines and comments.
fn file_drawer(bytes: &[u8], doc: &Doc, start: usize) -> Option<Drawer> {
    let area = Span::new(start, doc.preamble.end);
    let first = lines(bytes, area, doc.newline).find(|line| {
        let text = trim(bytes, line.content).of(bytes);
        !text.is_empty() && text != b"#" && !text.starts_with(b"# ")
    })?;
    meta::drawer(bytes, first.content.begin, area.end, doc.newline)
}

#[derive(Default)]
struct Collector {
    events: Vec<Event>,
    sequences: Vec<Sequence>,
    file_tags: Vec<String>,
    title: Option<Span>,
}

impl Collector {
    /// Takes what the section that ends here says.
    fn flush(&mut self, bytes: &[u8], section: Span, newline: Newline) {
        let marks = |directive| matches!(directive, Directive::Begin(_) | Directive::End(_));
        // Of titles only the first counts.
        let titled = self.title.is_some();
        let idle = |directive| marks(directive) || (titled && matches!(directive, Directive::Title(_)));
        if self.events.iter().all(|event| idle(event.directive)) {
            self.events.clear();
            return;
        }
        // Only where something could hide a keyword line is it worth to read the section as a whole.
        let hidden = self.events.iter().any(|event| marks(event.directive))
            || memmem::find(section.of(bytes), b"\\begin{").is_some();
        let seen = hidden.then(|| keyword_lines(section.of(bytes), newline));
        for event in std::mem::take(&mut self.events) {
            if seen.as_ref().is_some_and(|seen| !seen.contains(&(event.line.begin - section.begin))) {
                continue;
            }
            let directive = event.directive;
            match directive {
                Directive::Todo(value) => {
                    self.sequences.push(Sequence::parse(&value.text(bytes), false));
                }
                Directive::TypTodo(value) => {
                    self.sequences.push(Sequence::parse(&value.text(bytes), true));
                }
                Directive::FileTags(value) => self.take_tags(&value.text(bytes)),
                Directive::Title(value) => self.title = self.title.or(Some(value)),
                Directive::Begin(_) | Directive::End(_) => {}
            }
        }
    }

    fn take_tags(&mut self, value: &str) {
        let words = value.split(|c: char| c == ':' || c.is_whitespace());
        for tag in words.filter(|tag| !tag.is_empty()) {
            if !self.file_tags.iter().any(|known| known == tag) {
                self.file_tags.push(tag.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_of_mixed_levels() {
        let text = b"pre\n*** a\n* b\n** c\nx\n*** d\n** e\n* f";
        let doc = scan(text);
        let shape: Vec<_> = doc.nodes.iter().map(|n| (n.title.text(text), n.parent, n.end)).collect();
        let expected = [
            ("a", None, 10),
            ("b", None, 32),
            ("c", Some(1), 27),
            ("d", Some(2), 27),
            ("e", Some(1), 32),
            ("f", None, 35),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(title, parent, end)| ((*title).to_owned(), *parent, *end)).collect();
        assert_eq!(shape, expected);
        assert_eq!(doc.preamble, Span::new(0, 4));
    }

    #[test]
    fn keyword_line_anywhere_counts_but_not_in_a_block() {
        let doc = scan(b"* NEXT a\n* TODO b\n  #+todo: NEXT | FIN\n#+begin_src\n#+TODO: X\n#+end_src\n");
        assert!(doc.nodes[0].is_open());
        assert!(doc.nodes[1].keyword.is_none());
    }

    #[test]
    fn keyword_line_in_an_environment_or_behind_an_open_block_is_judged_as_emacs_does() {
        let doc = scan(b"\\begin{eq}\n#+TODO: A | B\n\\end{eq}\n* TODO x\n");
        assert!(doc.nodes[0].is_open());
        let doc = scan(b"#+begin_quote\n#+begin_src\n#+TODO: A | B\n#+end_quote\n#+end_src\n* A x\n");
        assert!(doc.nodes[0].is_open());
    }

    #[test]
    fn unclosed_drawer_does_not_swallow_a_deeper_headline() {
        let doc = scan(b"* A\n:PROPERTIES:\n:K: v\n** B :t:\n:END:\n");
        assert_eq!(doc.nodes.len(), 2);
        assert!(doc.nodes[0].drawer.is_none());
    }

    #[test]
    fn headline_behind_a_byte_order_mark_is_found() {
        let doc = scan(b"\xEF\xBB\xBF* a\r\nDEADLINE: <2026-03-09>\r\n");
        assert_eq!(doc.newline, Newline::CrLf);
        assert!(doc.nodes[0].planning.unwrap().deadline.is_some());
    }
}
