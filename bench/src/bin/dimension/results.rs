//! What was measured, and what it should look like.

use std::fmt;

use bench::fit;
use bench::race::Goal;

use crate::contest::{AUTO, Family, PSGD, Tuning};

/// Steepest growth allowed to the exponentiated-gradient family, by goal: $(\ln d)^2$ has 0.30 between $10^2$ and $10^4$.
const STEEPEST: [(Goal, f64); 2] = [(Goal::Objective, 0.30), (Goal::GradientMap, 0.35)];
/// Steepest growth allowed to `auto`, whose surveys take $8\ln d$ directions.
const STEEPEST_AUTO: f64 = 0.25;
/// ZO-PSGD grows like $d$; if it does not, it was not the opponent it should be.
const PSGD_LEAST: f64 = 0.80;
/// How many times more calls ZO-PSGD makes than the paper's method, at this dimension.
const RATIO_DIM: usize = 10_000;
const RATIO_LEAST: f64 = 10.0;
const SEEDS_METHOD: &str = "zo-ada-exp-grad+";

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) family: Family,
    pub(crate) goal: Goal,
    pub(crate) method: &'static str,
    pub(crate) dim: usize,
    pub(crate) seed: u64,
    /// `None` if the goal was not reached.
    pub(crate) calls: Option<u64>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, goal, method, dim, seed, calls } = self;
        write!(f, "{method}, family {family}, {goal:?}, d = {dim}, seed {seed}: ")?;
        match calls {
            Some(calls) => write!(f, "{calls} calls"),
            None => write!(f, "not reached"),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    pub(crate) runs: Vec<Run>,
    /// The settings ZO-PSGD was given.
    pub(crate) tunings: Vec<(Family, usize, Tuning)>,
}

/// All runs of one method on one family to one goal.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) family: Family,
    pub(crate) goal: Goal,
    pub(crate) method: &'static str,
    /// Dimension and median, ascending; no median if most runs failed.
    pub(crate) medians: Vec<(usize, Option<u64>)>,
}

impl Curve {
    /// The dimensions at which the goal was reached, as numbers.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.medians.iter().filter_map(|&(dim, calls)| Some((dim as f64, calls? as f64)))
    }

    pub(crate) fn slope(&self) -> Option<f64> {
        fit::log_slope(self.points())
    }

    /// The power of $\ln d$ that calls grow with.
    pub(crate) fn power_of_log(&self) -> Option<f64> {
        fit::log_slope(self.points().map(|(dim, calls)| (dim.ln(), calls)))
    }

    pub(crate) fn at(&self, dim: usize) -> Option<u64> {
        self.medians.iter().find(|median| median.0 == dim)?.1
    }

    fn complaint(&self) -> Option<String> {
        let name = format!("{}, family {}, {:?}", self.method, self.family, self.goal);
        if let Some((dim, _)) = self.medians.iter().find(|median| median.1.is_none()) {
            return Some(format!("{name}: the goal was not reached at d = {dim}"));
        }
        let slope = self.slope()?;
        let steepest = if self.method == AUTO {
            STEEPEST_AUTO
        } else {
            STEEPEST.iter().find(|limit| limit.0 == self.goal)?.1
        };
        if self.method == PSGD {
            (slope < PSGD_LEAST).then(|| format!("{name}: slope {slope:.3} is below {PSGD_LEAST}"))
        } else {
            (slope > steepest).then(|| format!("{name}: slope {slope:.3} is above {steepest}"))
        }
    }
}

impl Results {
    /// The curves in the order they were first run.
    pub(crate) fn curves(&self) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for &Run { family, goal, method, .. } in &self.runs {
            let same = |curve: &Curve| (curve.family, curve.goal, curve.method) == (family, goal, method);
            if !curves.iter().any(same) {
                curves.push(Curve { family, goal, method, medians: self.medians(family, goal, method) });
            }
        }
        curves
    }

    fn medians(&self, family: Family, goal: Goal, method: &str) -> Vec<(usize, Option<u64>)> {
        let runs = || {
            self.runs.iter().filter(move |run| (run.family, run.goal, run.method) == (family, goal, method))
        };
        let mut dims: Vec<usize> = runs().map(|run| run.dim).collect();
        dims.sort_unstable();
        dims.dedup();
        let median = |dim| fit::median(runs().filter(|run| run.dim == dim).map(|run| run.calls));
        dims.into_iter().map(|dim| (dim, median(dim))).collect()
    }

    /// Calls of ZO-PSGD over calls of a method at $d = 10^4$, for the objective.
    pub(crate) fn ratio(&self, family: Family, method: &str) -> Option<f64> {
        let curves = self.curves();
        let calls = |method: &str| {
            let fits = |curve: &&Curve| {
                curve.family == family && curve.goal == Goal::Objective && curve.method == method
            };
            curves.iter().find(fits)?.at(RATIO_DIM)
        };
        Some(calls(PSGD)? as f64 / calls(method)? as f64)
    }

    /// What is not as it should be.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let curves = self.curves();
        let mut complaints: Vec<String> = curves.iter().filter_map(Curve::complaint).collect();
        for family in Family::ALL {
            let ratio = self.ratio(family, SEEDS_METHOD);
            if ratio.is_none_or(|ratio| ratio < RATIO_LEAST) {
                let told = ratio.map_or("unknown".to_owned(), |ratio| format!("{ratio:.1}"));
                complaints.push(format!(
                    "family {family}: at d = {RATIO_DIM} {PSGD} makes {told} times the calls of \
                     {SEEDS_METHOD}, at least {RATIO_LEAST} are expected"
                ));
            }
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls growing like $d^{slope}$ from 100 dimensions on.
    fn results(exp: f64, psgd: f64, psgd_start: f64) -> Results {
        let mut results = Results::default();
        for family in Family::ALL {
            for dim in [100, 1_000, 10_000] {
                let growth = |start: f64, slope: f64| (start * (dim as f64 / 100.0).powf(slope)).round();
                for (method, calls) in [(SEEDS_METHOD, growth(1e3, exp)), (PSGD, growth(psgd_start, psgd))] {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "whole and positive"
                    )]
                    let calls = Some(calls as u64);
                    results.runs.push(Run { family, goal: Goal::Objective, method, dim, seed: 0, calls });
                }
            }
        }
        results
    }

    #[test]
    fn what_is_promised_passes_and_each_failure_is_named() {
        assert_eq!(results(0.2, 1.0, 1e3).complaints(), [""; 0]);
        let complaints = |exp, psgd, start| results(exp, psgd, start).complaints().join("\n");
        assert!(complaints(0.4, 1.0, 1e4).contains("above 0.3"));
        assert!(complaints(0.2, 0.7, 1e4).contains("below 0.8"));
        assert!(complaints(0.2, 1.0, 1e2).contains("4.0 times the calls"));
    }

    #[test]
    fn a_goal_that_is_not_reached_is_a_failure() {
        let mut results = results(0.2, 1.0, 1e3);
        results.runs[0].calls = None;
        assert!(results.complaints()[0].contains("not reached at d = 100"), "{:?}", results.complaints());
    }
}
