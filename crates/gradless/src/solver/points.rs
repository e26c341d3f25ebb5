//! Where a run is and has been: the points that may be its answer.

use serde::{Deserialize, Serialize};

use crate::space::Space;
use crate::update::{Parts, Room};
use crate::vector;

/// The iterate, and the points kept beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Points {
    /// $x_t$.
    pub(super) x: Vec<f64>,
    /// Where differences are taken if queries must stay inside, or on one side; empty if that is $x_t$ itself.
    pub(super) centre: Vec<f64>,
    pub(super) best: Option<Candidate>,
    /// The average of the iterates, the later ones counting more; empty where the black box repeats itself.
    pub(super) averaged: Averaged,
    /// Where one update handed over to another; empty before.
    pub(super) handed: Vec<f64>,
    /// The iterate chosen by reservoir sampling, and $l$ there.
    pub(super) random: Vec<f64>,
    pub(super) random_loss: Option<f64>,
    /// $l$ at the last iterate and at the last prox point, once evaluated.
    pub(super) last_loss: Option<f64>,
    pub(super) sparse_loss: Option<f64>,
}

/// A point that was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) x: Vec<f64>,
    pub(super) loss: f64,
    pub(super) objective: f64,
}

/// A running average of iterates, $\bar x \leftarrow \bar x + \frac{4}{k+3}(x - \bar x)$: the $k$-th of $n$ counts about as $k^3$.
///
/// Late iterates count most, so that the way from the start is forgotten, and noise in them averages out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Averaged {
    pub(super) x: Vec<f64>,
    pub(super) loss: Option<f64>,
    pub(super) of: u64,
}

impl Averaged {
    pub(super) fn add(&mut self, x: &[f64]) {
        self.of += 1;
        if self.x.is_empty() {
            self.x = x.to_vec();
        } else {
            vector::move_towards(&mut self.x, x, 4.0 / (self.of + 3) as f64);
        }
    }
}

impl Points {
    pub(super) fn new(parts: &Parts, start: Vec<f64>) -> Self {
        Self {
            // Gradients are asked at x_t itself: there is nothing to keep away from the boundary.
            centre: if parts.room == Room::Needed { start.clone() } else { Vec::new() },
            best: None,
            averaged: Averaged::default(),
            handed: Vec::new(),
            random: start.clone(),
            random_loss: None,
            last_loss: None,
            sparse_loss: None,
            x: start,
        }
    }

    /// The point differences are taken around.
    pub(super) fn centre(&self) -> &[f64] {
        if self.centre.is_empty() { &self.x } else { &self.centre }
    }

    /// The smallest objective seen.
    pub(super) fn best_objective(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.objective)
    }

    /// Keeps a point as the best one if it is.
    pub(super) fn observe(&mut self, space: &Space, x: &[f64], loss: f64) {
        keep_best(&mut self.best, x, loss, space.penalty(x));
    }

    /// A value of $l$ at $x_t$.
    pub(super) fn observe_current(&mut self, space: &Space, loss: f64) {
        keep_best(&mut self.best, &self.x, loss, space.penalty(&self.x));
    }

    /// A value of $l$ at the point that an iteration evaluates, and $r$ there; it becomes the random iterate if it was `drawn`.
    pub(super) fn observe_iterate(&mut self, at_centre: bool, loss: Option<f64>, penalty: f64, drawn: bool) {
        let Self { x, centre, best, random, random_loss, .. } = self;
        let evaluated = if at_centre && !centre.is_empty() { centre } else { x };
        if drawn {
            random.copy_from_slice(evaluated);
            *random_loss = loss;
        }
        if let Some(loss) = loss {
            keep_best(best, evaluated, loss, penalty);
        }
    }

    /// Whether the vectors have the lengths that a run with these parts needs.
    pub(super) fn fits(&self, parts: &Parts) -> bool {
        let dim = parts.space.dim();
        let full = |v: &Vec<f64>| v.len() == dim && vector::first_not_finite(v).is_none();
        let optional = |v: &Vec<f64>| v.is_empty() || full(v);
        full(&self.x)
            && full(&self.random)
            && (self.centre.len() == dim || parts.room != Room::Needed)
            && [&self.centre, &self.averaged.x, &self.handed].into_iter().all(optional)
            && self.best.as_ref().is_none_or(|best| full(&best.x))
    }
}

fn keep_best(best: &mut Option<Candidate>, x: &[f64], loss: f64, penalty: f64) {
    let objective = loss + penalty;
    match best {
        _ if !objective.is_finite() => {}
        None => *best = Some(Candidate { x: x.to_vec(), loss, objective }),
        Some(best) if objective < best.objective => {
            best.x.copy_from_slice(x);
            (best.loss, best.objective) = (loss, objective);
        }
        Some(_) => {}
    }
}
