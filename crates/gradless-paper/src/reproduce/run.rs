//! One job from its start to its curve.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gradless::{Driver, Model, Outcome, Solver, StopReason};
use serde::{Deserialize, Serialize};

use super::arm::Arm;
use super::experiment::{Experiment, Job, LOOKS};
use super::question::{Mode, Question, Unasked, loss};
use super::stream;
use crate::data::Images;

/// What came of a job: one line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was searched for.
    pub mode: Mode,
    /// By what.
    pub arm: Arm,
    /// The image's class.
    pub class: u8,
    /// The image's place in the test set.
    pub image: usize,
    /// $F(x_1)$.
    pub start: f64,
    /// $F(x_{t+1})/F(x_1)$ after $t$ steps, from $t = 0$.
    pub ratio: Vec<f64>,
    /// Oracle calls used by then.
    pub calls: Vec<u64>,
    /// The point after some numbers of steps.
    pub looks: Vec<Look>,
    /// By how much the class condition holds at the last point.
    pub margin: f64,
    /// The last point's $\ell_1$ norm.
    pub norm_l1: f64,
    /// How long it took, on a thread of its own.
    pub seconds: f64,
    /// Why it did not reach its end, if it did not; then nothing else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// A point of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// After so many steps.
    pub iteration: usize,
    /// Whether the class condition holds.
    pub valid: bool,
    /// Coordinates that are not 0.
    pub nonzeros: usize,
}

impl Run {
    /// Whether it is the run of a job.
    pub fn is_of(&self, job: &Job) -> bool {
        self.mode == job.mode && self.arm == job.arm && self.image == job.image.index
    }
}

/// Runs a job on the calling thread; `None` if it was cancelled.
pub(super) fn run(
    experiment: &Experiment,
    job: &Job,
    model: &dyn Model,
    images: &Images,
    cancel: &AtomicBool,
) -> Result<Option<Run>, Unasked> {
    let began = Instant::now();
    let (set, mode) = (experiment.set, job.mode);
    let question = Question::new(model, set, (images, job.image.index), mode, experiment.conventions)?;
    let seed = stream::number(&[
        "directions",
        set.name(),
        &experiment.seed.to_string(),
        mode.name(),
        &job.arm.to_string(),
        &job.image.index.to_string(),
    ]);
    let config = experiment.conventions.config(job.arm, experiment.batch, experiment.iterations, seed);
    let solver = Solver::new(question.problem()?, config)?;
    let outcome = Driver::default().cancelled_by(cancel).run(solver, &question);
    let seconds = began.elapsed().as_secs_f64();
    match &outcome.stop {
        Some(StopReason::Iterations) => {
            let margin = question.margin(&outcome.last.x)?;
            Ok(Some(told(job, &outcome, margin, seconds)))
        }
        Some(StopReason::Cancelled) => Ok(None),
        Some(StopReason::OracleFailed { message } | StopReason::OraclePanicked { message }) => {
            Err(Unasked::Gone { message: message.clone() })
        }
        other => Ok(Some(failed(job, format!("{other:?}"), seconds))),
    }
}

/// A run without an end: answers that are not numbers, a step that has no finite answer.
fn failed(job: &Job, reason: String, seconds: f64) -> Run {
    Run {
        mode: job.mode,
        arm: job.arm,
        class: job.image.class,
        image: job.image.index,
        start: 0.0,
        ratio: Vec::new(),
        calls: Vec::new(),
        looks: Vec::new(),
        margin: 0.0,
        norm_l1: 0.0,
        seconds,
        failed: Some(reason),
    }
}

fn told(job: &Job, outcome: &Outcome, margin: f64, seconds: f64) -> Run {
    let objectives = outcome.history.iter().map(|record| record.objective.unwrap_or(f64::NAN));
    // What the method asked at every point anyway, and one more value at the last.
    let curve: Vec<f64> = objectives.chain([loss(margin) + outcome.last.regulariser]).collect();
    let start = curve[0];
    let end = curve.len() - 1;
    let nonzeros = |x: &[f64]| x.iter().filter(|&&x| x != 0.0).count();
    let look = |iteration: usize| match outcome.history.get(iteration) {
        Some(record) => Look {
            iteration,
            valid: record.loss.is_some_and(|loss| loss < std::f64::consts::LN_2),
            nonzeros: record.nonzeros,
        },
        None => Look { iteration, valid: margin > 0.0, nonzeros: nonzeros(&outcome.last.x) },
    };
    let mut looks: Vec<Look> = LOOKS.into_iter().filter(|&t| t < end).map(look).collect();
    looks.push(look(end));
    Run {
        mode: job.mode,
        arm: job.arm,
        class: job.image.class,
        image: job.image.index,
        start,
        ratio: curve.iter().map(|value| value / start).collect(),
        calls: [0].into_iter().chain(outcome.history.iter().map(|record| record.queries)).collect(),
        looks,
        margin,
        norm_l1: outcome.last.x.iter().map(|x| x.abs()).sum(),
        seconds,
        failed: None,
    }
}
