//! What operators and clients say on the named sockets. JSON bodies, so that an old client meets a new daemon:
//! unknown fields are ignored, unknown verbs are refused with their name.

use crate::snapshot;
use serde::{Deserialize, Serialize};

/// A verb of the operator, on the control socket.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Major version of the sender.
    pub major: u16,
    /// Random id; a mutating verb that is repeated with the same id is not done twice.
    pub id: String,
    /// What is wanted.
    pub verb: Verb,
}

/// What the operator may want.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// State of the tree.
    Status,
    /// The last log lines, and with `follow` all that come.
    Tail {
        /// How many of the past.
        lines: u16,
        /// Whether to go on.
        follow: bool,
    },
    /// The records of one turn.
    Trace {
        /// Beginning of its key.
        turn: String,
    },
    /// Desired state up.
    Start {
        /// Which role.
        role: String,
    },
    /// Desired state down.
    Stop {
        /// Which role.
        role: String,
    },
    /// Down and up again.
    Restart {
        /// Which role.
        role: String,
    },
    /// Finish what is in hand and exit.
    Drain,
    /// Read the configuration again.
    Reload,
    /// Turns that were set aside.
    ParkedList,
    /// Try a parked turn again.
    ParkedRetry {
        /// Beginning of its key.
        turn: String,
    },
    /// Give a parked turn up.
    ParkedDrop {
        /// Beginning of its key.
        turn: String,
    },
    /// Effects that may or may not have happened.
    UncertainList,
    /// The owner has looked: it happened, or it did not.
    UncertainResolve {
        /// Beginning of the turn's key.
        turn: String,
        /// Whether it happened.
        happened: bool,
    },
    /// Check every record of the journal.
    JournalVerify,
    /// A look at what memory keeps.
    Look(snapshot::Look),
    /// Gives a snapshot a name, which keeps it for ever.
    Keep {
        /// Which one: its number, its name, or the beginning of its turn's key.
        snapshot: String,
        /// The name.
        name: String,
    },
    /// Puts back what a snapshot holds.
    Restore {
        /// Which one, as above.
        snapshot: String,
        /// What of it.
        scope: snapshot::Scope,
    },
    /// Take back what a turn wrote.
    Rollback {
        /// Beginning of its key.
        turn: String,
    },
    /// Put a text into the operator's conversation, as the owner.
    Inject {
        /// The text.
        text: String,
    },
    /// Self-examination.
    Doctor,
    /// What runs.
    Version,
}

/// The answer to a [`Request`]; `Tail` with `follow` gets many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Done; a line for people.
    Done(String),
    /// To [`Verb::Status`].
    Status(Box<Status>),
    /// To verbs that list.
    Lines(Vec<String>),
    /// To [`Verb::ParkedList`] and [`Verb::UncertainList`].
    Held(Vec<Held>),
    /// To [`Verb::Doctor`].
    Findings(Vec<Finding>),
    /// Not done: why, and what to do.
    Refused {
        /// Exit code of the client: 1 refused, 4 version, 5 time-out.
        code: u8,
        /// Why.
        why: String,
        /// The next command to type; empty when there is none.
        hint: String,
    },
}

/// A turn or effect that waits for the owner.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// Key of the turn.
    pub turn: String,
    /// Since when, ms since the epoch.
    pub since: i64,
    /// What it is, without user text: `effect outside step 1`, `killed reason 3 times`.
    pub what: String,
    /// The conversation.
    pub conversation: String,
}

/// One finding of the doctor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// `ok`, `warn` or `bad`.
    pub grade: String,
    /// What was looked at.
    pub subject: String,
    /// What was found, and what to do about it.
    pub text: String,
}

/// State of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Status {
    /// `healthy`, `degraded`, `starting` or `draining`.
    pub health: String,
    /// Process id of the supervisor.
    pub pid: u32,
    /// Build.
    pub version: String,
    /// Seconds since start, monotonic.
    pub uptime_s: u64,
    /// The memex.
    pub memex: String,
    /// The actors.
    pub roles: Vec<RoleStatus>,
    /// Turns and records.
    pub counts: Counts,
    /// What someone must look at, each with what to do.
    pub notices: Vec<String>,
}

/// State of an actor: what is wanted and what is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct RoleStatus {
    /// Which.
    pub role: String,
    /// `up` or `down`.
    pub desired: String,
    /// `down`, `starting`, `ready`, `draining`, `backoff`, `degraded` or `failed`.
    pub actual: String,
    /// Process id, 0 when there is none.
    pub pid: u32,
    /// How many lives it had.
    pub generation: u32,
    /// Deaths that nobody asked for, since the supervisor started.
    pub restarts: u32,
    /// Cause of the last one.
    pub last_death: String,
    /// Milliseconds until the next try, 0 when none is due.
    pub next_try_ms: u64,
    /// Resident memory in KiB.
    pub rss_kib: u64,
    /// Messages handled, as the actor counts.
    pub handled: u64,
    /// Frames that wait for it.
    pub queue: u32,
    /// Turn in hand, short, and for how long in ms.
    pub current: String,
    /// What it says of itself.
    pub note: String,
    /// What confines it.
    pub sandbox: String,
    /// Why it is not in full service.
    pub degraded: String,
}

/// Numbers of the whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Counts {
    /// Accepted and not finished.
    pub open: u64,
    /// Of these, in hand.
    pub running: u64,
    /// Finished since start.
    pub done: u64,
    /// Failed since start.
    pub failed: u64,
    /// Set aside now.
    pub parked: u64,
    /// Uncertain effects now.
    pub uncertain: u64,
    /// Answers that wait for somebody to come.
    pub undelivered: u64,
    /// Repeated deliveries that were recognised since start.
    pub duplicates: u64,
    /// Messages not taken since start.
    pub refused: u64,
    /// Frames that the route table refused since start.
    pub misrouted: u64,
    /// Journal records since start.
    pub records: u64,
    /// Syncs of the journal since start.
    pub syncs: u64,
    /// Bytes of the journal on disk.
    pub journal_bytes: u64,
}

/// What a client says on the local gateway's socket.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// First: who it is, so that waiting answers find it.
    Hello {
        /// Major version of the client.
        major: u16,
        /// The conversation.
        conversation: String,
    },
    /// A message. The same id again is the same message, and gets the same answer.
    Say {
        /// Unique within the conversation.
        message: String,
        /// What is said.
        text: String,
    },
    /// An answer arrived and was shown.
    Seen {
        /// Key of the turn.
        turn: String,
    },
    /// Is anybody there?
    Ping,
}

/// What the local gateway says to a client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// To hello.
    Welcome {
        /// Build of the daemon.
        version: String,
    },
    /// A message is durable.
    Accepted {
        /// Its id.
        message: String,
        /// Key of its turn.
        turn: String,
    },
    /// A message was not taken.
    Refused {
        /// Its id.
        message: String,
        /// Why, and what to do.
        why: String,
    },
    /// The answer to a message, or a notice.
    Answer {
        /// Key of the turn.
        turn: String,
        /// Id of the message that it answers; empty for a notice.
        message: String,
        /// The text.
        text: String,
    },
    /// To ping.
    Pong,
    /// The frame before was wrong; the connection stays.
    Error {
        /// What was wrong with it.
        why: String,
    },
}
