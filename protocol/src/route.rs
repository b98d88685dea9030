//! Who may say what to whom: one constant table. The hub enforces it on every frame; nothing else connects roles.

use crate::{Error, role::Role};

/// What the body of a frame is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u16)]
pub enum Kind {
    /// [`crate::lifecycle::Hello`]
    Hello = 1,
    /// [`crate::lifecycle::Welcome`]
    Welcome = 2,
    /// [`crate::lifecycle::Ready`]
    Ready = 3,
    /// [`crate::lifecycle::Progress`]
    Progress = 4,
    /// No body.
    Ping = 5,
    /// [`crate::lifecycle::Pong`]
    Pong = 6,
    /// No body: the turn in the header is taken up now.
    Started = 7,
    /// No body: the turn in the header is put down again.
    Rested = 8,
    /// No body: a grant only.
    Credit = 9,
    /// [`crate::lifecycle::Cancel`]
    Cancel = 10,
    /// [`crate::lifecycle::Nack`]
    Nack = 11,
    /// No body: finish the step in hand and exit.
    Drain = 12,
    /// No body: nothing is in hand any more.
    Drained = 13,
    /// [`crate::stimulus::Admit`]
    Admit = 20,
    /// [`crate::stimulus::Admission`]
    Admitted = 21,
    /// [`crate::lifecycle::Attach`]
    Attach = 22,
    /// [`crate::outcome::Deliver`]
    Deliver = 23,
    /// [`crate::outcome::Delivered`]
    Delivered = 24,
    /// [`crate::stimulus::Stimulus`]
    Stimulus = 30,
    /// [`crate::percept::Percept`]
    Percept = 31,
    /// [`crate::proposal::Proposal`]
    Proposal = 32,
    /// [`crate::verdict::Verdict`]
    Verdict = 33,
    /// [`crate::outcome::Outcome`]
    Outcome = 34,
    /// [`crate::recall::Recall`]
    Recall = 40,
    /// [`crate::recall::Recalled`]
    Recalled = 41,
    /// [`crate::change::ChangeRequest`]
    Change = 42,
    /// [`crate::change::Changed`]
    Changed = 43,
    /// [`crate::snapshot::Request`]
    Snapshot = 44,
    /// [`crate::snapshot::Reply`]
    Snapped = 45,
    /// [`crate::outcome::Intent`]
    Intent = 50,
    /// [`crate::outcome::Leave`]
    Leave = 51,
    /// [`crate::outcome::Commit`]
    Commit = 52,
    /// [`crate::control::Request`], on the control socket only.
    Control = 60,
    /// [`crate::control::Reply`], on the control socket only.
    Controlled = 61,
    /// [`crate::control::Client`], on a gateway's local socket only.
    Client = 62,
    /// [`crate::control::Server`], on a gateway's local socket only.
    Server = 63,
}

impl Kind {
    /// Every kind, in numeric order.
    pub const ALL: [Self; 36] = [
        Self::Hello,
        Self::Welcome,
        Self::Ready,
        Self::Progress,
        Self::Ping,
        Self::Pong,
        Self::Started,
        Self::Rested,
        Self::Credit,
        Self::Cancel,
        Self::Nack,
        Self::Drain,
        Self::Drained,
        Self::Admit,
        Self::Admitted,
        Self::Attach,
        Self::Deliver,
        Self::Delivered,
        Self::Stimulus,
        Self::Percept,
        Self::Proposal,
        Self::Verdict,
        Self::Outcome,
        Self::Recall,
        Self::Recalled,
        Self::Change,
        Self::Changed,
        Self::Snapshot,
        Self::Snapped,
        Self::Intent,
        Self::Leave,
        Self::Commit,
        Self::Control,
        Self::Controlled,
        Self::Client,
        Self::Server,
    ];

    /// Says whether the kind passes without credit: what keeps a connection alive must not wait behind work.
    #[must_use]
    pub const fn is_exempt(self) -> bool {
        (self as u16) < Self::Admit as u16
    }
}

impl TryFrom<u16> for Kind {
    type Error = Error;

    fn try_from(number: u16) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| *kind as u16 == number).ok_or(Error::UnknownKind(number))
    }
}

/// Whether an answer is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// No answer.
    Tell,
    /// Answered by this kind, or by a [`Kind::Nack`].
    Ask(Kind),
    /// Answers this kind.
    Answer(Kind),
}

/// One permitted way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// What.
    pub kind: Kind,
    /// From whom.
    pub from: Role,
    /// To whom.
    pub to: Role,
    /// Whether an answer is expected.
    pub exchange: Exchange,
    /// Frames of this way that may wait at the receiver; one more is refused.
    pub capacity: u16,
    /// Longest wait for the answer, or for the turn to move on, in ms; 0 for what is not waited for.
    pub deadline_ms: u32,
}

const fn tell(kind: Kind, from: Role, to: Role, capacity: u16, deadline_ms: u32) -> Route {
    Route { kind, from, to, exchange: Exchange::Tell, capacity, deadline_ms }
}

const fn ask(kind: Kind, from: Role, to: Role, answer: Kind, deadline_ms: u32) -> Route {
    Route { kind, from, to, exchange: Exchange::Ask(answer), capacity: 64, deadline_ms }
}

const fn answer(kind: Kind, from: Role, to: Role, question: Kind) -> Route {
    Route { kind, from, to, exchange: Exchange::Answer(question), capacity: 64, deadline_ms: 0 }
}

use Role::{Act, GatewayLocal, Memory, Perceive, Reason, Supervisor};

/// The whole topology. Lifecycle kinds pass between the supervisor and each actor and are not listed;
/// a [`Kind::Nack`] takes the way of an answer. Read: `reason` reaches the world only through `act`, only `act`
/// writes to memory, nobody but the supervisor settles or rolls back.
pub const ROUTES: [Route; 21] = [
    ask(Kind::Admit, GatewayLocal, Supervisor, Kind::Admitted, 10_000),
    answer(Kind::Admitted, Supervisor, GatewayLocal, Kind::Admit),
    tell(Kind::Attach, GatewayLocal, Supervisor, 64, 0),
    ask(Kind::Deliver, Supervisor, GatewayLocal, Kind::Delivered, 10_000),
    answer(Kind::Delivered, GatewayLocal, Supervisor, Kind::Deliver),
    tell(Kind::Stimulus, Supervisor, Perceive, 64, 10_000),
    tell(Kind::Percept, Perceive, Reason, 64, 30_000),
    tell(Kind::Proposal, Reason, Act, 64, 30_000),
    tell(Kind::Verdict, Act, Supervisor, 64, 0),
    tell(Kind::Outcome, Act, Supervisor, 64, 0),
    ask(Kind::Intent, Act, Supervisor, Kind::Leave, 10_000),
    answer(Kind::Leave, Supervisor, Act, Kind::Intent),
    tell(Kind::Commit, Act, Supervisor, 64, 0),
    ask(Kind::Recall, Act, Memory, Kind::Recalled, 10_000),
    answer(Kind::Recalled, Memory, Act, Kind::Recall),
    ask(Kind::Recall, Reason, Memory, Kind::Recalled, 10_000),
    answer(Kind::Recalled, Memory, Reason, Kind::Recall),
    ask(Kind::Change, Act, Memory, Kind::Changed, 20_000),
    answer(Kind::Changed, Memory, Act, Kind::Change),
    ask(Kind::Snapshot, Supervisor, Memory, Kind::Snapped, 30_000),
    answer(Kind::Snapped, Memory, Supervisor, Kind::Snapshot),
];

/// Returns the way that a frame of this kind takes, or `None` when nobody may say that.
#[must_use]
pub fn permitted(kind: Kind, from: Role, to: Role) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.kind == kind && route.from == from && route.to == to)
}

/// Says whether a lifecycle frame may pass: only between the supervisor and an actor, in its one direction.
#[must_use]
pub fn lifecycle_permitted(kind: Kind, from: Role, to: Role) -> bool {
    let from_actor = from != Supervisor && to == Supervisor;
    let to_actor = from == Supervisor && to != Supervisor;
    match kind {
        Kind::Hello
        | Kind::Ready
        | Kind::Progress
        | Kind::Pong
        | Kind::Started
        | Kind::Rested
        | Kind::Drained => from_actor,
        Kind::Welcome | Kind::Ping | Kind::Cancel | Kind::Drain => to_actor,
        Kind::Credit | Kind::Nack => from_actor || to_actor,
        Kind::Admit
        | Kind::Admitted
        | Kind::Attach
        | Kind::Deliver
        | Kind::Delivered
        | Kind::Stimulus
        | Kind::Percept
        | Kind::Proposal
        | Kind::Verdict
        | Kind::Outcome
        | Kind::Recall
        | Kind::Recalled
        | Kind::Change
        | Kind::Changed
        | Kind::Snapshot
        | Kind::Snapped
        | Kind::Intent
        | Kind::Leave
        | Kind::Commit
        | Kind::Control
        | Kind::Controlled
        | Kind::Client
        | Kind::Server => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_its_answer_on_the_way_back() {
        for route in ROUTES {
            match route.exchange {
                Exchange::Ask(kind) => {
                    let back = permitted(kind, route.to, route.from).unwrap();
                    assert_eq!(back.exchange, Exchange::Answer(route.kind));
                    assert!(route.deadline_ms > 0);
                }
                Exchange::Answer(kind) => {
                    assert!(permitted(kind, route.to, route.from).is_some());
                }
                Exchange::Tell => {}
            }
        }
    }

    #[test]
    fn no_way_is_listed_twice() {
        for (at, route) in ROUTES.iter().enumerate() {
            let twin =
                ROUTES[at + 1..].iter().any(|r| (r.kind, r.from, r.to) == (route.kind, route.from, route.to));
            assert!(!twin, "{route:?}");
        }
    }

    #[test]
    fn only_act_may_change_memory_and_reason_cannot_reach_the_world() {
        let writers: Vec<Role> = ROUTES.iter().filter(|r| r.kind == Kind::Change).map(|r| r.from).collect();
        assert_eq!(writers, [Act]);
        for to in Role::ACTORS {
            assert!(permitted(Kind::Intent, Reason, to).is_none());
            assert!(permitted(Kind::Change, Reason, to).is_none());
            assert!(permitted(Kind::Outcome, Reason, to).is_none());
        }
    }
}
