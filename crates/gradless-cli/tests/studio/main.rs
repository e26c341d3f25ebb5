//! The studio, asked over its own interface: the numbers of the command, stops, kills, strangers, and memory.

#[path = "../support/mod.rs"]
mod support;

mod client;
mod hostile;
mod memory;
mod searches;
mod survival;
