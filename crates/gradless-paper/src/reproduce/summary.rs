//! Many runs in few numbers: mean curves with quartiles, validity, sparsity, cost, and which arm of a method is best.

use super::arm::{Arm, Family};
use super::experiment::{Experiment, Job, LOOKS};
use super::question::Mode;
use super::run::Run;

/// The arms of an experiment over its images.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One per mode and arm that has at least one run, in the paper's order.
    pub cells: Vec<Cell>,
    /// Jobs asked for.
    pub jobs: usize,
    /// Jobs done.
    pub done: usize,
    /// Oracle calls they made.
    pub oracle_calls: u64,
    /// Seconds they took, one after the other.
    pub seconds: f64,
    /// Runs that did not reach their end: what and why.
    pub failed: Vec<(Mode, Arm, usize, String)>,
}

/// One arm over its images.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What was searched for.
    pub mode: Mode,
    /// By what.
    pub arm: Arm,
    /// Images it was run on, in the order of `finals`.
    pub images: Vec<usize>,
    /// The mean of $F(x_{t+1})/F(x_1)$ after $t$ steps.
    pub mean: Vec<f64>,
    /// Quartiles of the same.
    pub quartiles: Vec<[f64; 3]>,
    /// The last ratio of every image.
    pub finals: Vec<f64>,
    /// Oracle calls per image after $t$ steps.
    pub calls: Vec<u64>,
    /// The points on the way.
    pub looks: Vec<CellLook>,
    /// The median $\ell_1$ norm of the last point.
    pub norm_l1: f64,
    /// Whether no arm of the method has a smaller mean at the end.
    pub best: bool,
}

/// The points of an arm after some number of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellLook {
    /// Steps.
    pub iteration: usize,
    /// The share at which the class condition holds.
    pub valid: f64,
    /// The median number of coordinates that are not 0.
    pub nonzeros: f64,
}

impl Summary {
    /// Sums up the runs that belong to an experiment's jobs; their order does not matter.
    pub fn new(experiment: &Experiment, jobs: &[Job], runs: &[Run]) -> Self {
        let (mut cells, mut failed) = (Vec::new(), Vec::new());
        let (mut done, mut oracle_calls, mut seconds) = (0, 0, 0.0);
        for &mode in &experiment.modes {
            for arm in experiment.arms(mode) {
                let wanted: std::collections::HashSet<usize> = jobs
                    .iter()
                    .filter(|job| (job.mode, job.arm) == (mode, arm))
                    .map(|job| job.image.index)
                    .collect();
                let of_cell = |run: &&Run| (run.mode, run.arm) == (mode, arm) && wanted.contains(&run.image);
                let mut mine: Vec<&Run> = runs.iter().filter(of_cell).collect();
                mine.sort_by_key(|run| (run.class, run.image));
                mine.dedup_by_key(|run| run.image);
                done += mine.len();
                oracle_calls += mine.iter().filter_map(|run| run.calls.last()).sum::<u64>();
                seconds += mine.iter().map(|run| run.seconds).sum::<f64>();
                failed
                    .extend(mine.iter().filter_map(|run| Some((mode, arm, run.image, run.failed.clone()?))));
                mine.retain(|run| run.failed.is_none());
                cells.extend(Cell::new(mode, arm, &mine));
            }
        }
        let mut summary = Self { cells, jobs: jobs.len(), done, oracle_calls, seconds, failed };
        for index in 0..summary.cells.len() {
            let cell = &summary.cells[index];
            let is_rival = |other: &&Cell| other.arm.family == cell.arm.family;
            let best = summary.of(cell.mode).filter(is_rival).all(|other| other.last() >= cell.last());
            summary.cells[index].best = best;
        }
        summary
    }

    /// The arms of a mode.
    pub fn of(&self, mode: Mode) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |cell| cell.mode == mode)
    }

    /// The best arm of every method, in the paper's order.
    pub fn main(&self, mode: Mode) -> Vec<&Cell> {
        let best = |family: Family| self.of(mode).find(|cell| cell.best && cell.arm.family == family);
        Family::ALL.into_iter().filter_map(best).collect()
    }

    /// The modes that have a curve.
    pub fn modes(&self) -> Vec<Mode> {
        [Mode::Pn, Mode::Pp].into_iter().filter(|&mode| self.of(mode).next().is_some()).collect()
    }
}

impl Cell {
    fn new(mode: Mode, arm: Arm, runs: &[&Run]) -> Option<Self> {
        let first = runs.first()?;
        let columns = |t: usize| runs.iter().map(|run| run.ratio[t]).collect::<Vec<f64>>();
        let steps = 0..first.ratio.len();
        let look = |(place, look): (usize, &super::run::Look)| {
            let looks = runs.iter().filter_map(|run| run.looks.get(place));
            CellLook {
                iteration: look.iteration,
                valid: mean(&looks.clone().map(|look| f64::from(u8::from(look.valid))).collect::<Vec<_>>()),
                nonzeros: quantile(looks.map(|look| look.nonzeros as f64).collect(), 0.5),
            }
        };
        Some(Self {
            mode,
            arm,
            images: runs.iter().map(|run| run.image).collect(),
            mean: steps.clone().map(|t| mean(&columns(t))).collect(),
            quartiles: steps.map(|t| [0.25, 0.5, 0.75].map(|share| quantile(columns(t), share))).collect(),
            finals: runs.iter().filter_map(|run| run.ratio.last().copied()).collect(),
            calls: first.calls.clone(),
            looks: first.looks.iter().enumerate().map(look).collect(),
            norm_l1: quantile(runs.iter().map(|run| run.norm_l1).collect(), 0.5),
            best: false,
        })
    }

    /// The mean at the end.
    pub fn last(&self) -> f64 {
        self.mean.last().copied().unwrap_or(f64::NAN)
    }

    /// The steps at which tables look at it.
    pub fn look_steps(&self) -> Vec<usize> {
        LOOKS.into_iter().filter(|&t| t < self.mean.len()).collect()
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile, between neighbours in proportion.
pub(super) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = share * (values.len().saturating_sub(1)) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
    let below = place as usize;
    match (values.get(below), values.get(below + 1)) {
        (Some(low), Some(high)) => low + (place - below as f64) * (high - low),
        (Some(only), None) => *only,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = vec![4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|share| quantile(values.clone(), share)), [1.0, 1.75, 2.5, 4.0]);
        assert_eq!(quantile(vec![7.0], 0.75), 7.0);
    }
}
