//! Admission: a message becomes a turn, once, and durable before its source is told.

use super::{Hub, Phase, Then};
use crate::{
    journal::{Known, Record},
    turn::{Stage, Turn},
};
use protocol::{
    command,
    envelope::Header,
    id::{Name, TurnKey},
    limits::TEXT_MAX,
    route::Kind,
    stimulus::{Admission, Admit, Class, Refusal},
};

impl Hub {
    pub(super) fn admit(&mut self, question: &Header, admit: Admit) {
        let Ok(source) = Name::new(question.from.as_str()) else {
            return;
        };
        let key = TurnKey::derive(&source, &admit.conversation, &admit.message);
        let known = self.knows(key);
        if known != Known::Unknown {
            self.counts.duplicates += 1;
            self.known_already(question, &admit, key, known);
            return;
        }
        if let Some(refusal) = self.refusal(&admit) {
            self.counts.refused += 1;
            let header = question.answer(Kind::Admitted);
            self.tell(header, &Admission::Refused(refusal));
            return;
        }
        let class = if command::is_stop(&admit.text.text) {
            Class::Urgent
        } else if admit.background {
            Class::Background
        } else {
            Class::Normal
        };
        self.accept(key, source, admit, class);
        self.after_sync(Then::Admitted { key, question: *question });
    }

    /// Takes a text of the operator in, as the owner's, under a message id of its own.
    pub(super) fn inject(&mut self, admit: Admit) -> TurnKey {
        let source = Name::new("ctl").unwrap_or_else(|_| admit.conversation.clone());
        let key = TurnKey::derive(&source, &admit.conversation, &admit.message);
        if self.knows(key) == Known::Unknown {
            self.accept(key, source, admit, Class::Normal);
        }
        key
    }

    fn accept(&mut self, key: TurnKey, source: Name, admit: Admit, class: Class) {
        self.append(Record::Accepted {
            key,
            source: source.clone(),
            conversation: admit.conversation.clone(),
            message: admit.message.clone(),
            principal: admit.principal,
            class,
            text: admit.text.clone(),
            at: self.wall,
            offset: admit.offset,
        });
        self.numbers += 1;
        let turn = Turn {
            key,
            number: self.numbers,
            source,
            conversation: admit.conversation,
            message: admit.message,
            principal: admit.principal,
            class,
            text: admit.text,
            at: self.wall,
            attempt: 1,
            depth: 0,
            stage: Stage::Admitting,
            since: self.now,
            wrote: false,
            charges: 0,
            retries: 0,
            suspect: false,
        };
        self.enqueue(turn);
    }

    /// The message is durable.
    pub(super) fn admitted(&mut self, key: TurnKey, question: &Header) {
        let header = question.answer(Kind::Admitted);
        self.tell(header, &Admission::Accepted(key));
        self.begin(key);
    }

    /// Lets an admitted turn run; an order to stop is carried out here and now, without any actor.
    pub(super) fn begin(&mut self, key: TurnKey) {
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        turn.stage = Stage::Waiting;
        if turn.class == Class::Urgent {
            let conversation = turn.conversation.clone();
            let stopped = self.interrupt(&conversation, key);
            let answer = match stopped {
                0 => "Nothing was running.".to_owned(),
                1 => "Stopped.".to_owned(),
                n => format!("Stopped {n} requests."),
            };
            self.finish(key, &answer, None);
        } else {
            self.offer_start(key);
        }
    }

    pub(super) fn not_admitted(&mut self, key: TurnKey, question: &Header) {
        self.forget(key);
        self.state.retract(key);
        self.counts.refused += 1;
        let header = question.answer(Kind::Admitted);
        self.tell(header, &Admission::Refused(Refusal::Journal));
    }

    fn known_already(&mut self, question: &Header, admit: &Admit, key: TurnKey, known: Known) {
        let admission = match known {
            Known::Open | Known::Parked | Known::Unknown => Admission::Pending(key),
            Known::Done => Admission::Done(key),
        };
        let header = question.answer(Kind::Admitted);
        // Behind a sync, so that a message whose first copy is not durable yet is not confirmed early.
        if let Some(frame) = self.frame(header, &admission) {
            let refused = Admission::Refused(Refusal::Journal);
            let otherwise = self.frame(header, &refused);
            self.after_sync(Then::Send { frame, otherwise });
        }
        match known {
            Known::Done if self.state.answer(key).is_some() => self.after_sync(Then::Offer { key }),
            Known::Done => self.tell_answered(question.from, key, admit),
            Known::Parked => self.tell_parked(key),
            Known::Open | Known::Unknown => {}
        }
    }

    fn refusal(&self, admit: &Admit) -> Option<Refusal> {
        let stop = command::is_stop(&admit.text.text);
        if admit.text.text.len() > TEXT_MAX {
            Some(Refusal::TooLong)
        } else if self.closed.is_some() {
            Some(Refusal::Journal)
        } else if self.phase != Phase::Running {
            Some(Refusal::Draining)
        } else if self.turns.len() >= self.config.waiting && !stop {
            Some(Refusal::Busy)
        } else {
            None
        }
    }
}
