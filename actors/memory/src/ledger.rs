//! What the turns wrote: the records of the log, and the state that follows from them.
//!
//! An intent is on disk before its file is touched. Whether it was carried out follows; if that record is missing
//! after a crash, the file itself decides. A write is *live* when it was carried out and no live undo has taken it
//! back; an undo of an undo makes it live again.

use crate::{
    crash::Steps,
    hash::Hash,
    hunk::Hunk,
    log::{Log, Opened, Sync},
};
use protocol::{
    change::Changed,
    id::{Name, TurnKey, WallMs},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

/// Turns that are kept, so that the log stays bounded. Older ones cannot be taken back.
const TURNS_KEPT: usize = 1000;

/// Bytes of log that are kept at most; turns beyond it go although they are among the last [`TURNS_KEPT`].
const BYTES_KEPT: u64 = 16 * 1024 * 1024;

/// Names a request: it is written once, however often it is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) turn: TurnKey,
    pub(crate) attempt: u8,
    pub(crate) step: u8,
}

/// What an intent is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A change that was asked for.
    Write,
    /// It takes another one back because somebody asked.
    Undo,
    /// It takes another one back because its turn failed.
    Rollback,
}

/// One write of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) number: u64,
    pub(crate) key: Key,
    pub(crate) conversation: Option<Name>,
    pub(crate) at: WallMs,
    pub(crate) kind: Kind,
    pub(crate) file: String,
    /// Hash of the file before; `None` if there was none.
    pub(crate) before: Option<Hash>,
    /// Hash of the file after; `None` if it is removed.
    pub(crate) after: Option<Hash>,
    pub(crate) hunks: Vec<Hunk>,
    /// Number of the intent that it takes back.
    pub(crate) undoes: Option<u64>,
    /// It only writes beside the file what could not be taken back.
    pub(crate) conflict: bool,
    pub(crate) what: String,
    pub(crate) reply: Option<Changed>,
}

/// A record of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    Intent(Intent),
    /// Whether an intent was carried out.
    Settled {
        number: u64,
        applied: bool,
    },
    /// An undo begins; a repetition goes on with the same turn.
    Began {
        key: Key,
        of: TurnKey,
    },
    /// An undo is complete.
    Answer {
        key: Key,
        reply: Changed,
    },
    /// Attempts up to this one were rolled back and may write no more.
    Stale {
        turn: TurnKey,
        attempt: u8,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Open,
    NotDone,
    Live,
    TakenBack,
    RolledBack,
}

/// The records and what follows from them.
#[derive(Debug)]
pub(crate) struct Ledger {
    log: Log,
    intents: BTreeMap<u64, (Intent, Fate)>,
    began: BTreeMap<Key, TurnKey>,
    answers: BTreeMap<Key, Changed>,
    stale: BTreeMap<TurnKey, u8>,
    next: u64,
}

/// A turn that wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) turn: TurnKey,
    pub(crate) at: WallMs,
    pub(crate) what: Vec<String>,
    pub(crate) live: bool,
}

impl Ledger {
    /// Opens the log and reads it. Beside the ledger: what went wrong with the log, a sentence each.
    pub(crate) fn open(path: &Path, steps: Steps) -> io::Result<(Self, Vec<String>)> {
        let Opened { log, records, damaged, lost, marred, torn } = Log::open(path, steps)?;
        let mut notes = Vec::new();
        if let Some(aside) = damaged {
            let aside = aside.display();
            notes.push(format!(
                "the transaction log was damaged; its rest lies in {aside} and cannot be undone any more"
            ));
        }
        if lost {
            let path = path.display();
            notes.push(format!(
                "the transaction log {path} was deleted or emptied: what was written before cannot be undone; the notes themselves are untouched"
            ));
        }
        if marred {
            notes.push("txn.mark beside the transaction log was damaged; nothing is lost by it".to_owned());
        }
        if torn > 0 {
            tracing::warn!(
                bytes = torn,
                "an unfinished record at the end of the transaction log was cut off"
            );
        }
        let mut ledger = Self {
            log,
            intents: BTreeMap::new(),
            began: BTreeMap::new(),
            answers: BTreeMap::new(),
            stale: BTreeMap::new(),
            next: 1,
        };
        for record in records {
            ledger.take(record);
        }
        Ok((ledger, notes))
    }

    /// Appends a record and takes it in. An intent, an answer and a mark are synced; whether an intent was carried
    /// out can be found out again.
    pub(crate) fn append(&mut self, record: Record) -> io::Result<()> {
        let sync = match record {
            Record::Settled { .. } => Sync::No,
            Record::Intent(_) | Record::Began { .. } | Record::Answer { .. } | Record::Stale { .. } => {
                Sync::Yes
            }
        };
        let written = self.log.append(&record, sync);
        // What happened to a file has happened, whether or not the log took it.
        if written.is_ok() || sync == Sync::No {
            self.take(record);
        }
        written
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Intent(intent) => {
                self.next = self.next.max(intent.number + 1);
                self.intents.insert(intent.number, (intent, Fate::Open));
            }
            Record::Settled { number, applied } => self.settle(number, applied),
            Record::Began { key, of } => {
                self.began.insert(key, of);
            }
            Record::Answer { key, reply } => {
                self.answers.insert(key, reply);
            }
            Record::Stale { turn, attempt } => {
                let known = self.stale.entry(turn).or_insert(attempt);
                *known = attempt.max(*known);
            }
        }
    }

    fn settle(&mut self, number: u64, applied: bool) {
        let fate = if applied { Fate::Live } else { Fate::NotDone };
        let Some((mut kind, mut target)) = self.set_fate(number, fate) else {
            return;
        };
        let mut alive = applied;
        // Each link of the chain has a smaller number, so this ends.
        while let Some(number) = target.filter(|_| applied) {
            let fate = match (alive, kind) {
                (false, _) => Fate::Live,
                (true, Kind::Rollback) => Fate::RolledBack,
                (true, Kind::Write | Kind::Undo) => Fate::TakenBack,
            };
            let Some((next_kind, next)) = self.set_fate(number, fate) else {
                return;
            };
            alive = !alive;
            kind = next_kind;
            target = next.filter(|next| *next < number);
        }
    }

    /// Sets a fate and returns what the intent takes back.
    fn set_fate(&mut self, number: u64, fate: Fate) -> Option<(Kind, Option<u64>)> {
        let (intent, slot) = self.intents.get_mut(&number)?;
        *slot = fate;
        Some((intent.kind, intent.undoes))
    }

    pub(crate) const fn next_number(&self) -> u64 {
        self.next
    }

    /// Intents of which it is not known whether they were carried out.
    pub(crate) fn open_intents(&self) -> Vec<Intent> {
        let open = self.intents.values().filter(|(_, fate)| *fate == Fate::Open);
        open.map(|(intent, _)| intent.clone()).collect()
    }

    pub(crate) fn intent(&self, number: u64) -> Option<&Intent> {
        self.intents.get(&number).map(|(intent, _)| intent)
    }

    /// Names of the files that were written.
    pub(crate) fn files(&self) -> BTreeSet<&str> {
        self.intents.values().map(|(intent, _)| intent.file.as_str()).collect()
    }

    /// Returns the stored answer to a request.
    pub(crate) fn reply(&self, key: Key) -> Option<Changed> {
        let written = self
            .intents
            .values()
            .rev()
            .find(|(intent, fate)| intent.key == key && intent.reply.is_some() && happened(*fate));
        let written = written.and_then(|(intent, _)| intent.reply.clone());
        written.or_else(|| self.answers.get(&key).cloned())
    }

    /// The last write of a file that happened.
    pub(crate) fn last_of_file(&self, file: &str) -> Option<&Intent> {
        let mut done = self.intents.values().rev();
        done.find(|(intent, fate)| intent.file == file && happened(*fate)).map(|(intent, _)| intent)
    }

    pub(crate) fn began(&self, key: Key) -> Option<TurnKey> {
        self.began.get(&key).copied()
    }

    pub(crate) fn is_stale(&self, turn: TurnKey, attempt: u8) -> bool {
        self.stale.get(&turn).is_some_and(|last| attempt <= *last)
    }

    /// Says whether there is something to take back. An undo has an effect only as long as the write at the begin of
    /// its chain is as it left it: a redo whose write was then taken back otherwise has none.
    fn is_live(&self, intent: &Intent, fate: Fate) -> bool {
        let (mut root, mut alive) = ((intent, fate), true);
        // Each link of the chain has a smaller number, so this ends.
        while let Some(number) = root.0.undoes.filter(|number| *number < root.0.number) {
            let Some((next, fate)) = self.intents.get(&number) else {
                return fate == Fate::Live;
            };
            root = (next, *fate);
            alive = !alive;
        }
        fate == Fate::Live && alive == (root.1 == Fate::Live)
    }

    /// Live writes of a turn, last first.
    pub(crate) fn live_of(&self, turn: TurnKey, attempt: u8) -> Vec<Intent> {
        let live = self.intents.values().rev().filter(|(intent, fate)| {
            intent.key.turn == turn
                && intent.key.attempt <= attempt
                && intent.kind != Kind::Rollback
                && self.is_live(intent, *fate)
        });
        live.map(|(intent, _)| intent.clone()).collect()
    }

    /// Intents by which a request took something back, in order.
    pub(crate) fn undone_by(&self, key: Key) -> Vec<&Intent> {
        let done = self
            .intents
            .values()
            .filter(|(intent, fate)| intent.key == key && intent.kind == Kind::Undo && happened(*fate));
        done.map(|(intent, _)| intent).collect()
    }

    /// Intents by which a turn was rolled back, up to an attempt, in order.
    pub(crate) fn rolled_back(&self, turn: TurnKey, attempt: u8) -> Vec<&Intent> {
        let done = self.intents.values().filter(|(intent, fate)| {
            intent.key.turn == turn
                && intent.key.attempt <= attempt
                && intent.kind == Kind::Rollback
                && happened(*fate)
        });
        done.map(|(intent, _)| intent).collect()
    }

    /// The last turn of a conversation that wrote, is not taken back and is no undo.
    pub(crate) fn last_of(&self, conversation: &Name, except: TurnKey) -> Option<TurnKey> {
        let mut live = self.intents.values().rev().filter(|(intent, fate)| {
            intent.kind == Kind::Write
                && *fate == Fate::Live
                && intent.key.turn != except
                && intent.conversation.as_ref() == Some(conversation)
        });
        live.next().map(|(intent, _)| intent.key.turn)
    }

    /// Turns that wrote, newest first; those that were rolled back in full are not among them.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut places: BTreeMap<TurnKey, usize> = BTreeMap::new();
        for (intent, fate) in self.intents.values() {
            if intent.kind == Kind::Rollback || !matches!(fate, Fate::Live | Fate::TakenBack) {
                continue;
            }
            let place = *places.entry(intent.key.turn).or_insert(turns.len());
            if turns.len() == place {
                turns.push(Turn { turn: intent.key.turn, at: intent.at, what: Vec::new(), live: false });
            }
            if let Some(turn) = turns.get_mut(place) {
                turn.live |= self.is_live(intent, *fate);
                if !turn.what.contains(&intent.what) {
                    turn.what.push(intent.what.clone());
                }
            }
        }
        turns.reverse();
        turns
    }

    /// Hashes that a file had before one of the writes that are still known.
    pub(crate) fn known_states(&self, file: &str) -> BTreeSet<Hash> {
        let of_file = self.intents.values().filter(|(intent, _)| intent.file == file);
        of_file.filter_map(|(intent, _)| intent.before).collect()
    }

    /// The first line that a write of ours gave a file when it made it, `None` if none did.
    pub(crate) fn made_with(&self, file: &str) -> Option<Vec<u8>> {
        let mut made = self
            .intents
            .values()
            .rev()
            .filter(|(intent, fate)| intent.file == file && intent.before.is_none() && happened(*fate));
        let (intent, _) = made.next()?;
        let scaffold = intent.hunks.first().filter(|hunk| hunk.scaffold);
        Some(scaffold.map(|hunk| hunk.inserted.0.clone()).unwrap_or_default())
    }

    /// Rewrites the log when it holds far more than is kept.
    pub(crate) fn compact(&mut self) -> io::Result<()> {
        let mut order: Vec<TurnKey> = Vec::new();
        let mut seen = BTreeSet::new();
        for (intent, _) in self.intents.values().rev() {
            if seen.insert(intent.key.turn) {
                order.push(intent.key.turn);
            }
        }
        let many = order.len() > 2 * TURNS_KEPT || self.stale.len() > 4 * TURNS_KEPT;
        if !many && self.log.len() <= 2 * BYTES_KEPT {
            return Ok(());
        }
        let share = if self.log.len() > 2 * BYTES_KEPT { 2 } else { 1 };
        order.truncate(TURNS_KEPT.min(order.len() / share + 1));
        let kept: BTreeSet<TurnKey> = order.into_iter().collect();
        self.intents.retain(|_, (intent, _)| kept.contains(&intent.key.turn));
        self.began.retain(|key, _| kept.contains(&key.turn));
        self.answers.retain(|key, _| kept.contains(&key.turn));
        if self.stale.len() > 4 * TURNS_KEPT {
            self.stale.retain(|turn, _| kept.contains(turn));
        }
        let records = self.records();
        self.log.rewrite(records.iter())
    }

    /// Returns records that give this state again.
    fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (turn, attempt) in &self.stale {
            records.push(Record::Stale { turn: *turn, attempt: *attempt });
        }
        for (intent, fate) in self.intents.values() {
            records.push(Record::Intent(intent.clone()));
            if *fate != Fate::Open {
                records.push(Record::Settled { number: intent.number, applied: happened(*fate) });
            }
        }
        for (key, of) in &self.began {
            records.push(Record::Began { key: *key, of: *of });
        }
        for (key, reply) in &self.answers {
            records.push(Record::Answer { key: *key, reply: reply.clone() });
        }
        records
    }
}

const fn happened(fate: Fate) -> bool {
    match fate {
        Fate::Live | Fate::TakenBack | Fate::RolledBack => true,
        Fate::Open | Fate::NotDone => false,
    }
}
