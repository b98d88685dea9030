//! Makes foreign text harmless: whatever a person or a model says, it stays text and never becomes structure.
//!
//! Body lines, one rule each, chosen so that a reader hardly sees them and Emacs never obeys them:
//! - stars and a space at the begin: one space in front (a list item, never a headline);
//! - `#+` or `,#+` behind optional blanks: a comma before it, as Org itself does inside blocks. A space would not do,
//!   because keyword lines may be indented;
//! - `:END:`, `:PROPERTIES:` and `:LOGBOOK:` alone on a line: a comma before it;
//! - `%%(` anywhere becomes `%% (`: Emacs evaluates diary sexps when it builds an agenda;
//! - `Local Variables:` becomes `Local Variables :`: Emacs obeys them near the end of a file;
//! - CR and CR LF become line ends, other control characters except TAB go.
//!
//! A title is one line. Only when it would read as keyword, priority, `COMMENT` or tags does it get a zero-width
//! space at that end, because any visible character would change what was said.

use crate::{headline, keyword::Keywords, span::Span};

/// The last resort: not a blank for Emacs, not seen by a reader.
const ZERO_WIDTH_SPACE: char = '\u{200B}';

/// Escapes the lines of a body. Line ends are LF; the text has no line end at its end.
#[must_use]
pub fn body(text: &str) -> String {
    let text = plain(&text.replace("\r\n", "\n").replace('\r', "\n"));
    let lines: Vec<String> = text.trim_end().split('\n').map(line).collect();
    lines.join("\n")
}

/// Drops control characters and defuses what Emacs would evaluate.
fn plain(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let kept = kept.replace("%%(", "%% (");
    let mut out = String::with_capacity(kept.len());
    let mut rest = kept.as_str();
    while let Some(at) = find_fold(rest, "local variables:") {
        let cut = at + "local variables".len();
        let (head, tail) = rest.split_at_checked(cut).unwrap_or((rest, ""));
        out.push_str(head);
        out.push(' ');
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn find_fold(text: &str, word: &str) -> Option<usize> {
    let wanted = word.as_bytes();
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

fn line(line: &str) -> String {
    if headline::stars(line.as_bytes()).is_some() {
        return format!(" {line}");
    }
    let text = line.trim_start_matches([' ', '\t']);
    let (blanks, _) = line.split_at_checked(line.len() - text.len()).unwrap_or_default();
    let word = text.trim_end();
    let mark = [":END:", ":PROPERTIES:", ":LOGBOOK:"].iter().any(|mark| word.eq_ignore_ascii_case(mark));
    if mark || text.trim_start_matches(',').starts_with("#+") {
        return format!("{blanks},{text}");
    }
    line.to_owned()
}

/// Escapes a title: one line, no stars in front, nothing that reads as another part of a headline.
#[must_use]
pub fn title(text: &str, keywords: &Keywords) -> String {
    let one_line = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let mut text = plain(&one_line).replace("-*-", "- * -");
    while let Some(rest) = without_stars(&text) {
        text = rest.to_owned();
    }
    let read = |text: &str| {
        let bytes = text.as_bytes();
        headline::parse(bytes, Span::new(0, bytes.len()), keywords)
    };
    let found = read(&text);
    if found.keyword.is_some() || found.priority.is_some() || found.commented {
        text.insert(0, ZERO_WIDTH_SPACE);
    }
    if read(&text).tags.is_some() {
        text.push(ZERO_WIDTH_SPACE);
    }
    text
}

fn without_stars(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('*');
    let bare = rest.len() < text.len() && (rest.is_empty() || rest.starts_with(' '));
    bare.then(|| rest.trim_start())
}

/// Makes a tag of a word: other characters than Org allows become `_`. `None` if nothing is left.
#[must_use]
pub fn tag(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(':');
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%');
    let tag: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    tag.chars().any(char::is_alphanumeric).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_lines_that_emacs_would_obey_are_escaped() {
        let text = "* x\r\n** y\r*z* bold\n  #+TODO: A | B\n,#+x\n:end:\n :PROPERTIES: \n# ok\n%%(ding)\n\n";
        assert_eq!(
            body(text),
            " * x\n ** y\n*z* bold\n  ,#+TODO: A | B\n,,#+x\n,:end:\n ,:PROPERTIES: \n# ok\n%% (ding)"
        );
    }

    #[test]
    fn local_variables_are_defused_in_any_case() {
        assert_eq!(body("# local VARIABLES: x Local Variables:"), "# local VARIABLES : x Local Variables :");
    }

    #[test]
    fn plain_titles_stay_as_they_are() {
        for text in ["water the plants", "*bold* start", "a: b", "call Zoë :-)", "[x] y"] {
            assert_eq!(title(text, &Keywords::default()), text);
        }
    }

    #[test]
    fn titles_that_read_as_structure_are_escaped() {
        let of = |text: &str| title(text, &Keywords::default());
        assert_eq!(of("* ** buy\n milk"), "buy milk");
        assert_eq!(of("TODO x"), "\u{200B}TODO x");
        assert_eq!(of("[#A] x"), "\u{200B}[#A] x");
        assert_eq!(of("COMMENT"), "\u{200B}COMMENT");
        assert_eq!(of("x :tag:"), "x :tag:\u{200B}");
        assert_eq!(of("TODO x :tag:"), "\u{200B}TODO x :tag:\u{200B}");
    }

    #[test]
    fn tags_hold_only_what_org_allows() {
        assert_eq!(tag(":home:").unwrap(), "home");
        assert_eq!(tag("two words").unwrap(), "two_words");
        assert_eq!(tag(" :: "), None);
    }
}
