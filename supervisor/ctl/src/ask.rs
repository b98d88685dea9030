//! `ask`: one message, its answer, the end. Goes on through lost connections: the message keeps its id, so however
//! often it is said it counts once.

use crate::{
    Error, Failure, Kind, args,
    show::printable,
    start::{self, Found, Spawn},
    talk::{Show, Talk, Whose},
    wire::{Got, Wire, fresh_id, pause},
};
use kit::clock;
use link::Codec;
use protocol::{
    control::Server,
    limits::{FRAME_MAX, TEXT_MAX},
    route::Kind as Word,
    stimulus::Refusal,
};
use std::{
    io::{self, IsTerminal as _, Read as _, Write},
    time::{Duration, Instant},
};
use supervisor::paths::Paths;

/// Between two tries to connect.
const AGAIN: Duration = Duration::from_millis(50);

/// How long nobody may be there before a daemon is started in its place: whoever looks after it goes first.
const ABSENCE: Duration = Duration::from_secs(3);

/// What an answer brings for `--json`.
#[derive(Debug, serde::Serialize)]
struct Answer<'a> {
    turn: &'a str,
    message: &'a str,
    conversation: &'a str,
    answer: &'a str,
}

/// Asks and prints the answer.
pub(crate) fn run(paths: &Paths, ask: &args::Ask, out: &mut impl Write) -> Result<(), Failure> {
    let text = text(&ask.text)?;
    let deadline = clock::monotonic() + Duration::from_secs(u64::from(ask.timeout));
    let spawn = if ask.talk.no_spawn { Spawn::Never } else { Spawn::May };
    if start::ensure(paths, spawn)? == Found::First {
        drop(writeln!(io::stderr(), "{}", first_words(paths)));
    }
    let mut talk = Talk::new(ask.talk.conversation.clone(), Whose::Mine);
    let id = fresh_id().map_err(|error| Failure::system("randomness", error))?;
    talk.say(id, text);
    let mut asking = Asking { paths, ask, talk, deadline, spawn, absent: None };
    while !asking.try_once(out)? {
        if clock::monotonic() >= deadline {
            return Err(asking.late());
        }
        pause(AGAIN);
    }
    Ok(())
}

/// What is said at the very first start.
pub(crate) fn first_words(paths: &Paths) -> String {
    format!("Your memex is {}. Say `help` for what I understand.", paths.memex.display())
}

/// Puts the words together, or reads them from a pipe.
fn text(words: &[String]) -> Result<String, Failure> {
    let usage = |why: &str| {
        let source = Error::Usage(why.into());
        Failure::new(Kind::Usage, source, "passepartout ask \"what is on today?\"")
    };
    let piped = words == ["-"] || (words.is_empty() && !io::stdin().is_terminal());
    let text = if piped {
        let mut bytes = Vec::new();
        let limit = u64::try_from(TEXT_MAX).unwrap_or(u64::MAX) + 1;
        let read = io::stdin().take(limit).read_to_end(&mut bytes);
        read.map_err(|error| Failure::system("stdin", error))?;
        String::from_utf8(bytes).or(Err(usage("what is piped in is not UTF-8")))?
    } else {
        words.join(" ")
    };
    let text = text.trim_end_matches(['\n', '\r']);
    if text.trim().is_empty() {
        return Err(usage("there is nothing to ask"));
    }
    if text.len() > TEXT_MAX {
        return Err(refused(Refusal::TooLong.sentence().into()));
    }
    Ok(text.to_owned())
}

fn refused(why: String) -> Failure {
    Failure::new(Kind::Refused, Error::Refused(why), "passepartout ctl status")
}

struct Asking<'a> {
    paths: &'a Paths,
    ask: &'a args::Ask,
    talk: Talk,
    deadline: Instant,
    spawn: Spawn,
    /// Since when nobody has been there.
    absent: Option<Instant>,
}

impl Asking<'_> {
    /// Connects, asks and waits; false when the connection was lost.
    fn try_once(&mut self, out: &mut impl Write) -> Result<bool, Failure> {
        let connected = Wire::connect(&self.paths.local_socket(), FRAME_MAX);
        let connected = connected.map_err(|error| Failure::system("the local socket", error))?;
        let Some(mut wire) = connected else {
            self.nobody()?;
            return Ok(false);
        };
        self.absent = None;
        for words in self.talk.greet() {
            if wire.send(Word::Client, &words).is_err() {
                return Ok(false);
            }
        }
        loop {
            match wire.next(self.deadline) {
                Ok(Got::Frame(frame)) => match frame.read::<Server>(Codec::Json) {
                    Ok(words) => {
                        if self.hear(words, &mut wire, out)? {
                            return Ok(true);
                        }
                    }
                    Err(error) => {
                        let source = Error::Stranger(error);
                        return Err(Failure::new(Kind::Version, source, "passepartout ctl version"));
                    }
                },
                Ok(Got::Late) => return Err(self.late()),
                // Also what is no frame: a gateway that greeted us in another dialect, because we were slow.
                Ok(Got::Closed) | Err(_) => return Ok(false),
            }
        }
    }

    /// Takes words of the gateway; true when that was the answer.
    fn hear(&mut self, words: Server, wire: &mut Wire, out: &mut impl Write) -> Result<bool, Failure> {
        let heard = self.talk.hear(words);
        let done = match heard.show {
            Some(Show::Answer { turn, message, text }) => {
                self.print(&turn, &message, &text, out)?;
                true
            }
            Some(Show::Refused(why) | Show::Wrong(why)) => return Err(refused(why)),
            Some(Show::Unwelcome(why)) => {
                let source = Error::Refused(why);
                return Err(Failure::new(Kind::Version, source, "passepartout ctl version"));
            }
            None => false,
        };
        if let Some(reply) = heard.reply {
            // Printed is printed: should this not arrive, the answer is shown once more some time.
            drop(wire.send(Word::Client, &reply));
        }
        Ok(done)
    }

    fn print(&self, turn: &str, message: &str, text: &str, out: &mut impl Write) -> Result<(), Failure> {
        if self.ask.json {
            let conversation = &self.ask.talk.conversation;
            let answer = Answer { turn, message, conversation, answer: text };
            let json = serde_json::to_string(&answer).map_err(io::Error::other)?;
            writeln!(out, "{json}")?;
        } else if io::stdout().is_terminal() {
            writeln!(out, "{}", printable(text))?;
        } else {
            writeln!(out, "{text}")?;
        }
        Ok(out.flush()?)
    }

    /// Nobody is there: crashed, or being restarted. After a while a daemon is started.
    fn nobody(&mut self) -> Result<(), Failure> {
        let now = clock::monotonic();
        let since = *self.absent.get_or_insert(now);
        if self.spawn == Spawn::May && now.duration_since(since) > ABSENCE {
            start::ensure(self.paths, self.spawn)?;
        }
        Ok(())
    }

    fn late(&self) -> Failure {
        if self.absent.is_some() {
            let why = "the daemon runs, and its gateway:local does not".into();
            return Failure::new(Kind::Timeout, Error::Late(why), "passepartout ctl status");
        }
        let why = format!(
            "no answer within {} s; it is kept for this conversation when it comes",
            self.ask.timeout
        );
        let hint = format!("passepartout chat --conversation {}", self.ask.talk.conversation);
        Failure::new(Kind::Timeout, Error::Late(why), hint)
    }
}
