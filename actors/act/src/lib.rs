//! Asks the gates about a proposal and does it: the third of the three stages that every input passes.
//!
//! # Receives
//! Proposals, from `reason`; what memory recalled or changed.
//!
//! # Sends
//! Verdicts and outcomes to the supervisor, questions and writes to `memory`.
//!
//! # Trust
//! A proposal may be hostile in every field but its principal. It is data until [`gate::judge`] has allowed it.
//!
//! # On crash
//! The turn is tried again; writes are known by turn and step, so that none is doubled.

pub mod core;
pub mod gate;
pub mod present;
pub mod shell;

pub use shell::run;
