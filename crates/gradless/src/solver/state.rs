//! The part of a run that changes: all of it, so that a snapshot is complete.

use serde::{Deserialize, Serialize};

use super::config::Config;
use super::parts::{Parts, Room};
use super::phases::layout;
use crate::auto::Descent;
use crate::estimator::{Calibration, Estimator, Layout, Noise, Radius, Sides};
use crate::momentum::Momentum;
use crate::step_size::{StepRule, StepSize};
use crate::stop::StopReason;
use crate::trace::{Counts, Notice, Record};
use crate::update::Optimistic;
use crate::vector;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// $t$: the iteration being worked on, from 1.
    pub(super) t: u64,
    /// How often directions were drawn; differs from `t` where a batch had to be repeated.
    pub(super) draws: u64,
    pub(super) next_sample: u64,
    /// $x_t$.
    pub(super) x: Vec<f64>,
    /// Where differences are taken if queries must stay inside; empty if that is $x_t$ itself.
    pub(super) centre: Vec<f64>,
    /// The point before, for momentum; empty without.
    pub(super) previous: Vec<f64>,
    /// $l$ at `previous`, where it is known.
    pub(super) previous_loss: Option<f64>,
    /// $d_t$.
    pub(super) d: Vec<f64>,
    /// $v_t$.
    pub(super) v: Vec<f64>,
    pub(super) update: Update,
    pub(super) past: Past,
    pub(super) radius: f64,
    /// What is known of the noise; `Detect` until the probe is answered.
    pub(super) noise: Noise,
    pub(super) best: Option<Candidate>,
    /// The average of the iterates, the later ones counting more; empty where the black box repeats itself.
    pub(super) averaged: Averaged,
    /// Where watched steps gave way to a method that averages; empty before.
    pub(super) handed: Vec<f64>,
    /// The iterate chosen by reservoir sampling, and $l$ there.
    pub(super) random: Vec<f64>,
    pub(super) random_loss: Option<f64>,
    /// $l$ at the last iterate and at the last prox point, once evaluated.
    pub(super) last_loss: Option<f64>,
    pub(super) sparse_loss: Option<f64>,
    pub(super) bad_iterations: u32,
    /// Looks in a row in which no value changed; `None` until one has.
    pub(super) flat_looks: Option<u64>,
    pub(super) stationarity: Option<f64>,
    pub(super) seconds: f64,
    pub(super) counts: Counts,
    pub(super) history: Vec<Record>,
    pub(super) notices: Vec<Notice>,
}

/// Where in its life a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// $x_1$ is asked three times, to learn about noise; what failed is asked once more, beside what was told.
    Probe {
        told: Option<[f64; 3]>,
    },
    /// The radius is measured.
    Calibrate(Calibration),
    Iterate,
    /// A base point failed and is asked once more; the other answers wait.
    AskAgain {
        told: Vec<f64>,
        rows: Vec<usize>,
    },
    /// The last points are evaluated.
    Finale(StopReason),
    Stopped(StopReason),
}

/// Whether momentum may use the estimate before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Past {
    Usable,
    /// It was made with another radius: the next estimate stands alone.
    Stale,
}

/// How $d_t$ moves $x_t$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Update {
    Mirror(StepSize),
    Optimistic(Optimistic),
    Trust(Box<Descent>),
}

/// A running average of iterates, $\bar x \leftarrow \bar x + \frac{4}{k+3}(x - \bar x)$: the $k$-th of $n$ counts about as $k^3$.
///
/// Late iterates count most, so that the way from the start is forgotten, and noise in them averages out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Averaged {
    pub(super) x: Vec<f64>,
    pub(super) loss: Option<f64>,
    of: u64,
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) x: Vec<f64>,
    pub(super) loss: f64,
    pub(super) objective: f64,
}

impl Update {
    pub(super) fn new(parts: &Parts, config: &Config, start: &[f64]) -> Self {
        match (parts.step_size(config.recipe.step), config.recipe.step) {
            (Some(step), _) => Self::Mirror(step),
            (None, StepRule::Trust { without }) => {
                let elsewhere = parts.cheapest_point();
                let cheaper = parts.space.penalty(&elsewhere) < parts.space.penalty(start);
                Self::Trust(Box::new(Descent::new(start, parts.m - 1, cheaper, without)))
            }
            (None, _) => Self::Optimistic(Optimistic::new(start, parts.space.set.max_norm())),
        }
    }
}

impl State {
    pub(super) fn new(parts: &Parts, config: &Config, start: Vec<f64>, notices: Vec<Notice>) -> Self {
        let dim = start.len();
        let gradients = matches!(config.recipe.estimator, Estimator::Gradients { .. });
        let update = Update::new(parts, config, &start);
        let noise = if gradients { Noise::Common } else { config.noise };
        let keeps_previous = parts.momentum != Momentum::Plain;
        let mut state = Self {
            phase: Phase::Iterate,
            t: 1,
            draws: 1,
            next_sample: 0,
            // Gradients are asked at x_t itself: there is nothing to keep away from the boundary.
            centre: if parts.room == Room::Needed { start.clone() } else { Vec::new() },
            previous: if keeps_previous { start.clone() } else { Vec::new() },
            previous_loss: None,
            d: vec![0.0; dim],
            v: Vec::new(),
            update,
            past: Past::Usable,
            radius: parts.radius,
            noise,
            best: None,
            averaged: Averaged::default(),
            handed: Vec::new(),
            random: start.clone(),
            random_loss: None,
            last_loss: None,
            sparse_loss: None,
            bad_iterations: 0,
            flat_looks: None,
            stationarity: None,
            seconds: 0.0,
            counts: Counts::default(),
            history: Vec::new(),
            notices,
            x: start,
        };
        if parts.room == Room::Nowhere {
            state.phase = Phase::Finale(StopReason::Stagnation);
        } else if !gradients {
            match noise {
                Noise::Detect => state.phase = Phase::Probe { told: None },
                known => state.phase = first_phase(parts, config, known),
            }
        }
        state
    }

    /// The point differences are taken around.
    pub(super) fn centre(&self) -> &[f64] {
        if self.centre.is_empty() { &self.x } else { &self.centre }
    }

    /// The point whose value is asked in an iteration: the one differences are taken around, or $x_t$ where steps are watched.
    pub(super) fn evaluated(&self) -> &[f64] {
        if matches!(self.update, Update::Trust(_)) { &self.x } else { self.centre() }
    }

    /// Whether `v` holds a prox point other than the last iterate.
    pub(super) fn has_own_sparse_point(&self) -> bool {
        !self.v.is_empty() && self.v != self.x
    }

    /// Whether the point has so many coordinates.
    pub(super) fn has_dimension(&self, dim: usize) -> bool {
        self.x.len() == dim
    }

    /// Whether the vectors have the lengths a run in `dim` dimensions needs.
    pub(super) fn fits(&self, parts: &Parts, config: &Config) -> bool {
        let dim = parts.space.dim();
        let full = |v: &Vec<f64>| v.len() == dim && vector::first_not_finite(v).is_none();
        let optional = |v: &Vec<f64>| v.is_empty() || full(v);
        // Far below where adding to them could overflow.
        let small = |count: u64| count < 1 << 53;
        let Counts { queries, sent, failed, iterations } = self.counts;
        let counters = [queries, sent, failed, iterations, self.t, self.draws, self.next_sample];
        let keeps_previous = config.recipe.momentum != Momentum::Plain;
        let update = match &self.update {
            Update::Mirror(_) => !matches!(config.recipe.step, StepRule::Optimistic | StepRule::Trust { .. }),
            Update::Trust(state) => matches!(config.recipe.step, StepRule::Trust { .. }) && state.fits(dim),
            Update::Optimistic(state) => config.recipe.step == StepRule::Optimistic && state.fits(dim),
        };
        let gradients = matches!(config.recipe.estimator, Estimator::Gradients { .. });
        let calibration = match &self.phase {
            Phase::Calibrate(calibration) => calibration.is_consistent(),
            _ => true,
        };
        update
            && calibration
            && counters.into_iter().all(small)
            && [&self.x, &self.random].into_iter().all(full)
            // An estimate may have overflowed: that is what a run can stop with.
            && self.d.len() == dim
            && optional(&self.v)
            && (self.centre.len() == dim) == (parts.room == Room::Needed)
            && optional(&self.centre)
            && optional(&self.averaged.x)
            && optional(&self.handed)
            && small(self.averaged.of)
            && (self.previous.len() == dim) == keeps_previous
            && optional(&self.previous)
            && self.best.as_ref().is_none_or(|best| full(&best.x))
            && self.flat_looks.is_none_or(small)
            && self.seconds.is_finite()
            && (gradients || (self.radius.is_finite() && self.radius > 0.0))
            && self.t >= 1
    }
}

/// What comes after the noise is known.
pub(super) fn first_phase(parts: &Parts, config: &Config, noise: Noise) -> Phase {
    let measure = match parts.radius_rule {
        Radius::NoiseAware { .. } => true,
        Radius::Auto => noise != Noise::None,
        _ => false,
    };
    if measure {
        let sides = match layout(config, noise) {
            Layout::Central if matches!(config.recipe.step, StepRule::Trust { .. }) => Sides::OneIfTelling,
            Layout::Central => Sides::Two,
            Layout::Shared | Layout::Paired => Sides::One,
        };
        let calibration = Calibration::new(sides, parts.radius, parts.largest_measured);
        let inside = parts.room == Room::Needed;
        Phase::Calibrate(if inside { calibration.with_steps_within_largest() } else { calibration })
    } else {
        Phase::Iterate
    }
}
