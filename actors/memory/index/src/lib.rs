//! Finds entries by words, and puts together what a model is shown of them under a budget of tokens.
//!
//! Pure: no I/O, no clock, no threads. Whoever owns the files gives their entries when they change, keeps the bytes of
//! the index, and hands in the text of an entry when it is needed. The index is derived and disposable: damaged bytes
//! are an error, never a panic, and then it is built anew. Nothing here depends on the order in which files came.
//!
//! *Trust*: text, names and queries may be anything. Private entries are left out by the index itself, before ranking
//! ends, when the asker may see only open ones.

mod build;
mod codec;
mod entry;
mod error;
mod fold;
mod index;
mod intern;
mod near;
mod query;
mod search;
mod segment;
mod stem;
mod token;
mod wanted;

pub use entry::{Dates, Day, Entry, Privacy, Sight, day};
pub use error::Error;
pub use index::{File, Index};
pub use query::{Clause, Filter, Query, Sign, Todo};
pub use search::{Asked, Found, Hit, Taken, Tuning};
