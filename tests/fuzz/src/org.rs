//! Org files. Promises: any bytes are scanned; the own texts of preamble and headlines are the file; every span lies in
//! it; spans of one kind nest or follow each other; parents enclose their children.

use org::{Settings, Span, all_tags, bounds, objects, scan};

/// What begins, ends or hides structure.
pub(crate) const WORDS: &[&str] = &[
    "* ",
    "** TODO [#A] x :tag:\n",
    "\n",
    "\r\n",
    ":PROPERTIES:\n:ID: x\n:END:\n",
    "SCHEDULED: <2026-03-09 Mon 10:00-11:00 .+2d/4d -1d>\n",
    "CLOCK: [2026-03-09 Mon 10:00]--[2026-03-09 Mon 11:00] =>  1:00\n",
    "#+begin_src sh -n :tangle x\n",
    "#+end_src\n",
    "#+begin_quote\n",
    "#+end_quote\n",
    "#+begin: a\n",
    "#+end:\n",
    "#+TODO: A | B\n",
    "#+CAPTION[a [[b]]]: c\n",
    "#+LINK: x https://e.org/%h\n",
    ":DRAWER:\n",
    ":END:\n",
    "- [ ] ",
    "  1. [@3] tag :: ",
    "| a | b |\n",
    "[[x:y][d]]",
    "<https://e.org>",
    "https://e.org/a(b)",
    "[fn:1: ",
    "[fn:1] ",
    "<<<radio>>>",
    "radio",
    "<2026-03-09>--<2026-03-10>",
    "[1/2]",
    "*b* /i/ =v= ~c~ ",
    "a_{b}^(c)",
    "{{{m(x)}}}",
    "@@html:x@@",
    "src_sh[a]{b}",
    "$x$ \\(y\\) \\alpha{} \\foo{a}[b]",
    "\\begin{a}\n",
    "\\end{a}\n",
    "\u{feff}",
    "\u{200b}",
];

/// Takes bytes for a file and reads all there is in it.
///
/// # Panics
/// When a promise is broken.
pub fn org(bytes: &[u8]) {
    let doc = scan(bytes);
    let mut at = 0;
    for part in std::iter::once(doc.preamble).chain(doc.nodes.iter().map(org::Node::own)) {
        assert_eq!(part.begin, at, "a byte is in no span or in two");
        at = part.end;
    }
    assert_eq!(at, bytes.len(), "the last span ends elsewhere");
    for node in &doc.nodes {
        let above = node.parent.and_then(|parent| doc.nodes.get(parent));
        assert!(above.is_none_or(|above| above.begin < node.begin && node.end <= above.end));
        assert!(node.begin < node.line_end && node.line_end <= node.body && node.body <= node.own_end);
    }
    let found = objects(bytes, &doc);
    nested("link", bytes, found.links.iter().map(|link| link.span));
    nested("block", bytes, found.blocks.iter().map(|block| block.span));
    nested("source", bytes, found.sources.iter().map(|source| source.span));
    nested("drawer", bytes, found.drawers.iter().map(|drawer| drawer.span));
    nested("item", bytes, found.items.iter().copied());
    nested("footnote", bytes, found.footnotes.iter().map(|note| note.span));
    nested("timestamp", bytes, found.timestamps.iter().map(|(stamp, _)| stamp.span));
    nested("cookie", bytes, found.cookies.iter().map(|cookie| cookie.span));
    nested("target", bytes, found.targets.iter().map(|target| target.span));
    let settings = Settings::of(bytes, &found);
    for link in &found.links {
        assert!(link.span.begin <= link.inner.begin && link.inner.end <= link.span.end);
        drop(link.target(bytes, &settings.abbreviations));
    }
    for (index, found) in bounds(bytes, &doc).iter().enumerate() {
        assert!(found.end <= bytes.len() && found.contents.is_none_or(|contents| contents.end <= found.end));
        drop(all_tags(bytes, &doc, &settings, index));
    }
}

/// Spans in the order of their begins lie within each other or apart.
fn nested(what: &str, bytes: &[u8], spans: impl Iterator<Item = Span>) {
    let mut open: Vec<Span> = Vec::new();
    for span in spans {
        assert!(span.begin <= span.end && span.end <= bytes.len(), "{what} {span:?} reaches beyond the file");
        while open.last().is_some_and(|above| above.end <= span.begin) {
            open.pop();
        }
        let above = open.last();
        assert!(
            above.is_none_or(|above| above.begin <= span.begin && span.end <= above.end),
            "{what} {span:?} crosses {above:?}"
        );
        open.push(span);
    }
}
