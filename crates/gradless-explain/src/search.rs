//! The search over points and weights within one budget.

use gradless::drive::Event;
use gradless::{Budget, Config, Driver, Solver, StopReason};

use crate::answer::{ExplainError, Step};
use crate::ledger::Ledger;

/// Rounds the queries of a search over weights are divided into.
const ROUNDS: u64 = 6;
/// The weights change by this factor until one is too large and one small enough.
const STRIDE: f64 = 4.0;
/// A search ends when they are this close.
const CLOSE: f64 = 1.3;
/// Points along one way that are asked at once.
const STOPS: usize = 15;

/// Where and with what a search begins.
pub(crate) struct Beginning {
    pub(crate) start: Vec<f64>,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) queries: u64,
    /// Whether the weights are searched too.
    pub(crate) weights: bool,
}

/// What a search leaves behind beside what the ledger kept.
pub(crate) struct Searched {
    pub(crate) iterations: u64,
    pub(crate) steps: Vec<Step>,
    pub(crate) stop: Option<StopReason>,
    /// Weights of the last round.
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) last: Vec<f64>,
}

impl Searched {
    /// Nothing has been searched yet.
    pub(crate) fn new(l1: f64, l2: f64, start: Vec<f64>) -> Self {
        Self { iterations: 0, steps: Vec::new(), stop: None, l1, l2, last: start }
    }
}

/// Minimises at the weights given; then at larger ones where the answer was valid, at smaller ones where it was not, each
/// time from the best valid point so far.
pub(crate) fn search(
    ledger: &Ledger<'_>,
    config: &Config,
    beginning: Beginning,
) -> Result<Searched, ExplainError> {
    let Beginning { start, l1, l2, queries, weights } = beginning;
    let end = ledger.sent() + queries;
    let mut searched = Searched::new(l1, l2, start);
    let (mut valid, mut invalid): (Option<f64>, Option<f64>) = (None, None);
    let mut factor = 1.0;
    for round in 0.. {
        let left = end.saturating_sub(ledger.sent());
        let slice = if weights { left.min((queries / ROUNDS).max(1)) } else { left };
        (searched.l1, searched.l2) = (factor * l1, factor * l2);
        let before = ledger.sent();
        let holds = one_round(ledger, config, slice, round, &mut searched)?;
        ledger.settle();
        let over = matches!(searched.stop, Some(StopReason::OracleFailed { .. } | StopReason::Cancelled));
        // A round that did not pay for one step will not pay for the next either.
        let stuck = ledger.sent() == before;
        if !weights || over || stuck || ledger.sent() >= end || slice < queries / ROUNDS {
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
            searched.last = best.unknown;
        }
    }
    Ok(searched)
}

/// One round from where the last ended; whether its end is valid.
fn one_round(
    ledger: &Ledger<'_>,
    config: &Config,
    queries: u64,
    round: u64,
    searched: &mut Searched,
) -> Result<bool, ExplainError> {
    let problem = ledger.around.task.problem(searched.l1, searched.l2, searched.last.clone())?;
    let config = Config {
        budget: Budget { queries: Some(queries), sent: Some(queries) },
        seed: config.seed.wrapping_add(round),
        ..config.clone()
    };
    let solver = Solver::new(problem, config)?;
    let before = ledger.sent();
    let steps = &mut searched.steps;
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
    let driver = Driver::default().threads(ledger.around.threads).cancelled_by(ledger.around.watch.cancel);
    let outcome = driver.observe(&mut watch).run(solver, ledger);
    searched.iterations += outcome.counts.iterations;
    searched.last = outcome.x().to_vec();
    let loss = outcome.last.loss;
    searched.stop = outcome.stop;
    Ok(loss.is_some_and(|loss| loss < ledger.loss_at_floor()))
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
        |end: &&Vec<f64>| end.as_slice() != ledger.nothing() && end.iter().all(|value| value.is_finite());
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
        ledger.nothing().iter().zip(end).map(|(o, e)| o + share * (e - o)).collect()
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
