//! What `ask` and `chat` have in common, without any I/O: which messages wait for an answer, what is said again after a
//! lost connection, what was shown already.

use protocol::{
    control::{Client, Server},
    version,
};
use std::collections::VecDeque;

/// Turns that are remembered as shown. An answer comes twice only within moments.
const SHOWN_MAX: usize = 1_024;

/// Whose answers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of the whole conversation, and notices.
    All,
    /// Only those to messages that were said here; others stay for whoever said them.
    Mine,
}

/// A message that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    message: String,
    text: String,
}

/// What a person is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Show {
    /// An answer, or a notice, whose message is empty.
    Answer {
        /// Key of the turn.
        turn: String,
        /// The message that it answers.
        message: String,
        /// The text.
        text: String,
    },
    /// A message was not taken.
    Refused(String),
    /// The hello was wrong.
    Unwelcome(String),
    /// Something else was wrong.
    Wrong(String),
}

/// What comes of words of the gateway.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// First this is shown.
    pub(crate) show: Option<Show>,
    /// Then this is said.
    pub(crate) reply: Option<Client>,
}

/// One end of a conversation.
#[derive(Debug)]
pub(crate) struct Talk {
    conversation: String,
    whose: Whose,
    waiting: Vec<Waiting>,
    shown: VecDeque<String>,
    welcome: bool,
}

impl Talk {
    pub(crate) const fn new(conversation: String, whose: Whose) -> Self {
        Self { conversation, whose, waiting: Vec::new(), shown: VecDeque::new(), welcome: false }
    }

    /// Returns what is said on a new connection: hello, and all that waits, under the same ids.
    pub(crate) fn greet(&mut self) -> Vec<Client> {
        self.welcome = false;
        let hello = Client::Hello { major: version::MAJOR, conversation: self.conversation.clone() };
        let again = self.waiting.iter().map(Waiting::words);
        std::iter::once(hello).chain(again).collect()
    }

    /// Takes a message; it is said again after each lost connection until it is answered.
    pub(crate) fn say(&mut self, message: String, text: String) -> Client {
        let waiting = Waiting { message, text };
        let words = waiting.words();
        self.waiting.push(waiting);
        words
    }

    /// Returns how many messages wait.
    pub(crate) const fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes words of the gateway.
    pub(crate) fn hear(&mut self, words: Server) -> Heard {
        match words {
            Server::Welcome { .. } => {
                self.welcome = true;
                Heard::default()
            }
            Server::Accepted { .. } | Server::Pong => Heard::default(),
            Server::Refused { message, why } => {
                let mine = self.settle(&message);
                Heard { show: mine.then_some(Show::Refused(why)), reply: None }
            }
            Server::Error { why } if self.welcome => Heard { show: Some(Show::Wrong(why)), reply: None },
            Server::Error { why } => Heard { show: Some(Show::Unwelcome(why)), reply: None },
            Server::Answer { turn, message, text } => self.answer(turn, message, text),
        }
    }

    fn answer(&mut self, turn: String, message: String, text: String) -> Heard {
        let reply = Some(Client::Seen { turn: turn.clone() });
        if self.shown.contains(&turn) {
            // The confirmation was lost on its way.
            return Heard { show: None, reply };
        }
        let mine = self.settle(&message);
        if !mine && self.whose == Whose::Mine {
            return Heard::default();
        }
        self.shown.push_back(turn.clone());
        if self.shown.len() > SHOWN_MAX {
            self.shown.pop_front();
        }
        Heard { show: Some(Show::Answer { turn, message, text }), reply }
    }

    /// Takes a message off those that wait; says whether it was among them.
    fn settle(&mut self, message: &str) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.message != message);
        self.waiting.len() < before
    }
}

impl Waiting {
    fn words(&self) -> Client {
        Client::Say { message: self.message.clone(), text: self.text.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(turn: &str, message: &str) -> Server {
        Server::Answer { turn: turn.into(), message: message.into(), text: "yes".into() }
    }

    fn seen(turn: &str) -> Option<Client> {
        Some(Client::Seen { turn: turn.into() })
    }

    #[test]
    fn what_waits_is_said_again_under_the_same_id_until_it_is_answered() {
        let mut talk = Talk::new("local".into(), Whose::Mine);
        let said = talk.say("m1".into(), "hi".into());
        drop(talk.hear(Server::Accepted { message: "m1".into(), turn: "t".into() }));
        assert_eq!(talk.greet()[1..], [said]);
        let heard = talk.hear(answer("t", "m1"));
        assert!(heard.show.is_some());
        assert_eq!((heard.reply, talk.waiting(), talk.greet().len()), (seen("t"), 0, 1));
    }

    #[test]
    fn answer_that_comes_twice_is_shown_once_and_confirmed_twice() {
        let mut talk = Talk::new("local".into(), Whose::All);
        assert!(talk.hear(answer("t", "")).show.is_some());
        assert_eq!(talk.hear(answer("t", "")), Heard { show: None, reply: seen("t") });
    }

    #[test]
    fn answer_to_somebody_else_is_left_to_them_by_ask_and_shown_by_chat() {
        let mut ask = Talk::new("local".into(), Whose::Mine);
        assert_eq!(ask.hear(answer("t", "other")), Heard::default());
        let mut chat = Talk::new("local".into(), Whose::All);
        assert!(chat.hear(answer("t", "other")).show.is_some());
    }

    #[test]
    fn error_before_the_welcome_is_about_the_hello() {
        let mut talk = Talk::new("local".into(), Whose::Mine);
        drop(talk.greet());
        let error = Server::Error { why: "version".into() };
        assert_eq!(talk.hear(error.clone()).show, Some(Show::Unwelcome("version".into())));
        drop(talk.hear(Server::Welcome { version: "1".into() }));
        assert_eq!(talk.hear(error).show, Some(Show::Wrong("version".into())));
    }

    #[test]
    fn refused_message_waits_no_longer() {
        let mut talk = Talk::new("local".into(), Whose::Mine);
        drop(talk.say("m1".into(), "hi".into()));
        let refused = Server::Refused { message: "m1".into(), why: "busy".into() };
        assert_eq!(talk.hear(refused).show, Some(Show::Refused("busy".into())));
        assert_eq!(talk.waiting(), 0);
    }
}
