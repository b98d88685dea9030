//! Characters in bytes that need not be UTF-8, and what kinds of characters Emacs takes them for in an Org buffer.

/// Returns the first character and its length; an undecodable byte counts as one.
pub(super) fn first(text: &[u8]) -> Option<(char, usize)> {
    let byte = *text.first()?;
    if byte.is_ascii() {
        return Some((char::from(byte), 1));
    }
    let head = text.get(..4.min(text.len()))?;
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(err) => std::str::from_utf8(head.get(..err.valid_up_to())?).unwrap_or_default(),
    };
    Some(valid.chars().next().map_or((char::REPLACEMENT_CHARACTER, 1), |c| (c, c.len_utf8())))
}

/// Returns the last character.
pub(super) fn last(text: &[u8]) -> Option<char> {
    let byte = *text.last()?;
    if byte.is_ascii() {
        return Some(char::from(byte));
    }
    for len in 2..=4 {
        let at = text.len().checked_sub(len)?;
        if let Ok(text) = std::str::from_utf8(text.get(at..)?) {
            return text.chars().next();
        }
    }
    Some(char::REPLACEMENT_CHARACTER)
}

/// Says whether it is part of a word (measured: `char-syntax` in a buffer of Org 9.5.5).
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || matches!(c, '$' | '%' | '\'')
    } else {
        c.is_alphanumeric() && !matches!(c, '\u{aa}' | '\u{ba}')
            || matches!(c, '\u{a5}' | '\u{b7}' | '\u{300}'..='\u{36f}')
    }
}

/// Says whether it is white space (measured likewise).
pub(super) fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\r' | '\x0C' | ' ' | '\u{a0}' | '\u{2000}'
            ..='\u{200b}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Says whether a word can begin with `c` behind `above`: a change of script is a boundary, too.
pub(super) fn begins_word(above: Option<char>, c: char) -> bool {
    match above {
        None => true,
        Some(above) if !is_word(above) => true,
        Some(above) if above.is_ascii() && c.is_ascii() => false,
        Some(above) => !is_latin(above),
    }
}

/// Latin letters, which join with ASCII letters to one word.
fn is_latin(c: char) -> bool {
    c.is_ascii() || matches!(c, '\u{80}'..='\u{24f}' | '\u{250}'..='\u{36f}' | '\u{1e00}'..='\u{1eff}')
}
