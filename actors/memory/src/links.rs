//! Links between entries: where they lead, and who links to whom. Reading only; nothing a link names is ever opened.

use crate::{
    entry::{All, At},
    folder::{File, Folder},
    target::plain,
};
use protocol::recall::{EntryRef, Recalled};
use std::collections::BTreeMap;

/// A link as a file has it.
#[derive(Debug)]
pub(crate) struct Link {
    /// The entry that holds it.
    node: Option<usize>,
    target: org::LinkTarget,
}

impl Link {
    /// Returns the ID that it leads to.
    pub(crate) fn id(&self) -> Option<&str> {
        (self.target.kind == "id").then_some(self.target.path.as_str())
    }

    /// Returns the entry that holds it.
    pub(crate) const fn holder<'a>(&self, file: &'a File) -> At<'a> {
        At { file, index: self.node }
    }

    /// Returns it as it is written.
    pub(crate) fn shown(&self) -> &str {
        &self.target.raw
    }

    /// Returns the file that it leads to, as a name below the memex; `None` if it leads elsewhere.
    fn file(&self, own: &str) -> Option<String> {
        match self.target.kind.as_str() {
            "file" | "file+emacs" | "file+sys" if self.target.path.is_empty() => Some(own.to_owned()),
            "file" | "file+emacs" | "file+sys" => beside(own, &self.target.path),
            "fuzzy" | "custom-id" => Some(own.to_owned()),
            _ => None,
        }
    }

    /// Returns what it looks for in that file.
    fn search(&self) -> Option<Search<'_>> {
        let text = match self.target.kind.as_str() {
            "custom-id" => return Some(Search::CustomId(self.target.path.as_str())),
            "fuzzy" => self.target.path.as_str(),
            _ => self.target.search.as_deref()?,
        };
        Some(match (text.strip_prefix('*'), text.strip_prefix('#')) {
            (Some(title), _) => Search::Title(title),
            (None, Some(id)) => Search::CustomId(id),
            (None, None) => Search::Text(text),
        })
    }
}

/// What a link looks for in a file.
enum Search<'a> {
    Title(&'a str),
    CustomId(&'a str),
    /// A target, a name or a title; only a title counts here.
    Text(&'a str),
}

/// Returns a name below the memex for a path that stands in a file; `None` if it leads out or is absolute.
fn beside(own: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = own.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl File {
    /// Returns its links; the first call reads them.
    pub(crate) fn links(&self) -> &[Link] {
        self.links.get_or_init(|| {
            let found = org::objects(&self.bytes, &self.doc);
            let settings = org::Settings::of(&self.bytes, &found);
            let link = |link: &org::Link| Link {
                node: link.node,
                target: link.target(&self.bytes, &settings.abbreviations),
            };
            found.links.iter().map(link).collect()
        })
    }
}

/// Says whether a link leads into the memex to something that is not there. `None` if it leads elsewhere.
pub(crate) fn is_broken(
    folder: &Folder,
    own: &str,
    link: &Link,
    ids: &BTreeMap<String, Vec<At<'_>>>,
) -> Option<bool> {
    if let Some(id) = link.id() {
        return Some(!ids.contains_key(id));
    }
    let name = link.file(own)?;
    let Some(file) = folder.files.get(&name) else {
        // Only what memory reads can be missed: pictures and folders are none of its business.
        let is_org = std::path::Path::new(&name).extension().is_some_and(|ext| ext == "org");
        return Some(is_org && !folder.path(&name).exists());
    };
    match link.search()? {
        Search::Title(title) => Some(!has_title(file, title)),
        Search::CustomId(id) => Some(!entries(file).any(|at| at.custom_id().as_deref() == Some(id))),
        Search::Text(_) => None,
    }
}

fn entries(file: &File) -> impl Iterator<Item = At<'_>> {
    (0..file.doc.nodes.len()).map(move |index| At { file, index: Some(index) })
}

fn has_title(file: &File, title: &str) -> bool {
    let wanted = plain(title);
    entries(file).any(|at| plain(&at.title()) == wanted)
}

/// Lists the entries that link to one.
pub(crate) fn backlinks(folder: &Folder, to: At<'_>, limit: u8) -> Recalled {
    let (id, custom, title) = (to.id(), to.custom_id(), plain(&to.title()));
    let leads = |from: &File, link: &Link| {
        if let (Some(id), Some(wanted)) = (link.id(), id.as_deref()) {
            return id == wanted;
        }
        if link.file(&from.name).as_deref() != Some(to.file.name.as_str()) {
            return false;
        }
        match link.search() {
            Some(Search::Title(wanted) | Search::Text(wanted)) => {
                to.index.is_some() && plain(wanted) == title
            }
            Some(Search::CustomId(wanted)) => custom.as_deref() == Some(wanted),
            None => to.index.is_none(),
        }
    };
    let mut from: Vec<EntryRef> = Vec::new();
    for file in folder.files.values().filter(|file| !file.copy) {
        let mut holders: Vec<Option<usize>> =
            file.links().iter().filter(|link| leads(file, link)).map(|link| link.node).collect();
        holders.dedup();
        from.extend(holders.into_iter().map(|index| At { file, index }.entry_ref()));
    }
    let total = u32::try_from(from.len()).unwrap_or(u32::MAX);
    from.truncate(usize::from(limit));
    Recalled::Links { to: to.entry_ref(), from, total }
}

/// Returns all IDs with the entries that have them; more than one is a mistake of the owner's.
pub(crate) fn ids(folder: &Folder) -> BTreeMap<String, Vec<At<'_>>> {
    let mut ids: BTreeMap<String, Vec<At<'_>>> = BTreeMap::new();
    for at in folder.tops().chain(folder.entries()).filter(|at| !at.file.copy) {
        if let Some(id) = at.id() {
            ids.entry(id).or_default().push(at);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_the_file_they_stand_in_and_never_lead_out() {
        assert_eq!(beside("a/b.org", "c.org").as_deref(), Some("a/c.org"));
        assert_eq!(beside("a/b.org", "../c.org").as_deref(), Some("c.org"));
        assert_eq!(beside("b.org", "./x/c.org").as_deref(), Some("x/c.org"));
        assert_eq!(beside("b.org", "../../etc/passwd"), None);
        assert_eq!(beside("b.org", "/etc/passwd"), None);
    }
}
