//! Ranking: BM25 over body, title and heading path, newer entries a little first. The same entries give the same order
//! however they came into the index.

use crate::{
    entry::{Day, Sight},
    index::Index,
    query::{Filter, Query, Sign},
    segment::Segment,
    sieve::Sieve,
    wanted::{Match, Places, Want},
};
use std::cmp::Ordering;

/// Below so many entries a word counts as misspelt.
const LITTLE: usize = 1;

/// How entries are weighed. The defaults were measured on the question set of the context proof.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// How soon more occurrences stop counting.
    pub k1: f32,
    /// How much longer entries are held back.
    pub b: f32,
    /// What an occurrence in the title counts, the body being 1.
    pub title: f32,
    /// What an occurrence in file name, titles above or tags counts.
    pub path: f32,
    /// Share by which an entry written today is lifted; it halves within a year.
    pub recent: f32,
    /// Share of the best score of its file that an entry gets.
    pub file: f32,
    /// What words count that people use for one another.
    pub alike: f32,
    /// What the titles around the entry in view count.
    pub focus: f32,
    /// How much entries near the one in view are lifted, as a share of the best score.
    pub close: f32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            k1: 0.9,
            b: 0.4,
            title: 2.0,
            path: 0.5,
            recent: 0.1,
            file: 0.2,
            alike: 0.35,
            focus: 0.3,
            close: 0.8,
        }
    }
}

/// Who asks, and for how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// Most hits.
    pub limit: usize,
    /// What may be seen: `Open` leaves private entries out, `Private` shows all.
    pub sight: Sight,
    /// The day on which it is asked; without it age does not count.
    pub today: Option<Day>,
    /// How entries are weighed.
    pub tuning: Tuning,
}

impl Default for Asked {
    fn default() -> Self {
        Self { limit: 20, sight: Sight::Private, today: None, tuning: Tuning::default() }
    }
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its file.
    pub file: String,
    /// Its place in the list of the file's entries.
    pub ordinal: u32,
    /// The higher the better; comparable within one answer only.
    pub score: f32,
    /// What was found of what was asked.
    pub words: Vec<String>,
}

/// How strictly the query was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Everything that was asked for is there.
    Exactly,
    /// Misspelt words were taken for others.
    Respelt,
    /// Not everything is there.
    Loosely,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best ones.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// How the query was taken.
    pub taken: Taken,
}

/// Whether an entry must have all that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    All,
    Any,
}

/// An entry with its score, before anything is copied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) segment: u32,
    pub(crate) doc: u32,
    pub(crate) score: f32,
    /// Which of the first 64 things wanted are there.
    pub(crate) has: u64,
}

impl Index {
    /// Answers a query: every word must occur. If nothing holds them all, misspelt words are taken for the nearest
    /// known ones, and then any of the words is enough.
    #[must_use]
    pub fn search(&self, query: &Query, asked: &Asked) -> Found {
        let wants = |sign: Sign| -> Vec<Want> {
            query.clauses.iter().filter(|clause| clause.0 == sign).map(|clause| Want::of(&clause.1)).collect()
        };
        let (wanted, unwanted) = (wants(Sign::With), wants(Sign::Without));
        if wanted.is_empty() && query.filters.is_empty() && unwanted.is_empty() {
            return Found { hits: Vec::new(), total: 0, taken: Taken::Exactly };
        }
        let rank = |wanted: &[Want], need| self.rank(wanted, need, &unwanted, &query.filters, asked);
        let found = rank(&wanted, Need::All);
        if found.len() >= LITTLE || wanted.is_empty() {
            return self.found(found, &wanted, asked, Taken::Exactly);
        }
        // Only words that stand nowhere are taken for misspelt.
        let respelt: Vec<Want> =
            wanted.iter().map(|want| if self.knows(want) { want.clone() } else { self.near(want) }).collect();
        let found = if respelt == wanted { found } else { rank(&respelt, Need::All) };
        if found.len() >= LITTLE {
            return self.found(found, &respelt, asked, Taken::Respelt);
        }
        self.found(rank(&respelt, Need::Any), &respelt, asked, Taken::Loosely)
    }

    pub(crate) fn knows(&self, want: &Want) -> bool {
        let places = Places { title: 1.0, path: 1.0 };
        self.segments().any(|(_, segment)| !want.matches(segment, places).is_empty())
    }

    fn found(&self, mut scored: Vec<Scored>, wants: &[Want], asked: &Asked, taken: Taken) -> Found {
        let total = scored.len();
        self.sort(&mut scored, asked.limit);
        let hits = scored.iter().filter_map(|one| self.hit(one, wants)).collect();
        Found { hits, total, taken }
    }

    pub(crate) fn hit(&self, one: &Scored, wants: &[Want]) -> Option<Hit> {
        let segment = self.segment(one.segment)?;
        let (file, _) = segment.file(one.doc)?;
        let has = |at: &(u32, &Want)| at.0 < 64 && one.has >> at.0 & 1 == 1;
        let words = (0u32..).zip(wants).filter(has).map(|(_, want)| want.name.clone());
        Some(Hit {
            file: file.name.clone(),
            ordinal: one.doc.checked_sub(file.first)?,
            score: one.score,
            words: words.collect(),
        })
    }

    /// Puts the best first and drops all beyond the limit.
    pub(crate) fn sort(&self, scored: &mut Vec<Scored>, limit: usize) {
        if limit == 0 {
            scored.clear();
        } else if limit < scored.len() {
            // By score alone first: comparing places costs more, and matters among equals only.
            let mut scores: Vec<f32> = scored.iter().map(|one| one.score).collect();
            let (_, least, _) = scores.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one));
            let least = *least;
            scored.retain(|one| one.score.total_cmp(&least) != Ordering::Less);
            scored.select_nth_unstable_by(limit - 1, |one, other| self.order(one, other));
            scored.truncate(limit);
        }
        scored.sort_unstable_by(|one, other| self.order(one, other));
    }

    /// The better score, then the newer entry, then the place.
    fn order(&self, one: &Scored, other: &Scored) -> Ordering {
        let by_score = other.score.total_cmp(&one.score);
        if by_score != Ordering::Equal {
            return by_score;
        }
        let place = |at: &Scored| {
            let segment = self.segment(at.segment)?;
            let (file, row) = segment.file(at.doc)?;
            Some((row.written().map_or(file.changed, i64::from), file.name.as_str(), at.doc - file.first))
        };
        match (place(one), place(other)) {
            (Some(one), Some(other)) => other.0.cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))),
            _ => Ordering::Equal,
        }
    }

    /// Returns every entry that fits, with its score, in no order.
    pub(crate) fn rank(
        &self,
        wants: &[Want],
        need: Need,
        unwanted: &[Want],
        filters: &[(Sign, Filter)],
        asked: &Asked,
    ) -> Vec<Scored> {
        let tuning = asked.tuning;
        let places = Places { title: tuning.title, path: tuning.path };
        let lists: Vec<(u32, &Segment, Vec<Vec<Match>>)> = self
            .segments()
            .map(|(id, segment)| {
                (id, segment, wants.iter().map(|want| want.matches(segment, places)).collect())
            })
            .collect();
        let sizes = self.sizes();
        let all = f64::from(sizes.entries);
        let idf: Vec<f32> = (0..wants.len())
            .map(|at| {
                let having: usize = lists.iter().filter_map(|list| Some(list.2.get(at)?.len())).sum();
                let having = f64::from(crate::codec::count(having));
                narrow((1.0 + (all - having + 0.5) / (having + 0.5)).ln())
            })
            .collect();
        let mean = sizes.mean(tuning.title, tuning.path);
        let lifts = Lifts::new(asked);
        let mut found = Vec::new();
        for (id, segment, lists) in lists {
            let sieve = Sieve::new(segment, unwanted, filters, asked.sight);
            let norms = |doc: u32| {
                let row = segment.rows.get(doc as usize);
                let len = row.map_or(0.0, |row| {
                    narrow(f64::from(row.body))
                        + tuning.title * f32::from(row.title)
                        + tuning.path * f32::from(row.path)
                });
                tuning.k1 * (1.0 - tuning.b + tuning.b * len / mean)
            };
            let mut take = |doc: u32, score: f32, has: u64| {
                if sieve.passes(doc) {
                    found.push(Scored { segment: id, doc, score: score * lifts.of(segment, doc), has });
                }
            };
            let worth = |at: usize, much: f32, norm: f32| match (wants.get(at), idf.get(at)) {
                (Some(want), Some(idf)) => want.weight * idf * much * (tuning.k1 + 1.0) / (much + norm),
                _ => 0.0,
            };
            if wants.is_empty() {
                (0..crate::codec::count(segment.rows.len())).for_each(|doc| take(doc, 0.0, 0));
            } else if need == Need::All {
                in_all(&lists, |doc, much| {
                    let norm = norms(doc);
                    let score = much.iter().enumerate().map(|(at, much)| worth(at, *much, norm)).sum();
                    take(doc, score, u64::MAX >> 64usize.saturating_sub(much.len()));
                });
            } else {
                let mut desk = vec![(0f32, 0u64); segment.rows.len()];
                for (at, list) in lists.iter().enumerate() {
                    let bit = u32::try_from(at).ok().and_then(|at| 1u64.checked_shl(at)).unwrap_or(1 << 63);
                    for (doc, much) in list {
                        if let Some(cell) = desk.get_mut(*doc as usize) {
                            cell.0 += worth(at, *much, norms(*doc));
                            cell.1 |= bit;
                        }
                    }
                }
                let scored = (0u32..).zip(desk).filter(|(_, cell)| cell.1 != 0);
                scored.for_each(|(doc, cell)| take(doc, cell.0, cell.1));
            }
        }
        found
    }
}

/// Calls back with each entry that is in all lists and what it has of each. The shortest list leads.
fn in_all(lists: &[Vec<Match>], mut each: impl FnMut(u32, &[f32])) {
    let Some(lead) = lists.iter().min_by_key(|list| list.len()) else {
        return;
    };
    let mut rests: Vec<&[Match]> = lists.iter().map(Vec::as_slice).collect();
    let mut much = vec![0f32; lists.len()];
    'entries: for (doc, _) in lead {
        for (rest, much) in rests.iter_mut().zip(&mut much) {
            // Steps that double find the place in time that grows with the distance only.
            let mut step = 1;
            while rest.get(step).is_some_and(|one| one.0 < *doc) {
                step *= 2;
            }
            let near = rest.get(..rest.len().min(step + 1)).unwrap_or_default();
            let skip = near.partition_point(|one| one.0 < *doc);
            *rest = rest.get(skip..).unwrap_or_default();
            match rest.first() {
                Some((found, has)) if found == doc => *much = *has,
                Some(_) => continue 'entries,
                None => return,
            }
        }
        each(*doc, &much);
    }
}

/// How much entries are lifted because they are new, by age in days.
struct Lifts {
    today: Option<Day>,
    by_age: Vec<f32>,
}

impl Lifts {
    /// Days after which an entry counts as old: eight years leave nothing to speak of.
    const OLD: u16 = 2922;

    fn new(asked: &Asked) -> Self {
        let lift = |age: u16| 1.0 + asked.tuning.recent * narrow((f64::from(age) / -365.25).exp2());
        let by_age = if asked.today.is_some() { (0..Self::OLD).map(lift).collect() } else { Vec::new() };
        Self { today: asked.today, by_age }
    }

    fn of(&self, segment: &Segment, doc: u32) -> f32 {
        let written = segment.rows.get(doc as usize).and_then(crate::segment::Row::written);
        let (Some(today), Some(written)) = (self.today, written) else {
            return 1.0;
        };
        let age = usize::try_from(today.saturating_sub(written)).unwrap_or(0);
        self.by_age.get(age).copied().unwrap_or(1.0)
    }
}

/// Scores need no more than single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
pub(crate) fn narrow(number: f64) -> f32 {
    number as f32
}
