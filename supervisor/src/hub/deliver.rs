//! Answers and notices on their way to a person: offered, confirmed, kept when nobody is there.

use super::{Hub, Own, Then};
use crate::journal::{Known, Record};
use protocol::{
    id::{Name, TurnKey},
    label::Labeled,
    outcome::{Deliver, Delivered},
    role::Role,
    route::Kind,
    stimulus::Admit,
};

impl Hub {
    /// Offers an answer or notice to its gateway, unless it is on its way already.
    pub(super) fn offer(&mut self, key: TurnKey) {
        let on_its_way = self.asks.values().any(|ask| ask.own == Some(Own::Deliver(key)));
        if on_its_way {
            return;
        }
        let Some((gateway, deliver)) = self.letter(key) else {
            return;
        };
        if self.is_ready(gateway) {
            self.ask(Kind::Deliver, gateway, key, &deliver, Own::Deliver(key));
        }
    }

    fn letter(&self, key: TurnKey) -> Option<(Role, Deliver)> {
        if let Some(answer) = self.state.answer(key) {
            // What the operator injected is answered on the local gateway.
            let gateway = answer.source.as_str().parse().unwrap_or(Role::GatewayLocal);
            let deliver = Deliver {
                turn: key,
                conversation: answer.conversation.clone(),
                message: Some(answer.message.clone()),
                text: answer.answer.clone(),
            };
            return Some((gateway, deliver));
        }
        let notice = self.state.notices().find(|notice| notice.id == key)?;
        let (gateway, conversation) = self.owner_at.clone()?;
        let text = Labeled::from_owner(notice.text.clone());
        Some((gateway, Deliver { turn: key, conversation, message: None, text }))
    }

    pub(super) fn delivered(&mut self, key: TurnKey, how: Delivered) {
        // A word that is not kept, such as that something was answered before, needs no record.
        let kept = self.state.answer(key).is_some() || self.state.notices().any(|notice| notice.id == key);
        match how {
            Delivered::Confirmed | Delivered::Unknown if kept => self.append(Record::Delivered { key, how }),
            Delivered::Absent | Delivered::Confirmed | Delivered::Unknown => {}
        }
    }

    /// Somebody has come to a conversation: what waits for it, and every notice, is offered.
    pub(super) fn attached(&mut self, gateway: Role, conversation: Name) {
        let source = gateway.as_str();
        let mut keys: Vec<TurnKey> = self
            .state
            .undelivered()
            .filter(|answer| {
                answer.conversation == conversation
                    && (answer.source.as_str() == source || answer.source.as_str() == "ctl")
            })
            .map(|answer| answer.key)
            .collect();
        self.owner_at = Some((gateway, conversation));
        keys.extend(self.state.notices().map(|notice| notice.id));
        for key in keys {
            self.offer(key);
        }
    }

    /// Tells the owner something, once per subject.
    pub(super) fn notice(&mut self, subject: &str, text: &str) {
        let Some(id) = notice_id(subject) else { return };
        if self.state.notices().any(|notice| notice.id == id) {
            return;
        }
        self.append(Record::Notice { id, text: text.into(), at: self.wall });
        self.after_sync(Then::Offer { key: id });
    }

    /// A message comes again whose answer was confirmed long ago and is not kept: whoever says it must not wait for ever.
    pub(super) fn tell_answered(&mut self, gateway: Role, key: TurnKey, admit: &Admit) {
        let Some(id) = notice_id(&format!("answered:{key}")) else { return };
        let text = format!(
            "This was answered before, and the answer was confirmed. `passepartout ctl trace {}` shows it.",
            key.short()
        );
        let deliver = Deliver {
            turn: id,
            conversation: admit.conversation.clone(),
            message: Some(admit.message.clone()),
            text: Labeled::from_owner(text),
        };
        if self.is_ready(gateway) {
            self.ask(Kind::Deliver, gateway, id, &deliver, Own::Deliver(id));
        }
    }

    /// Tells whoever waits for a parked turn, and the owner, that it was set aside.
    pub(super) fn tell_parked(&mut self, key: TurnKey) {
        if self.knows(key) != Known::Parked {
            return;
        }
        let Some(turn) = self.state.turn(key) else {
            return;
        };
        let why = turn.parked.as_ref().map_or("", |parked| parked.why.as_str());
        let text = format!(
            "I set a request aside because it could not be done: {why}. `passepartout ctl parked list` shows it; `ctl parked retry {0}` tries again, `ctl parked drop {0}` gives it up.",
            key.short()
        );
        let (conversation, message) = (turn.conversation.clone(), turn.message.clone());
        let gateway = turn.source.as_str().parse().unwrap_or(Role::GatewayLocal);
        let subject = format!("parked:{key}");
        self.notice(&subject, &text);
        let Some(id) = notice_id(&subject) else {
            return;
        };
        if self.is_ready(gateway) {
            let text = Labeled::from_owner(text);
            let deliver = Deliver { turn: id, conversation, message: Some(message), text };
            self.ask(Kind::Deliver, gateway, id, &deliver, Own::Deliver(id));
        }
    }
}

/// Names a notice by its subject.
fn notice_id(subject: &str) -> Option<TurnKey> {
    let part = |text: &str| Name::new(text.chars().take(190).collect::<String>()).ok();
    Some(TurnKey::derive(&part("supervisor")?, &part("notice")?, &part(subject)?))
}
