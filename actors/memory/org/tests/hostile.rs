//! Hostile input: what hangs, overflows or panics other parsers of Org is read in linear work here.
//!
//! No clock: each size is such that quadratic work would keep the test from ending. The rows are those of the table of
//! crates in the specification, and one for each look-up that could have been a search.

use org::{Settings, Span, bounds, objects, scan};

/// Reads everything there is and checks that each span lies in the file.
fn read(name: &str, text: &[u8]) {
    let doc = scan(text);
    let mut joined = doc.preamble.len();
    for node in &doc.nodes {
        joined += node.own().len();
        assert!(node.title.end <= node.line_end && node.end <= text.len(), "{name}");
    }
    assert_eq!(joined, text.len(), "{name}");
    let found = objects(text, &doc);
    let links = found.links.iter().map(|link| link.span);
    let stamps = found.timestamps.iter().map(|(stamp, _)| stamp.span);
    let blocks = found.blocks.iter().map(|block| block.span);
    let within = |span: Span| span.begin <= span.end && span.end <= text.len();
    assert!(links.chain(stamps).chain(blocks).all(within), "{name}");
    let settings = Settings::of(text, &found);
    for link in &found.links {
        assert!(link.target(text, &settings.abbreviations).path.len() <= 2 * text.len());
    }
    assert_eq!(bounds(text, &doc).len(), doc.nodes.len());
}

fn nested(levels: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    (1..=levels).map(line).collect::<String>().into_bytes()
}

fn framed(front: &str, middle: &str, count: usize, back: &str) -> Vec<u8> {
    [front, &middle.repeat(count), back].concat().into_bytes()
}

#[test]
fn rows_of_the_table_are_read() {
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("open emphasis", b" *a /b _c".repeat(10_000)),
        ("stars without space", b"*".repeat(1_000_000)),
        ("stars with title", framed("", "*", 1_000_000, " x")),
        ("nested levels", nested(2_000, |n| format!("{} x\n", "*".repeat(n)))),
        ("flat headlines", b"* x\n".repeat(200_000)),
        ("open source blocks", b"#+begin_src x\n".repeat(20_000)),
        ("open drawers", b":DRAWER:\n".repeat(20_000)),
        ("brackets", b"[".repeat(100_000)),
        ("double brackets", b"[[".repeat(50_000)),
        ("list items", b"- some text x\n".repeat(50_000)),
        ("nested list items", nested(1_500, |n| format!("{}- x\n", " ".repeat(n)))),
        ("footnotes in footnotes", b"[fn:1:".repeat(20_000)),
        ("one line", b"x".repeat(10_000_000)),
        ("hash at the end", b"a\n#".to_vec()),
        ("impossible date", b"* a\nSCHEDULED: <2024-99-99>\n".to_vec()),
        ("abbreviation with escape", b"#+LINK: x https://e/?q=%h\n[[x:a]]\n".to_vec()),
        ("NUL", b"a\0* b\n* \0\n[[\0]]\n".to_vec()),
        ("BOM", b"\xEF\xBB\xBF* a\n".to_vec()),
        ("CRLF", b"* a\r\n- [ ] x [[y]]\r\n".to_vec()),
        ("CR only", b"* a\r- [ ] x\r".to_vec()),
        ("nothing", Vec::new()),
        ("no UTF-8", b"* \xff\xfe\n[[\xc3]] *\xff* <\xe2\x82>\n".to_vec()),
    ];
    for (name, text) in rows {
        read(name, &text);
    }
}

#[test]
fn deep_levels_are_read() {
    read("ten thousand levels", &nested(5_000, |n| format!("{} x\n", "*".repeat(n))));
}

#[test]
fn text_full_of_begins_is_read() {
    let begins = [
        "*a ",
        "/a ",
        "_a ",
        "+a ",
        "=a ",
        "~a ",
        "[[a",
        "[[a][b ",
        "<http:x ",
        "<mailto:a\n",
        "{{{m(",
        "@@a:b",
        "$a ",
        "$$",
        "\\(",
        "\\[",
        "src_a[",
        "src_a{",
        "src_",
        "call_a(",
        "call_",
        "[cite:@a ",
        "[fn:1:",
        "[fn::",
        "<2026-01-01 ",
        "[2026-01-01 ",
        "<1-1-1 ",
        "<%%(",
        "<<a ",
        "<<<a ",
        "a_{",
        "a^(",
        "a_{{{",
        "\\a{",
        "\\a[",
        "http:(",
        "http:a(b",
        "[1/",
        "*/_",
        "(*",
        "::",
        "[[\\",
        "\\\\",
    ];
    for begin in begins {
        read(begin, &begin.repeat(60_000 / begin.len()).into_bytes());
        read(begin, &framed("", begin, 60_000 / begin.len(), "*/_+=~]]>)}}}@@$\\)\\]"));
        read(begin, &framed("| ", begin, 20_000 / begin.len(), " |\n"));
    }
}

#[test]
fn text_nested_in_itself_is_read() {
    let pairs = [("*/", "/*"), ("[fn::", "]"), ("_{", "}"), ("[[a][*", "*]]"), ("(*", "*)"), ("*_", "_*")];
    for (open, close) in pairs {
        let count = 20_000 / open.len();
        read(open, &[open.repeat(count), "x".into(), close.repeat(count)].concat().into_bytes());
    }
}

#[test]
fn lines_full_of_begins_are_read() {
    let lines = [
        "#+begin_quote\n",
        "#+begin_a\n",
        "#+begin: x\n",
        "#+end_src\n",
        ":END:\n",
        "\\begin{a}\n",
        "\\end{a}\n",
        "+-+\n",
        "| x\n+-+\n",
        "+-+\n+-+\nx\n",
        "#+CAPTION: [[x]]\n",
        "#+NAME: a\n",
        "[fn:1] x\n",
        "[fn:1]\n\n",
        "- a\n  #+begin_src\n",
        "- a :: ",
        "- a\n\n",
        "  - a\n- b\n",
        "CLOCK: [2026-01-01 \n",
        "#+TODO: A B\n",
        "#+LINK: a b\n",
        "#+a[b\n",
        "<<<abc>>>\n",
        "#+PROPERTY: a+ b\n",
        "\n",
        " \n",
        "\r\n",
        "# a\n",
        ": a\n",
        "|\n",
        "|a|[[b\n",
        "#+SETUPFILE: x\n",
    ];
    for line in lines {
        read(line, &line.repeat(120_000 / line.len()).into_bytes());
        let levels = 3_000.min(120_000 / line.len());
        read(line, &[b"* x\n".to_vec(), line.repeat(levels).into_bytes(), b"* y\n".to_vec()].concat());
    }
}

#[test]
fn containers_within_containers_are_read() {
    let count = 5_000;
    let named = |n: usize| (format!("#+begin_a{n}\n"), format!("#+end_a{n}\n"));
    let mut text: String = (0..count).map(|n| named(n).0).collect();
    text.extend((0..count).rev().map(|n| named(n).1));
    read("blocks in blocks", text.as_bytes());
    read("drawers in drawers", &framed(&":a:\n".repeat(count), "", 0, &":END:\n".repeat(count)));
    let quoted = nested(800, |n| format!("{}- #+begin_quote\n", " ".repeat(n)));
    read("quotes in items", &quoted);
}
