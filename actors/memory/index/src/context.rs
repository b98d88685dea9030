//! What a model is shown of the memex for one question: what is in view, what was found, whole entries first, under a
//! budget of tokens. An entry that the destination may not see is absent altogether, its title included. The same
//! question over the same files gives the same bytes.

use crate::{
    ask::{Parsed, Question},
    budget::tokens,
    entry::Sight,
    index::Index,
    passage,
    search::{Scored, narrow},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Whoever has the files.
pub trait Source {
    /// Returns title and own body of an entry as they stand in the file.
    fn text(&self, file: &str, ordinal: u32) -> Option<Text<'_>>;
}

/// An entry's words.
#[derive(Debug, Clone, Default)]
pub struct Text<'a> {
    /// The title.
    pub title: Cow<'a, str>,
    /// The own body.
    pub body: Cow<'a, str>,
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// The text for the model.
    pub text: String,
    /// Its tokens, estimated high.
    pub tokens: usize,
    /// The entries that are in it, the best first.
    pub shown: Vec<Shown>,
}

/// An entry that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its file.
    pub file: String,
    /// Its place in the file.
    pub ordinal: u32,
    /// How much of it.
    pub how: How,
    /// How well it fits; 0 for what was in view.
    pub score: f32,
}

/// How much of an entry is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Its whole own body.
    Whole,
    /// The best lines.
    Passage,
}

/// Entries that are looked at for one question.
const CANDIDATES: usize = 120;
/// A hit takes at most this share of the budget as a whole; a longer one is shown by its best lines.
const SHARE: usize = 8;
/// The entry in view may take more.
const FOCUS_SHARE: usize = 4;
/// Length of a passage in bytes.
const PASSAGE: usize = 300;
/// With fewer tokens left nothing more is tried.
const LEAST_ROOM: usize = 40;
/// What heading lines cost beside the body, in words.
const HEADS: f64 = 60.0;
/// Below this share of the best score an entry is not shown.
const LEAST: f32 = 0.3;
/// So many of the best hits come first, whatever they cost.
const FIRST: usize = 5;

impl Index {
    /// Puts together what a model is shown for a question, in at most so many tokens.
    #[must_use]
    pub fn assemble(&self, question: &Question<'_>, budget: usize, source: &dyn Source) -> Context {
        let parsed = self.parse(question.text);
        let mut found = self.answer(question, &parsed, source, CANDIDATES);
        self.by_worth(&mut found);
        let sight = question.sight;
        let mut page =
            Page { sight, index: self, source, budget, used: 0, files: Vec::new(), shown: Vec::new() };
        if let Some((file, ordinal)) = question.focus
            && self.may_see(file, ordinal, question.sight)
        {
            page.add(file, ordinal, 0.0, budget / FOCUS_SHARE, &parsed);
        }
        let best = found.first().map_or(0.0, |one| one.score);
        for one in found.iter().filter(|one| one.score >= LEAST * best) {
            if page.is_full() {
                break;
            }
            if let Some((file, ordinal)) = self.name(one) {
                page.add(file, ordinal, one.score, budget / SHARE, &parsed);
            }
        }
        page.finish()
    }

    /// Behind the best few, entries are taken by what they are worth for their length: the chance that an answer is in
    /// one falls faster than its score, hence the square.
    fn by_worth(&self, found: &mut Vec<Scored>) {
        let worth = |one: &Scored| {
            let words =
                self.segment(one.segment).and_then(|segment| segment.file(one.doc)).map_or(0, |at| at.1.body);
            one.score * one.score / narrow(f64::from(words) + HEADS)
        };
        let mut rest = found.split_off(FIRST.min(found.len()));
        // Stable: equal worth stays in the order of the ranking.
        rest.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
        found.append(&mut rest);
    }

    pub(crate) fn name(&self, one: &Scored) -> Option<(&str, u32)> {
        let (file, _) = self.segment(one.segment)?.file(one.doc)?;
        Some((file.name.as_str(), one.doc.checked_sub(file.first)?))
    }

    pub(crate) fn may_see(&self, file: &str, ordinal: u32, sight: Sight) -> bool {
        let row = self.row(file, ordinal);
        row.is_some_and(|row| sight == Sight::Private || row.sight() == Sight::Open)
    }

    /// The entry and those above it, from the outside in.
    pub(crate) fn line(&self, file: &str, ordinal: u32) -> Vec<u32> {
        let mut line = vec![ordinal];
        let mut at = ordinal;
        while let Some(row) = self.row(file, at).filter(|row| row.parent < at) {
            at = row.parent;
            line.push(at);
        }
        line.reverse();
        line
    }

    pub(crate) fn row(&self, file: &str, ordinal: u32) -> Option<&crate::segment::Row> {
        let (segment, first, entries) = self.place(file)?;
        if ordinal >= entries {
            return None;
        }
        self.segment(segment)?.rows.get(first.checked_add(ordinal)? as usize)
    }
}

/// A page that fills.
struct Page<'a> {
    index: &'a Index,
    source: &'a dyn Source,
    sight: Sight,
    budget: usize,
    used: usize,
    /// Files in the order in which their first entry came.
    files: Vec<(String, Sheet)>,
    shown: Vec<Shown>,
}

/// What is shown of one file, in the order of the file.
#[derive(Default)]
struct Sheet {
    heads: BTreeMap<u32, String>,
    bodies: BTreeMap<u32, String>,
}

impl Page<'_> {
    fn is_full(&self) -> bool {
        self.budget.saturating_sub(self.used) < LEAST_ROOM
    }

    /// Takes an entry in, if there is room: whole up to so many tokens, else its best lines.
    fn add(&mut self, file: &str, ordinal: u32, score: f32, most: usize, parsed: &Parsed) {
        if self.shown.iter().any(|shown| shown.file == file && shown.ordinal == ordinal) {
            return;
        }
        let Some(text) = self.source.text(file, ordinal) else {
            return;
        };
        let heads = self.heads(file, ordinal);
        let room = self.budget.saturating_sub(self.used);
        let heads_cost: usize = heads.iter().map(|(_, line)| tokens(line)).sum();
        let whole = format!("{}\n", text.body.trim_matches(['\n', '\r']));
        let cost = tokens(&whole) + heads_cost;
        if cost <= room && cost <= most {
            self.take(file, ordinal, heads, whole, How::Whole, score);
            self.used += cost;
            return;
        }
        let range = passage::best(&text.body, &parsed.clauses(), PASSAGE);
        let part = text.body.get(range).unwrap_or_default().trim_end();
        let part = format!("[...]\n{part}\n[...]\n");
        let cost = tokens(&part) + heads_cost;
        if cost <= room {
            self.take(file, ordinal, heads, part, How::Passage, score);
            self.used += cost;
        }
    }

    /// Heading lines that are not there yet, the file's name first.
    fn heads(&self, file: &str, ordinal: u32) -> Vec<(u32, String)> {
        let sheet = self.files.iter().find(|(name, _)| name == file).map(|(_, sheet)| sheet);
        let mut lines = Vec::new();
        if sheet.is_none() {
            lines.push((u32::MAX, format!("#+FILE: {file}\n")));
        }
        for at in self.index.line(file, ordinal) {
            let level = self.index.row(file, at).map_or(0, |row| row.level);
            // Tags are inherited, so what stands above an open entry is open; this holds even if a caller forgot.
            if level > 0
                && self.index.may_see(file, at, self.sight)
                && sheet.is_none_or(|sheet| !sheet.heads.contains_key(&at))
                && let Some(text) = self.source.text(file, at)
            {
                let stars = "*".repeat(usize::from(level));
                lines.push((at, format!("{stars} {}\n", text.title)));
            }
        }
        lines
    }

    fn take(
        &mut self,
        file: &str,
        ordinal: u32,
        heads: Vec<(u32, String)>,
        body: String,
        how: How,
        score: f32,
    ) {
        let at = self.files.iter().position(|(name, _)| name == file).unwrap_or_else(|| {
            self.files.push((file.to_owned(), Sheet::default()));
            self.files.len() - 1
        });
        if let Some((_, sheet)) = self.files.get_mut(at) {
            sheet.heads.extend(heads);
            sheet.bodies.insert(ordinal, body);
        }
        self.shown.push(Shown { file: file.to_owned(), ordinal, how, score });
    }

    fn finish(self) -> Context {
        let mut text = String::new();
        for (_, sheet) in &self.files {
            text.push_str(sheet.heads.get(&u32::MAX).map_or("", String::as_str));
            let entries: BTreeSet<u32> = sheet.heads.keys().chain(sheet.bodies.keys()).copied().collect();
            for entry in entries {
                if entry != u32::MAX {
                    text.push_str(sheet.heads.get(&entry).map_or("", String::as_str));
                }
                text.push_str(sheet.bodies.get(&entry).map_or("", String::as_str));
            }
        }
        Context { tokens: tokens(&text), text, shown: self.shown }
    }
}
