//! What may be said between the processes: words, routes, limits. How it travels is `link`'s business.
//!
//! Pure data: no I/O, no clock, no randomness. Everything here is plain serde without `tag`, `flatten`,
//! `untagged` or `skip_serializing_if`, because the codecs between processes cannot carry those.
#![warn(missing_docs)]

pub mod change;
pub mod command;
pub mod control;
pub mod envelope;
pub mod error;
pub mod id;
pub mod label;
pub mod lifecycle;
pub mod limits;
pub mod outcome;
pub mod percept;
pub mod proposal;
pub mod recall;
pub mod role;
pub mod route;
pub mod snapshot;
pub mod stimulus;
pub mod verdict;
pub mod version;

pub use error::Error;
