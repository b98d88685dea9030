//! Questions to memory and its answers. Reading only.

use crate::{change::Target, id::Name, label::Labeled};
use serde::{Deserialize, Serialize};

/// A day of the civil calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Day {
    /// Year, 1 to 9999.
    pub year: i16,
    /// Month, 1 to 12.
    pub month: i8,
    /// Day of the month, 1 to 31.
    pub day: i8,
}

/// A time of day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Hour, 0 to 23.
    pub hour: i8,
    /// Minute, 0 to 59.
    pub minute: i8,
}

/// A day with an optional time, as an Org timestamp has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Moment {
    /// The day.
    pub day: Day,
    /// The time, if one is given.
    pub time: Option<Clock>,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Query {
    /// What is scheduled, due or dated on `days` days from `from`; overdue tasks stand on the first day if that is
    /// today.
    Agenda {
        /// First day.
        from: Day,
        /// Number of days, 1 to 31.
        days: u8,
    },
    /// Entries that hold the words, best first.
    Search {
        /// The words as typed.
        words: String,
        /// At most this many hits.
        limit: u8,
    },
    /// One entry in full.
    Show {
        /// Which one.
        target: Target,
    },
    /// Open tasks, by deadline, schedule, priority and place.
    Tasks {
        /// At most this many.
        limit: u8,
    },
    /// Entries that link to an entry.
    Links {
        /// To which one.
        target: Target,
        /// At most this many.
        limit: u8,
    },
    /// What the conversation has in focus, outermost first.
    Focus,
    /// Counts of the memex by kind and state, orphans, broken links, largest files.
    Report,
}

/// The question as it travels: the query, the reader's day and whose focus counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recall {
    /// What is asked.
    pub query: Query,
    /// Today in the owner's zone.
    pub today: Day,
    /// The conversation.
    pub conversation: Name,
}

/// Where an entry stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct EntryRef {
    /// Path below the memex, with `/`.
    pub file: String,
    /// Line of the headline, from 1; 0 for the text before the first headline.
    pub line: u32,
    /// Titles from the top level down to the entry itself.
    pub path: Vec<String>,
    /// Value of its `ID` property.
    pub id: Option<String>,
}

impl EntryRef {
    /// Returns the Org link that Emacs follows: `[[file:inbox.org::*Title][Title]]`, or by ID when there is one.
    #[must_use]
    pub fn link(&self) -> String {
        let title = self.path.last().map_or("", String::as_str);
        let shown: String = title.chars().filter(|c| !matches!(c, '[' | ']')).collect();
        match &self.id {
            Some(id) => format!("[[id:{id}][{shown}]]"),
            None if title.is_empty() => format!("[[file:{}]]", self.file),
            None => {
                let mut escaped = String::new();
                for c in title.chars() {
                    if matches!(c, '[' | ']' | '\\') {
                        escaped.push('\\');
                    }
                    escaped.push(c);
                }
                format!("[[file:{}::*{escaped}][{shown}]]", self.file)
            }
        }
    }
}

/// Why an entry is on a day's list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Reason {
    /// Its deadline was before this day and it is not done; the days since.
    Overdue(u16),
    /// Its deadline is this day.
    Deadline,
    /// Scheduled before this day and not done; the days since.
    ScheduledBefore(u16),
    /// Scheduled for this day.
    Scheduled,
    /// Its deadline comes within the warning period; the days left.
    DeadlineIn(u16),
    /// An active timestamp in title or body names this day.
    Dated,
}

/// A line of an agenda or a task list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Item {
    /// The entry.
    pub entry: EntryRef,
    /// Its TODO keyword.
    pub todo: Option<String>,
    /// Its priority letter.
    pub priority: Option<char>,
    /// Its own and inherited tags.
    pub tags: Vec<String>,
    /// When it is scheduled.
    pub scheduled: Option<Moment>,
    /// When it is due.
    pub deadline: Option<Moment>,
    /// Time of day that sorts it on its day.
    pub time: Option<Clock>,
    /// Why it is listed; `None` in a task list.
    pub reason: Option<Reason>,
}

/// One day of an agenda.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AgendaDay {
    /// The day.
    pub day: Day,
    /// What is on it, in the order to show.
    pub items: Vec<Item>,
    /// How many more there are, for which there was no room.
    pub more: u32,
}

/// A search hit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hit {
    /// The entry.
    pub entry: EntryRef,
    /// Its TODO keyword.
    pub todo: Option<String>,
    /// The passage that holds the words, a few lines at most.
    pub passage: Labeled,
}

/// An entry in full.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The entry.
    pub entry: EntryRef,
    /// Its text as it stands in the file, from headline to the end of its subtree, cut at 16 KiB with a visible mark.
    pub text: Labeled,
}

/// What memory answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Recalled {
    /// To [`Query::Agenda`]: every day asked for, empty ones too.
    Agenda(Vec<AgendaDay>),
    /// To [`Query::Search`].
    Hits {
        /// The best hits.
        hits: Vec<Hit>,
        /// How many entries matched in all.
        total: u32,
        /// A sentence when the words were not taken as they were said.
        note: Option<String>,
    },
    /// To [`Query::Show`].
    Entry(Entry),
    /// To [`Query::Tasks`].
    Tasks {
        /// The first ones.
        items: Vec<Item>,
        /// How many there are in all.
        total: u32,
    },
    /// To [`Query::Links`].
    Links {
        /// The entry that is linked to.
        to: EntryRef,
        /// Entries that hold a link to it.
        from: Vec<EntryRef>,
        /// How many there are in all.
        total: u32,
    },
    /// To [`Query::Focus`].
    Focus(Vec<EntryRef>),
    /// To [`Query::Report`], line by line.
    Report(Labeled),
    /// Several entries fit a target equally well.
    Ambiguous(Vec<EntryRef>),
    /// Nothing fits a target; the nearest titles.
    NotFound {
        /// Entries whose titles come near.
        near: Vec<EntryRef>,
    },
    /// The memex cannot be read; a sentence that says what to do.
    Unreadable(String),
}
