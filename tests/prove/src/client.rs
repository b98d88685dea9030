//! A person at the people's socket who never gives up: says the same message under the same id until it is answered.

use crate::{
    Check, Fault,
    wait::{ms, now, pass_time},
    wire::Talk,
};
use protocol::{
    control::{Client, Server},
    id::{Name, TurnKey},
};
use std::{path::Path, time::Duration};

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The key of its turn, in hex.
    pub turn: String,
    /// What was answered.
    pub text: String,
    /// Whether this is the word that it was set aside, not its answer.
    pub parked: bool,
}

/// Returns the key that a message of a local client must have.
///
/// # Panics
/// When the names are malformed, which is a bug of the proof.
#[must_use]
pub fn key(conversation: &str, message: &str) -> String {
    let name = |text: &str| Name::new(text).expect("names of proofs are well formed");
    TurnKey::derive(&name("gateway:local"), &name(conversation), &name(message)).to_string()
}

/// Whether a person tells that an answer was shown. After that the daemon need not say it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Yes.
    Told,
    /// No: the answer has to come again when the message does.
    Kept,
}

/// Says something and waits for its answer, through any number of broken connections; confirms it.
///
/// # Errors
/// When there is no answer in time.
pub fn ask(socket: &Path, conversation: &str, message: &str, text: &str, within: Duration) -> Check<Answer> {
    ask_and(Seen::Told, socket, conversation, message, text, within)
}

/// The same, and confirms it or not.
///
/// # Errors
/// As [`ask`].
pub fn ask_and(
    seen: Seen,
    socket: &Path,
    conversation: &str,
    message: &str,
    text: &str,
    within: Duration,
) -> Check<Answer> {
    let begun = now();
    let mut last = String::from("no connection");
    while begun.elapsed() < within {
        match one_try(seen, socket, conversation, message, text, within.saturating_sub(begun.elapsed())) {
            Ok(Heard::Answer(answer)) => return Ok(answer),
            Ok(Heard::Refused(why)) => {
                last = why;
                pass_time(ms(20));
            }
            Err(error) => {
                last = error.to_string();
                pass_time(ms(5));
            }
        }
    }
    Err(Fault(format!("no answer to `{text}` within {} ms ({last})", within.as_millis())))
}

enum Heard {
    Answer(Answer),
    Refused(String),
}

fn one_try(
    seen: Seen,
    socket: &Path,
    conversation: &str,
    message: &str,
    text: &str,
    within: Duration,
) -> std::io::Result<Heard> {
    let begun = now();
    let turn = key(conversation, message);
    let mut talk = Talk::open(socket, conversation)?;
    talk.say(message, text)?;
    while begun.elapsed() < within {
        let Some(words) = talk.hear(ms(1_000).min(within))? else { continue };
        match words {
            Server::Answer { turn: of, message: to, text } => {
                // What others are answered is theirs to confirm: a confirmed answer does not come again.
                if to == message {
                    if seen == Seen::Told {
                        talk.tell(&Client::Seen { turn: of.clone() })?;
                    }
                    // Words under another key: set aside, or confirmed long ago.
                    let parked = of != turn && !text.starts_with("This was answered before");
                    return Ok(Heard::Answer(Answer { turn: of, text, parked }));
                }
            }
            Server::Refused { message: which, why } if which == message => return Ok(Heard::Refused(why)),
            Server::Refused { .. } | Server::Welcome { .. } | Server::Accepted { .. } | Server::Pong => {}
            Server::Error { why } => return Err(std::io::Error::other(why)),
        }
    }
    Err(std::io::ErrorKind::TimedOut.into())
}
