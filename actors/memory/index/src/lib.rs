//! Finds entries by words, and puts together what a model is shown of them under a budget of tokens.
//!
//! Pure: no I/O, no clock, no threads. Whoever owns the files gives their entries when they change, keeps the bytes of
//! the index, and hands in the text of an entry when it is needed. The index is derived and disposable: damaged bytes
//! are an error, never a panic, and then it is built anew. Nothing here depends on the order in which files came.
//!
//! *Trust*: text, names and queries may be anything. Private entries are left out by the index itself, before ranking
//! ends, when the asker may see only open ones.

mod ask;
mod budget;
mod build;
mod codec;
mod context;
mod english;
mod entry;
mod error;
mod fold;
mod index;
mod intern;
mod near;
mod passage;
mod query;
mod search;
mod segment;
mod sieve;
mod stem;
mod stored;
mod token;
mod wanted;

pub use ask::Question;
pub use budget::tokens;
pub use context::{Context, How, Shown, Source, Text};
pub use entry::{Dates, Day, Entry, Privacy, Sight, day};
pub use error::Error;
pub use index::{Bulk, Index};
pub use passage::{PASSAGE_MAX, passage};
pub use query::{Clause, Filter, Query, Sign, Todo};
pub use search::{Asked, Found, Hit, Taken, Tuning};
