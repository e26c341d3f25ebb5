//! `gradless explain` and `gradless report` as commands, on models whose answers can be worked out by hand.
//!
//! Nothing here depends on how good the search is, only on what it promises.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/mod.rs"]
mod support;

mod by_hand;
mod question;
mod readme;

mod answers;
mod asked;
mod models;
mod names;
mod photographs;
mod engines;
mod lenet;
mod many;
mod plain;
mod records;
mod resumed;
mod stopping;
