//! The end in good order (supervision spec E10): nothing new, finish what is in hand, stop one after the other.

use super::{Effect, Hub, Kick, Phase, Then};
use crate::seat::{Desired, Ended};
use protocol::{role::Role, route::Kind};

/// In this order actors end: who still needs whom goes first.
const ORDER: [Role; 5] = [Role::Perceive, Role::Reason, Role::Act, Role::GatewayLocal, Role::Memory];

impl Hub {
    /// SIGTERM: drain; again: be quick about it.
    pub fn terminate(&mut self) {
        match self.phase {
            Phase::Running => {
                self.effects.push(Effect::Stopping);
                self.phase = Phase::Finishing { by: self.now + self.config.step_ms };
                for role in Role::ACTORS.into_iter().filter(|role| role.is_gateway()) {
                    if self.is_ready(role) {
                        let header = self.header(Kind::Drain, role);
                        self.tell(header, &());
                    }
                }
                self.look_at_drain();
            }
            Phase::Finishing { .. } | Phase::Stopping { .. } => self.hurry(),
            Phase::Left => {}
        }
    }

    fn hurry(&mut self) {
        let by = self.now + self.config.quick_ms;
        self.phase = Phase::Stopping { by };
        for role in ORDER {
            if let Some(seat) = self.seats.get_mut(&role) {
                seat.desired = Desired::Down;
            }
            self.end(role, Ended::Wanted);
        }
        self.stop_next();
    }

    pub(super) fn look_at_drain(&mut self) {
        match self.phase {
            Phase::Finishing { by } => {
                let busy = self.turns.values().any(crate::turn::Turn::is_running)
                    || self.asks.values().any(|ask| ask.own.is_some())
                    || self
                        .pending
                        .values()
                        .any(|then| matches!(then, Then::Offer { .. } | Then::RollBack { .. }));
                if !busy || self.now >= by {
                    self.phase = Phase::Stopping { by: self.now + self.config.total_ms };
                    self.stop_next();
                }
            }
            Phase::Stopping { by } if self.now >= by => {
                for role in ORDER {
                    let Some(seat) = self.seats.get(&role) else {
                        continue;
                    };
                    if seat.is_alive() {
                        let generation = seat.generation;
                        self.effects.push(Effect::Kick { role, generation, kick: Kick::Kill });
                    }
                }
                self.leave();
            }
            Phase::Running | Phase::Stopping { .. } | Phase::Left => {}
        }
    }

    /// Ends the next actor of the order, or the process when none is left.
    pub(super) fn stop_next(&mut self) {
        for role in ORDER {
            let Some(seat) = self.seats.get_mut(&role) else {
                continue;
            };
            seat.desired = Desired::Down;
            if seat.is_alive() {
                self.end(role, Ended::Wanted);
                return;
            }
        }
        self.leave();
    }

    fn leave(&mut self) {
        if self.phase != Phase::Left {
            self.phase = Phase::Left;
            self.after_sync(Then::Leave);
        }
    }
}
