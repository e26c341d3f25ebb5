//! The penalised search: an optimiser minimises loss and penalty, at one weight or at several, within one budget.

use gradless::drive::Event;
use gradless::{
    Batch, Budget, Config, Driver, Noise, Oracle, OracleError, Problem, ProblemError, Regulariser, Set,
    Solver, StopReason,
};

use super::trial::Trials;
use super::{Course, Found, Search, Start, Strategy};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::features::Strength;
use crate::ledger::{Ledger, Surroundings, loss};

/// Share of the queries that is kept for pruning.
const FOR_PRUNING: u64 = 3;
/// Rounds the queries of a search over weights are divided into.
const ROUNDS: u64 = 6;
/// The weights change by this factor until one is too large and one small enough.
const STRIDE: f64 = 4.0;
/// A search ends when they are this close.
const CLOSE: f64 = 1.3;
/// Draws of a method begin here, far from those of trials.
const FIRST_DRAW: u64 = 1 << 40;
/// Points along one way that are asked at once.
const STOPS: usize = 15;

/// At which weights the method runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    /// As given, once.
    Given,
    /// Larger ones where the answer was valid, smaller ones where it was not.
    Several,
}

impl Search<'_> {
    /// The method at fixed weights or at several, and if asked for what is needed of it.
    pub(super) fn by_method(
        &self,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        let start = self.start()?;
        let reserve = if self.options.prune { self.queries / FOR_PRUNING } else { 0 };
        let queries = self.left().saturating_sub(reserve + 2 * self.ledger.around.reserve);
        let weights = match self.strategy {
            Strategy::Fixed => Weights::Given,
            Strategy::Eliminate
            | Strategy::Select
            | Strategy::Refine
            | Strategy::Direct
            | Strategy::Penalised
            | Strategy::Attack => Weights::Several,
        };
        let last = self.minimise(trials, start, queries, weights, course)?;
        let refiner = self.refiner(self.left());
        if !self.options.prune && weights == Weights::Given {
            return self.finished(last, Minimal::NotAsked, None);
        }
        match self.best()? {
            Some(held) if !self.options.prune => {
                self.finished(held.point, Minimal::NotAsked, Some(held.known))
            }
            None => {
                self.finished(self.ledger.nearest().map_or(last, |near| near.point), Minimal::NotAsked, None)
            }
            Some(held) => self.pruned(&refiner, held),
        }
    }

    /// Where the method starts.
    pub(super) fn start(&self) -> Result<Vec<f64>, ExplainError> {
        let coordinates = self.ledger.around.coordinates;
        let centre =
            || coordinates.bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2.0).collect();
        Ok(match self.start {
            // A confident model is flat at the input itself.
            Start::Auto if coordinates.origin == coordinates.whole => {
                boundary(&self.ledger)?.unwrap_or_else(centre)
            }
            Start::Auto | Start::Input => coordinates.whole.clone(),
            Start::Zero => coordinates.origin.clone(),
            Start::Centre => centre(),
        })
    }

    /// Minimises at the weights given; then, if several are wanted, at larger ones where the answer was valid and at smaller ones
    /// where it was not, each time from the best valid point so far. Gives the last point.
    pub(super) fn minimise(
        &self,
        trials: &Trials<'_, '_>,
        start: Vec<f64>,
        queries: u64,
        weights: Weights,
        course: &mut Course,
    ) -> Result<Vec<f64>, ExplainError> {
        let ledger = &self.ledger;
        let (l1, l2) = (self.options.l1, self.options.l2);
        let several = weights == Weights::Several;
        let end = ledger.sent() + queries;
        let mut last = start;
        let (mut valid, mut invalid): (Option<f64>, Option<f64>) = (None, None);
        let mut factor = 1.0;
        for round in 0.. {
            let left = end.saturating_sub(ledger.sent());
            let slice = if several { left.min((queries / ROUNDS).max(1)) } else { left };
            (course.l1, course.l2) = (factor * l1, factor * l2);
            let before = ledger.sent();
            let objective = Objective { ledger, disturbed: trials.disturbed() };
            let holds = one_round(&objective, &self.options.config, (slice, round), &mut last, course)?;
            // What was asked disturbed is no answer yet.
            let holds =
                if objective.disturbed.is_some() { trials.passed(last.clone())?.is_some() } else { holds };
            ledger.settle();
            let over = matches!(course.stop, Some(StopReason::OracleFailed { .. } | StopReason::Cancelled));
            // A round that did not pay for one step will not pay for the next either.
            let stuck = ledger.sent() == before;
            if !several || over || stuck || ledger.sent() >= end || slice < queries / ROUNDS {
                break;
            }
            *(if holds { &mut valid } else { &mut invalid }) = Some(factor);
            factor = match (valid, invalid) {
                (Some(valid), Some(invalid)) if invalid / valid < CLOSE => break,
                (Some(valid), Some(invalid)) => (valid * invalid).sqrt(),
                (Some(valid), None) => STRIDE * valid,
                (None, Some(invalid)) => invalid / STRIDE,
                (None, None) => break,
            };
            if let Some(best) = ledger.best() {
                last = best.point;
            }
        }
        Ok(last)
    }
}

/// So many queries of the method from where the last round ended; whether the end is valid.
fn one_round(
    objective: &Objective<'_, '_>,
    config: &Config,
    (queries, round): (u64, u64),
    last: &mut Vec<f64>,
    course: &mut Course,
) -> Result<bool, ExplainError> {
    let ledger = objective.ledger;
    let problem = problem(ledger, course.l1, course.l2, last.clone())?;
    let config = Config {
        budget: Budget { queries: Some(queries), sent: Some(queries) },
        seed: config.seed.wrapping_add(round),
        noise: if objective.disturbed.is_some() { Noise::Common } else { config.noise },
        ..config.clone()
    };
    let solver = Solver::new(problem, config)?;
    let before = ledger.sent();
    let steps = &mut course.steps;
    let mut watch = |event: &Event<'_>| {
        if let Event::Iteration { record, .. } = event {
            ledger.settle();
            steps.push(Step {
                queries: 1 + before + record.queries,
                objective: record.objective,
                loss: record.loss,
                norm_l1: record.norm_l1,
                norm_l2: record.norm_l2,
                nonzeros: record.nonzeros,
                step_size: record.step_size,
                best: ledger.best().map(|best| best.penalty),
            });
            ledger.report();
        }
    };
    let driver = Driver::default().threads(ledger.around.threads).cancelled_by(ledger.around.cancel);
    let outcome = driver.observe(&mut watch).run(solver, objective);
    course.iterations += outcome.counts.iterations;
    *last = outcome.x().to_vec();
    let loss = outcome.last.loss;
    course.stop = outcome.stop;
    Ok(loss.is_some_and(|loss| loss < ledger.loss_at_floor()))
}

/// What a method minimises: the loss of the margin, or where answers should survive disturbances, its expectation under them. The
/// rows of one difference share their disturbance, and every difference has another one.
struct Objective<'a, 'b> {
    ledger: &'a Ledger<'b>,
    /// How inputs are disturbed, and the seed of the draws.
    disturbed: Option<(Strength, u64)>,
}

impl Oracle for Objective<'_, '_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let Some((strength, seed)) = self.disturbed else { return self.ledger.evaluate(batch, values) };
        let Surroundings { coordinates, condition, .. } = self.ledger.around;
        let copy = |(point, sample): (&[f64], u64)| {
            coordinates.disturbed(point, &self.ledger.input(point), strength, (seed, FIRST_DRAW + sample))
        };
        let copies: Vec<Vec<f64>> = batch.rows().map(copy).collect();
        for (value, scores) in values.iter_mut().zip(self.ledger.look_at_inputs(&copies)?) {
            *value = loss(condition.margin(&scores), self.ledger.kappa);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.ledger.preferred_rows()
    }
}

/// The problem at these weights: small in the distance from the origin, between the bounds.
fn problem(ledger: &Ledger<'_>, l1: f64, l2: f64, start: Vec<f64>) -> Result<Problem, ProblemError> {
    let (lower, upper): (Vec<f64>, Vec<f64>) = ledger.bounds().iter().copied().unzip();
    Problem::builder(start.len())
        .regulariser(Regulariser::elastic_net(l1, l2))
        .set(Set::bounds(lower, upper))
        .centre(ledger.origin())
        .start(start)
        .build()
}

/// A start where the class condition just holds: confident models are flat where they are confident, and steep at the
/// boundary. The ways from nothing to the middle and to two corners of what is allowed are asked for their first valid
/// point, the second time more finely. `None` if no way leads to one.
pub(crate) fn boundary(ledger: &Ledger<'_>) -> Result<Option<Vec<f64>>, ExplainError> {
    let bounds = ledger.bounds();
    let ends: [Vec<f64>; 3] = [
        bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2.0).collect(),
        bounds.iter().map(|&(_, upper)| upper).collect(),
        bounds.iter().map(|&(lower, _)| lower).collect(),
    ];
    let mut best: Option<Vec<f64>> = None;
    let leads =
        |end: &&Vec<f64>| end.as_slice() != ledger.origin() && end.iter().all(|value| value.is_finite());
    for end in ends.iter().filter(leads) {
        if let Some(point) = first_valid(ledger, end)?
            && best.as_ref().is_none_or(|best| ledger.penalty(&point) < ledger.penalty(best))
        {
            best = Some(point);
        }
    }
    Ok(best)
}

/// The first valid point on the way from nothing to an end.
fn first_valid(ledger: &Ledger<'_>, end: &[f64]) -> Result<Option<Vec<f64>>, ExplainError> {
    let along = |share: f64| -> Vec<f64> {
        ledger.origin().iter().zip(end).map(|(o, e)| o + share * (e - o)).collect()
    };
    let (mut low, mut high, mut found) = (0.0, 1.0, None);
    for _ in 0..2 {
        let share = |stop: usize| low + (high - low) * (stop + 1) as f64 / (STOPS + 1) as f64;
        let shares: Vec<f64> = (0..=STOPS).map(share).collect();
        let points: Vec<Vec<f64>> = shares.iter().map(|&share| along(share)).collect();
        let margins = ledger.ask(&points)?;
        let Some(first) = margins.iter().position(|&margin| ledger.is_valid(margin)) else { break };
        found = Some(points[first].clone());
        high = shares[first];
        low = if first == 0 { low } else { shares[first - 1] };
    }
    Ok(found)
}
