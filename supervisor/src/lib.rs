//! The trusted base: journal, settings. No network, no model, no Org parsing.

pub mod journal;
pub mod settings;
