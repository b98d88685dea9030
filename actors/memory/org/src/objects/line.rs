//! What a single line may be: each question looks at this line only.

use super::section::{Section, starts_fold, trim_end, word_len};
use crate::span::{Span, is_blank};

pub(super) const NAMES: [&[u8]; 7] =
    [b"NAME", b"DATA", b"LABEL", b"RESNAME", b"SOURCE", b"SRCNAME", b"TBLNAME"];
pub(super) const OTHERS: [&[u8]; 4] = [b"HEADER", b"HEADERS", b"PLOT", b"RESULT"];
pub(super) const DUAL: [&[u8]; 2] = [b"CAPTION", b"RESULTS"];

pub(super) fn is_dual(key: &[u8]) -> bool {
    DUAL.iter().any(|dual| key.eq_ignore_ascii_case(dual))
}

/// Reads an affiliated keyword: key, value in brackets behind it, value.
pub(super) fn affiliated_key<'a>(
    bytes: &'a [u8],
    section: &Section,
    line: usize,
) -> Option<(&'a [u8], Option<Span>, Span)> {
    let place = section.lines.get(line)?;
    let rest = section.text(bytes, line).strip_prefix(b"#+")?;
    let len = rest.iter().position(|byte| matches!(byte, b':' | b'[' | b' '))?;
    let (key, tail) = rest.split_at_checked(len)?;
    let at = place.text + 2 + len;
    let value = |from: usize| {
        let span = crate::span::skip_blanks(bytes, Span::new(from, place.end));
        Span::new(span.begin, span.begin + trim_end(span.of(bytes)).len())
    };
    if is_dual(key) && tail.first() == Some(&b'[') {
        let close = memchr::memmem::rfind(tail, b"]:")?;
        return Some((key, Some(Span::new(at + 1, at + close)), value(at + close + 2)));
    }
    let attribute = starts_fold(key, b"ATTR_")
        && key.len() > 5
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let named = |list: &[&[u8]]| list.iter().any(|name| key.eq_ignore_ascii_case(name));
    let known = attribute || named(&NAMES) || named(&OTHERS) || named(&DUAL);
    (known && tail.first() == Some(&b':')).then(|| (key, None, value(at + 1)))
}

pub(super) fn is_comment(text: &[u8]) -> bool {
    matches!(text, [b'#'] | [b'#', b' ', ..])
}

pub(super) fn block_name(rest: &[u8]) -> Option<&[u8]> {
    let name = rest.get(6..).filter(|_| starts_fold(rest, b"begin_"))?;
    name.get(..word_len(name)).filter(|name| !name.is_empty())
}

/// Length of a key up to the last colon of the first word.
pub(super) fn key_len(rest: &[u8]) -> Option<usize> {
    rest.get(..word_len(rest))?.iter().rposition(|byte| *byte == b':')
}

/// The key of `KEY[..]:`, the longest there is.
pub(super) fn dual_key(rest: &[u8]) -> Option<&[u8]> {
    let close = memchr::memmem::rfind(rest, b"]:")?;
    let word = rest.get(..word_len(rest).min(close))?;
    let open = word.iter().rposition(|byte| *byte == b'[')?;
    word.get(..open).filter(|key| !key.is_empty())
}

pub(super) fn drawer_name(text: &[u8]) -> Option<&[u8]> {
    let inner = trim_end(text).strip_prefix(b":")?.strip_suffix(b":")?;
    (!inner.is_empty() && label_len(inner) == inner.len()).then_some(inner)
}

/// Length of the run of word characters, `-` and `_`.
pub(super) fn label_len(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some((c, len)) = super::chars::first(rest)
        && (c == '-' || c == '_' || super::chars::is_word(c))
    {
        at += len;
    }
    at
}

pub(super) fn environment_name(text: &[u8]) -> Option<&[u8]> {
    let rest = text.get(7..).filter(|_| starts_fold(text, b"\\begin{"))?;
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'*').count();
    (len > 0 && rest.get(len) == Some(&b'}')).then(|| rest.get(..len)).flatten()
}

pub(super) fn is_rule(text: &[u8]) -> bool {
    let text = trim_end(text);
    text.len() >= 5 && text.iter().all(|byte| *byte == b'-')
}

pub(super) fn is_grid_rule(text: &[u8]) -> bool {
    let text = trim_end(text);
    text.starts_with(b"+-")
        && text.ends_with(b"-+")
        && text.iter().all(|byte| matches!(byte, b'+' | b'-'))
        && memchr::memmem::find(text, b"++").is_none()
}

pub(super) fn is_bullet(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let len = match text.get(digits) {
        Some(b'.' | b')') if digits > 0 => digits + 1,
        Some(b'-' | b'+' | b'*') if digits == 0 => 1,
        _ => return false,
    };
    text.get(len).is_none_or(|byte| is_blank(*byte))
}

pub(super) fn is_formula(text: &[u8]) -> bool {
    starts_fold(text, b"#+TBLFM: ")
}
