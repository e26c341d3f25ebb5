//! Makes a valid point smaller: measures what single places are worth to the margin, and moves to the point that is
//! cheapest if they are worth the same together.
//!
//! A step solves $\min \gamma_1\lVert x\rVert_1 + \frac{\gamma_2'}2\lVert x\rVert_2^2$ with a linear margin at the one wanted, in the
//! set and near the point held; with one price for margin the places separate, and each is a soft threshold. What is
//! asked is the family over prices and reaches, at once; the valid one with the smallest penalty is held. Everything asked
//! is as a picture holds it, so that what is found needs no margin for rounding.

use super::{Held, Refiner};
use crate::answer::Step;
use crate::error::ExplainError;
use crate::ledger::loss;

/// Weights are as given but for $\gamma_2$, divided by this: fewer places at the same $\ell_1$ norm (30 to 22 of a digit's).
const SHARPER: f64 = 4.0;
/// Reaches of one step, each half of the one before.
const REACHES: i32 = 4;
/// Prices for each reach, and the factor between them.
const PRICES: i32 = 8;
const PRICE_STEP: f64 = 1.1;
/// Prices below the one the linear model asks for.
const PRICES_BELOW: i32 = 2;
/// A step that gains less than this share of the penalty has missed.
const GAIN: f64 = 0.01;
/// Steps that miss in a row before a descent ends.
const PATIENCE: usize = 4;
/// Besides at nothing and at its furthest, a place is measured over this share of the way.
const SHORT: f64 = 0.25;

impl Refiner<'_, '_> {
    /// Moves as long as the penalty falls, with these places beside those of the point, at most so many steps.
    pub(crate) fn descend(
        &self,
        mut held: Held,
        places: &[usize],
        steps: usize,
    ) -> Result<Held, ExplainError> {
        let (mut reach, mut short, mut misses) = (1.0_f64, false, 0);
        for _ in 0..steps {
            self.record(&held, reach);
            let mut here = self.ledger.moved(&held.point);
            here.extend(places.iter().filter(|&&i| held.point[i] == self.ledger.origin()[i]));
            let trials = usize::try_from(REACHES * PRICES).unwrap_or(0);
            // Pruning what comes out of this must still be paid for.
            if misses >= PATIENCE || here.is_empty() || self.left() < 4 * here.len() + trials {
                break;
            }
            let slopes = self.slopes(&held, &here, if short { SHORT } else { 1.0 })?;
            let model = Linear { held: &held, places: &here, slopes: &slopes };
            let before = self.penalty(&held);
            let found = self.cheapest_of(self.trials(&model, reach))?;
            match found.filter(|found| self.penalty(found) < before) {
                Some(found) if self.penalty(&found) < (1.0 - GAIN) * before => {
                    misses = 0;
                    let share = |&i: &usize| {
                        let (lower, upper) = self.bounds(i);
                        (found.point[i] - held.point[i]).abs() / (upper - lower)
                    };
                    let most = here.iter().map(share).fold(0.0, f64::max);
                    reach = (2.0 * most).clamp(reach / 8.0, 1.0);
                    held = found;
                }
                found => {
                    // Over a long way and over a short one places are worth different things.
                    misses += 1;
                    short = !short;
                    if misses % 2 == 0 {
                        reach /= 8.0;
                    }
                    held = found.unwrap_or(held);
                }
            }
        }
        Ok(held)
    }

    /// Of these places, so many that change the margin most on their whole way.
    pub(crate) fn steepest(
        &self,
        held: &Held,
        places: Vec<usize>,
        count: usize,
    ) -> Result<Vec<usize>, ExplainError> {
        let slopes = self.slopes(held, &places, 1.0)?;
        let mut ranked: Vec<(usize, f64)> = places.into_iter().zip(slopes).collect();
        ranked.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        Ok(ranked.into_iter().take(count).map(|(i, _)| i).collect())
    }

    /// Slopes of the margin by one query for each of these places: a place that is there, over a share of its way to nothing;
    /// another, over a share of its longest way.
    pub(crate) fn slopes(&self, held: &Held, places: &[usize], share: f64) -> Result<Vec<f64>, ExplainError> {
        let probe = |&i: &usize| {
            let origin = self.ledger.origin()[i];
            let end = if held.point[i] == origin { self.furthest(i) } else { origin };
            self.with(&held.point, i, held.point[i] + share * (end - held.point[i]))
        };
        let points: Vec<Vec<f64>> = places.iter().map(probe).collect();
        let margins = self.ledger.ask(&points)?;
        let slope = |((&i, margin), point): ((&usize, f64), &Vec<f64>)| {
            let step = point[i] - held.point[i];
            if step == 0.0 || margin.is_nan() { 0.0 } else { (margin - held.margin) / step }
        };
        Ok(places.iter().zip(margins).zip(&points).map(slope).collect())
    }

    /// Points that are cheapest at prices around the one the linear model asks for, at several reaches.
    fn trials(&self, model: &Linear<'_>, reach: f64) -> Vec<Vec<f64>> {
        let mut trials = Vec::new();
        for halvings in 0..REACHES {
            let reach = reach * 0.5_f64.powi(halvings);
            let price = self.price(model, reach);
            for step in -PRICES_BELOW..PRICES - PRICES_BELOW {
                let trial = self.cheapest(model, price * PRICE_STEP.powi(step), reach);
                if !trials.contains(&trial) && trial != model.held.point {
                    trials.push(trial);
                }
            }
        }
        trials
    }

    /// The price of margin at which the linear model is just valid.
    fn price(&self, model: &Linear<'_>, reach: f64) -> f64 {
        let (mut low, mut high) = (1e-9_f64, 1e9_f64);
        for _ in 0..40 {
            let middle = (low * high).sqrt();
            let enough = model.margin(&self.cheapest(model, middle, reach)) > self.ledger.aim();
            *(if enough { &mut high } else { &mut low }) = middle;
        }
        high
    }

    /// The cheapest point at a price of margin, every place no further from where it is than a share of its width.
    fn cheapest(&self, model: &Linear<'_>, price: f64, reach: f64) -> Vec<f64> {
        let (l1, l2) = (self.ledger.around.l1, self.ledger.around.l2 / SHARPER);
        let mut point = model.held.point.clone();
        for (&i, slope) in model.places.iter().zip(model.slopes) {
            let (lower, upper) = self.bounds(i);
            let size = ((price * slope).abs() - l1).max(0.0);
            // Without a weight on squares a place is worth nothing or all it can be.
            let away = if size > 0.0 { slope.signum() * size / l2 } else { 0.0 };
            let width = reach * (upper - lower);
            let x = (self.ledger.origin()[i] + away).clamp(point[i] - width, point[i] + width);
            point[i] = self.ledger.around.coordinates.snap(i, x.clamp(lower, upper));
        }
        point
    }

    /// Records a step, and reports progress.
    fn record(&self, held: &Held, reach: f64) {
        let loss = loss(held.margin, self.ledger.kappa);
        let sizes = || held.point.iter().zip(self.ledger.origin()).map(|(x, o)| (x - o).abs());
        self.steps.borrow_mut().push(Step {
            queries: self.ledger.queries(),
            objective: Some(loss + self.penalty(held)),
            loss: Some(loss),
            norm_l1: sizes().sum(),
            norm_l2: sizes().map(|s| s * s).sum::<f64>().sqrt(),
            nonzeros: sizes().filter(|&s| s > 0.0).count(),
            step_size: reach,
            best: self.ledger.best().map(|best| best.penalty),
        });
        self.ledger.report();
    }
}

/// The margin near a point, as single places suggest it.
struct Linear<'a> {
    held: &'a Held,
    places: &'a [usize],
    slopes: &'a [f64],
}

impl Linear<'_> {
    fn margin(&self, point: &[f64]) -> f64 {
        let gain = |(&i, slope): (&usize, &f64)| slope * (point[i] - self.held.point[i]);
        self.held.margin + self.places.iter().zip(self.slopes).map(gain).sum::<f64>()
    }
}
