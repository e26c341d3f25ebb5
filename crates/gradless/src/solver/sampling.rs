//! What estimates are made with: samples, directions, radius, and the point before.

use serde::{Deserialize, Serialize};

use crate::estimator::{Estimator, Noise, Plan};
use crate::momentum::Momentum;
use crate::policy::PreviousValue;
use crate::update::{Basis, COMPARED_SAMPLE, Parts, Update};
use crate::vector;

/// The part of a run that decides which differences are asked next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sampling {
    /// How often directions were drawn; differs from $t$ where a batch had to be repeated.
    pub(super) draws: u64,
    pub(super) next_sample: u64,
    pub(super) radius: f64,
    /// What is known of the noise; `Detect` until the probe is answered.
    pub(super) noise: Noise,
    /// Looks in a row in which no value changed; `None` until one has.
    pub(super) flat_looks: Option<u64>,
    /// The point before, for momentum; empty without.
    pub(super) previous: Vec<f64>,
    /// $l$ at `previous`, where it is known.
    pub(super) previous_loss: Option<f64>,
    pub(super) past: Past,
}

/// Whether momentum may use the estimate before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Past {
    Usable,
    /// It was made with another radius: the next estimate stands alone.
    Stale,
}

impl Sampling {
    pub(super) fn new(parts: &Parts, noise: Noise, start: &[f64]) -> Self {
        let mut sampling = Self {
            draws: 1,
            next_sample: 0,
            radius: parts.radius,
            noise,
            flat_looks: None,
            previous: Vec::new(),
            previous_loss: None,
            past: Past::Usable,
        };
        sampling.begin(parts, start);
        sampling
    }

    /// Begins anew with these parts: their radius, no past.
    pub(super) fn begin(&mut self, parts: &Parts, start: &[f64]) {
        let keeps_previous = parts.momentum != Momentum::Plain;
        self.previous = if keeps_previous { start.to_vec() } else { Vec::new() };
        self.previous_loss = None;
        self.radius = parts.radius;
    }

    /// How much of the past enters the estimate of iteration $t$.
    pub(super) fn carry(&self, parts: &Parts, t: u64) -> f64 {
        match self.past {
            Past::Usable => parts.momentum.carry(t, parts.m),
            Past::Stale => 0.0,
        }
    }

    /// The plan of iteration $t$.
    pub(super) fn plan(&self, parts: &Parts, update: &dyn Update, t: u64, previous: PreviousValue) -> Plan {
        let layout = update.layout(parts.difference, self.noise);
        let mut plan = Plan::new(layout, parts.m, self.radius);
        if update.basis() == Basis::Values {
            plan = plan.with_value_at_point();
        }
        if self.carry(parts, t) > 0.0 {
            let known = match previous {
                PreviousValue::Reuse => self.previous_loss,
                PreviousValue::AskAgain => None,
            };
            plan.and_previous(known)
        } else {
            plan
        }
    }

    /// The first sample of an estimate's plan, and how many are used up with it.
    pub(super) fn samples_of(&self, plan: &Plan, basis: Basis) -> (u64, u64) {
        match basis {
            Basis::Values => (COMPARED_SAMPLE, 0),
            Basis::Slopes => (self.next_sample, plan.samples()),
        }
    }

    /// Keeps in mind whether values change within the radius at all.
    pub(super) fn note_change(&mut self, changed: bool) {
        self.flat_looks = match self.flat_looks {
            _ if changed => Some(0),
            Some(looks) => Some(looks + 1),
            None => None,
        };
    }

    /// Keeps the point an estimate was made at, for momentum.
    pub(super) fn keep_previous(&mut self, parts: &Parts, centre: &[f64], loss: Option<f64>) {
        if parts.momentum != Momentum::Plain {
            self.previous.copy_from_slice(centre);
            self.previous_loss = loss;
        }
        self.past = Past::Usable;
    }

    pub(super) fn fits(&self, parts: &Parts, estimator: Estimator) -> bool {
        let dim = parts.space.dim();
        let keeps_previous = parts.momentum != Momentum::Plain;
        let gradients = matches!(estimator, Estimator::Gradients { .. });
        [self.draws, self.next_sample].into_iter().all(super::state::is_small)
            && self.flat_looks.is_none_or(super::state::is_small)
            && (self.previous.len() == dim) == keeps_previous
            && vector::first_not_finite(&self.previous).is_none()
            && (self.previous.is_empty() || self.previous.len() == dim)
            && (gradients || (self.radius.is_finite() && self.radius > 0.0))
    }
}
