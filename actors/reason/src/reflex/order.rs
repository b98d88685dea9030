//! From an order and its object to an action. It must never act on an object that it did not understand: it asks.

use super::{
    catalogue::{Intent, Language, Order},
    date::Days,
    edit, help,
    lex::{Word, words},
    span::{self, Stretch},
    step::Reader,
    tags, title, when,
};
use jiff::ZonedDateTime;
use protocol::{
    change::{Change, Target},
    proposal::Action,
    recall::Query,
};

/// Hits of a search: what fits on a telephone without scrolling far.
pub(super) const HITS: u8 = 5;

/// Tasks of a list, for the same reason.
const TASKS: u8 = 20;

/// Longest piece of the person's text that a sentence repeats, in characters.
const QUOTE_MAX: usize = 60;

/// Most words in a topic of the help; longer ones are no question for help.
const TOPIC_WORDS_MAX: usize = 2;

/// What was ordered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'l> {
    pub(super) intent: Intent,
    pub(super) splits: &'l [String],
    loose: bool,
    asks: bool,
    named: bool,
    days: Option<u8>,
}

impl<'l> Asked<'l> {
    /// An order in words.
    pub(super) fn plainly(order: &'l Order) -> Self {
        Self {
            intent: order.is,
            splits: &order.splits,
            loose: order.loose,
            asks: order.asks,
            named: order.named,
            days: order.days,
        }
    }

    /// A slash command: whatever its object is, it is no other order.
    pub(super) const fn command(intent: Intent) -> Self {
        Self { intent, splits: &[], loose: false, asks: true, named: false, days: None }
    }

    /// A sentence that is a task by its form.
    pub(super) const fn habit() -> Self {
        Self::command(Intent::Task)
    }
}

/// Turns an order with its object into an action. `None` means that the words are no such order after all.
pub(super) fn action(
    language: &Language,
    asked: Asked<'_>,
    object: &str,
    now: &ZonedDateTime,
) -> Option<Action> {
    let say = &language.say;
    let reader = Reader { language, days: Days { language, now }, loose: asked.loose };
    Some(match asked.intent {
        Intent::Note => note(language, object),
        Intent::Task => task(reader, object),
        Intent::Agenda => return agenda(reader, asked, object),
        Intent::Tasks => recall(Query::Tasks { limit: TASKS }),
        Intent::Search => search(language, object),
        Intent::Show => match target(language, object) {
            Some(target) => recall(Query::Show { target }),
            None => Action::Say(say.missing_show.clone()),
        },
        Intent::Done => match target(language, object) {
            Some(target) => Action::Change(Change::Done { target }),
            None => Action::Say(say.missing_done.clone()),
        },
        Intent::Undo => undo(language, object),
        Intent::Help => return topic(language, asked, object),
        Intent::Status => Action::Status,
        Intent::Stop => Action::Interrupt,
        Intent::Greeting => Action::Say(say.greeting.clone()),
        Intent::Thanks => Action::Say(say.thanks.clone()),
        Intent::Outside if object.trim().is_empty() => Action::Say(say.missing_outside.clone()),
        Intent::Outside => Action::Outside(object.trim().to_owned()),
        Intent::Focus if object.trim().is_empty() => recall(Query::Focus),
        Intent::Focus => match target(language, object) {
            Some(target) => Action::Change(Change::Focus { target }),
            None => Action::Say(say.missing_focus.clone()),
        },
        Intent::Unfocus => Action::Change(Change::Unfocus),
        Intent::Focused => recall(Query::Focus),
        Intent::Links => match target(language, object) {
            Some(target) => recall(Query::Links { target, limit: TASKS }),
            None => Action::Say(say.missing_links.clone()),
        },
        Intent::Memory => recall(Query::Report),
        Intent::Reschedule
        | Intent::Deadline
        | Intent::Tag
        | Intent::Untag
        | Intent::Priority
        | Intent::Append
        | Intent::Move
        | Intent::Archive
        | Intent::ClockIn
        | Intent::ClockOut
        | Intent::Tick => return edit::action(Reader { loose: true, ..reader }, asked, object),
    })
}

fn recall(query: Query) -> Action {
    Action::Recall { query, preface: None }
}

fn note(language: &Language, object: &str) -> Action {
    let (text, tags) = tags::note(object, language);
    if !text.is_ascii() || text.chars().any(char::is_alphanumeric) {
        Action::Change(Change::Note { text, tags })
    } else {
        Action::Say(language.say.missing_note.clone())
    }
}

fn task(reader: Reader<'_>, object: &str) -> Action {
    let gist = match title::read(reader, object) {
        Ok(gist) => gist,
        Err(sentence) => return Action::Say(sentence),
    };
    if !gist.title.chars().any(|c| c.is_alphanumeric() || !c.is_ascii()) {
        return Action::Say(reader.language.say.missing_task.clone());
    }
    Action::Change(Change::Task {
        title: gist.title,
        scheduled: gist.times.scheduled,
        deadline: gist.times.deadline,
        priority: gist.priority,
        tags: gist.tags,
    })
}

fn agenda(reader: Reader<'_>, asked: Asked<'_>, object: &str) -> Option<Action> {
    let say = &reader.language.say;
    let said = words(object);
    let said = without_politeness(reader.language, &said);
    let today = Stretch { from: reader.days.now.date(), days: asked.days.unwrap_or(1) };
    let loose = Reader { loose: true, ..reader };
    let stretch = match span::read(loose, said) {
        _ if said.is_empty() && asked.named => return None,
        _ if said.is_empty() => today,
        Ok(Some(stretch)) => stretch,
        Ok(None) if asked.asks => {
            let text = quoted(object);
            return Some(Action::Say(say.unknown_day.replace("{text}", &text)));
        }
        Ok(None) => return None,
        Err(sentence) => return Some(Action::Say(sentence)),
    };
    Some(recall(Query::Agenda { from: when::day(stretch.from), days: stretch.days }))
}

fn search(language: &Language, object: &str) -> Action {
    match thing(language, object) {
        Some(words) => recall(Query::Search { words, limit: HITS }),
        None => Action::Say(language.say.missing_search.clone()),
    }
}

fn undo(language: &Language, object: &str) -> Action {
    let key = object.trim().trim_end_matches(['.', '!']);
    let hex = (4..=32).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_hexdigit());
    let turn = match key {
        "" => None,
        _ if hex => Some(key.to_ascii_lowercase()),
        _ => {
            let sentence = language.say.unknown_turn.replace("{text}", &quoted(key));
            return Action::Say(sentence);
        }
    };
    Action::Change(Change::Undo { turn })
}

fn topic(language: &Language, asked: Asked<'_>, object: &str) -> Option<Action> {
    let topic = object.trim().trim_end_matches(['.', '!', '?']);
    if let Some(text) = help::text(language, topic) {
        return Some(Action::Say(text));
    }
    let long = topic.split_whitespace().count() > TOPIC_WORDS_MAX;
    (asked.asks || !long).then(|| {
        let sentence = &language.say.unknown_topic;
        Action::Say(sentence.replace("{topics}", &help::topics(language)).replace("{text}", &quoted(topic)))
    })
}

pub(super) fn target(language: &Language, object: &str) -> Option<Target> {
    thing(language, object).map(Target::Words)
}

/// Returns the thing that is asked for: without politeness, article, quotes around it all and marks at its end. A
/// link stays as it is.
fn thing(language: &Language, object: &str) -> Option<String> {
    let trimmed = object.trim();
    if trimmed.starts_with("[[") && trimmed.ends_with("]]") {
        return Some(trimmed.to_owned());
    }
    let said = words(object);
    let said = without_politeness(language, &said);
    let article = |word: &Word<'_>| !word.quoted && language.words.articles.contains(&word.key);
    let skip = usize::from(said.len() > 1 && said.first().is_some_and(article));
    let raws: Vec<&str> = said.iter().skip(skip).map(|word| word.raw).collect();
    let joined = raws.join(" ");
    let bare = joined.trim_end_matches(['.', '!', '?', ',', ';', ' ']);
    let unquoted = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')]
        .iter()
        .find_map(|(open, close)| bare.strip_prefix(*open)?.strip_suffix(*close))
        .unwrap_or(bare);
    let meant = unquoted.chars().any(|c| c.is_alphanumeric() || !c.is_ascii());
    meant.then(|| unquoted.to_owned())
}

/// Cuts "please" and the like off the end.
pub(super) fn without_politeness<'w, 't>(language: &Language, said: &'w [Word<'t>]) -> &'w [Word<'t>] {
    let polite = |from: &usize| {
        let tail = said.get(*from..).unwrap_or(&[]);
        let mut says = language.words.polite_after.iter();
        says.any(|pattern| pattern.whole(tail, &language.calendar).is_some())
    };
    let first = said.len().saturating_sub(2);
    let cut = (first..said.len()).find(polite).unwrap_or(said.len());
    said.get(..cut).unwrap_or(said)
}

/// Returns the beginning of a text, for a sentence that repeats it.
pub(super) fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTE_MAX) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
