//! Birth, life and death of an actor: hello, ready, ping, drain.

use crate::{
    id::{Name, TurnKey},
    role::Role,
};
use serde::{Deserialize, Serialize};

/// First frame of an actor. A wrong one ends the connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::version::MAJOR`] of the sender.
    pub major: u16,
    /// [`crate::version::MINOR`] of the sender.
    pub minor: u16,
    /// Codec of all later bodies.
    pub codec: u8,
    /// Who it is.
    pub role: Role,
    /// Which life of that role, counted by the supervisor.
    pub generation: u32,
    /// Build of the binary.
    pub build: String,
    /// What it can do beyond the minimum; unknown words are ignored.
    pub capabilities: Vec<String>,
}

/// The supervisor's answer to [`Hello`]: everything that the actor needs to know; it reads no file and no environment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// Absolute path of the memex; empty for roles that have no business there.
    pub memex: String,
    /// Absolute path of the role's own state folder; empty for roles without one.
    pub state: String,
    /// Absolute path of the role's own socket; empty for roles without one.
    pub socket: String,
    /// IANA name of the owner's time zone; empty for UTC.
    pub zone: String,
    /// Faults to act out, for the crash suites; empty in real life.
    pub faults: Vec<Fault>,
    /// File that stands for an outside service without idempotency keys; empty in real life.
    pub outside: String,
    /// Whether to refuse to run when a layer of the confinement is missing.
    pub require_sandbox: bool,
    /// Most address space in MiB; 0 for no bound.
    pub memory_mib: u32,
}

/// A fault that an actor acts out when it meets it. Off unless the settings say so; `ctl doctor` warns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// In which role.
    pub role: Role,
    /// When.
    pub at: FaultPoint,
    /// Only for a turn whose text holds this; empty means always. Actors that do not see the text match on the key's hex.
    pub contains: String,
    /// What happens.
    pub does: FaultKind,
    /// Milliseconds, for the kinds that wait.
    pub ms: u32,
}

/// Where a fault strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FaultPoint {
    /// As soon as the welcome is read.
    Boot,
    /// When the state is loaded, before ready.
    Start,
    /// When a message of a turn is taken up, before it is handled.
    Take,
    /// When it was handled, before the results are sent.
    Send,
    /// After an intent was granted, before the effect.
    Effect,
    /// After the effect, before its commit is reported.
    Commit,
}

/// What a fault does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FaultKind {
    /// Calls `abort`.
    Abort,
    /// Panics.
    Panic,
    /// Exits with code 0.
    Exit0,
    /// Sends itself SIGKILL.
    Kill,
    /// Sends itself SIGSTOP.
    Freeze,
    /// Loops for ever.
    Spin,
    /// Sleeps, without answering anything.
    Sleep,
    /// Allocates until the limit kills it.
    Devour,
    /// Starts a child that starts a child that ignores SIGTERM.
    Orphan,
}

/// An actor is ready to work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// What confines it, such as `landlock 7, seccomp, rlimits`.
    pub sandbox: String,
    /// Whether every layer that its policy names is in force.
    pub confined: bool,
    /// State worth showing, such as `1000 entries in 12 files`.
    pub note: String,
    /// Something that keeps it from full service, as a sentence that says what to do; empty when all is well.
    pub degraded: String,
}

/// A start-up that takes longer tells how far it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Done so far.
    pub done: u64,
    /// Out of.
    pub total: u64,
    /// What is being done.
    pub what: String,
}

/// Answer to a ping, given by the loop that does the work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Pong {
    /// Messages taken up since start.
    pub handled: u64,
    /// Turns in hand.
    pub open: u32,
    /// State worth showing; replaces the one of [`Ready`] when not empty.
    pub note: String,
    /// As in [`Ready`].
    pub degraded: String,
}

/// Why a message was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Nack {
    /// This build does not know the kind.
    UnknownKind(u16),
    /// The body could not be decoded.
    Malformed,
    /// The route table does not allow it.
    NotRouted,
    /// The receiver is down or was replaced.
    Gone,
    /// As many questions of this way as its capacity wait already.
    Full,
    /// No answer before the deadline.
    Timeout,
    /// The turn is not in hand any more.
    Stale,
    /// The turn cannot go on.
    Trouble(crate::outcome::Trouble),
}

/// A client of a gateway came to a conversation: answers that wait for it are offered again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Attach {
    /// The conversation.
    pub conversation: Name,
}

/// Stops work on a turn; advisory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cancel {
    /// The turn.
    pub turn: TurnKey,
}
