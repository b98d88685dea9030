//! The process around the memory. Decides nothing.

use crate::Memory;
use kit::{Actor, Exit, Idle, Outbox, Status, Thread, sandbox::Policy};
use link::{Codec, Frame};
use protocol::{
    change::ChangeRequest, id::TurnKey, lifecycle::Nack, recall::Recall, role::Role, route::Kind, snapshot,
};
use serde::{Serialize, de::DeserializeOwned};
use std::path::PathBuf;

/// Runs the role.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::Memory, generation, level, |mut start| {
        let memex = PathBuf::from(&start.welcome.memex);
        let state = PathBuf::from(&start.welcome.state);
        let memory_mib = start.welcome.memory_mib;
        let forks = !start.faults.is_empty();
        let opened = Memory::open(&memex, &state, &mut |done, total| {
            start.progress(done, total, "reading the memex");
        });
        let memory = opened.map_err(|error| {
            tracing::error!(err = %error, "memory cannot be opened");
            Exit::System
        })?;
        let policy = Policy {
            role: Role::Memory,
            folders: vec![memex, state],
            files: Vec::new(),
            memory_mib,
            accepts: false,
            forks,
        };
        Ok((Keeper { memory }, policy))
    })
}

struct Keeper {
    memory: Memory,
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
    type Event = Idle;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        let kind = frame.header.kind;
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

    fn outside(&mut self) -> impl Future<Output = Idle> {
        Idle::never()
    }

    fn event(&mut self, event: Idle, _: &mut Outbox) {
        match event {}
    }

    fn cancel(&mut self, _: TurnKey) {}

    fn status(&self) -> Status {
        Status { open: 0, note: self.memory.note(), degraded: self.memory.degraded() }
    }
}
