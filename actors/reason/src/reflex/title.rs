//! What a task is called, when the dates, tags and priority are taken off the words that said it. It must never lose
//! a word of the rest.

use super::{
    lex::{Word, words},
    order::without_politeness,
    runs::Run,
    step::{Reader, Step},
    tags::{self, Marks},
    when::{Fault, Times, join},
};

/// A task as understood. The title is empty when nothing but dates and marks was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gist {
    pub(super) title: String,
    pub(super) times: Times,
    pub(super) priority: Option<char>,
    pub(super) tags: Vec<String>,
}

/// Which dates of a text to take: beginning, middle, end. The first that fit together are taken.
const CHOICES: [(bool, bool, bool); 5] = [
    (true, true, true),
    (true, false, true),
    (false, false, true),
    (true, false, false),
    (false, true, false),
];

/// Reads a task. The error is a sentence for the person.
pub(super) fn read(reader: Reader<'_>, text: &str) -> Result<Gist, String> {
    let mut marks = Marks::default();
    let mut said = words(text);
    marks.take_letters(&mut said);
    marks.take_edges(&mut said, reader.language);
    drop_politeness(reader, &mut said);
    let (times, cuts) = dates(reader, &said)?;
    let from_head = cuts.iter().any(|(from, _)| *from == 0);
    let mut kept: Vec<Word<'_>> = said
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !cuts.iter().any(|(from, to)| (from..to).contains(&at)))
        .map(|(_, word)| word)
        .collect();
    marks.take_edges(&mut kept, reader.language);
    let joiners = &reader.language.words.joiners;
    let joins = |word: &Word<'_>| from_head && joiners.iter().any(|j| *j == word.key || *j == word.raw);
    let skip = kept.iter().take_while(|word| joins(word)).count();
    let rest = kept.get(skip..).unwrap_or(&[]);
    let title = rest.iter().map(|word| marks.take_inner(word)).collect::<Vec<_>>().join(" ");
    Ok(Gist {
        title: unquoted(trimmed(&title)).to_owned(),
        times,
        priority: marks.priority,
        tags: marks.tags,
    })
}

/// Drops "please" behind a date or a pause, where it is no word of the title: "teach him to say please".
fn drop_politeness(reader: Reader<'_>, said: &mut Vec<Word<'_>>) {
    let curt = without_politeness(reader.language, said);
    let paused = curt.last().is_some_and(Word::pauses);
    let kept = curt.len();
    if kept < said.len() && (paused || reader.runs(curt).tail.is_some()) {
        said.truncate(kept);
    }
}

/// Returns the dates of the words and the words that they take.
fn dates(reader: Reader<'_>, said: &[Word<'_>]) -> Result<(Times, Vec<(usize, usize)>), String> {
    let runs = reader.runs(said);
    for (head, middle, tail) in CHOICES {
        let chosen: Vec<&Run> = [(head, &runs.head), (middle, &runs.middle), (tail, &runs.tail)]
            .into_iter()
            .filter_map(|(wanted, run)| run.as_ref().filter(|_| wanted))
            .collect();
        let steps: Vec<Step> = chosen.iter().flat_map(|run| run.steps.clone()).collect();
        match join(&steps, reader.days) {
            Ok(times) => return Ok((times, chosen.iter().map(|run| (run.from, run.to)).collect())),
            Err(Fault::Problem(sentence)) => return Err(sentence),
            Err(Fault::Clash) => {}
        }
    }
    Ok((Times::default(), Vec::new()))
}

/// Takes the quotes off a title that stands in them as a whole.
fn unquoted(title: &str) -> &str {
    let inner = title.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"') && !inner.trim().is_empty()).unwrap_or(title)
}

/// Takes the marks off that led to what was cut, and the full stop of a sentence.
fn trimmed(title: &str) -> &str {
    let title = title
        .trim_start_matches([' ', ',', ';', ':', '-', '–', '—'])
        .trim_end_matches([' ', ',', ';', ':', '-', '–', '—']);
    match title.strip_suffix('.') {
        Some(rest) if rest.ends_with(char::is_alphanumeric) && !tags::abbreviates(rest) => rest,
        Some(_) | None => title,
    }
}
