//! The supervisor: spawns the actors, carries every message, keeps the journal, puts back what breaks. One thread.
//!
//! *Receives*: frames of its actors on their socketpairs, requests of the operator on the control socket, unix signals.
//! *Sends*: stimuli, rollbacks, answers on their way out, and whatever the route table lets pass.
//! *Trust*: the trusted base. Reads headers of what it forwards, bodies of what is addressed to it; parses no Org,
//! opens no network connection, knows no model. Actors are not believed: wrong frames are refused and counted.
//! *On crash*: nothing that was promised is lost: a new one reads the journal and goes on.

pub mod child;
pub mod control;
pub mod doctor;
pub mod hub;
pub mod journal;
pub mod lock;
pub mod logring;
pub mod measures;
pub mod notify;
pub mod oom;
pub mod paths;
pub mod reap;
pub mod restart;
pub mod router;
pub mod routes;
pub mod seat;
pub mod settings;
pub mod tree;
pub mod turn;
