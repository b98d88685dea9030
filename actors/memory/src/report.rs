//! Introspection: how much there is, and what is loose. Reading only.

use crate::{
    entry::{All, At},
    links,
    memory::Memory,
};
use protocol::label::Confidentiality;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// Lines of each list.
const SHOWN: usize = 5;

impl Memory {
    /// Describes the memex in lines for a person. Private entries are counted and not named.
    pub(crate) fn report(&self) -> String {
        let mut text = format!("{}, {}\n", self.folder.note(), size(self.bytes()));
        let mut states: BTreeMap<String, usize> = BTreeMap::new();
        let mut tags: BTreeMap<String, usize> = BTreeMap::new();
        for at in self.folder.tops().chain(self.folder.entries()).filter(|at| !at.file.copy) {
            if let Some(word) = at.todo() {
                *states.entry(word).or_default() += 1;
            }
            if is_private(at) {
                continue;
            }
            for tag in at.node().map(|node| node.own_tags(&at.file.bytes)).into_iter().flatten() {
                *tags.entry(tag.to_owned()).or_default() += 1;
            }
        }
        list(&mut text, "states", states);
        list(&mut text, "tags", tags);
        self.links_of(&mut text, &links::ids(&self.folder));
        let mut files: Vec<(usize, &str)> =
            self.folder.files.values().map(|file| (file.bytes.len(), file.name.as_str())).collect();
        files.sort_unstable_by(|a, b| b.cmp(a));
        let largest: Vec<String> =
            files.iter().take(SHOWN).map(|(bytes, name)| format!("{name} {}", size(*bytes))).collect();
        line(&mut text, "largest files", &largest.join(", "));
        let copies: Vec<&str> =
            self.folder.files.values().filter(|file| file.copy).map(|file| file.name.as_str()).collect();
        line(&mut text, "conflict copies", &copies.join(", "));
        match self.past.store().map(|store| (store.stats(), store.snapshots())) {
            Ok((stats, Ok(snapshots))) => {
                let bytes = usize::try_from(stats.bytes).unwrap_or(usize::MAX);
                line(&mut text, "snapshots", &format!("{}, history {}", snapshots.len(), size(bytes)));
            }
            Ok((_, Err(error))) => line(&mut text, "snapshots", &error.to_string()),
            Err(trouble) => line(&mut text, "snapshots", &trouble),
        }
        text
    }

    fn bytes(&self) -> usize {
        self.folder.files.values().map(|file| file.bytes.len()).sum()
    }

    /// Broken links, IDs that nothing links to, IDs that stand twice.
    fn links_of(&self, text: &mut String, ids: &BTreeMap<String, Vec<At<'_>>>) {
        let mut linked: BTreeSet<String> = BTreeSet::new();
        let (mut links, mut broken) = (0_usize, Vec::new());
        for file in self.folder.files.values().filter(|file| !file.copy) {
            for link in file.links() {
                links += 1;
                let private = is_private(link.holder(file));
                if !private && links::is_broken(&self.folder, &file.name, link, ids) == Some(true) {
                    broken.push(format!("{}: {}", file.name, link.shown()));
                }
                linked.extend(link.id().map(str::to_owned));
            }
        }
        let orphans = ids.keys().filter(|id| !linked.contains(*id)).count();
        line(text, "links", &format!("{links}, {orphans} IDs that nothing links to"));
        more(text, "broken links", &broken);
        let doubled: Vec<String> = ids
            .iter()
            .filter(|(_, places)| places.len() > 1 && !places.iter().any(|at| is_private(*at)))
            .map(|(id, places)| {
                let files: Vec<&str> = places.iter().map(|at| at.file.name.as_str()).collect();
                format!("{id} in {}", files.join(" and "))
            })
            .collect();
        more(text, "doubled IDs", &doubled);
    }
}

fn is_private(at: At<'_>) -> bool {
    at.label().confidentiality != Confidentiality::Normal
}

fn list(text: &mut String, name: &str, counts: BTreeMap<String, usize>) {
    let mut counts: Vec<(usize, String)> = counts.into_iter().map(|(word, count)| (count, word)).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let rest = counts.len().saturating_sub(2 * SHOWN);
    let mut shown: Vec<String> =
        counts.iter().take(2 * SHOWN).map(|(count, word)| format!("{word} {count}")).collect();
    if rest > 0 {
        shown.push(format!("{rest} more"));
    }
    line(text, name, &shown.join(", "));
}

fn more(text: &mut String, name: &str, found: &[String]) {
    if found.is_empty() {
        return;
    }
    let shown: Vec<&str> = found.iter().take(SHOWN).map(String::as_str).collect();
    line(text, name, &format!("{}: {}", found.len(), shown.join(", ")));
}

fn line(text: &mut String, name: &str, what: &str) {
    if !what.is_empty() {
        let written = writeln!(text, "{name}: {what}");
        debug_assert!(written.is_ok(), "writing to a text cannot fail");
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
