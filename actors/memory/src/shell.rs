//! The process around the memory. Decides nothing.

use crate::{Fresh, Memory};
use kit::{Actor, Exit, Outbox, Status, Thread, clock, sandbox::Policy};
use link::{Codec, Frame};
use protocol::{
    change::ChangeRequest, id::TurnKey, lifecycle::Nack, recall::Recall, role::Role, route::Kind, snapshot,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long the memex must be quiet before it is read again: an editor or a synchroniser writes several files at once
/// (org spec E5).
const QUIET: Duration = Duration::from_millis(100);

/// How often every file is looked at whatever the kernel said.
const RESCAN: Duration = Duration::from_secs(60);

/// Runs the role.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::Memory, generation, level, |mut start| {
        let memex = PathBuf::from(&start.welcome.memex);
        let state = PathBuf::from(&start.welcome.state);
        let memory_mib = start.welcome.memory_mib;
        let forks = !start.faults.is_empty();
        let mut seed = [0; 16];
        getrandom::fill(&mut seed).map_err(|error| {
            tracing::error!(err = %error, "randomness");
            Exit::System
        })?;
        let fresh = Fresh { now: clock::wall(), seed };
        let opened = Memory::open(&memex, &state, fresh, &mut |done, total| {
            start.progress(done, total, "reading the memex");
        });
        let memory = opened.map_err(|error| {
            tracing::error!(err = %error, "memory cannot be opened");
            Exit::System
        })?;
        // Building an index takes several times what it keeps.
        kit::sys::give_back_memory();
        let policy = Policy {
            role: Role::Memory,
            folders: vec![memex, state],
            files: Vec::new(),
            memory_mib,
            accepts: false,
            forks,
        };
        Ok((Keeper { memory, rescan: clock::monotonic() + RESCAN }, policy))
    })
}

struct Keeper {
    memory: Memory,
    rescan: Instant,
}

/// What comes from outside of the tree.
enum Outside {
    /// Somebody changed the memex.
    Changed,
    /// It is time to look at everything.
    Rescan,
    /// Nobody waits: the store hears of what was written.
    Behind,
}

impl Keeper {
    fn reply<Q, A>(
        &mut self,
        frame: &Frame,
        kind: Kind,
        out: &mut Outbox,
        answer: impl FnOnce(&mut Memory, &Q) -> A,
    ) where
        Q: DeserializeOwned,
        A: Serialize,
    {
        match frame.read::<Q>(Codec::INTERNAL) {
            Ok(question) => {
                let said = answer(&mut self.memory, &question);
                out.answer(&frame.header, kind, &said);
            }
            Err(error) => {
                tracing::error!(err = %error, kind = ?frame.header.kind, "question");
                out.answer(&frame.header, Kind::Nack, &Nack::Malformed);
            }
        }
    }
}

impl Actor for Keeper {
    type Event = Outside;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        let kind = frame.header.kind;
        self.memory.tell_time(clock::wall());
        if kind == Kind::Recall {
            self.reply(frame, Kind::Recalled, out, |memory, recall: &Recall| memory.recall(recall));
        } else if kind == Kind::Change {
            let thread = Thread::from(&frame.header);
            self.reply(frame, Kind::Changed, out, |memory, change: &ChangeRequest| {
                debug_assert_eq!((change.turn, change.attempt), (thread.turn, thread.attempt));
                memory.change(change)
            });
        } else if kind == Kind::Snapshot {
            self.reply(frame, Kind::Snapped, out, |memory, request: &snapshot::Request| {
                memory.snapshot(request)
            });
        }
    }

    async fn outside(&mut self) -> Outside {
        if self.memory.is_behind() {
            return Outside::Behind;
        }
        let changed = async {
            match self.memory.watched() {
                Some(watched) => {
                    if let Err(error) = kit::sys::readable(watched).await {
                        tracing::warn!(err = %error, "changes of others are seen at the next question");
                        std::future::pending::<()>().await;
                    }
                    tokio::time::sleep(QUIET).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = changed => Outside::Changed,
            () = tokio::time::sleep_until(self.rescan.into()) => Outside::Rescan,
        }
    }

    fn event(&mut self, event: Outside, _: &mut Outbox) {
        self.memory.tell_time(clock::wall());
        match event {
            Outside::Behind => self.memory.settle(),
            Outside::Changed => self.memory.notice(),
            Outside::Rescan => {
                self.rescan = clock::monotonic() + RESCAN;
                self.memory.rescan();
                self.memory.rest();
            }
        }
    }

    fn cancel(&mut self, _: TurnKey) {}

    fn close(&mut self) {
        self.memory.close();
    }

    fn status(&self) -> Status {
        Status { open: 0, note: self.memory.note(), degraded: self.memory.degraded() }
    }
}
