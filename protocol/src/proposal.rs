//! What the reflexes or the model would like done. The third noun of the path. Data only: nothing here is done
//! before `act` has decoded and gated it, and there is no field that could say "approved".

use crate::{
    change::{Change, Edit, Target},
    id::{Name, TurnKey, WallMs},
    recall::{Day, Query},
    stimulus::Principal,
};
use serde::{Deserialize, Serialize};

/// What `reason` hands to `act`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proposal {
    /// The turn.
    pub turn: TurnKey,
    /// How deep the turn is.
    pub depth: u8,
    /// The conversation.
    pub conversation: Name,
    /// Who stands behind it.
    pub principal: Principal,
    /// When the turn was accepted.
    pub at: WallMs,
    /// Why, in a sentence: the policy gate wants more than ten meaningful characters.
    pub explanation: String,
    /// What to do, in order. The first step that fails ends the turn.
    pub steps: Vec<Step>,
}

/// One step of a proposal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// What to do.
    pub action: Action,
    /// What becomes of its result.
    pub then: Then,
}

/// What becomes of a step's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Then {
    /// It is the answer, formatted for a person.
    Answer,
    /// It goes back into the loop, one deeper.
    Feedback,
}

/// A typed action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Action {
    /// Says something; touches nothing.
    Say(String),
    /// Reads the memex.
    Recall {
        /// What to look for.
        query: Query,
        /// A line to put above the result, such as "I have no model configured; the best passages:".
        preface: Option<String>,
    },
    /// Writes the memex. An ambiguous [`Target`] is answered with the candidates and changes nothing.
    Change(Change),
    /// Stops the running turns of the conversation.
    Interrupt,
    /// Says how the tree is: roles, queue, parked turns.
    Status,
    /// A double of an outside service without idempotency keys; refused unless the fault section of the
    /// settings names a file for it. The chaos suite counts its lines.
    Outside(String),
}

impl Action {
    /// Returns the name that logs, gates and rules use.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Say(_) => "say",
            Self::Recall { query, .. } => match query {
                Query::Agenda { .. } => "memory.agenda",
                Query::Search { .. } => "memory.search",
                Query::Show { .. } => "memory.show",
                Query::Tasks { .. } => "memory.tasks",
                Query::Links { .. } => "memory.links",
                Query::Focus => "memory.focused",
                Query::Report => "memory.report",
            },
            Self::Change(change) => match change {
                Change::Note { .. } => "memory.note",
                Change::Task { .. } => "memory.task",
                Change::Done { .. } => "memory.done",
                Change::Edit { edit, .. } => edit.name(),
                Change::Focus { .. } => "memory.focus",
                Change::Unfocus => "memory.unfocus",
                Change::Undo { .. } => "memory.undo",
            },
            Self::Interrupt => "interrupt",
            Self::Status => "status",
            Self::Outside(_) => "outside",
        }
    }
}

/// Returns an example of each action, for codec tests and documentation.
#[must_use]
pub fn examples() -> Vec<Action> {
    let day = Day { year: 2026, month: 3, day: 9 };
    let target = Target::Words("call the plumber".into());
    vec![
        Action::Say("Good morning.".into()),
        Action::Recall { query: Query::Agenda { from: day, days: 7 }, preface: None },
        Action::Recall {
            query: Query::Search { words: "boiler".into(), limit: 5 },
            preface: Some("Here:".into()),
        },
        Action::Recall { query: Query::Show { target: target.clone() }, preface: None },
        Action::Recall { query: Query::Tasks { limit: 20 }, preface: None },
        Action::Change(Change::Note { text: "the boiler hums".into(), tags: vec!["house".into()] }),
        Action::Recall { query: Query::Links { target: target.clone(), limit: 20 }, preface: None },
        Action::Recall { query: Query::Focus, preface: None },
        Action::Recall { query: Query::Report, preface: None },
        Action::Change(Change::Edit { target: target.clone(), edit: Edit::Priority(Some('A')) }),
        Action::Change(Change::Edit { target: target.clone(), edit: Edit::Refile { to: target.clone() } }),
        Action::Change(Change::Focus { target: target.clone() }),
        Action::Change(Change::Unfocus),
        Action::Change(Change::Done { target }),
        Action::Change(Change::Undo { turn: None }),
        Action::Interrupt,
        Action::Status,
        Action::Outside("ping".into()),
    ]
}
