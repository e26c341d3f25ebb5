//! The studio, asked over its own interface: the numbers of the command, stops, kills, strangers, and memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/mod.rs"]
mod support;

mod client;
mod hostile;
mod memory;
mod searches;
mod survival;
mod terminal;
