//! How an estimate becomes the next point.

mod optimistic;

pub(crate) use optimistic::Optimistic;
