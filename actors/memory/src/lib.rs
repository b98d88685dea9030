//! Memory: the only writer of the memex, the owner's folder of Org files.
//!
//! # Receives
//! Questions ([`protocol::recall`]) from `reason` and `perceive`, changes ([`protocol::change`]) from `act`, and from
//! the supervisor what to do about turns ([`protocol::snapshot`]).
//!
//! # Sends
//! Answers to these, and a note how much there is. Texts carry labels: everything is the memex's word and never an
//! order; tags such as `personal` keep it from remote models.
//!
//! # Trust
//! Every byte of the memex is hostile input: any bytes can be scanned, nothing is evaluated, no link is followed, no
//! symbolic link leads out. Foreign text that is written stays text. It touches the memex and its own state folder
//! only; it needs no network and starts no process.
//!
//! # On crash
//! A file holds the old or the new bytes, never anything between. Each write is in the log, synced, before its file
//! is touched; the next start finds out by hashes whether it happened. A request that is asked again is written once.
//! The scan is made anew from the files; nothing derived is kept.

mod agenda;
mod change;
mod crash;
mod edit;
mod entry;
mod error;
mod finder;
mod focus;
mod folder;
mod hash;
mod hunk;
mod ignore;
mod ledger;
mod links;
mod log;
mod memory;
mod past;
mod recover;
mod replace;
mod report;
mod restore;
mod shell;
mod target;
#[cfg(test)]
mod testdir;
#[cfg(test)]
mod tests;
mod undo;
mod watch;

pub use error::Error;
pub use memory::{Fresh, Memory};
pub use shell::run;
