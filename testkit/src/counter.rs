//! Black boxes that count what they are asked.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts calls from any thread.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more call; returns how many there were before.
    pub fn count(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// How many calls there were.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
