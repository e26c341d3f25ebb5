//! The result as programs read it. Keys may be added, not renamed.

use gradless_explain::{Answer, Minimal, Mode, Step};
use serde::Serialize;

use super::agreement::Agreement;
use super::subject::{Explained, Found, Job};
use super::words;
use crate::model;

/// The version of the keys.
pub(crate) const SCHEMA: &str = "gradless-explain-1";

/// One question and its answer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Record {
    schema: &'static str,
    input: String,
    input_sha256: String,
    pub(super) mode: Mode,
    method: &'static str,
    seed: u64,
    pub(super) queries: u64,
    sent: u64,
    iterations: u64,
    stop_reason: String,
    pub(super) valid: bool,
    pub(super) margin: f64,
    noise_floor: f64,
    noise_floor_source: &'static str,
    scores_are: &'static str,
    original: Verdict,
    pub(super) explanation: Verdict,
    weights: Weights,
    kappa: Option<f64>,
    target: Option<usize>,
    objective: f64,
    objective_start: Option<f64>,
    loss: f64,
    pub(super) norm_l1: f64,
    norm_l2: f64,
    nonzeros: usize,
    pub(super) pixels: usize,
    minimal: Minimal,
    first_valid: Option<u64>,
    best_valid: Option<u64>,
    agreement: Option<Agreement>,
    pub(super) sentence: String,
    hint: Option<&'static str>,
    pub(super) seconds: f64,
    files: Files,
}

/// A class and the scores behind it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) class: usize,
    pub(super) name: String,
    scores: Vec<f64>,
}

/// Weights of the penalty.
#[derive(Clone, Copy, Debug, Serialize)]
struct Weights {
    l1: f64,
    l2: f64,
}

/// Where things are.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Files {
    pub(super) x: String,
    pub(super) image: String,
    pub(super) overlay: String,
    pub(super) report: String,
    pub(super) trace: String,
}

impl Record {
    pub(super) fn new(job: &Job, explained: &Explained, found: &Found, files: Files) -> Self {
        let Answer { queries, iterations, valid, margin, kappa, weights: (l1, l2), .. } = found.answer;
        let answer = &found.answer;
        let scores = |class: usize, scores: &[f64]| Verdict {
            class,
            name: job.loaded.onnx.class_name(class),
            scores: explained.answers.told(scores),
        };
        Self {
            schema: SCHEMA,
            input: explained.name.clone(),
            input_sha256: input_hash(&explained.input),
            mode: found.mode,
            method: job.settings.method,
            seed: job.settings.seed,
            queries,
            sent: found.sent,
            iterations,
            stop_reason: found.stop_reason.clone(),
            valid,
            margin,
            noise_floor: explained.floor.margin,
            noise_floor_source: explained.floor.source,
            scores_are: explained.answers.name(),
            original: scores(answer.original_class, &answer.original_scores),
            explanation: scores(answer.class, &answer.scores),
            weights: Weights { l1, l2 },
            kappa,
            target: found.task.target,
            objective: answer.objective,
            objective_start: answer.objective_start,
            loss: answer.loss,
            norm_l1: answer.norm_l1,
            norm_l2: answer.norm_l2,
            nonzeros: answer.nonzeros,
            pixels: words::pixels(job, found),
            minimal: answer.minimal,
            first_valid: answer.first_valid,
            best_valid: answer.best_valid,
            agreement: found.agreement.clone(),
            sentence: words::sentence(job, explained, found),
            hint: words::hint(found),
            seconds: found.seconds,
            files,
        }
    }
}

/// What tells one input from another, whatever their files are called.
pub(super) fn input_hash(input: &[f64]) -> String {
    model::hash(&input.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
}

/// The trace as a table.
pub(super) fn trace(steps: &[Step]) -> String {
    let heads = "iteration,queries,objective,loss,norm_l1,norm_l2,nonzeros,step_size\n".to_owned();
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let row = |(index, step): (usize, &Step)| {
        let Step { queries, norm_l1, norm_l2, nonzeros, step_size, .. } = *step;
        let (iteration, objective, loss) = (index + 1, cell(step.objective), cell(step.loss));
        format!("{iteration},{queries},{objective},{loss},{norm_l1},{norm_l2},{nonzeros},{step_size}\n")
    };
    std::iter::once(heads).chain(steps.iter().enumerate().map(row)).collect()
}
