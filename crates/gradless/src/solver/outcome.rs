//! The answer of a run.

use super::config::Config;
use super::points::{Candidate, Points};
use super::state::{LastStep, Phase, State};
use crate::estimator::Noise;
use crate::policy::Output;
use crate::space::Space;
use crate::stop::StopReason;
use crate::trace::{Counts, Notice, Record};
use crate::update::Basis;

/// Everything a run has learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The point with the smallest objective among those evaluated; the last iterate if none was.
    pub best: Point,
    /// The last iterate.
    pub last: Point,
    /// An iterate chosen uniformly at random: the one the theorems speak of.
    pub random: Point,
    /// The last prox point: exactly sparse where averaging leaves dust.
    pub sparse: Point,
    /// The average of the iterates, late ones counting most: noise averages out. The last iterate where none was taken.
    pub averaged: Point,
    /// Which of them is the answer.
    pub output: Output,
    /// Why the run ended; `None` if it was ended in the middle.
    pub stop: Option<StopReason>,
    /// Exact counters.
    pub counts: Counts,
    /// $\lambda_t\eta_t\lVert v_t - x_t\rVert$ of the last step; `None` before the first.
    pub stationarity: Option<f64>,
    /// What the run found out about the noise of the black box.
    pub noise: Noise,
    /// $\nu$ at the end.
    pub radius: f64,
    /// One record per iteration.
    pub history: Vec<Record>,
    /// What deserved a sentence.
    pub notices: Vec<Notice>,
}

/// A point and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// All coordinates, fixed ones included.
    pub x: Vec<f64>,
    /// $l(x)$; `None` if it was not evaluated. Under noise an estimate.
    pub loss: Option<f64>,
    /// $r(x)$.
    pub regulariser: f64,
}

impl Point {
    fn new(space: &Space, x: Vec<f64>, loss: Option<f64>) -> Self {
        let regulariser = space.penalty(&x);
        Self { x: space.expanded(x), loss, regulariser }
    }

    /// Whether it is known to be worse, both having been evaluated.
    fn is_worse_than(&self, other: &Self) -> bool {
        matches!((self.objective(), other.objective()), (Some(this), Some(other)) if this > other)
    }

    /// $l(x) + r(x)$; `None` if $l$ was not evaluated there.
    pub fn objective(&self) -> Option<f64> {
        self.loss.map(|loss| loss + self.regulariser)
    }
}

impl Outcome {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the space is dropped here, before the points are expanded"
    )]
    pub(super) fn new(space: Space, state: State, config: &Config) -> Self {
        let compares = state.relay.update().basis() == Basis::Values;
        let State { phase, points, step, sampling, books, .. } = state;
        let Points { x, best, averaged, random, random_loss, last_loss, sparse_loss, .. } = points;
        let LastStep { v, stationarity, .. } = step;
        let sparse = if v.is_empty() { x.clone() } else { v };
        let best = match best {
            Some(Candidate { x, loss, .. }) => Point::new(&space, x, Some(loss)),
            None => Point::new(&space, x.clone(), None),
        };
        let averaged = if averaged.x.is_empty() {
            Point::new(&space, x.clone(), last_loss)
        } else {
            Point::new(&space, averaged.x, averaged.loss)
        };
        let last = Point::new(&space, x, last_loss);
        let output = match (config.output, sampling.noise) {
            (Output::Auto, Noise::None | Noise::Detect) if best.loss.is_some() => Output::Best,
            // All values were of one sample.
            (Output::Auto, Noise::Common) if compares && best.loss.is_some() => Output::Best,
            (Output::Auto, Noise::Common | Noise::Independent) if !averaged.is_worse_than(&last) => {
                Output::Averaged
            }
            (Output::Auto, _) => Output::Last,
            (chosen, _) => chosen,
        };
        Self {
            best,
            last,
            averaged,
            random: Point::new(&space, random, random_loss),
            sparse: Point::new(&space, sparse, sparse_loss),
            output,
            stop: match phase {
                Phase::Stopped(reason) => Some(reason),
                _ => None,
            },
            counts: books.counts,
            stationarity,
            noise: sampling.noise,
            radius: sampling.radius,
            history: books.history,
            notices: books.notices,
        }
    }

    /// The answer.
    pub fn point(&self) -> &Point {
        match self.output {
            Output::Auto | Output::Best => &self.best,
            Output::Last => &self.last,
            Output::Averaged => &self.averaged,
            Output::Random => &self.random,
            Output::Sparse => &self.sparse,
        }
    }

    /// The coordinates of the answer.
    pub fn x(&self) -> &[f64] {
        &self.point().x
    }

    /// $l(x) + r(x)$ at the answer, where it was evaluated.
    pub fn objective(&self) -> Option<f64> {
        self.point().objective()
    }
}
