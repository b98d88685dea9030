//! Tells code, comments and literals of a Rust file apart, well enough for rules about words. It never fails: what it
//! cannot make sense of is code.

/// What stands for each character of a literal in [`Parts::code`]; no identifier can hold it.
pub(crate) const LITERAL: char = '§';

/// A file three times, with the same lines each time.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Code only: comments are blanks, the inside of literals is [`LITERAL`].
    pub(crate) code: String,
    /// Code with its literals: only comments are blanks.
    pub(crate) uncommented: String,
    /// Comments only, with their slashes: everything else is blanks.
    pub(crate) comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

impl Parts {
    /// Takes a file apart.
    pub(crate) fn of(text: &str) -> Self {
        let mut parts = Self::default();
        let mut rest = text;
        let mut before = ' ';
        while !rest.is_empty() {
            let (kind, len) = piece(rest, before);
            let (piece, behind) = rest.split_at(len.min(rest.len()));
            parts.push(kind, piece);
            before = piece.chars().next_back().unwrap_or(' ');
            rest = behind;
        }
        parts
    }

    fn push(&mut self, kind: Kind, piece: &str) {
        for c in piece.chars() {
            let blank = if c == '\n' { c } else { ' ' };
            let (code, uncommented, comment) = match kind {
                Kind::Code => (c, c, blank),
                Kind::Comment => (blank, blank, c),
                Kind::Literal if c == '\n' => (c, c, c),
                Kind::Literal => (LITERAL, c, blank),
            };
            self.code.push(code);
            self.uncommented.push(uncommented);
            self.comments.push(comment);
        }
    }
}

/// Returns kind and length of the piece that begins here.
fn piece(rest: &str, before: char) -> (Kind, usize) {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Kind::Comment, block_comment(rest));
    }
    if rest.starts_with('"') {
        return (Kind::Literal, quoted(rest, '"'));
    }
    if let (false, Some(len)) = (is_of_word(before), raw(rest)) {
        return (Kind::Literal, len);
    }
    match rest.strip_prefix('\'') {
        Some(inside) if is_char(inside) => (Kind::Literal, quoted(rest, '\'')),
        Some(_) | None => (Kind::Code, first),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tells a character from a lifetime, by what stands behind the quote.
fn is_char(inside: &str) -> bool {
    inside.starts_with('\\') || inside.chars().nth(1) == Some('\'')
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Length of a literal that begins with a quote, escapes skipped.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Length of a raw literal, if one begins here.
fn raw(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = inside.len() - inside.trim_start_matches('#').len();
    let (_, inside) = inside.split_at(hashes);
    let inside = inside.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let start = rest.len() - inside.len();
    let end = inside.find(&close)?;
    Some(start + end + close.len())
}

#[test]
fn code_comments_and_literals_are_told_apart() {
    let parts =
        Parts::of("let a = \"// b\"; // c 'd\n/* e /* f */ */ fn g<'h>(i: char) { r#\"j\"k\"#; '\\''; }");
    assert_eq!(
        parts.code.split_whitespace().collect::<Vec<_>>().join(" "),
        "let a = §§§§§§; fn g<'h>(i: char) { §§§§§§§§; §§§§; }"
    );
    assert_eq!(
        parts.comments.split_whitespace().collect::<Vec<_>>(),
        ["//", "c", "'d", "/*", "e", "/*", "f", "*/", "*/"]
    );
    assert!(parts.uncommented.contains("\"// b\"; "));
}
