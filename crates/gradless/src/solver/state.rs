//! The part of a run that changes: all of it, so that a snapshot is complete. Each stage has a part of its own.

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::config::Config;
use super::points::Points;
use super::sampling::Sampling;
use crate::estimator::{Calibration, Estimator, Noise, Radius};
use crate::stop::StopReason;
use crate::trace::Notice;
use crate::update::{Basis, Parts, Relay, Room, Update, View};
use crate::vector;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) relay: Relay,
    pub(super) points: Points,
    pub(super) step: LastStep,
    pub(super) sampling: Sampling,
    pub(super) books: Books,
}

/// Where in its life a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// $x_t$ is asked three times, to learn about noise; what failed is asked once more, beside what was told.
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
    Finish(StopReason),
    Stopped(StopReason),
}

/// The last step: what it was made of, and where it led.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LastStep {
    /// $d_t$.
    pub(super) d: Vec<f64>,
    /// $v_t$; empty before the first step.
    pub(super) v: Vec<f64>,
    pub(super) stationarity: Option<f64>,
}

/// Far below where adding to a counter could overflow.
pub(super) fn is_small(count: u64) -> bool {
    count < 1 << 53
}

impl State {
    pub(super) fn new(parts: &Parts, config: &Config, start: Vec<f64>, notices: Vec<Notice>) -> Self {
        let gradients = matches!(config.recipe.estimator, Estimator::Gradients { .. });
        let noise = if gradients { Noise::Common } else { config.noise };
        let mut state = Self {
            phase: Phase::Iterate,
            relay: Relay::new(config.recipe, parts, &start),
            step: LastStep { d: vec![0.0; start.len()], v: Vec::new(), stationarity: None },
            sampling: Sampling::new(parts, noise, &start),
            books: Books::new(notices),
            points: Points::new(parts, start),
        };
        if parts.room == Room::Nowhere {
            state.phase = Phase::Finish(StopReason::Stagnation);
        } else if noise == Noise::Detect {
            state.phase = Phase::Probe { told: None };
        } else if !gradients {
            state.phase = first_phase(parts, state.relay.update(), noise);
        }
        state
    }

    /// The point whose value is asked in an iteration: the one differences are taken around, or $x_t$ where values are compared.
    pub(super) fn evaluated(&self) -> &[f64] {
        match self.relay.update().basis() {
            Basis::Values => &self.points.x,
            Basis::Slopes => self.points.centre(),
        }
    }

    /// Whether there is a prox point other than the last iterate.
    pub(super) fn has_own_sparse_point(&self) -> bool {
        !self.step.v.is_empty() && self.step.v != self.points.x
    }

    /// Whether the point has so many coordinates.
    pub(super) fn has_dimension(&self, dim: usize) -> bool {
        self.points.x.len() == dim
    }

    /// Whether all of it fits a run with these parts, for one that comes from outside.
    pub(super) fn fits(&self, parts: &Parts) -> bool {
        let dim = parts.space.dim();
        let LastStep { d, v, .. } = &self.step;
        let calibration = match &self.phase {
            Phase::Calibrate(calibration) => calibration.is_consistent(),
            _ => true,
        };
        calibration
            && self.relay.fits(dim)
            && self.points.fits(parts)
            && is_small(self.points.averaged.of)
            && self.sampling.fits(parts, self.relay.recipe().estimator)
            && self.books.fits()
            // An estimate may have overflowed: that is what a run can stop with.
            && d.len() == dim
            && (v.is_empty() || (v.len() == dim && vector::first_not_finite(v).is_none()))
    }
}

/// What an update may look at.
pub(super) fn view<'a>(
    config: &'a Config,
    parts: &'a Parts,
    points: &'a Points,
    sampling: &Sampling,
    books: &Books,
) -> View<'a> {
    View {
        config,
        parts,
        x: &points.x,
        centre: points.centre(),
        best: points.best.as_ref().map(|best| &best.x[..]),
        radius: sampling.radius,
        noise: sampling.noise,
        iteration: books.t,
        draws: sampling.draws,
        remaining: books.remaining(config.budget),
    }
}

/// What comes after the noise is known.
pub(super) fn first_phase(parts: &Parts, update: &dyn Update, noise: Noise) -> Phase {
    let measure = match parts.radius_rule {
        Radius::NoiseAware { .. } => true,
        Radius::Auto => noise != Noise::None,
        _ => false,
    };
    match update.measured_sides(parts.difference, noise) {
        Some(sides) if measure => {
            let calibration = Calibration::new(sides, parts.radius, parts.largest_measured);
            let inside = parts.room == Room::Needed;
            Phase::Calibrate(if inside { calibration.with_steps_within_largest() } else { calibration })
        }
        _ => Phase::Iterate,
    }
}
