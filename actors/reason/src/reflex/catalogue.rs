//! A language file as the program holds it. It must never be half understood: an unknown key or a missing sentence
//! refuses the file.

use super::{
    calendar::Calendar,
    pattern::Pattern,
    phrase::{DateKind, Lead, Phrase, RepeatPhrase, SpanKind, TimeKind},
};
use crate::Error;
use protocol::command;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    #[serde(rename = "language")]
    pub(super) name: String,
    pub(super) calendar: Calendar,
    pub(super) words: Words,
    #[serde(rename = "order")]
    pub(super) orders: Vec<Order>,
    #[serde(rename = "command")]
    pub(super) commands: BTreeMap<String, Intent>,
    #[serde(rename = "date")]
    pub(super) dates: Vec<Phrase<DateKind>>,
    #[serde(rename = "time")]
    pub(super) times: Vec<Phrase<TimeKind>>,
    #[serde(rename = "repeat")]
    pub(super) repeats: Vec<Phrase<RepeatPhrase>>,
    #[serde(rename = "lead")]
    pub(super) leads: Vec<Phrase<Lead>>,
    #[serde(rename = "span")]
    pub(super) spans: Vec<Phrase<SpanKind>>,
    #[serde(rename = "priority")]
    pub(super) priorities: Vec<PriorityWords>,
    pub(super) say: Sentences,
    pub(super) help: HelpFrame,
    #[serde(rename = "topic")]
    pub(super) topics: Vec<Topic>,
}

/// Words with a part to play.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) polite_before: Vec<Pattern>,
    pub(super) polite_after: Vec<Pattern>,
    pub(super) articles: Vec<String>,
    pub(super) joiners: Vec<String>,
    pub(super) dangling: Vec<String>,
    pub(super) alternatives: Vec<String>,
    pub(super) questions: Vec<String>,
    pub(super) stop_words: Vec<String>,
}

/// An order and the patterns that give it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    pub(super) is: Intent,
    pub(super) says: Vec<Pattern>,
    /// Whether "for" leads a date here.
    #[serde(default)]
    pub(super) loose: bool,
    /// Whether a day that is not understood is asked about instead of taken for another order.
    #[serde(default)]
    pub(super) asks: bool,
    /// Whether a day has to be named.
    #[serde(default)]
    pub(super) named: bool,
    /// Words between an entry and what is to be done with it; the last one that is said counts.
    #[serde(default)]
    pub(super) splits: Vec<String>,
    /// Days of the agenda when none is named.
    #[serde(default)]
    pub(super) days: Option<u8>,
}

/// What is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Intent {
    Note,
    Task,
    Agenda,
    Tasks,
    Search,
    Show,
    Done,
    Undo,
    Help,
    Status,
    Stop,
    Greeting,
    Thanks,
    Outside,
    Focus,
    Unfocus,
    Focused,
    Links,
    Memory,
    Reschedule,
    Deadline,
    Tag,
    Untag,
    Priority,
    Append,
    Move,
    Archive,
    ClockIn,
    ClockOut,
    Tick,
}

impl Intent {
    /// Says whether the entry comes after what is to be done: "tick milk in shopping".
    pub(super) const fn names_entry_last(self) -> bool {
        matches!(self, Self::Tick | Self::Untag)
    }

    /// Says whether the words behind the order are written down as they are.
    pub(super) const fn keeps_words(self) -> bool {
        match self {
            Self::Note | Self::Task | Self::Outside | Self::Append => true,
            Self::Agenda
            | Self::Tasks
            | Self::Search
            | Self::Show
            | Self::Done
            | Self::Undo
            | Self::Help
            | Self::Status
            | Self::Stop
            | Self::Greeting
            | Self::Thanks
            | Self::Focus
            | Self::Unfocus
            | Self::Focused
            | Self::Links
            | Self::Memory
            | Self::Reschedule
            | Self::Deadline
            | Self::Tag
            | Self::Untag
            | Self::Priority
            | Self::Move
            | Self::Archive
            | Self::ClockIn
            | Self::ClockOut
            | Self::Tick => false,
        }
    }
}

/// Words that set a priority.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriorityWords {
    pub(super) letter: char,
    pub(super) says: Vec<Pattern>,
}

/// What is said to the person; `{…}` are filled in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sentences {
    pub(super) greeting: String,
    pub(super) thanks: String,
    pub(super) empty: String,
    pub(super) stranger: String,
    pub(super) unrecognised: String,
    pub(super) question: String,
    pub(super) result: String,
    pub(super) missing_note: String,
    pub(super) missing_task: String,
    pub(super) missing_search: String,
    pub(super) missing_show: String,
    pub(super) missing_done: String,
    pub(super) missing_outside: String,
    pub(super) missing_focus: String,
    pub(super) missing_links: String,
    pub(super) missing_edit: String,
    pub(super) missing_date: String,
    pub(super) unknown_command: String,
    pub(super) unknown_topic: String,
    pub(super) unknown_day: String,
    pub(super) unknown_turn: String,
    pub(super) impossible_date: String,
    pub(super) impossible_time: String,
    pub(super) ambiguous_date: String,
    pub(super) wrong_weekday: String,
    pub(super) midnight: String,
    pub(super) no_repeater: String,
    pub(super) no_end: String,
}

/// The sentences around the list of commands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HelpFrame {
    pub(super) head: String,
    pub(super) natural: String,
    pub(super) more: String,
}

/// Help on one thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    /// What it may be called; the first is shown.
    pub(super) names: Vec<String>,
    pub(super) text: String,
}

impl Language {
    /// Reads and checks a language file.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let language: Self = toml::from_str(text).map_err(Error::Language)?;
        if let Some(lack) = language.calendar.lack() {
            return Err(Error::Lacking(lack.to_owned()));
        }
        let mut wanted = command::COMMANDS.iter().chain([&command::STOP]);
        if let Some(command) = wanted.find(|c| !language.commands.contains_key(c.name)) {
            return Err(Error::Lacking(format!("command {}", command.name)));
        }
        if language.topics.iter().any(|topic| topic.names.is_empty()) {
            return Err(Error::Lacking("name for a topic".to_owned()));
        }
        let hours = |phrase: &Phrase<TimeKind>| match phrase.is {
            TimeKind::Fixed | TimeKind::PartOfDay => phrase.hour.is_some(),
            TimeKind::Clock
            | TimeKind::Hour
            | TimeKind::Am
            | TimeKind::Pm
            | TimeKind::OClock
            | TimeKind::HalfPast
            | TimeKind::QuarterPast
            | TimeKind::QuarterTo
            | TimeKind::Midnight => phrase.hour.is_none(),
        };
        if language.times.iter().all(hours) {
            Ok(language)
        } else {
            Err(Error::Lacking("hour for a time of day".to_owned()))
        }
    }
}

#[cfg(test)]
pub(super) fn english() -> Language {
    Language::parse(super::ENGLISH).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_file_holds_together() {
        assert_eq!(english().name, "English");
    }

    #[test]
    fn file_with_an_unknown_key_is_refused() {
        let text = format!("surprise = 1\n{}", super::super::ENGLISH);
        assert!(matches!(Language::parse(&text), Err(Error::Language(_))));
    }

    #[test]
    fn file_without_a_command_is_refused() {
        let text = super::super::ENGLISH.replace("undo = \"undo\"\n", "");
        let Err(Error::Lacking(what)) = Language::parse(&text) else {
            panic!("a file without undo was taken");
        };
        assert_eq!(what, "command undo");
    }
}
