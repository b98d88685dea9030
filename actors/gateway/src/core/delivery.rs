//! Answers on their way: to whom they go, when they count as delivered, what waits while a client is slow.

use super::{ClientId, Core, Effect, Member};
use protocol::{
    control::Server,
    envelope::Header,
    id::TurnKey,
    outcome::{Deliver, Delivered},
};
use std::collections::BTreeSet;

/// How long an answer waits for somebody to confirm it, in ms: half of what the route table allows.
pub const CONFIRM_MS: u64 = 5_000;

/// Answers that one client may have unconfirmed; more wait here for their turn. Keeps its queue from running over
/// when a hundred answers have waited for it. Counted for itself: answers to what the client said on this connection,
/// so that `ask` does not wait behind old answers that are not for it.
pub const UNCONFIRMED_MAX: usize = 16;

/// Answers in hand; one more counts as absent, stays with the supervisor and is offered again.
const DELIVERIES_MAX: usize = 1_024;

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Delivery {
    question: Header,
    deliver: Deliver,
    pub(super) by: u64,
    /// To whom it was sent.
    told: BTreeSet<ClientId>,
    /// Who of these has neither confirmed it nor got it written.
    open: BTreeSet<ClientId>,
    /// Whether it was written to somebody who cannot confirm.
    written: bool,
}

impl Member {
    fn may_hear(&self, delivery: &Delivery) -> bool {
        self.conversations.contains(&delivery.deliver.conversation)
    }

    fn has_asked(&self, delivery: &Delivery) -> bool {
        let message = delivery.deliver.message.as_ref();
        message.is_some_and(|message| self.said.contains(message))
    }
}

impl Core {
    pub(super) fn deliver(&mut self, question: Header, deliver: Deliver) {
        let members: Vec<ClientId> = self
            .clients
            .iter()
            .filter(|(_, member)| member.conversations.contains(&deliver.conversation))
            .map(|(client, _)| *client)
            .collect();
        if members.is_empty() || self.deliveries.len() >= DELIVERIES_MAX {
            self.effects.push(Effect::Delivered(question, Delivered::Absent));
            return;
        }
        self.numbers += 1;
        let delivery = Delivery {
            question,
            deliver,
            by: self.now + CONFIRM_MS,
            told: BTreeSet::new(),
            open: BTreeSet::new(),
            written: false,
        };
        self.deliveries.insert(self.numbers, delivery);
        for client in members {
            self.pump(client);
        }
    }

    /// Sends a client what waits for it, as far as its window goes.
    pub(super) fn pump(&mut self, client: ClientId) {
        let Some(member) = self.clients.get(&client) else {
            return;
        };
        let (mut own, mut others) = (UNCONFIRMED_MAX, UNCONFIRMED_MAX);
        for delivery in self.deliveries.values() {
            if delivery.open.contains(&client) {
                let room = if member.has_asked(delivery) { &mut own } else { &mut others };
                *room = room.saturating_sub(1);
            }
        }
        for delivery in self.deliveries.values_mut() {
            let room = if member.has_asked(delivery) { &mut own } else { &mut others };
            if *room == 0 || !member.may_hear(delivery) || delivery.told.contains(&client) {
                continue;
            }
            *room -= 1;
            delivery.told.insert(client);
            delivery.open.insert(client);
            let message = delivery.deliver.message.clone();
            let words = Server::Answer {
                turn: delivery.deliver.turn.to_string(),
                message: message.map_or_else(String::new, String::from),
                text: delivery.deliver.text.text.clone(),
            };
            self.effects.push(Effect::Say(client, words));
        }
    }

    pub(super) fn seen(&mut self, client: ClientId, turn: TurnKey) {
        let fits = |d: &Delivery| d.deliver.turn == turn && d.open.contains(&client);
        self.settle(|delivery| fits(delivery).then_some(Delivered::Confirmed));
    }

    pub(super) fn written(&mut self, client: ClientId, turn: TurnKey) {
        for delivery in self.deliveries.values_mut() {
            if delivery.deliver.turn == turn && delivery.open.remove(&client) {
                delivery.written = true;
            }
        }
        self.settle_hopeless();
        self.pump(client);
    }

    pub(super) fn left(&mut self, client: ClientId) {
        self.clients.remove(&client);
        for delivery in self.deliveries.values_mut() {
            delivery.open.remove(&client);
        }
        self.settle_hopeless();
    }

    /// Settles what nobody can confirm any more.
    fn settle_hopeless(&mut self) {
        let clients = std::mem::take(&mut self.clients);
        self.settle(|delivery| {
            let hope = clients.iter().any(|(client, member)| {
                delivery.open.contains(client)
                    || (member.may_hear(delivery) && !delivery.told.contains(client))
            });
            (!hope).then(|| delivery.without_confirmation())
        });
        self.clients = clients;
    }

    pub(super) fn expire(&mut self) {
        let now = self.now;
        self.settle(|delivery| (delivery.by <= now).then(|| delivery.without_confirmation()));
    }

    /// Answers the questions that `how` has an answer for; whose window that opens gets what waits.
    fn settle(&mut self, how: impl Fn(&Delivery) -> Option<Delivered>) {
        let mut freed = BTreeSet::new();
        let effects = &mut self.effects;
        self.deliveries.retain(|_, delivery| {
            let Some(how) = how(delivery) else {
                return true;
            };
            effects.push(Effect::Delivered(delivery.question, how));
            freed.append(&mut delivery.open);
            false
        });
        for client in freed {
            self.pump(client);
        }
    }
}

impl Delivery {
    const fn without_confirmation(&self) -> Delivered {
        if self.written { Delivered::Unknown } else { Delivered::Absent }
    }
}
