//! The trusted base: journal. No network, no model, no Org parsing.

pub mod journal;
