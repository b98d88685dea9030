//! `gateway:local`: the people's socket. `chat` and `ask` speak our frames there, Emacs and scripts the ancestor's.
//!
//! *Receives*: bytes of at most 64 clients on the local socket; from the supervisor answers and notices to deliver, and
//! whether it took a message.
//! *Sends*: messages to the supervisor, with the word that somebody came to a conversation; answers to clients.
//! *Trust*: all bytes of clients are hostile until they are read, though only processes of the owner connect (mode
//! 0600, and the peer's user is looked at). Whoever does speaks as the owner. Touches no file after its start and
//! opens no connection; it can accept some.
//! *On crash*: clients are cut off and come again with the same message ids, so nothing is taken twice; answers that
//! nobody had confirmed stay with the supervisor and are offered again. An answer that was written to a client of the
//! ancestor's kind counts as sent: such a client cannot confirm.
#![warn(missing_docs)]

pub mod ancestor;
mod client;
pub mod core;
pub mod error;
pub mod ours;
pub mod sexp;
pub mod shell;

pub use error::Error;
pub use sexp::Sexp;

use kit::{Exit, sandbox::Policy};
use protocol::{id::Name, role::Role};
use std::path::Path;

/// Runs the actor from birth to death.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::GatewayLocal, generation, level, |start| {
        let gateway = shell::Gateway::open(Path::new(&start.welcome.socket)).map_err(|error| {
            tracing::error!(err = %error, "the local socket cannot be bound");
            Exit::System
        })?;
        let policy = Policy {
            role: Role::GatewayLocal,
            folders: Vec::new(),
            files: Vec::new(),
            memory_mib: start.welcome.memory_mib,
            accepts: true,
            forks: false,
        };
        Ok((gateway, policy))
    })
}

/// Reads bytes as a client of the ancestor's kind could send them, as one piece: for the fuzzer. Returns what each
/// frame means, or what was wrong with it.
#[must_use]
pub fn read_frames(bytes: &[u8]) -> Vec<Result<Option<core::Said>, Error>> {
    let Ok(fresh) = Name::new("fresh") else {
        return Vec::new();
    };
    let mut splitter = ancestor::Splitter::default();
    splitter.push(bytes);
    let mut frames = Vec::new();
    while let Some(frame) = splitter.take() {
        frames.push(frame.and_then(|frame| ancestor::understand(&frame, &fresh)));
    }
    frames
}
