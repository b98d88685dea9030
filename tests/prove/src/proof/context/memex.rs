//! A memex read with the product's own scanner, as the memory actor would hand it to the index.

use crate::{Check, Fault};
use index::{Bulk, Dates, Day, Entry, Index, Privacy, Sight, Source, Text};
use org::{Doc, Node, Span};
use std::{borrow::Cow, collections::BTreeMap, path::Path};

/// Files by name.
#[derive(Debug, Default)]
pub(super) struct Memex {
    pub(super) files: BTreeMap<String, File>,
}

/// A file with what stands above its first headline as entry 0 and the headlines behind it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) text: String,
    pub(super) entries: Vec<Own>,
}

/// An entry that owns its text.
#[derive(Debug, Clone)]
pub(super) struct Own {
    pub(super) parent: Option<u32>,
    pub(super) level: u8,
    pub(super) title: String,
    pub(super) tags: Vec<String>,
    pub(super) todo: Option<String>,
    pub(super) done: bool,
    pub(super) dates: Dates,
    pub(super) sight: Sight,
    pub(super) body: String,
}

impl Memex {
    /// Reads the files of a set: those of `files.txt` below the corpus, and those of the folder `extra`.
    pub(super) fn read(corpus: &Path, set: &Path) -> Check<Self> {
        let mut memex = Self::default();
        let listed = std::fs::read_to_string(set.join("files.txt"))?;
        for name in listed.lines().filter(|line| !line.trim().is_empty()) {
            let bytes = std::fs::read(corpus.join(name)).map_err(|error| format!("{name}: {error}"))?;
            memex.files.insert(name.to_owned(), File::new(&bytes));
        }
        let extra = set.join("extra");
        if extra.is_dir() {
            for (name, bytes) in crate::org::files(&extra)? {
                if name.ends_with(".org") {
                    memex.files.insert(format!("extra/{name}"), File::new(&bytes));
                }
            }
        }
        if memex.files.is_empty() { Err(Fault("the set names no file".into())) } else { Ok(memex) }
    }

    /// Builds the index, file by file in the order given.
    pub(super) fn index<'a>(&self, names: impl Iterator<Item = &'a String>) -> Index {
        let mut bulk = Bulk::default();
        for (name, file) in names.filter_map(|name| self.files.get_key_value(name)) {
            // All changed on one day: the times of a checkout say nothing.
            bulk.add(name, 0, &file.entries.iter().map(Own::entry).collect::<Vec<_>>());
        }
        bulk.finish()
    }

    pub(super) fn get(&self, file: &str, ordinal: u32) -> Option<&Own> {
        self.files.get(file)?.entries.get(ordinal as usize)
    }

    /// Finds an entry by its titles from the top.
    pub(super) fn find(&self, file: &str, headings: &[String]) -> Option<u32> {
        let entries = &self.files.get(file)?.entries;
        (1..entries.len() as u32).find(|at| self.headings(file, *at) == headings)
    }

    pub(super) fn headings(&self, file: &str, ordinal: u32) -> Vec<String> {
        let mut titles = Vec::new();
        let mut at = Some(ordinal);
        while let Some(own) = at.and_then(|at| self.get(file, at)).filter(|own| own.level > 0) {
            titles.push(own.title.clone());
            at = own.parent;
        }
        titles.reverse();
        titles
    }

    /// The newest day on which anything was written: the day on which the questions are asked.
    pub(super) fn newest(&self) -> Option<Day> {
        self.files.values().flat_map(|file| &file.entries).filter_map(|own| own.dates.created).max()
    }
}

impl Source for Memex {
    fn text(&self, file: &str, ordinal: u32) -> Option<Text<'_>> {
        let own = self.get(file, ordinal)?;
        Some(Text { title: Cow::Borrowed(&own.title), body: Cow::Borrowed(&own.body) })
    }
}

impl Own {
    pub(super) fn entry(&self) -> Entry<'_> {
        Entry {
            parent: self.parent,
            level: self.level,
            title: Cow::Borrowed(&self.title),
            tags: self.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())).collect(),
            todo: self.todo.as_deref().map(Cow::Borrowed),
            done: self.done,
            dates: self.dates,
            sight: self.sight,
            body: Cow::Borrowed(&self.body),
        }
    }
}

impl File {
    fn new(bytes: &[u8]) -> Self {
        let doc = org::scan(bytes);
        let privacy = Privacy::default();
        let title = doc.title.map(|title| title.text(bytes)).unwrap_or_default();
        let mut entries = vec![Own {
            parent: None,
            level: 0,
            title,
            tags: doc.file_tags.clone(),
            todo: None,
            done: false,
            dates: Dates::default(),
            sight: privacy.sight(&doc.file_tags),
            body: doc.preamble.text(bytes),
        }];
        for node in &doc.nodes {
            let parent = node.parent.map_or(0, |parent| parent + 1);
            let mut tags = entries[parent].tags.clone();
            for tag in node.own_tags(bytes) {
                if !tags.iter().any(|known| known == tag) {
                    tags.push(tag.to_owned());
                }
            }
            entries.push(Own {
                parent: Some(parent as u32),
                level: node.level.min(255) as u8,
                title: node.title.text(bytes),
                sight: privacy.sight(&tags),
                tags,
                todo: node.keyword.map(|word| word.text(bytes)),
                done: node.state.is_some_and(org::State::is_done),
                dates: dates(bytes, &doc, node),
                body: Span::new(node.body, node.own_end).text(bytes),
            });
        }
        Self { text: String::from_utf8_lossy(bytes).into_owned(), entries }
    }
}

fn dates(bytes: &[u8], doc: &Doc, node: &Node) -> Dates {
    let day = |span: Option<Span>| {
        let date = org::stamp_at(bytes, span?.begin)?.date;
        index::day(i32::from(date.year()), date.month() as u32, date.day() as u32)
    };
    let planning = node.planning.unwrap_or_default();
    Dates {
        scheduled: day(planning.scheduled),
        deadline: day(planning.deadline),
        closed: day(planning.closed),
        created: day(node.property(bytes, doc.newline, "CREATED")),
    }
}
