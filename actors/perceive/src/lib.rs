//! Makes a percept of a stimulus: the first of the three stages that every input passes.
//!
//! # Receives
//! Stimuli, one turn at a time, from the supervisor.
//!
//! # Sends
//! Percepts, to `reason`.
//!
//! # Trust
//! Everything in a stimulus but its principal may be hostile. No file, no network, no clock is touched here.
//!
//! # On crash
//! Nothing is lost: the stimulus is in the journal and is perceived again.

pub mod core;
pub mod shell;
pub mod text;

pub use shell::run;
