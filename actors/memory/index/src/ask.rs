//! A question in plain language, to a ranking of entries. Nothing in it is an operator. Entries are read again through
//! the owner of the files only where ranking looks at them closely.

use crate::{
    context::Source,
    english,
    entry::{Day, Sight},
    index::Index,
    query::Clause,
    search::{Asked, Need, Scored, Tuning},
    stem::stem,
    token,
    wanted::{Form, Want},
};
use std::collections::{BTreeMap, BTreeSet};

/// Most words of a question that are looked for; the rest of a pasted page is left out.
const WANTS_MAX: usize = 40;

/// A question about the memex.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// As the person typed it.
    pub text: &'a str,
    /// File and place of the entry in view.
    pub focus: Option<(&'a str, u32)>,
    /// What the destination may see.
    pub sight: Sight,
    /// The day on which it is asked.
    pub today: Option<Day>,
    /// How entries are weighed.
    pub tuning: Tuning,
}

/// The words of a question that say something, with their forms.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) wants: Vec<Want>,
}

impl Parsed {
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        self.wants.iter().map(|want| Clause::Word(want.name.clone())).collect()
    }
}

impl Index {
    /// Takes a question apart. Words that say nothing go, unless there are no others.
    pub(crate) fn parse(&self, text: &str) -> Parsed {
        let mut parsed = Parsed::default();
        let mut stems: BTreeSet<String> = BTreeSet::new();
        let words = token::question(text);
        let telling = words.iter().any(|word| !english::is_empty(word));
        for (at, word) in words.iter().enumerate() {
            if (telling && english::is_empty(word)) || !stems.insert(stem(word)) {
                continue;
            }
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            parsed.wants.push(self.want(word, before, words.get(at + 1)));
        }
        // A question may be a whole page; what it begins with is what it is about.
        parsed.wants.truncate(WANTS_MAX);
        parsed
    }

    fn want(&self, word: &str, before: Option<&String>, after: Option<&String>) -> Want {
        let mut forms = vec![(Form::Kin(word.to_owned()), 1.0)];
        // `mode line` is also written `modeline`.
        for (one, other) in
            [(before.map(String::as_str), Some(word)), (Some(word), after.map(String::as_str))]
        {
            if let (Some(one), Some(other)) = (one, other)
                && one.len() + other.len() >= 6
                && one.len().min(other.len()) >= 2
                && !token::is_dense(word)
            {
                forms.push((Form::Kin(format!("{one}{other}")), 1.0));
            }
        }
        let want = Want { name: word.to_owned(), forms, weight: 1.0 };
        if self.knows(&want) { want } else { self.near(&want) }
    }

    /// Returns entries that may answer a question, the best first.
    pub(crate) fn answer(
        &self,
        question: &Question<'_>,
        parsed: &Parsed,
        source: &dyn Source,
        limit: usize,
    ) -> Vec<Scored> {
        let tuning = question.tuning;
        let asked = Asked { limit, sight: question.sight, today: question.today, tuning };
        let mut wants = parsed.wants.clone();
        wants.extend(parsed.wants.iter().filter_map(|want| alike(want, tuning.alike)));
        if let Some((file, ordinal)) = question.focus {
            wants.extend(self.around(file, ordinal, tuning.focus, &wants, source));
        }
        let mut found = self.rank(&wants, Need::Any, &[], &[], &asked);
        self.spread(&mut found, tuning.file);
        if let Some((file, ordinal)) = question.focus {
            self.draw_near(&mut found, file, ordinal, question);
        }
        self.sort(&mut found, limit);
        found
    }

    /// What stands in the file of a good hit is often about the same: part of the best other score goes to each.
    fn spread(&self, found: &mut [Scored], share: f32) {
        let file = |one: &Scored| Some((one.segment, self.segment(one.segment)?.file(one.doc)?.1.file));
        // The two best of each file, so that nobody is lifted by itself.
        let mut files: BTreeMap<(u32, u32), [f32; 2]> = BTreeMap::new();
        for one in found.iter() {
            if let Some(file) = file(one) {
                let pair = files.entry(file).or_default();
                let [first, second] = *pair;
                *pair = if one.score > first { [one.score, first] } else { [first, second.max(one.score)] };
            }
        }
        for one in found.iter_mut() {
            if let Some([first, second]) = file(one).and_then(|file| files.get(&file)) {
                one.score += share * if *first <= one.score { second } else { first };
            }
        }
    }

    /// Entries near the one in view are lifted, the nearer the more, even if they have none of the words.
    fn draw_near(&self, found: &mut Vec<Scored>, file: &str, ordinal: u32, question: &Question<'_>) {
        let Some((segment, first, entries)) = self.place(file) else {
            return;
        };
        let best = if found.is_empty() { 1.0 } else { top(found) };
        let here = self.line(file, ordinal);
        for at in (0..entries).filter(|at| self.may_see(file, *at, question.sight)) {
            let there = self.line(file, at);
            let both = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
            let steps = here.len() + there.len() - 2 * both;
            if steps == 0 {
                continue;
            }
            let lift = question.tuning.close * best / f32::from(u16::try_from(steps).unwrap_or(u16::MAX));
            let doc = first + at;
            match found.iter_mut().find(|one| one.segment == segment && one.doc == doc) {
                Some(one) => one.score += lift,
                None => found.push(Scored { segment, doc, score: lift, has: 0 }),
            }
        }
    }

    /// Words of the titles around the entry in view.
    fn around(
        &self,
        file: &str,
        ordinal: u32,
        weight: f32,
        known: &[Want],
        source: &dyn Source,
    ) -> Vec<Want> {
        let mut text = file.strip_suffix(".org").unwrap_or(file).to_owned();
        for at in self.line(file, ordinal) {
            text.push(' ');
            text.push_str(&source.text(file, at).unwrap_or_default().title);
        }
        let mut wants: Vec<Want> = Vec::new();
        for word in token::question(&text) {
            let is_new = |want: &Want| want.name != word;
            if !english::is_empty(&word) && known.iter().all(is_new) && wants.iter().all(is_new) {
                wants.push(Want { name: word.clone(), forms: vec![(Form::Kin(word), 1.0)], weight });
            }
        }
        wants
    }
}

/// The words that people use for one, as something wanted of its own, because the rarer of them says more.
fn alike(want: &Want, weight: f32) -> Option<Want> {
    let words = english::alike(&want.name);
    let forms = words.iter().map(|word| (Form::Kin((*word).to_owned()), 1.0)).collect();
    (!words.is_empty()).then(|| Want { name: format!("~{}", want.name), forms, weight })
}

fn top(found: &[Scored]) -> f32 {
    found.iter().map(|one| one.score).fold(0.0, f32::max).max(f32::MIN_POSITIVE)
}
