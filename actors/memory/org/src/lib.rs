//! Reads and edits Org files as bytes: a lossless scanner and edits that are minimal splices.
//!
//! Pure: no I/O, no clock. Nothing here renders a file from a model, because every tool that does so mangles files;
//! an edit names the bytes that go and the bytes that come, and all others stay. No input may cause a panic, deep
//! recursion or more than linear work. Where Org versions differ, the newer reading is taken.

mod block;
mod complete;
pub mod edit;
mod entry;
mod error;
mod escape;
mod headline;
mod keyword;
mod meta;
mod objects;
mod outline;
mod repeat;
mod scan;
mod settings;
mod span;
mod splice;
mod stamp;

pub use block::verbatim;
pub use complete::{Completed, Logging, complete};
pub use entry::{NewEntry, append};
pub use error::Error;
pub use escape::{body, tag, title};
pub use keyword::{Keywords, Sequence, State};
pub use meta::{Drawer, Planning, Property};
pub use objects::{
    Block, BlockKind, Checkbox, Clock, Cookie, DrawerKind, DrawerSpan, KeywordLine, LINK_TYPES, Link,
    LinkFormat, LinkTarget, Moment, Note, Objects, Source, StampKind, Statistics, Target, TargetKind, Tick,
    Timestamp, objects, timestamp,
};
pub use outline::{Bounds, Inherit, all_tags, bounds, property};
pub use repeat::{next, occurs_on, shift};
pub use scan::{Doc, Node, scan};
pub use settings::Settings;
pub use span::{Newline, Span};
pub use splice::{Scope, Splice, apply, verify, verify_within};
pub use stamp::{Delay, Interval, RepeatKind, Repeater, Stamp, Unit, active_stamps, inactive, stamp_at};
