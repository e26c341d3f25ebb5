//! The search by elimination: begin at something that answers the question, and take away what is not needed.
//!
//! A part begins at the input, a change at a real example of another class, or at a variant of the input that has one. What differs
//! from the origin goes rim by rim, then in pieces, then by how faint it is: what is left has the shape it had. Every trial is
//! independent of the budget, so that more queries only go further.

mod beginnings;
mod peel;
mod variants;

use serde::{Deserialize, Serialize};

use super::direct::{Held, STAGES};
use super::trial::Trials;
use super::{Course, Found, Search};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::ledger::{Ledger, loss};
use crate::question::Origin;
use peel::peeled;

/// What differs less than these shares of the largest difference goes together.
const FAINT: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
/// The same for every piece alone, at the end. Up to 0.99 other networks agree with fewer parts (94 % of 200 digits for 97).
const FAINT_IN_A_PIECE: [f64; 3] = [0.5, 0.7, 0.85];
/// What the direct search plans with where the class alone may be asked for after it.
const FEW: [u64; 1] = [3_000];
/// Below this share a coordinate is not part of a shape when its rim is peeled.
const PALE: f64 = 0.5;

/// How a search eliminates. Every number and every part is chosen by the ablation in `docs/benchmarks/meaning.md`.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `pieces` | 4 | pieces of a picture each way |
/// | `copies` | 12 | disturbed copies that a point must pass |
/// | `rims` | yes | whether shapes are peeled |
/// | `faint` | yes | whether what is faint goes |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Elimination {
    pub pieces: usize,
    pub copies: usize,
    pub rims: bool,
    pub faint: bool,
}

impl Default for Elimination {
    fn default() -> Self {
        Self { pieces: 4, copies: 12, rims: true, faint: true }
    }
}

impl Search<'_> {
    /// The smallest of what is left from several beginnings; where nothing can be begun with, the direct search.
    pub(super) fn eliminate(
        &self,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        let mut best: Option<Reduced> = None;
        let mut take = |begun: Held, course: &mut Course| -> Result<(), ExplainError> {
            let reduced = self.reduced(trials, begun, course)?;
            if best.as_ref().is_none_or(|best| self.is_smaller(&reduced.held, &best.held)) {
                best = Some(reduced);
            }
            Ok(())
        };
        match self.question.origin() {
            Origin::Absent => {
                // The input itself, whose scores are known.
                let whole = self.ledger.around.coordinates.whole.clone();
                let margin = self.ledger.around.condition.margin(self.original_scores);
                if self.ledger.is_valid(margin) {
                    self.ledger.keep(&whole, self.original_scores, margin);
                    take(Held { point: whole, margin, known: self.ledger.queries() }, course)?;
                }
            }
            Origin::Input => self.begin(trials, |held| take(held, course))?,
        }
        match best {
            Some(Reduced { held, minimal }) => self.finished(held.point, minimal, Some(held.known)),
            // Where nobody asked for this confidence, the class alone comes next: not all is spent here.
            None if self.options.confidence.is_none() => self.direct(&FEW, trials, course),
            None => self.direct(&STAGES, trials, course),
        }
    }

    /// Fewer features first, then the smaller penalty.
    fn is_smaller(&self, a: &Held, b: &Held) -> bool {
        let coordinates = self.ledger.around.coordinates;
        let [used, other] = [a, b].map(|held| coordinates.used(&held.point).len());
        used < other || used == other && self.ledger.penalty(&a.point) < self.ledger.penalty(&b.point)
    }

    /// What is left of a point when everything has gone that is not needed.
    fn reduced(
        &self,
        trials: &Trials<'_, '_>,
        begun: Held,
        course: &mut Course,
    ) -> Result<Reduced, ExplainError> {
        let how = self.options.elimination;
        let mut elimination = Eliminating { how, trials, ledger: &self.ledger, held: begun, course };
        elimination.record();
        elimination.rims()?;
        elimination.pieces()?;
        elimination.rims()?;
        elimination.faint()?;
        // Smaller now: another piece may have become superfluous.
        while elimination.pieces()? > 0 {}
        elimination.faint_by_pieces()?;
        let minimal = if trials.left() < 2 { Minimal::BudgetEnded } else { Minimal::Checked };
        Ok(Reduced { held: elimination.held, minimal })
    }
}

/// A point of which nothing can go.
struct Reduced {
    held: Held,
    minimal: Minimal,
}

struct Eliminating<'a, 'b, 'c> {
    how: Elimination,
    trials: &'a Trials<'a, 'b>,
    ledger: &'a Ledger<'b>,
    held: Held,
    course: &'c mut Course,
}

impl Eliminating<'_, '_, '_> {
    /// How far a coordinate is from where it costs nothing.
    fn size(&self, i: usize) -> f64 {
        (self.held.point[i] - self.ledger.origin()[i]).abs()
    }

    /// Takes the point without these coordinates if that answers the question too.
    fn without(&mut self, coordinates: &[usize]) -> Result<bool, ExplainError> {
        let mut point = self.held.point.clone();
        for &i in coordinates {
            point[i] = self.ledger.origin()[i];
        }
        if point == self.held.point {
            return Ok(false);
        }
        let Some(held) = self.trials.passed(point)? else { return Ok(false) };
        self.held = held;
        self.record();
        Ok(true)
    }

    /// The shape without its rim, as often as that goes; for pictures.
    fn rims(&mut self) -> Result<(), ExplainError> {
        let around = self.ledger.around.coordinates;
        if around.layout.0 < 2 || !self.how.rims {
            return Ok(());
        }
        loop {
            let moved = self.ledger.moved(&self.held.point);
            let strength = self.strengths();
            let most = strength.iter().copied().fold(0.0, f64::max);
            let shape: Vec<bool> = strength.iter().map(|&size| size > PALE * most).collect();
            let inner = peeled(&shape, around.layout);
            let rim: Vec<usize> = moved.into_iter().filter(|&i| !inner[around.feature[i]]).collect();
            if rim.is_empty() || !self.without(&rim)? {
                return Ok(());
            }
        }
    }

    /// Each piece in turn, the slightest first; how many went.
    fn pieces(&mut self) -> Result<usize, ExplainError> {
        let pieces = self.ledger.around.coordinates.pieces(self.how.pieces);
        let sum = |piece: &Vec<usize>| piece.iter().map(|&i| self.size(i)).sum::<f64>();
        let mut order: Vec<(f64, Vec<usize>)> =
            pieces.into_iter().map(|piece| (sum(&piece), piece)).collect();
        order.retain(|(size, _)| *size > 0.0);
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut gone = 0;
        for (_, piece) in order {
            gone += usize::from(self.without(&piece)?);
        }
        Ok(gone)
    }

    /// What is faint, at growing thresholds. A feature goes as a whole.
    fn faint(&mut self) -> Result<(), ExplainError> {
        if !self.how.faint {
            return Ok(());
        }
        let strength = self.strengths();
        for share in FAINT {
            let moved = self.ledger.moved(&self.held.point);
            self.without_below(share, &strength, &moved)?;
        }
        Ok(())
    }

    /// The same in every piece alone, as long as that goes.
    fn faint_by_pieces(&mut self) -> Result<(), ExplainError> {
        if !self.how.faint {
            return Ok(());
        }
        let strength = self.strengths();
        for piece in self.ledger.around.coordinates.pieces(self.how.pieces) {
            for share in FAINT_IN_A_PIECE {
                if !self.without_below(share, &strength, &piece)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes the point without those coordinates whose feature is fainter than a share of the strongest; `true` if there are none.
    fn without_below(
        &mut self,
        share: f64,
        strength: &[f64],
        coordinates: &[usize],
    ) -> Result<bool, ExplainError> {
        let around = self.ledger.around.coordinates;
        let most = strength.iter().copied().fold(0.0, f64::max);
        let is_faint = |&i: &usize| self.size(i) > 0.0 && strength[around.feature[i]] < share * most;
        let faint: Vec<usize> = coordinates.iter().copied().filter(is_faint).collect();
        Ok(faint.is_empty() || self.without(&faint)?)
    }

    /// How far the furthest coordinate of every feature is from where it costs nothing.
    fn strengths(&self) -> Vec<f64> {
        let around = self.ledger.around.coordinates;
        let mut strength = vec![0.0_f64; around.features];
        for i in self.ledger.moved(&self.held.point) {
            strength[around.feature[i]] = strength[around.feature[i]].max(self.size(i));
        }
        strength
    }

    fn record(&mut self) {
        let loss = loss(self.held.margin, self.ledger.kappa);
        let sizes = || (0..self.held.point.len()).map(|i| self.size(i));
        let penalty = self.ledger.penalty(&self.held.point);
        self.course.steps.push(Step {
            queries: self.ledger.queries(),
            objective: Some(loss + penalty),
            loss: Some(loss),
            norm_l1: sizes().sum(),
            norm_l2: sizes().map(|s| s * s).sum::<f64>().sqrt(),
            nonzeros: sizes().filter(|&s| s > 0.0).count(),
            step_size: 1.0,
            best: self.ledger.best().map(|best| best.penalty),
        });
        self.course.iterations += 1;
        self.ledger.report_holding(&self.held.point);
    }
}
