//! Links: `[[path][description]]`, `<type:path>`, `type:path` and the text of radio targets.
//!
//! What a link leads to is a string only when somebody asks; nothing here opens it.

use super::chars;
use crate::span::Span;

/// How a link is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkFormat {
    /// `[[path]]`
    Bracket,
    /// `type:path` in the text.
    Plain,
    /// `<type:path>`
    Angle,
    /// The text of a radio target.
    Radio,
}

/// A link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// All of it.
    pub span: Span,
    /// How it is written.
    pub format: LinkFormat,
    /// What stands between the brackets; for a plain link all of it.
    pub inner: Span,
    /// Its description.
    pub description: Option<Span>,
    /// The headline it stands in.
    pub node: Option<usize>,
}

/// What a link leads to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkTarget {
    /// `file`, `fuzzy`, `custom-id`, `coderef`, `radio` or one of [`LINK_TYPES`], in the case of the text.
    pub kind: String,
    /// The path without type and search option.
    pub path: String,
    /// The link without escapes and with its abbreviation expanded.
    pub raw: String,
    /// What stands behind `::` in a link to a file.
    pub search: Option<String>,
}

/// The types that Emacs knows with its default modules, `id` and `attachment`; longer ones first.
pub const LINK_TYPES: [&str; 24] = [
    "attachment",
    "file+emacs",
    "file+sys",
    "docview",
    "mailto",
    "bibtex",
    "rmail",
    "https",
    "shell",
    "elisp",
    "gnus",
    "info",
    "bbdb",
    "news",
    "file",
    "help",
    "http",
    "doi",
    "eww",
    "irc",
    "ftp",
    "mhe",
    "w3m",
    "id",
];

/// Longest path in angles, so that unclosed ones stay linear.
const ANGLE_MAX: usize = 16 * 1024;

/// A link within one text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) span: Span,
    format: LinkFormat,
    inner: Span,
    pub(super) description: Option<Span>,
}

impl Found {
    pub(super) const fn bracket(at: usize, inner: Span, description: Option<Span>, end: usize) -> Self {
        Self { span: Span::new(at, end), format: LinkFormat::Bracket, inner, description }
    }

    pub(super) const fn radio(span: Span) -> Self {
        Self { span, format: LinkFormat::Radio, inner: span, description: Some(span) }
    }

    pub(super) const fn is_radio(&self) -> bool {
        matches!(self.format, LinkFormat::Radio)
    }

    pub(super) fn link(&self, base: usize, node: Option<usize>) -> Link {
        let place = |span: Span| Span::new(base + span.begin, base + span.end);
        Link {
            span: place(self.span),
            format: self.format,
            inner: place(self.inner),
            description: self.description.map(place),
            node,
        }
    }
}

/// Returns the length of the type before a colon at the begin of a text.
pub(super) fn type_at(text: &[u8]) -> Option<usize> {
    let fits = |name: &&&str| {
        text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
            && text.get(name.len()) == Some(&b':')
    };
    LINK_TYPES.iter().find(fits).map(|name| name.len())
}

/// Reads the plain link whose type ends at the colon at `at`; it must lie in `free`.
pub(super) fn plain(text: &[u8], at: usize, free: Span) -> Option<Found> {
    let front = text.get(free.begin..at)?;
    let fits = |name: &&&str| {
        let Some(begin) = front.len().checked_sub(name.len()) else {
            return false;
        };
        front.get(begin..).is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
            && begins(text, free.begin + begin)
    };
    let name = LINK_TYPES.iter().find(fits)?;
    let begin = at - name.len();
    let end = plain_end(text.get(..free.end)?, at + 1)?;
    let span = Span::new(begin, end);
    Some(Found { span, format: LinkFormat::Plain, inner: span, description: None })
}

/// Reads `file+sys:..` and `file+emacs:..` at their plus, before it is taken for the begin of an emphasis.
pub(super) fn plain_with_plus(text: &[u8], at: usize, free: Span) -> Option<Found> {
    let begin = at.checked_sub(4).filter(|begin| *begin >= free.begin)?;
    let len = type_at(text.get(begin..free.end)?)?;
    (len > 5).then_some(())?;
    plain(text, begin + len, free)
}

fn begins(text: &[u8], at: usize) -> bool {
    let c = text.get(at..).and_then(chars::first).map_or(' ', |(c, _)| c);
    chars::begins_word(text.get(..at).and_then(chars::last), c)
}

/// Finds the end of a plain link: the last character in it that can end one.
fn plain_end(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut end, mut count) = (from, None, 0);
    while let Some((c, len)) = text.get(at..).and_then(chars::first) {
        let (len, last) = match c {
            '(' => match round(text.get(at..)?) {
                Some(len) => (len, true),
                None => break,
            },
            '[' | ']' | ' ' | '\t' | '\n' | ')' | '<' | '>' => break,
            '/' => (len, true),
            c if c.is_ascii() => (len, c.is_ascii_alphanumeric() || c.is_ascii_control()),
            c => (len, chars::is_word(c)),
        };
        at += len;
        count += 1;
        if last && count > 1 {
            end = Some(at);
        }
    }
    end
}

/// Length of round brackets with at most one level more in them, on one line.
fn round(text: &[u8]) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' if depth == 2 => return None,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'[' | b']' | b' ' | b'\t' | b'\n' | b'<' | b'>' => return None,
            _ => {}
        }
    }
    None
}

/// Reads an angle link from `<` to the `>` at `close`; no line in it may be empty.
pub(super) fn angle(text: &[u8], at: usize, name: usize, close: usize) -> Option<Found> {
    let inner = Span::new(at + 1, close);
    let path = text.get(at + 2 + name..close).filter(|path| path.len() <= ANGLE_MAX)?;
    for line in memchr::memchr_iter(b'\n', path) {
        let next = path.get(line + 1..)?;
        let first = next.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        first.filter(|byte| **byte != b'\n')?;
    }
    Some(Found { span: Span::new(at, close + 1), format: LinkFormat::Angle, inner, description: None })
}

/// Length of the path behind `[[`, up to its closing bracket; brackets in it need a backslash.
pub(super) fn path_len(rest: &[u8]) -> Option<usize> {
    let text = rest.get(2..)?;
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'[', b']', b'\\', text.get(at..)?)?;
        match text.get(at)? {
            b'\\' => {
                let count = text.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
                let bracket = matches!(text.get(at + count), Some(b'[' | b']'));
                at += count + usize::from(bracket && count % 2 == 1);
            }
            b']' if at > 0 => return Some(at),
            _ => return None,
        }
    }
}

impl Link {
    /// Returns what the link leads to; `abbreviations` are those of [`crate::Settings`].
    #[must_use]
    pub fn target(&self, bytes: &[u8], abbreviations: &[(String, String)]) -> LinkTarget {
        let text = self.inner.text(bytes);
        match self.format {
            LinkFormat::Radio => {
                LinkTarget { kind: "radio".into(), path: text.clone(), raw: text, search: None }
            }
            LinkFormat::Plain => typed(&text).map_or_else(LinkTarget::default, |(kind, path)| {
                finish(kind.to_owned(), path.to_owned(), text.clone())
            }),
            LinkFormat::Angle => typed(&text).map_or_else(LinkTarget::default, |(kind, path)| {
                finish(kind.to_owned(), join_lines(path, ""), text.clone())
            }),
            LinkFormat::Bracket => bracket(&text, abbreviations),
        }
    }
}

fn bracket(text: &str, abbreviations: &[(String, String)]) -> LinkTarget {
    let raw = expand(&unescape(&join_lines(text, " ")), abbreviations);
    let absolute = raw.starts_with('/') || raw == "~" || raw.starts_with("~/");
    if absolute || raw.starts_with("./") || raw.starts_with("../") {
        return finish("file".into(), raw.clone(), raw);
    }
    if let Some((kind, path)) = typed(&raw) {
        return finish(kind.to_owned(), path.to_owned(), raw.clone());
    }
    let (kind, path) = if let Some(inner) = raw.strip_prefix('(').and_then(|raw| raw.strip_suffix(')')) {
        ("coderef", inner)
    } else if let Some(id) = raw.strip_prefix('#') {
        ("custom-id", id)
    } else {
        ("fuzzy", raw.as_str())
    };
    LinkTarget { kind: kind.into(), path: path.into(), raw: raw.clone(), search: None }
}

fn typed(text: &str) -> Option<(&str, &str)> {
    let len = type_at(text.as_bytes())?;
    Some((text.get(..len)?, text.get(len + 1..)?))
}

/// A link to a file loses its search option and superfluous slashes.
fn finish(kind: String, path: String, raw: String) -> LinkTarget {
    let lower = kind.to_ascii_lowercase();
    if lower != "file" && !lower.starts_with("file+") {
        return LinkTarget { kind, path, raw, search: None };
    }
    // Only what has no line break behind the colons is a search option.
    let tail = path.rfind('\n').map_or(0, |at| at + 1);
    let found = path.get(tail..).and_then(|last| last.find("::")).map(|at| tail + at);
    let (mut path, search) = match found.and_then(|at| path.split_at_checked(at)) {
        Some((front, option)) => (front.to_owned(), option.get(2..).map(str::to_owned)),
        None => (path, None),
    };
    let slashes = path.bytes().take_while(|byte| *byte == b'/').count();
    if slashes >= 2 {
        let rest = path.get(slashes..).unwrap_or_default();
        let mut chars = rest.chars();
        let drive = chars.next().filter(|_| chars.next() == Some(':') && chars.next() == Some('/'));
        if drive.is_some() {
            path = rest.to_owned();
        } else if slashes >= 3 {
            path = format!("/{rest}");
        }
    }
    LinkTarget { kind: "file".into(), path, raw, search }
}

/// Replaces each line break and the blanks around it.
fn join_lines(text: &str, by: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let blank = |c: char| matches!(c, ' ' | '\t');
    let mut out = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.truncate(out.trim_end_matches(blank).len());
            out.push_str(by);
            out.push_str(line.trim_start_matches(blank));
        } else {
            out.push_str(line);
        }
    }
    out
}

/// Halves the backslashes before a bracket and at the end.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (front, tail) = rest.split_at(at);
        out.push_str(front);
        let count = tail.bytes().take_while(|byte| *byte == b'\\').count();
        let (signs, behind) = tail.split_at(count);
        if behind.is_empty() || behind.starts_with(['[', ']']) {
            out.push_str(signs.get(..count / 2).unwrap_or_default());
        } else {
            out.push_str(signs);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Expands the abbreviation before the first colon. A function `%(..)` is never called.
fn expand(text: &str, abbreviations: &[(String, String)]) -> String {
    let (key, tag) = match text.split_once(':') {
        Some((key, tag)) => (key, Some(tag.strip_prefix(':').unwrap_or(tag))),
        None => (text, None),
    };
    let Some((_, by)) = abbreviations.iter().find(|(name, _)| name == key) else {
        return text.to_owned();
    };
    let tag = tag.unwrap_or_default();
    let called = by.find("%(").and_then(|at| by.get(at + 2..)).and_then(|rest| rest.find(')'));
    if called.is_some_and(|at| at > 0) {
        text.to_owned()
    } else if by.contains("%s") {
        by.replacen("%s", tag, 1)
    } else if by.contains("%h") {
        by.replacen("%h", &hexify(tag), 1)
    } else {
        format!("{by}{tag}")
    }
}

fn hexify(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
