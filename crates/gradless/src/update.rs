//! How answers become the next point: the seam between the solver and its methods.
//!
//! The solver owns budgets, samples, failures and the books. Everything that one method does and another does not is behind
//! [`Update`]: what else it asks for, along which directions, what it makes of the answers, which step follows. The solver
//! names no method; [`Relay`] holds the update at work and puts another in its place where that one hands over.

mod mirror;
mod optimistic;
mod parts;
mod relay;

pub(crate) use mirror::Mirror;
pub(crate) use optimistic::Optimistic;
pub(crate) use parts::{Parts, Room};
pub(crate) use relay::{Baton, Relay};

use crate::direction::Directions;
use crate::estimator::{CALIBRATION_DIRECTIONS, Difference, Layout, Noise, Plan, Sides};
use crate::prox::StepError;
use crate::solver::Config;

/// The sample under which values are compared: with it a black box that is noisy between samples repeats itself.
pub(crate) const COMPARED_SAMPLE: u64 = 0;
/// How often a point is asked for a probe: twice under one sample, once under another.
pub(crate) const PROBE_ROWS: usize = 3;

/// A method at work, as the solver drives it.
///
/// In each iteration: [`wish`](Self::wish) until it has none, [`draw`](Self::draw), [`absorb`](Self::absorb) the differences,
/// [`judge`](Self::judge) the point they were taken at, [`step`](Self::step). What is not overridden is as in mirror descent.
pub(crate) trait Update {
    /// Finds $v_t$, the point of the step from $x_t$ with the estimate $d_t$, and how much of the way to it is taken.
    fn step(&mut self, view: &View<'_>, d: &mut [f64], v: &mut [f64]) -> Result<Moved, StepError>;

    /// Whether its vectors have the length of the space and its numbers make sense, for one that comes from outside.
    fn fits(&self, dim: usize) -> bool;

    /// How the rows of an estimate are arranged.
    fn layout(&self, difference: Difference, noise: Noise) -> Layout {
        match (difference, noise) {
            (Difference::Auto | Difference::Forward, Noise::None | Noise::Detect) => Layout::Shared,
            (Difference::Forward, Noise::Common | Noise::Independent) => Layout::Paired,
            (Difference::Central, _) | (Difference::Auto, Noise::Common | Noise::Independent) => {
                Layout::Central
            }
        }
    }

    /// On which sides differences are taken while the radius is measured; `None` if it need not be.
    fn measured_sides(&self, difference: Difference, noise: Noise) -> Option<Sides> {
        Some(match self.layout(difference, noise) {
            Layout::Central => Sides::Two,
            Layout::Shared | Layout::Paired => Sides::One,
        })
    }

    /// What steps rest on.
    fn basis(&self) -> Basis {
        Basis::Slopes
    }

    /// How many coordinates an estimate sees.
    fn sight(&self) -> Sight {
        Sight::All
    }

    /// What is to be asked before the next estimate, for which there are `spare` queries beyond its own.
    fn wish(&mut self, _view: &View<'_>, _spare: u64) -> Option<Wish> {
        None
    }

    /// The value it wished for; `None` if that failed.
    fn take_value(&mut self, _loss: Option<f64>) {}

    /// The slopes it wished for, one for each of these directions.
    fn take_survey(&mut self, _view: &View<'_>, _directions: &Directions, _slopes: &[f64]) {}

    /// Prepares directions.
    fn draw(&self, view: &View<'_>, purpose: Draw, directions: &mut Directions) {
        match purpose {
            Draw::Estimate => directions.draw(view.draws, view.parts.m),
            Draw::Measurement { .. } => directions.draw(0, CALIBRATION_DIRECTIONS),
        }
    }

    /// On which side of $x_t$ differences along a coordinate are taken: above (1), below (-1), or on both (0).
    fn side(&self, _view: &View<'_>, _coordinate: usize) -> f64 {
        0.0
    }

    /// Whether that is one side anywhere.
    fn leans(&self) -> bool {
        false
    }

    /// Makes the estimate $d_t$ from differences.
    fn absorb(&mut self, _view: &View<'_>, found: Found<'_>, d: &mut [f64]) {
        found.join(d);
    }

    /// Learns $l$ at the point evaluated, where it is known, and $r$ there.
    fn judge(&mut self, _view: &View<'_>, _loss: Option<f64>, _penalty: f64) -> Judgement {
        Judgement::Step
    }

    /// The point reached gave no answer: returns the point to go back to, if any.
    fn withdraw(&mut self) -> Option<&[f64]> {
        None
    }

    /// The radius was measured, with this noise of one value if it could be told.
    fn learn_noise(&mut self, _noise: Noise, _deviation: Option<f64>, _sides: Sides) {}

    /// The point to end at, where that is not $x_t$.
    fn end(&self, _noise: Noise) -> Option<&[f64]> {
        None
    }
}

/// What an update may look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) config: &'a Config,
    pub(crate) parts: &'a Parts,
    /// $x_t$.
    pub(crate) x: &'a [f64],
    /// Where differences are taken: $x_t$ itself, or a point nearby that has room for them in $K$.
    pub(crate) centre: &'a [f64],
    /// The best point so far.
    pub(crate) best: Option<&'a [f64]>,
    /// $\nu$.
    pub(crate) radius: f64,
    pub(crate) noise: Noise,
    /// $t$, from 1.
    pub(crate) iteration: u64,
    /// The number of the directions to draw next.
    pub(crate) draws: u64,
    /// Queries that may still be asked.
    pub(crate) remaining: u64,
}

/// What steps rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// On slopes alone. The base value of the differences is what is known of $l$.
    Slopes,
    /// Also on comparing $l$ at one point with $l$ at another: it is asked at $x_t$ itself, under the same sample every time.
    Values,
}

/// How many coordinates an estimate sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    All,
    /// A few, all rows of the estimate together; `complete` once each was seen.
    Few {
        complete: bool,
    },
}

/// What an update wants to be asked beside its estimates.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    /// $x_t$ a few times, to learn about noise.
    Probe,
    /// $l$ at a point.
    Value { at: Vec<f64> },
    /// Slopes along signs on all coordinates.
    Survey(Plan),
}

/// What directions are drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Draw {
    Estimate,
    /// For measuring the radius, with steps up to this length.
    Measurement {
        reach: f64,
    },
}

/// The differences of an estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) values: &'a [f64],
    pub(crate) directions: &'a Directions,
    /// Which draw these directions are.
    pub(crate) draw: u64,
    /// Coefficient of each direction.
    pub(crate) coefficients: &'a [f64],
    /// How much of the past the momentum keeps.
    pub(crate) carry: f64,
}

impl Found<'_> {
    /// Joins the estimate with what momentum keeps of the one before.
    fn join(self, d: &mut [f64]) {
        scale(d, self.carry);
        let factor = self.directions.factor();
        if factor == 1.0 {
            self.directions.accumulate(self.coefficients, d);
        } else {
            let mut coefficients = self.coefficients.to_vec();
            scale(&mut coefficients, factor);
            self.directions.accumulate(&coefficients, d);
        }
    }
}

/// What becomes of the point that was asked.
#[derive(Clone, Debug)]
pub(crate) enum Judgement {
    /// A step is taken from it.
    Step,
    /// The run goes on at this point without a step.
    GoTo(Vec<f64>),
    /// The same, with differences of another length.
    AskAround { point: Vec<f64>, radius: f64 },
    /// The same, and the radius is measured there again.
    MeasureAt(Vec<f64>),
    /// Another update goes on.
    HandOver(Box<Baton>),
    /// More queries would not pay.
    Settled,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moved {
    /// $\eta_t$.
    pub(crate) weight: f64,
    pub(crate) stationarity: f64,
    /// The share of the way to $v_t$ that is taken.
    pub(crate) share: f64,
}

impl Moved {
    /// There was no step.
    pub(crate) fn nowhere() -> Self {
        Self { weight: 0.0, stationarity: 0.0, share: 0.0 }
    }
}

/// `d *= factor`; 0 clears what is not finite too.
pub(crate) fn scale(d: &mut [f64], factor: f64) {
    if factor == 0.0 {
        d.fill(0.0);
    } else {
        for d in d {
            *d *= factor;
        }
    }
}
