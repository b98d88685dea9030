//! What the gateway decides: who belongs to which conversation, what goes to the supervisor, when an answer counts as
//! delivered. Events and the time in, effects out; no socket, no clock.

mod delivery;

pub use delivery::{CONFIRM_MS, UNCONFIRMED_MAX};

use delivery::Delivery;
use protocol::{
    control::Server,
    envelope::Header,
    id::{Name, TurnKey},
    label::Labeled,
    limits::TEXT_MAX,
    outcome::{Deliver, Delivered},
    stimulus::{Admission, Admit, Principal, Refusal},
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Conversations of one client: the ancestor's clients can name a session with each message.
const CONVERSATIONS_MAX: usize = 16;

/// Messages of one client that are remembered as its own.
const SAID_MAX: usize = 64;

/// Messages of which the supervisor has not yet said whether it takes them. More are refused: it is busy.
const ADMITS_MAX: usize = 512;

/// Names a connection for as long as this process lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClientId(pub u64);

/// What a client said, in whichever dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// It belongs to this conversation and to no other.
    Hello(Name),
    /// It belongs to this conversation too.
    Join(Name),
    /// A message.
    Say {
        /// The conversation, where the dialect names it with each message.
        conversation: Option<Name>,
        /// Its id.
        message: Name,
        /// Its text.
        text: String,
    },
    /// An answer was shown.
    Seen(TurnKey),
    /// Is anybody there?
    Ping,
}

impl Said {
    /// Says whether exactly one word is said back by the core.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        match self {
            Self::Hello(_) | Self::Say { .. } | Self::Ping => true,
            Self::Join(_) | Self::Seen(_) => false,
        }
    }
}

/// What happens to the core.
#[derive(Debug)]
pub enum Event {
    /// A client has connected.
    Came(ClientId),
    /// A client has said something.
    Heard(ClientId, Said),
    /// An answer was written to a client that cannot confirm.
    Written(ClientId, TurnKey),
    /// A client is gone.
    Left(ClientId),
    /// The supervisor has decided about a message.
    Admitted(u64, Admission),
    /// The supervisor could not say.
    NotAdmitted(u64),
    /// The supervisor has an answer for somebody.
    Deliver(Header, Deliver),
    /// Time has passed.
    Tick,
}

/// What the shell has to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell a client.
    Say(ClientId, Server),
    /// Tell the supervisor that somebody came.
    Attach(Name),
    /// Ask the supervisor to take a message; what it answers comes back under this number.
    Admit(u64, Admit),
    /// Answer the supervisor's question.
    Delivered(Header, Delivered),
}

/// What is known of a client.
#[derive(Debug, Default)]
struct Member {
    conversations: BTreeSet<Name>,
    /// Ids of its own messages, oldest first.
    said: VecDeque<Name>,
}

/// The state.
#[derive(Debug, Default)]
pub struct Core {
    clients: BTreeMap<ClientId, Member>,
    admits: BTreeMap<u64, (ClientId, Name)>,
    deliveries: BTreeMap<u64, Delivery>,
    numbers: u64,
    draining: bool,
    now: u64,
    effects: Vec<Effect>,
}

impl Core {
    /// Takes an event in. `now` is in ms of a monotonic clock.
    #[must_use]
    pub fn handle(&mut self, event: Event, now: u64) -> Vec<Effect> {
        self.now = self.now.max(now);
        match event {
            Event::Came(client) => {
                self.clients.insert(client, Member::default());
            }
            Event::Heard(client, said) => self.heard(client, said),
            Event::Written(client, turn) => self.written(client, turn),
            Event::Left(client) => self.left(client),
            Event::Admitted(ticket, admission) => self.admitted(ticket, &admission),
            Event::NotAdmitted(ticket) => {
                self.refused(
                    ticket,
                    "I did not get to this in time. Send it again; should it have been taken, it counts once.",
                );
            }
            Event::Deliver(question, deliver) => self.deliver(question, deliver),
            Event::Tick => {}
        }
        self.expire();
        std::mem::take(&mut self.effects)
    }

    /// Takes no message in from now on; answers go on.
    pub const fn drain(&mut self) {
        self.draining = true;
    }

    /// Returns when the next [`Event::Tick`] is due.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        self.deliveries.values().map(|delivery| delivery.by).min()
    }

    /// Returns how many clients are connected.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.clients.len()
    }

    /// Returns how many answers are on their way.
    #[must_use]
    pub fn open(&self) -> usize {
        self.deliveries.len()
    }

    fn say(&mut self, client: ClientId, words: Server) {
        self.effects.push(Effect::Say(client, words));
    }

    fn heard(&mut self, client: ClientId, said: Said) {
        match said {
            Said::Hello(conversation) => {
                let member = self.clients.entry(client).or_default();
                member.conversations = BTreeSet::from([conversation.clone()]);
                let version = env!("CARGO_PKG_VERSION").into();
                self.say(client, Server::Welcome { version });
                self.effects.push(Effect::Attach(conversation));
                self.pump(client);
            }
            Said::Join(conversation) => {
                self.join(client, conversation);
            }
            Said::Say { conversation, message, text } => {
                self.take(client, conversation, message, text);
            }
            Said::Seen(turn) => self.seen(client, turn),
            Said::Ping => self.say(client, Server::Pong),
        }
    }

    /// Adds a client to a conversation; false when it is in too many.
    fn join(&mut self, client: ClientId, conversation: Name) -> bool {
        let conversations = &mut self.clients.entry(client).or_default().conversations;
        if conversations.contains(&conversation) {
            return true;
        }
        if conversations.len() == CONVERSATIONS_MAX {
            return false;
        }
        conversations.insert(conversation.clone());
        self.effects.push(Effect::Attach(conversation));
        self.pump(client);
        true
    }

    fn take(&mut self, client: ClientId, named: Option<Name>, message: Name, text: String) {
        let refuse = |why: &str| Server::Refused { message: message.to_string(), why: why.into() };
        let conversation = match named {
            Some(name) if self.join(client, name.clone()) => Some(name),
            Some(_) => {
                let why = "Too many sessions on one connection: open another one.";
                self.say(client, refuse(why));
                return;
            }
            None => self.clients.get(&client).and_then(|member| member.conversations.first().cloned()),
        };
        let Some(conversation) = conversation else {
            self.say(client, refuse("Say hello first, and name the conversation."));
            return;
        };
        let refusal = if text.len() > TEXT_MAX {
            Some(Refusal::TooLong)
        } else if self.draining {
            Some(Refusal::Draining)
        } else if self.admits.len() >= ADMITS_MAX {
            Some(Refusal::Busy)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            self.say(client, refuse(refusal.sentence()));
            return;
        }
        self.numbers += 1;
        self.admits.insert(self.numbers, (client, message.clone()));
        if let Some(member) = self.clients.get_mut(&client) {
            member.said.retain(|said| *said != message);
            member.said.push_back(message.clone());
            if member.said.len() > SAID_MAX {
                member.said.pop_front();
            }
        }
        let admit = Admit {
            conversation,
            message,
            // The socket belongs to the owner alone, and the peer's user was checked when it connected.
            principal: Principal::Owner,
            text: Labeled::from_owner(text),
            background: false,
            offset: None,
        };
        self.effects.push(Effect::Admit(self.numbers, admit));
        // Said again after a lost connection, its answer may be here already, behind others that are not for it.
        self.pump(client);
    }

    fn admitted(&mut self, ticket: u64, admission: &Admission) {
        match admission {
            Admission::Accepted(turn) | Admission::Pending(turn) | Admission::Done(turn) => {
                let Some((client, message)) = self.admits.remove(&ticket) else {
                    return;
                };
                if self.clients.contains_key(&client) {
                    let words = Server::Accepted { message: message.into(), turn: turn.to_string() };
                    self.say(client, words);
                }
            }
            Admission::Refused(refusal) => self.refused(ticket, refusal.sentence()),
        }
    }

    fn refused(&mut self, ticket: u64, why: &str) {
        let Some((client, message)) = self.admits.remove(&ticket) else {
            return;
        };
        if self.clients.contains_key(&client) {
            self.say(client, Server::Refused { message: message.into(), why: why.into() });
        }
    }
}

#[cfg(test)]
mod tests;
