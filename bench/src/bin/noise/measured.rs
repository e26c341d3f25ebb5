//! Runs without and with disturbance, and what is said of many.

use bench::Fallible;
use bench::descent::descend;
use bench::fit::quantile;
use gradless::trace::Notice;
use gradless::{Budget, Config, Outcome, StopReason};
use testkit::counter::Counter;
use testkit::families::SparseTarget;

use crate::black_box::{BlackBox, Disturbance, Family, problem};

/// A disturbed run may ask this many times what the undisturbed one asked.
const TIMES: u64 = 3;
/// The undisturbed run has come to its result where it is within this share of the range of it.
const ARRIVED: f64 = 0.01;
/// A disturbed run has come to it where its true objective is within this share of it.
pub(crate) const WITHIN: f64 = 0.1;
/// More than any run asks for before it stops by itself.
const UNLIMITED: u64 = 100_000_000;

/// What a budget is three times of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Allowance {
    /// The queries the undisturbed run needed to come within 1 % of the range of its result.
    Arrival,
    /// All that it asked before it stopped by itself.
    Whole,
}

impl Allowance {
    pub(crate) const ALL: [Self; 2] = [Self::Arrival, Self::Whole];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Whole => "whole",
        }
    }
}

/// One problem and its undisturbed run.
pub(crate) struct Reference {
    pub(crate) family: Family,
    pub(crate) seed: u64,
    pub(crate) target: SparseTarget,
    /// $F(x_1) - F^\ast$.
    pub(crate) range: f64,
    pub(crate) objective: f64,
    /// $\lVert x\rVert_2$ of its answer.
    size: f64,
    pub(crate) arrival: u64,
    pub(crate) whole: u64,
}

impl Reference {
    pub(crate) fn new(family: Family, dim: usize, seed: u64) -> Fallible<Self> {
        let target = family.target(dim, seed);
        let range = target.start_objective() - target.minimum();
        let config = Config { budget: Budget::queries(UNLIMITED), seed, ..Config::default() };
        let (descent, outcome) = descend(&problem(&target)?, &|x: &[f64]| target.loss(x), config)?;
        if outcome.stop != Some(StopReason::Stagnation) {
            return Err(format!("{family}, d = {dim}, seed {seed}: the undisturbed run did not stop").into());
        }
        let objective = target.objective(outcome.x());
        let arrival = descent.reaches(objective + ARRIVED * range).ok_or("its own result was not seen")?;
        let size = outcome.x().iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(Self { family, seed, range, objective, size, arrival, whole: descent.queries, target })
    }

    /// The same with disturbed answers.
    pub(crate) fn disturbed(&self, case: Case) -> Fallible<Run> {
        let asked = match case.allowance {
            Allowance::Arrival => self.arrival,
            Allowance::Whole => self.whole,
        };
        let black_box = BlackBox {
            target: &self.target,
            disturbance: case.disturbance,
            sigma: case.noise * self.range,
            size: self.size,
            seed: self.seed,
            asked: Counter::default(),
        };
        let config = Config { budget: Budget::queries(TIMES * asked), seed: self.seed, ..Config::default() };
        let (descent, outcome) = descend(&problem(&self.target)?, &black_box, config)?;
        let above = self.target.objective(outcome.x()) - self.objective;
        Ok(Run {
            family: self.family,
            dim: self.target.dim,
            seed: self.seed,
            case,
            allowed: TIMES * asked,
            queries: descent.queries,
            above: above / self.objective.abs(),
            above_of_range: above / self.range,
            said: says_so(&outcome),
        })
    }
}

/// Whether the run says that noise hides what is left to gain.
fn says_so(outcome: &Outcome) -> bool {
    outcome.notices.iter().any(|notice| matches!(notice, Notice::NoiseLarge { .. }))
}

/// How answers are disturbed, how much of the range noise is, and what may be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) disturbance: Disturbance,
    pub(crate) noise: f64,
    pub(crate) allowance: Allowance,
}

/// A disturbed run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) family: Family,
    pub(crate) dim: usize,
    pub(crate) seed: u64,
    pub(crate) case: Case,
    pub(crate) allowed: u64,
    pub(crate) queries: u64,
    /// By how much the true objective of the answer is above the undisturbed one's, as a share of that.
    pub(crate) above: f64,
    /// The same as a share of the range.
    pub(crate) above_of_range: f64,
    /// Whether it said so.
    pub(crate) said: bool,
}

impl Run {
    pub(crate) fn is_within(&self) -> bool {
        self.above <= WITHIN
    }
}

/// Many runs of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) runs: usize,
    pub(crate) median: f64,
    pub(crate) worst: f64,
    pub(crate) median_of_range: f64,
    pub(crate) worst_of_range: f64,
    pub(crate) within: usize,
    pub(crate) said: usize,
    /// Runs that came close or said that they could not.
    pub(crate) honest: usize,
}

impl Summary {
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a Run>) -> Self {
        let runs: Vec<&Run> = runs.collect();
        let count = |which: fn(&Run) -> bool| runs.iter().filter(|run| which(run)).count();
        let quantile_of = |what: fn(&Run) -> f64, share| quantile(runs.iter().map(|run| what(run)), share);
        Self {
            runs: runs.len(),
            median: quantile_of(|run| run.above, 0.5),
            worst: quantile_of(|run| run.above, 1.0),
            median_of_range: quantile_of(|run| run.above_of_range, 0.5),
            worst_of_range: quantile_of(|run| run.above_of_range, 1.0),
            within: count(Run::is_within),
            said: count(|run| run.said),
            honest: count(|run| run.is_within() || run.said),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_undisturbed_run_arrives_before_it_stops_and_repeats_itself() {
        let reference = Reference::new(Family::Quadratic, 50, 1).unwrap();
        assert!(reference.arrival < reference.whole);
        assert!((reference.objective - reference.target.minimum()).abs() < 1e-6);
        let case = Case { disturbance: Disturbance::Independent, noise: 0.0, allowance: Allowance::Whole };
        let run = reference.disturbed(case).unwrap();
        assert!(run.is_within() && !run.said && run.above.abs() < 1e-12 && run.queries == reference.whole);
    }

    #[test]
    fn a_summary_counts_runs_that_are_close_or_say_so() {
        let case = Case { disturbance: Disturbance::Independent, noise: 0.1, allowance: Allowance::Arrival };
        let run = |above: f64, said| Run {
            family: Family::Quadratic,
            dim: 9,
            seed: 0,
            case,
            allowed: 9,
            queries: 9,
            above,
            above_of_range: 0.1 * above,
            said,
        };
        let runs = [run(0.05, false), run(0.5, true), run(0.2, false)];
        let Summary { median, worst, within, said, honest, .. } = Summary::of(runs.iter());
        assert_eq!((median, worst, within, said, honest), (0.2, 0.5, 1, 1, 2));
    }
}
