//! What is sent on whose account, and what a first request tells.

use std::sync::atomic::{AtomicU64, Ordering};

use gradless::{Inputs, Model, ModelError};
use serde::{Deserialize, Serialize};

use super::Http;
use crate::description::ScoreKind;
use crate::records::{Record, RecordModel};

/// What a first request tells of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpKnown {
    /// How many classes there are.
    pub classes: usize,
    /// Their names, where it answers with names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What the scores are.
    pub scores: ScoreKind,
    /// Inputs it cost, those sent again included.
    pub sent: u64,
}

/// Who is asked before inputs are sent again.
pub type BeforeRepeat<'a> = &'a (dyn Fn(u64) -> Result<(), ModelError> + Sync);

/// What is sent again, and who is asked first.
#[derive(Default)]
pub(super) struct Account<'a> {
    pub(super) repeated: AtomicU64,
    pub(super) before_repeat: Option<BeforeRepeat<'a>>,
}

/// A service with a count of its own: what was sent again on somebody's account.
pub struct HttpSession<'a> {
    pub(super) http: &'a Http,
    pub(super) account: Account<'a>,
}

impl HttpSession<'_> {
    /// Inputs sent again so far.
    pub fn repeated(&self) -> u64 {
        self.account.repeated.load(Ordering::Relaxed)
    }
}

impl RecordModel for HttpSession<'_> {
    fn classes(&self) -> usize {
        self.http.known.classes
    }

    fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError> {
        self.http.answer_records(records, scores, &self.account)
    }

    fn preferred_records(&self) -> usize {
        self.http.options.rows
    }
}

impl Model for HttpSession<'_> {
    fn shape(&self) -> &[usize] {
        self.http.shape()
    }

    fn classes(&self) -> usize {
        self.http.known.classes
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.http.answer(inputs, scores, &self.account)
    }

    fn preferred_rows(&self) -> usize {
        self.http.preferred_rows()
    }
}
