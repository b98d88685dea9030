//! The parts of one headline. It must not look beyond its line.

use crate::{
    keyword::{Keywords, State},
    span::{Span, is_blank, skip_blanks, trim},
};

/// What stands in a headline, behind the stars.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Headline {
    pub(crate) keyword: Option<Span>,
    pub(crate) state: Option<State>,
    pub(crate) priority: Option<Span>,
    pub(crate) commented: bool,
    pub(crate) title: Span,
    pub(crate) tags: Option<Span>,
}

/// Counts the stars of a headline; `None` if the line is none.
pub(crate) fn stars(line: &[u8]) -> Option<usize> {
    let count = line.iter().take_while(|byte| **byte == b'*').count();
    (count > 0 && line.get(count) == Some(&b' ')).then_some(count)
}

/// Reads what follows the stars.
pub(crate) fn parse(bytes: &[u8], rest: Span, keywords: &Keywords) -> Headline {
    let mut found = Headline::default();
    let mut rest = skip_blanks(bytes, trim_blanks(bytes, rest));
    if let Some((word, after)) = first_word(bytes, rest)
        && let Some(state) = keywords.state(word.of(bytes))
    {
        found.keyword = Some(word);
        found.state = Some(state);
        rest = skip_blanks(bytes, after);
    }
    if let Some(letter) = priority(bytes, rest) {
        found.priority = Some(letter);
        rest = skip_blanks(bytes, Span::new(letter.end + 1, rest.end));
    }
    if let Some((word, after)) = comment_word(bytes, rest)
        && word.of(bytes) == b"COMMENT"
    {
        found.commented = true;
        rest = skip_blanks(bytes, after);
    }
    found.tags = tags(bytes, rest);
    let end = found.tags.map_or(rest.end, |tags| tags.begin);
    found.title = trim(bytes, Span::new(rest.begin, end));
    found
}

/// A keyword ends at a space or the end of the line; a TAB does not end it.
fn first_word(bytes: &[u8], rest: Span) -> Option<(Span, Span)> {
    split_at(bytes, rest, |byte| byte == b' ')
}

/// Org 9.5 takes any word that begins with it, later versions whole words; both stop at a bracket.
fn comment_word(bytes: &[u8], rest: Span) -> Option<(Span, Span)> {
    split_at(bytes, rest, |byte| is_blank(byte) || byte == b'[')
}

/// A CR that is not part of the line end is an ordinary character: tags before it are none.
fn trim_blanks(bytes: &[u8], rest: Span) -> Span {
    let text = rest.of(bytes).iter().rev();
    let blanks = text.take_while(|byte| is_blank(**byte)).count();
    Span::new(rest.begin, rest.end - blanks)
}

fn split_at(bytes: &[u8], rest: Span, ends: impl Fn(u8) -> bool) -> Option<(Span, Span)> {
    let text = rest.of(bytes);
    let len = text.iter().position(|byte| ends(*byte)).unwrap_or(text.len());
    let end = rest.begin + len;
    (len > 0).then(|| (Span::new(rest.begin, end), Span::new(end, rest.end)))
}

/// Returns the span of the character in `[#c]`.
fn priority(bytes: &[u8], rest: Span) -> Option<Span> {
    let inner = rest.of(bytes).strip_prefix(b"[#")?;
    let len = first_char_len(inner)?;
    (inner.get(len) == Some(&b']')).then(|| Span::new(rest.begin + 2, rest.begin + 2 + len))
}

/// An undecodable byte counts as one character, as in Emacs.
fn first_char_len(text: &[u8]) -> Option<usize> {
    let head = text.get(..4.min(text.len()))?;
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(err) => std::str::from_utf8(head.get(..err.valid_up_to())?).unwrap_or_default(),
    };
    let len = valid.chars().next().map_or(1, char::len_utf8);
    (!head.is_empty()).then_some(len)
}

/// Tags are the last word of the line when it is `:a:b:` behind a blank.
fn tags(bytes: &[u8], rest: Span) -> Option<Span> {
    let text = rest.of(bytes);
    let begin = text.iter().rposition(|byte| is_blank(*byte)).map_or(0, |at| at + 1);
    let word = text.get(begin..)?;
    let inner = word.strip_prefix(b":")?.strip_suffix(b":")?;
    let inner = std::str::from_utf8(inner).ok()?;
    let tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%' | ':');
    let above = (rest.begin + begin).checked_sub(1).and_then(|at| bytes.get(at));
    let apart = above.is_none_or(|byte| is_blank(*byte));
    (apart && !inner.is_empty() && inner.chars().all(tag)).then(|| Span::new(rest.begin + begin, rest.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Option<&str>, Option<&str>, &str, Option<&str>, bool) {
        let all = Span::new(1, line.len());
        let found = parse(line.as_bytes(), all, &Keywords::default());
        let text = |span: Span| std::str::from_utf8(span.of(line.as_bytes())).unwrap();
        (
            found.keyword.map(text),
            found.priority.map(text),
            text(found.title),
            found.tags.map(text),
            found.commented,
        )
    }

    #[test]
    fn parts_of_a_full_headline() {
        assert_eq!(
            read("* TODO [#A] water the plants  :home:garden: "),
            (Some("TODO"), Some("A"), "water the plants", Some(":home:garden:"), false)
        );
    }

    #[test]
    fn what_only_looks_like_a_part_is_title() {
        assert_eq!(read("* TODOx y").2, "TODOx y");
        assert_eq!(read("* [#AB] y").2, "[#AB] y");
        assert_eq!(read("* COMMENTED y").2, "COMMENTED y");
        assert_eq!(read("* a :b: c").2, "a :b: c");
        assert_eq!(read("* a:b:").3, None);
        assert_eq!(read("* a :b-c:").3, None);
        assert_eq!(read("* a ::").3, None);
        assert_eq!(read("* [#A]:x:").3, None);
        assert_eq!(read("* a :x:\r").3, None);
    }

    #[test]
    fn bare_parts_are_no_title() {
        assert_eq!(read("* TODO").0, Some("TODO"));
        assert_eq!(read("* :x:").3, Some(":x:"));
        assert!(read("* COMMENT x").4);
        assert_eq!(read("* [#é] x").1, Some("é"));
    }
}
