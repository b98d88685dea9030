//! One conversation: says its messages, again and again under the same ids until each is answered, and keeps a record
//! of every word that comes back.

use super::Shared;
use crate::{
    client::key,
    random::Random,
    wait::{ms, now, pass_time, s},
    wire::Talk,
};
use protocol::control::{Client, Server};
use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// What a message asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// An entry with this token.
    Note(String),
    /// A task with this token.
    Task(String),
    /// That task marked done.
    Done(String),
    /// An effect on the outside with this token.
    Outside(String),
    /// The last write taken back.
    Undo,
    /// What runs stopped.
    Stop,
    /// Something to read.
    Read,
}

/// A message with all that is known of it.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) conversation: String,
    pub(super) id: String,
    pub(super) key: String,
    pub(super) wish: Wish,
    text: String,
    first: Instant,
    /// Whether the daemon has said that it is durable.
    pub(super) accepted: bool,
    /// Every answer under its key, with the first one's time.
    pub(super) answers: Vec<String>,
    answered: Option<Instant>,
    /// Words under another key: that it was set aside.
    pub(super) notices: Vec<String>,
    /// How often it was said.
    pub(super) said: u32,
}

impl Message {
    pub(super) fn wait(&self) -> Option<Duration> {
        self.answered.map(|at| at.duration_since(self.first))
    }

    fn is_settled(&self) -> bool {
        !self.answers.is_empty() || !self.notices.is_empty()
    }
}

/// A person.
#[derive(Debug)]
pub(super) struct Person {
    conversation: String,
    random: Random,
    share: u64,
    number: u64,
    messages: Vec<Message>,
    /// By id, for what comes back.
    index: BTreeMap<String, usize>,
    /// Tasks that may be marked done.
    tasks: Vec<String>,
}

/// How long a person waits in silence before saying everything again.
const SILENCE: Duration = s(15);

impl Person {
    pub(super) fn new(number: u64, seed: u64, share: u64) -> Self {
        Self {
            conversation: format!("storm-{number}"),
            random: Random::new(seed.wrapping_mul(1_000).wrapping_add(number)),
            share,
            number,
            messages: Vec::new(),
            index: BTreeMap::new(),
            tasks: Vec::new(),
        }
    }

    pub(super) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// Says everything and waits for every answer.
    pub(super) fn live(&mut self, socket: &Path, shared: &Shared) {
        while !self.is_over(shared) && !shared.give_up.load(Ordering::Relaxed) {
            if self.converse(socket, shared).is_err() {
                shared.breaks.fetch_add(1, Ordering::Relaxed);
                pass_time(ms(5));
            }
        }
        // Once more, for what is offered again: it must be the same words.
        if let Ok(mut talk) = Talk::open(socket, &self.conversation) {
            while let Ok(Some(words)) = talk.hear(ms(300)) {
                if self.heard(words, &mut talk, shared).is_err() {
                    break;
                }
            }
        }
    }

    fn open(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| !message.is_settled())
    }

    fn is_over(&self, shared: &Shared) -> bool {
        let enough = self.messages.len() as u64 >= self.share || shared.enough.load(Ordering::Relaxed);
        enough && self.open().next().is_none()
    }

    fn converse(&mut self, socket: &Path, shared: &Shared) -> io::Result<()> {
        let mut talk = Talk::open(socket, &self.conversation)?;
        let mut window = self.random.between(1, 4) as usize;
        self.repeat(&mut talk)?;
        let mut quiet = now();
        while !self.is_over(shared) && !shared.give_up.load(Ordering::Relaxed) {
            let more = (self.messages.len() as u64) < self.share && !shared.enough.load(Ordering::Relaxed);
            if more && self.open().count() < window {
                let at = self.invent();
                let message = &mut self.messages[at];
                message.said += 1;
                talk.say(&message.id, &message.text)?;
                continue;
            }
            match talk.hear(ms(200))? {
                Some(words) => {
                    quiet = now();
                    window = self.random.between(1, 4) as usize;
                    self.heard(words, &mut talk, shared)?;
                }
                None if quiet.elapsed() > SILENCE => {
                    shared.silences.fetch_add(1, Ordering::Relaxed);
                    quiet = now();
                    self.repeat(&mut talk)?;
                }
                None => {}
            }
            // Now and then somebody pulls the plug.
            if self.random.below(500) == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Says everything again that has no answer.
    fn repeat(&mut self, talk: &mut Talk) -> io::Result<()> {
        for message in self.messages.iter_mut().filter(|message| !message.is_settled()) {
            message.said += 1;
            talk.say(&message.id, &message.text)?;
        }
        Ok(())
    }

    fn heard(&mut self, words: Server, talk: &mut Talk, shared: &Shared) -> io::Result<()> {
        match words {
            Server::Answer { turn, message, text } => {
                if let Some(at) = self.index.get(&message) {
                    let known = &mut self.messages[*at];
                    if turn != known.key {
                        known.notices.push(text);
                    } else {
                        if known.answers.is_empty() {
                            known.answered = Some(now());
                            shared.answered.fetch_add(1, Ordering::Relaxed);
                        }
                        known.answers.push(text);
                    }
                }
                // One in twenty is not confirmed, and has to come again.
                if !self.random.percent(5) {
                    talk.tell(&Client::Seen { turn })?;
                }
            }
            Server::Accepted { message, .. } => {
                if let Some(at) = self.index.get(&message) {
                    self.messages[*at].accepted = true;
                }
            }
            Server::Refused { message, .. } => {
                if let Some(at) = self.index.get(&message).copied() {
                    pass_time(ms(20));
                    let message = &mut self.messages[at];
                    message.said += 1;
                    talk.say(&message.id, &message.text)?;
                }
            }
            Server::Welcome { .. } | Server::Pong => {}
            Server::Error { why } => return Err(io::Error::other(why)),
        }
        Ok(())
    }

    /// Thinks of something to say.
    fn invent(&mut self) -> usize {
        let number = self.messages.len();
        let id = format!("m{number}");
        let token = format!("zq{}z{number}qz", self.number);
        let (wish, text) = match self.random.below(100) {
            0..=39 => (Wish::Note(token.clone()), format!("note: thought {token} of the day")),
            40..=54 => {
                self.tasks.push(token.clone());
                (Wish::Task(token.clone()), format!("todo buy {token}"))
            }
            55..=59 => match self.tasks.pop() {
                Some(task) => (Wish::Done(task.clone()), format!("done buy {task}")),
                None => (Wish::Read, "agenda".into()),
            },
            60..=79 => (Wish::Outside(token.clone()), format!("outside: {token}")),
            80..=84 => (Wish::Undo, "undo".into()),
            85..=86 => (Wish::Stop, "/stop".into()),
            87..=92 => (Wish::Read, format!("find {token}")),
            93..=96 => (Wish::Read, "agenda".into()),
            _ => (Wish::Read, "status".into()),
        };
        self.index.insert(id.clone(), number);
        self.messages.push(Message {
            conversation: self.conversation.clone(),
            key: key(&self.conversation, &id),
            id,
            wish,
            text,
            first: now(),
            accepted: false,
            answers: Vec::new(),
            answered: None,
            notices: Vec::new(),
            said: 0,
        });
        number
    }
}
