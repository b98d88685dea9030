//! The process around the core. Decides nothing.

use crate::core::perceive;
use kit::{Actor, Exit, Idle, Outbox, Status, Thread, sandbox::Policy};
use link::{Codec, Frame};
use protocol::{id::TurnKey, outcome::Tier, role::Role, route::Kind, stimulus::Stimulus};

/// Runs the role.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::Perceive, generation, level, |start| {
        let policy = Policy {
            role: Role::Perceive,
            folders: Vec::new(),
            files: Vec::new(),
            memory_mib: start.welcome.memory_mib,
            accepts: false,
            forks: !start.faults.is_empty(),
        };
        Ok((Perceive, policy))
    })
}

struct Perceive;

impl Actor for Perceive {
    type Event = Idle;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        let thread = Thread::from(&frame.header);
        if frame.header.kind != Kind::Stimulus {
            return;
        }
        match frame.read::<Stimulus>(Codec::INTERNAL) {
            Ok(stimulus) => out.tell(Kind::Percept, Role::Reason, thread, &perceive(&stimulus)),
            Err(error) => {
                tracing::error!(err = %error, "stimulus");
                out.trouble(
                    thread,
                    Tier::Critical,
                    "stimulus.malformed",
                    "I could not read this inside myself. This is a bug; `passepartout ctl tail` shows more.",
                );
            }
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
        Status::default()
    }
}
