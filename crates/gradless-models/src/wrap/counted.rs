//! A model that counts what it is asked.

use std::sync::atomic::{AtomicU64, Ordering};

use gradless::{Inputs, Model, ModelError};

/// Counts the calls and inputs that reach a model, answered or not.
#[derive(Debug, Default)]
pub struct Counted<M> {
    model: M,
    calls: AtomicU64,
    rows: AtomicU64,
}

/// What a model was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Batches.
    pub calls: u64,
    /// Inputs in them.
    pub rows: u64,
}

impl<M> Counted<M> {
    /// Counts from 0.
    pub fn new(model: M) -> Self {
        Self { model, calls: AtomicU64::new(0), rows: AtomicU64::new(0) }
    }

    /// What has been asked so far.
    pub fn asked(&self) -> Asked {
        Asked { calls: self.calls.load(Ordering::Relaxed), rows: self.rows.load(Ordering::Relaxed) }
    }

    /// The model inside.
    pub fn into_inner(self) -> M {
        self.model
    }
}

impl<M: Model> Model for Counted<M> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        self.model.scores(inputs, scores)
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}
