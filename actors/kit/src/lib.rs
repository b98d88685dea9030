//! The skeleton every actor is poured into: start-up, confinement, the loop, heartbeat, drain, faults, exit codes.
//!
//! *Trust*: runs before and around each actor; reads only what the supervisor sends on fd 3. An actor built on it
//! reads no environment and no configuration file.

pub mod clock;
pub mod exit;
pub mod fault;
pub mod log;
pub mod outbox;
pub mod run;
pub mod sandbox;
pub mod sys;
pub mod task;

pub use exit::Exit;
pub use outbox::{Outbox, Thread};
pub use run::{Actor, Idle, Start, Status, run};
