//! Remembers every version of every entry of a memex: content-addressed objects, one root for the whole folder,
//! identities that outlive edits and moves, snapshots, history.
//!
//! The Org files are the truth and the store stands beside them. It writes in its own directory and nowhere else. It
//! never gives bytes that do not have the hash they are known by: what is damaged is named, never guessed. It must never
//! be the only place of anything but history: deleted and built again, it gives the same root.

mod code;
mod collect;
mod diff;
mod error;
mod hash;
mod identity;
mod index;
mod object;
mod pack;
mod segment;
mod snapshot;
mod store;
mod transaction;
mod tree;
mod verify;
mod version;

#[cfg(test)]
mod tests;

pub use collect::Collected;
pub use diff::{Difference, Fate};
pub use error::Error;
pub use hash::{Hash, Identity};
pub use pack::open::{Opened, discard};
pub use snapshot::{Cause, Keep, Snapshot};
pub use store::{Options, Past, Place, Seek, Stats, Store};
pub use transaction::{Committed, Transaction};
pub use verify::{Damage, Report};
