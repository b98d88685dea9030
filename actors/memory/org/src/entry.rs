//! Writes a new entry at the end of a file. It must not change what stands there, not even blank lines.

use crate::{error::Error, escape, scan::Doc, span::Newline, splice::Splice, stamp};
use jiff::civil::DateTime;

/// What the entry shall hold. Texts are foreign: they are escaped here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewEntry {
    /// Whether it is a task.
    pub task: bool,
    /// The letter of `[#A]`.
    pub priority: Option<char>,
    /// The title.
    pub title: String,
    /// Tags without colons.
    pub tags: Vec<String>,
    /// A timestamp for `DEADLINE:`, with brackets, made by the caller.
    pub deadline: Option<String>,
    /// A timestamp for `SCHEDULED:`.
    pub scheduled: Option<String>,
    /// Value of the `CREATED` property.
    pub created: DateTime,
    /// The text below.
    pub body: String,
}

/// Appends an entry. A file without final newline gets one first, as a splice of its own, so that it can be taken
/// back separately.
///
/// # Errors
/// [`Error::NoKeyword`] when the file knows no open keyword for a task.
pub fn append(bytes: &[u8], doc: &Doc, entry: &NewEntry) -> Result<Vec<Splice>, Error> {
    let mut lines = vec![headline(doc, entry)?];
    let planning: Vec<String> = [("DEADLINE", &entry.deadline), ("SCHEDULED", &entry.scheduled)]
        .into_iter()
        .filter_map(|(word, stamp)| Some(format!("{word}: {}", stamp.as_ref()?)))
        .collect();
    if !planning.is_empty() {
        lines.push(planning.join(" "));
    }
    lines.push(":PROPERTIES:".to_owned());
    lines.push(format!(":CREATED: {}", stamp::inactive(entry.created)));
    lines.push(":END:".to_owned());
    let body = escape::body(&entry.body);
    if !body.is_empty() {
        lines.extend(body.split('\n').map(str::to_owned));
    }
    let end = doc.newline.as_str();
    let mut text = lines.join(end);
    text.push_str(end);
    let mut splices = Vec::new();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") && bytes != b"\xEF\xBB\xBF" {
        splices.push(Splice::insert(bytes.len(), end));
    }
    splices.push(Splice::insert(bytes.len(), text));
    Ok(splices)
}

fn headline(doc: &Doc, entry: &NewEntry) -> Result<String, Error> {
    let mut line = "*".to_owned();
    if entry.task {
        let word = doc.keywords.open_word().ok_or(Error::NoKeyword { what: "open" })?;
        line.push(' ');
        line.push_str(word);
    }
    if let Some(letter) = entry.priority.filter(char::is_ascii_alphanumeric) {
        line.push_str(&format!(" [#{}]", letter.to_ascii_uppercase()));
    }
    line.push(' ');
    line.push_str(&escape::title(&entry.title, &doc.keywords));
    let mut tags: Vec<String> = Vec::new();
    for tag in entry.tags.iter().filter_map(|tag| escape::tag(tag)) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        line.push_str(&format!(" :{}:", tags.join(":")));
    }
    Ok(line)
}

impl Newline {
    /// Returns a title line with its line end.
    #[must_use]
    pub fn title_line(self, title: &str) -> String {
        format!("#+TITLE: {title}{}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scan::scan, splice::apply, splice::verify};

    fn entry() -> NewEntry {
        NewEntry {
            title: "hum".to_owned(),
            created: "2026-03-09T10:00:00".parse().unwrap(),
            ..NewEntry::default()
        }
    }

    fn appended(before: &str, entry: &NewEntry) -> String {
        let doc = scan(before.as_bytes());
        let splices = append(before.as_bytes(), &doc, entry).unwrap();
        let after = apply(before.as_bytes(), &splices).unwrap();
        verify(before.as_bytes(), &doc, &after, None).unwrap();
        String::from_utf8(after).unwrap()
    }

    const DRAWER: &str = ":PROPERTIES:\n:CREATED: [2026-03-09 Mon 10:00]\n:END:\n";

    #[test]
    fn note_follows_what_stands_there() {
        assert_eq!(appended("* a\n\n\n", &entry()), format!("* a\n\n\n* hum\n{DRAWER}"));
        assert_eq!(appended("* a", &entry()), format!("* a\n* hum\n{DRAWER}"));
        assert_eq!(appended("", &entry()), format!("* hum\n{DRAWER}"));
    }

    #[test]
    fn crlf_file_stays_crlf() {
        let after = appended("* a\r\ntext\r\n", &NewEntry { body: "x\ny".to_owned(), ..entry() });
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
        assert!(after.ends_with("x\r\ny\r\n"));
    }

    #[test]
    fn task_in_a_file_with_own_keywords_uses_them() {
        let task = NewEntry {
            task: true,
            priority: Some('a'),
            tags: vec!["home".to_owned(), "a b".to_owned(), "home".to_owned()],
            deadline: Some("<2026-03-10 Tue>".to_owned()),
            scheduled: Some("<2026-03-09 Mon>".to_owned()),
            ..entry()
        };
        let head = "#+TODO: NEXT | FIN\n";
        assert_eq!(
            appended(head, &task),
            format!(
                "{head}* NEXT [#A] hum :home:a_b:\nDEADLINE: <2026-03-10 Tue> SCHEDULED: <2026-03-09 Mon>\n{DRAWER}"
            )
        );
    }

    #[test]
    fn hostile_text_stays_text() {
        let hostile = NewEntry {
            title: "* TODO [#A] x :tag:".to_owned(),
            body: "* y\n#+TODO: a | b\n:END:\n#+FILETAGS: :secret:\n** z".to_owned(),
            ..entry()
        };
        let after = appended("* a\n", &hostile);
        let doc = scan(after.as_bytes());
        assert_eq!(doc.nodes[1].keyword, None);
        assert_eq!(doc.nodes[1].tags, None);
        assert!(doc.nodes[1].drawer.is_some());
    }
}
