//! Writes to the memex and what came of them. Only `act` may send one, only after the intent is durable.

use crate::{
    id::{Name, TurnKey, WallMs},
    recall::{Clock, Day, EntryRef, Moment},
};
use serde::{Deserialize, Serialize};

/// Which entry is meant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Target {
    /// Words of its title, or its ID, or `file.org::*Title`, or an Org link to it.
    Words(String),
}

/// A repeater such as `+1w`, `++1m` or `.+2d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeat {
    /// How the next date is found.
    pub kind: RepeatKind,
    /// How many units.
    pub count: u16,
    /// The unit.
    pub unit: Unit,
}

/// How a repeater finds its next date (Org manual, "Repeated tasks").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RepeatKind {
    /// `+`: one interval from the old date.
    Cumulate,
    /// `++`: as many intervals as lead into the future.
    CatchUp,
    /// `.+`: one interval from today.
    Restart,
}

/// Unit of a repeater or delay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unit {
    /// `h`
    Hour,
    /// `d`
    Day,
    /// `w`
    Week,
    /// `m`
    Month,
    /// `y`
    Year,
}

/// A date of a task, with its repeater.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct When {
    /// Day and time.
    pub moment: Moment,
    /// Its repeater.
    pub repeat: Option<Repeat>,
}

/// What to write.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Change {
    /// A note at the end of `inbox.org`: first line the title, the rest the body, with a `CREATED` property.
    Note {
        /// The text as said.
        text: String,
        /// Tags without colons.
        tags: Vec<String>,
    },
    /// A TODO entry at the end of `inbox.org`.
    Task {
        /// The title.
        title: String,
        /// When to begin it.
        scheduled: Option<When>,
        /// When it must be done.
        deadline: Option<When>,
        /// `A`, `B` or `C`.
        priority: Option<char>,
        /// Tags without colons.
        tags: Vec<String>,
    },
    /// Marks a task done as Emacs does: `CLOSED` line, or the next date if it repeats.
    Done {
        /// Which one.
        target: Target,
    },
    /// Changes an entry where it stands and nothing else.
    Edit {
        /// Which one.
        target: Target,
        /// How.
        edit: Edit,
    },
    /// Takes an entry into the focus of the conversation.
    Focus {
        /// Which one.
        target: Target,
    },
    /// Leaves what was taken into focus last.
    Unfocus,
    /// Takes back the writes of a turn; `None` means the last turn of the conversation that wrote and is not undone.
    Undo {
        /// Which turn, by the beginning of its key.
        turn: Option<String>,
    },
}

/// A change of one entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Edit {
    /// Sets the TODO keyword, or takes it away.
    State(Option<String>),
    /// Sets the priority, or takes it away.
    Priority(Option<char>),
    /// Adds tags.
    AddTags(Vec<String>),
    /// Takes tags away.
    RemoveTags(Vec<String>),
    /// Sets a property, or takes it away.
    Property {
        /// Its key.
        key: String,
        /// Its value.
        value: Option<String>,
    },
    /// Sets when to begin, or takes it away.
    Schedule(Option<When>),
    /// Sets when it must be done, or takes it away.
    Deadline(Option<When>),
    /// Gives it another title.
    Title(String),
    /// Adds text at the end of its own text.
    Append(String),
    /// Moves it with all that stands below it under another entry, in the same file or another one.
    Refile {
        /// Under which one.
        to: Target,
    },
    /// Moves it with all that stands below it to the archive file beside its own.
    Archive,
    /// Starts a clock on it.
    ClockIn,
    /// Stops its clock.
    ClockOut,
    /// Ticks or unticks the checkbox whose text holds these words.
    Check(String),
}

impl Edit {
    /// Returns the name that logs, gates and rules use.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::State(_) => "memory.state",
            Self::Priority(_) => "memory.priority",
            Self::AddTags(_) | Self::RemoveTags(_) => "memory.tags",
            Self::Property { .. } => "memory.property",
            Self::Schedule(_) => "memory.schedule",
            Self::Deadline(_) => "memory.deadline",
            Self::Title(_) => "memory.title",
            Self::Append(_) => "memory.append",
            Self::Refile { .. } => "memory.refile",
            Self::Archive => "memory.archive",
            Self::ClockIn | Self::ClockOut => "memory.clock",
            Self::Check(_) => "memory.check",
        }
    }
}

/// The write as it travels, with all that makes it repeatable without doubling.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChangeRequest {
    /// The turn that it belongs to: the transaction.
    pub turn: TurnKey,
    /// Which try of the turn; memory refuses tries that were rolled back.
    pub attempt: u8,
    /// Step of the turn; the same turn, attempt and step is written once, however often it is asked.
    pub step: u8,
    /// The conversation, for [`Change::Undo`].
    pub conversation: Name,
    /// When the turn was accepted, for `CREATED`, `CLOSED` and log lines.
    pub at: WallMs,
    /// Today and the time in the owner's zone.
    pub today: Day,
    /// See `today`.
    pub time: Clock,
    /// What to write.
    pub change: Change,
}

/// What came of a write.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Changed {
    /// Written and synced.
    Written {
        /// The entry as it stands now.
        entry: EntryRef,
        /// What was done in a few words, such as `note`, `task`, `done`, `next 2026-03-16 Mon`.
        what: String,
    },
    /// A turn's writes were taken back.
    Undone {
        /// The turn.
        turn: TurnKey,
        /// What it had written, one line each, such as `note "the boiler hums" in inbox.org`.
        what: Vec<String>,
        /// Pieces that a person had changed since: theirs stay, ours lie beside, in these files.
        conflicts: Vec<String>,
    },
    /// Several entries fit equally well; nothing was written.
    Ambiguous(Vec<EntryRef>),
    /// No entry fits; nothing was written.
    NotFound {
        /// Entries whose titles come near.
        near: Vec<EntryRef>,
    },
    /// Nothing was written; a sentence that says why and what to do.
    Refused(String),
}
