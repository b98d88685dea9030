//! Says what might be done about a percept: the second of the three stages that every input passes.
//!
//! # Receives
//! Percepts, from `perceive`.
//!
//! # Sends
//! Proposals, to `act`. A proposal is data; nothing here does anything.
//!
//! # Trust
//! The text of a percept may be hostile. Only words of the owner are read as orders; no file, network or clock is
//! touched.
//!
//! # On crash
//! Nothing is lost: the stimulus is in the journal and comes again.

pub mod error;
pub mod reflex;

pub use error::Error;
pub mod shell;

pub use shell::run;
