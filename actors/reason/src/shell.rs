//! The process around the reflexes. Decides nothing.

use crate::reflex::Reflexes;
use jiff::{Timestamp, tz::TimeZone};
use kit::{Actor, Exit, Idle, Outbox, Status, Thread, sandbox::Policy};
use link::{Codec, Frame};
use protocol::{id::TurnKey, outcome::Tier, percept::Percept, role::Role, route::Kind};

/// Runs the role.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::Reason, generation, level, |start| {
        let zone = kit::run::zone(&start.welcome.zone);
        let reflexes = Reflexes::english().map_err(|error| {
            tracing::error!(err = %error, "the built-in patterns");
            Exit::Bug
        })?;
        let policy = Policy {
            role: Role::Reason,
            folders: Vec::new(),
            files: Vec::new(),
            memory_mib: start.welcome.memory_mib,
            accepts: false,
            forks: !start.faults.is_empty(),
        };
        Ok((Reason { reflexes, zone }, policy))
    })
}

struct Reason {
    reflexes: Reflexes,
    zone: TimeZone,
}

impl Actor for Reason {
    type Event = Idle;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        let thread = Thread::from(&frame.header);
        if frame.header.kind != Kind::Percept {
            return;
        }
        match frame.read::<Percept>(Codec::INTERNAL) {
            Ok(percept) => {
                // The time of acceptance, so that a second try gives the same dates.
                let at = Timestamp::from_millisecond(percept.at.0).unwrap_or_default();
                let now = at.to_zoned_datetime(self.zone.clone());
                let proposal = self.reflexes.propose(&percept, &now);
                out.tell(Kind::Proposal, Role::Act, thread, &proposal);
            }
            Err(error) => {
                tracing::error!(err = %error, "percept");
                out.trouble(
                    thread,
                    Tier::Critical,
                    "percept.malformed",
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
