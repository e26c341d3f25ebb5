//! A model that may only be asked so often.

use std::sync::atomic::{AtomicU64, Ordering};

use gradless::{Inputs, Model, ModelError};

/// Refuses, before anything is sent, a batch that would exceed the cap ([`ModelError::Capped`]).
///
/// Exact on any number of threads: room is reserved before it is used. An input that was sent counts, answered or not; a batch
/// that was refused counts nothing, and a smaller one may still fit.
#[derive(Debug)]
pub struct Capped<M> {
    model: M,
    cap: u64,
    used: AtomicU64,
}

impl<M> Capped<M> {
    /// At most `cap` inputs in all.
    pub fn new(model: M, cap: u64) -> Self {
        Self { model, cap, used: AtomicU64::new(0) }
    }

    /// Inputs sent so far.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Inputs that may still be sent.
    pub fn left(&self) -> u64 {
        self.cap - self.used()
    }

    /// The model inside.
    pub fn into_inner(self) -> M {
        self.model
    }
}

impl<M: Model> Model for Capped<M> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        // A batch of the wrong shape is never sent, so it costs nothing.
        self.check(inputs, scores)?;
        let (cap, asked) = (self.cap, inputs.len() as u64);
        let reserve = |used: u64| used.checked_add(asked).filter(|used| *used <= cap);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve)
            .map_err(|used| ModelError::Capped { cap, used, asked })?;
        self.model.scores(inputs, scores)
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}
