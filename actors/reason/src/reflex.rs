//! The reflex tier: a small grammar that understands the obvious requests without a model, in milliseconds and for
//! nothing. Pure: percept and time in, proposal out. It must never guess where it can ask, and never take an order
//! from words that are not the owner's own.

mod calendar;
mod catalogue;
mod clock;
mod date;
mod edit;
mod help;
mod lex;
mod numeric;
mod order;
mod pattern;
mod phrase;
mod repeat;
mod runs;
mod slot;
mod span;
mod step;
mod tags;
mod title;
mod when;

use crate::Error;
use catalogue::{Language, Order};
use jiff::ZonedDateTime;
use lex::{Word, words};
use order::Asked;
use protocol::{
    label::{Integrity, Labeled},
    percept::{Percept, Sense},
    proposal::{Action, Proposal, Step, Then},
    recall::Query,
};
use slot::Caught;

/// The language file that is part of the program.
const ENGLISH: &str = include_str!("reflex/en.toml");

/// Most words of a text that a search takes from it: enough for a question, few enough for the index.
const SEARCH_WORDS_MAX: usize = 24;

/// A loaded language.
#[derive(Debug)]
pub struct Reflexes {
    language: Language,
}

impl Reflexes {
    /// Loads English.
    ///
    /// # Errors
    /// When the file built into the program does not hold together, which a test excludes.
    pub fn english() -> Result<Self, Error> {
        Self::load(ENGLISH)
    }

    /// Loads a language file.
    ///
    /// # Errors
    /// When it is no TOML, has an unknown key, or lacks a part.
    pub fn load(text: &str) -> Result<Self, Error> {
        Ok(Self { language: Language::parse(text)? })
    }

    /// Returns the name of the language.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language.name
    }

    /// Proposes what to do about a percept. `now` is the time in the owner's zone.
    #[must_use]
    pub fn propose(&self, percept: &Percept, now: &ZonedDateTime) -> Proposal {
        let action = match &percept.sense {
            Sense::Result { action, text } => self.result(action, text),
            Sense::Utterance(said) => self.stranger(said).unwrap_or_else(|| self.utterance(&said.text, now)),
            Sense::Command { name, arguments } => {
                self.stranger(arguments).unwrap_or_else(|| self.command(name, &arguments.text, now))
            }
        };
        Proposal {
            turn: percept.turn,
            depth: percept.depth,
            conversation: percept.conversation.clone(),
            principal: percept.principal,
            at: percept.at,
            explanation: explanation(&action).to_owned(),
            steps: vec![Step { action, then: Then::Answer }],
        }
    }

    /// Refuses words that the owner did not say.
    fn stranger(&self, said: &Labeled) -> Option<Action> {
        match said.label.integrity {
            Integrity::Owner => None,
            Integrity::Memex | Integrity::Untrusted => Some(Action::Say(self.language.say.stranger.clone())),
        }
    }

    fn result(&self, action: &str, text: &Labeled) -> Action {
        if text.text.trim().is_empty() {
            Action::Say(self.language.say.result.replace("{action}", action))
        } else {
            Action::Say(text.text.clone())
        }
    }

    fn command(&self, name: &str, arguments: &str, now: &ZonedDateTime) -> Action {
        let language = &self.language;
        let known = language
            .commands
            .get(name)
            .and_then(|intent| order::action(language, Asked::command(*intent), arguments, now));
        known.unwrap_or_else(|| {
            let sentence = &language.say.unknown_command;
            Action::Say(
                sentence.replace("{near}", help::nearest(name)).replace("{text}", &order::quoted(name)),
            )
        })
    }

    fn utterance(&self, text: &str, now: &ZonedDateTime) -> Action {
        let language = &self.language;
        let said = words(text);
        let direct = without_prefix(language, &said);
        [said.as_slice(), direct]
            .iter()
            .find_map(|said| self.order(text, said, now))
            .or_else(|| self.habit(text, direct, now))
            .unwrap_or_else(|| self.searched(&said))
    }

    /// Finds the order that fits all the words, the one with the most words of its own first. A "please" at the end
    /// is none of them, except where the words are to be kept as they are.
    fn order(&self, text: &str, said: &[Word<'_>], now: &ZonedDateTime) -> Option<Action> {
        let language = &self.language;
        let curt = order::without_politeness(language, said);
        let mut fits = self.fits(curt);
        if curt.len() < said.len() {
            fits.retain(|(order, _)| !order.is.keeps_words());
            fits.extend(self.fits(said));
        }
        fits.sort_by_key(|(_, caught)| std::cmp::Reverse(caught.literals));
        fits.into_iter().find_map(|(order, caught)| {
            let (from, to) = caught.text.unwrap_or_default();
            let object = slice(text, said.get(from..to)?);
            order::action(language, Asked::plainly(order), object, now)
        })
    }

    fn fits(&self, said: &[Word<'_>]) -> Vec<(&Order, Caught)> {
        let orders = self.language.orders.iter();
        orders
            .flat_map(|order| order.says.iter().map(move |pattern| (order, pattern)))
            .filter_map(|(order, pattern)| Some((order, pattern.whole(said, &self.language.calendar)?)))
            .collect()
    }

    /// Takes "every monday water the plants" for a task.
    fn habit(&self, text: &str, said: &[Word<'_>], now: &ZonedDateTime) -> Option<Action> {
        let language = &self.language;
        let reader = step::Reader { language, days: date::Days { language, now }, loose: false };
        let asked = said.last().is_some_and(|word| word.tail.contains('?'));
        (!asked && reader.begins_with_repeater(said))
            .then(|| order::action(language, Asked::habit(), slice(text, said), now))
            .flatten()
    }

    /// Searches for what is no order: a question, or words that were not understood.
    fn searched(&self, said: &[Word<'_>]) -> Action {
        let language = &self.language;
        let questions = &language.words.questions;
        let asked = said.last().is_some_and(|word| word.tail.contains('?'))
            || said.first().is_some_and(|word| questions.contains(&word.key));
        let meaningful = |word: &&Word<'_>| word.core.chars().any(char::is_alphanumeric);
        let stop = |word: &&Word<'_>| language.words.stop_words.contains(&word.key);
        let all: Vec<&Word<'_>> = said.iter().filter(meaningful).collect();
        let rare: Vec<&Word<'_>> = all.iter().copied().filter(|word| !stop(word)).collect();
        let chosen = if rare.is_empty() { all } else { rare };
        let words: Vec<&str> = chosen.iter().take(SEARCH_WORDS_MAX).map(|word| word.core).collect();
        if words.is_empty() {
            return Action::Say(language.say.empty.clone());
        }
        let preface = if asked { &language.say.question } else { &language.say.unrecognised };
        Action::Recall {
            query: Query::Search { words: words.join(" "), limit: order::HITS },
            preface: Some(preface.clone()),
        }
    }
}

/// Cuts "could you please" and the like off the beginning.
fn without_prefix<'w, 't>(language: &Language, said: &'w [Word<'t>]) -> &'w [Word<'t>] {
    let mut rest = said;
    for _ in 0..3 {
        let used = language
            .words
            .polite_before
            .iter()
            .filter_map(|pattern| pattern.prefix(rest, &language.calendar))
            .map(|caught| caught.used)
            .max();
        match used {
            Some(used) if used < rest.len() => rest = rest.get(used..).unwrap_or(rest),
            Some(_) | None => break,
        }
    }
    rest
}

/// Returns the piece of the text that words cover, as typed.
fn slice<'t>(text: &'t str, said: &[Word<'_>]) -> &'t str {
    match (said.first(), said.last()) {
        (Some(first), Some(last)) => text.get(first.start..last.end()).unwrap_or_default(),
        (_, _) => "",
    }
}

/// Returns why an action is proposed, for the policy gate and the record.
fn explanation(action: &Action) -> &'static str {
    match action.name() {
        "memory.agenda" => "The words ask what is on.",
        "memory.search" => "The words ask for what the memex holds about something.",
        "memory.show" => "The words ask to see an entry.",
        "memory.tasks" => "The words ask for the open tasks.",
        "memory.note" => "The words ask to keep a note.",
        "memory.task" => "The words ask to add a task.",
        "memory.done" => "The words say that a task is done.",
        "memory.links" => "The words ask what links to an entry.",
        "memory.focused" => "The words ask what is in focus.",
        "memory.report" => "The words ask what the memex holds as a whole.",
        "memory.focus" => "The words ask to take an entry into focus.",
        "memory.unfocus" => "The words ask to leave what is in focus.",
        "memory.schedule" => "The words ask to give a task another day.",
        "memory.deadline" => "The words ask to give a task another deadline.",
        "memory.tags" => "The words ask to change the tags of an entry.",
        "memory.priority" => "The words ask to change the priority of an entry.",
        "memory.append" => "The words ask to add text to an entry.",
        "memory.refile" => "The words ask to move an entry under another one.",
        "memory.archive" => "The words ask to put an entry into the archive.",
        "memory.clock" => "The words ask to start or stop the clock of an entry.",
        "memory.check" => "The words ask to tick a checkbox.",
        "memory.undo" => "The words ask to take back what was written.",
        "interrupt" => "The words ask to stop what is running.",
        "status" => "The words ask how the assistant is.",
        "outside" => "The words ask to send a text outside.",
        _ => "The words want an answer in words and nothing else.",
    }
}
