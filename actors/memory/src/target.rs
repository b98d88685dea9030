//! Finds the entry that is meant: by ID, by link, by title, by words, by beginnings of words, in this order.
//!
//! It never guesses: as soon as one way gives entries, several of them are an ambiguity for the person to resolve.

use crate::{
    entry::{All, At},
    folder::Folder,
};
use protocol::recall::EntryRef;

/// Entries shown when several fit.
const AMBIGUOUS_MAX: usize = 8;

/// Entries shown when none fits.
const NEAR_MAX: usize = 3;

/// Least likeness (Jaro-Winkler) of a title that is shown as near. Below it, titles share letters and no sense.
const NEAR_MIN: f64 = 0.75;

/// How an entry was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    Exact,
    Words,
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    One(At<'a>, Way),
    Several(Vec<At<'a>>),
    None,
}

impl Found<'_> {
    /// Returns what to show when several fit.
    pub(crate) fn refs(several: &[At<'_>]) -> Vec<EntryRef> {
        let shown = several.iter().take(AMBIGUOUS_MAX);
        shown.map(|at| at.entry_ref()).collect()
    }
}

/// Says whether a title fits.
type Test<'a> = &'a dyn Fn(&str) -> bool;

/// What a person may mean by a target.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    Id(String),
    Heading { file: String, title: String },
    File(String),
    Title,
}

/// Finds an entry among those that `fits` lets through. Copies that a conflict left count only if nothing else fits.
pub(crate) fn resolve<'a>(folder: &'a Folder, words: &str, fits: &dyn Fn(At<'a>) -> bool) -> Found<'a> {
    let fits_original = |at: At<'a>| !at.file.copy && fits(at);
    match resolve_among(folder, words, &fits_original) {
        Found::None => resolve_among(folder, words, &|at| at.file.copy && fits(at)),
        found @ (Found::One(..) | Found::Several(_)) => found,
    }
}

fn resolve_among<'a>(folder: &'a Folder, words: &str, fits: &dyn Fn(At<'a>) -> bool) -> Found<'a> {
    let words = words.trim();
    let entries = || folder.entries().filter(|at| fits(*at));
    let by_id = |id: &str| -> Vec<At<'a>> {
        let tops = folder.tops().filter(|at| fits(*at));
        let all = tops.chain(entries());
        all.filter(|at| at.id().as_deref() == Some(id)).collect()
    };
    match meaning(words) {
        Meaning::Id(id) => return pick(by_id(&id), Way::Exact),
        Meaning::File(file) => {
            let tops = folder.tops().filter(|at| fits(*at) && is_file(&at.file.name, &file));
            let found: Vec<At<'a>> = tops.collect();
            if !found.is_empty() {
                return pick(found, Way::Exact);
            }
        }
        Meaning::Heading { file, title } => {
            let wanted = plain(&title);
            let here = entries().filter(|at| is_file(&at.file.name, &file));
            return pick(here.filter(|at| plain(&at.title()) == wanted).collect(), Way::Exact);
        }
        Meaning::Title => {}
    }
    if words.is_empty() {
        return Found::None;
    }
    let wanted = plain(words);
    let parts = split(&wanted);
    let ways: [(Way, Test<'_>); 3] = [
        (Way::Exact, &|title| title == wanted),
        (Way::Words, &|title| {
            let own = split(title);
            !parts.is_empty() && parts.iter().all(|part| own.contains(part))
        }),
        (Way::Words, &|title| {
            let own = split(title);
            let begins = |part: &&str| own.iter().any(|word| word.starts_with(part));
            !parts.is_empty() && parts.iter().all(begins)
        }),
    ];
    let ids = by_id(words);
    if !ids.is_empty() {
        return pick(ids, Way::Exact);
    }
    for (way, test) in ways {
        let found: Vec<At<'a>> = entries().filter(|at| test(&plain(&at.title()))).collect();
        if !found.is_empty() {
            return pick(found, way);
        }
    }
    Found::None
}

fn pick(mut found: Vec<At<'_>>, way: Way) -> Found<'_> {
    match (found.len(), found.pop()) {
        (1, Some(at)) => Found::One(at, way),
        (_, None) => Found::None,
        (_, Some(last)) => {
            found.push(last);
            Found::Several(found)
        }
    }
}

fn meaning(words: &str) -> Meaning {
    let inner = words
        .strip_prefix("[[")
        .and_then(|rest| rest.strip_suffix("]]"))
        .map(|rest| link_path(rest).to_owned());
    let is_link = inner.is_some();
    let text = inner.map_or_else(|| words.to_owned(), |path| unescape(&path));
    if let Some(id) = text.strip_prefix("id:") {
        return Meaning::Id(id.trim().to_owned());
    }
    let path = text.strip_prefix("file:").unwrap_or(&text);
    if let Some((file, title)) = path.split_once("::*") {
        return Meaning::Heading { file: file.trim().to_owned(), title: title.trim().to_owned() };
    }
    let is_name = path.len() < text.len() || is_link || !path.contains(' ');
    let is_org = std::path::Path::new(path).extension().is_some_and(|ext| ext == "org");
    if is_name && is_org {
        return Meaning::File(path.to_owned());
    }
    Meaning::Title
}

/// The path of a link ends at the first bracket that is not escaped.
fn link_path(rest: &str) -> &str {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '\\' => escaped = !escaped,
            ']' if !escaped => return rest.get(..at).unwrap_or_default(),
            _ => escaped = false,
        }
    }
    rest
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = matches!(chars.peek(), Some('[' | ']' | '\\'));
        if c == '\\' && escapes {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}

fn is_file(name: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches("./");
    name == wanted || name.strip_suffix(wanted).is_some_and(|front| front.ends_with('/'))
}

/// Lower case, single blanks, no zero-width spaces: as a person would compare titles.
pub(crate) fn plain(text: &str) -> String {
    let text = text.replace('\u{200B}', "").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn split(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the entries whose titles come nearest: by shared words first, then by likeness of the letters.
pub(crate) fn near<'a>(folder: &'a Folder, words: &str, fits: &dyn Fn(At<'a>) -> bool) -> Vec<EntryRef> {
    let wanted = plain(words);
    let parts = split(&wanted);
    let mut scored: Vec<(usize, f64, At<'a>)> = Vec::new();
    for at in folder.entries().filter(|at| !at.file.copy && fits(*at)) {
        let title = plain(&at.title());
        let own = split(&title);
        let alike = |part: &&&str| own.iter().any(|word| is_like(part, word));
        let shared = parts.iter().filter(alike).count();
        let likeness = strsim::jaro_winkler(&wanted, &title);
        if shared > 0 || likeness >= NEAR_MIN {
            scored.push((shared, likeness, at));
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let nearest = scored.iter().take(NEAR_MAX);
    nearest.map(|(_, _, at)| at.entry_ref()).collect()
}

/// Words of five letters and more may differ by a slip of the finger.
fn is_like(one: &str, two: &str) -> bool {
    one == two || (one.len() >= 5 && strsim::osa_distance(one, two) <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_are_written() {
        let heading =
            |file: &str, title: &str| Meaning::Heading { file: file.to_owned(), title: title.to_owned() };
        assert_eq!(meaning("[[id:ab-1][x]]"), Meaning::Id("ab-1".to_owned()));
        assert_eq!(meaning("[[file:a.org::*T [1\\]][T]]"), heading("a.org", "T [1]"));
        assert_eq!(meaning("x/a.org::*T"), heading("x/a.org", "T"));
        assert_eq!(meaning("[[file:a.org]]"), Meaning::File("a.org".to_owned()));
        assert_eq!(meaning("water the plants"), Meaning::Title);
    }

    #[test]
    fn file_names_match_whole_parts_only() {
        assert!(is_file("x/a.org", "a.org") && is_file("a.org", "./a.org"));
        assert!(!is_file("xa.org", "a.org"));
    }
}
