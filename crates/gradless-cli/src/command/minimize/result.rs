//! What was found: for programs, for people, and in the folder of the run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gradless::trace::Record;
use gradless::{Outcome, StopReason};
use gradless_report::Minimum;
use serde::Serialize;

use super::run::{Plan, cut_off};
use crate::npy;
use crate::run::folder::{RESULT, pretty, put};
use crate::run::trace::{self, Row};
use crate::terminal;

/// The version of the keys.
const SCHEMA: &str = "gradless-minimize-1";
/// So many coordinates are told to people.
const SHOWN: usize = 12;

/// How a run has ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ended {
    /// As planned: going on would ask nothing.
    Finished,
    /// Ended from outside; it can go on.
    CutOff(String),
    /// Something broke; it can go on when that is mended.
    Broken(String),
}

impl Ended {
    pub(super) fn of(outcome: &Outcome, late: bool) -> Self {
        match &outcome.stop {
            Some(StopReason::Cancelled) if late => Self::CutOff("the time is up".to_owned()),
            Some(StopReason::Cancelled) | None => Self::CutOff("interrupted".to_owned()),
            stop @ Some(reason) if cut_off(stop.as_ref()) => Self::CutOff(reason.to_string()),
            Some(reason) if reason.is_planned() => Self::Finished,
            Some(reason) => Self::Broken(reason.to_string()),
        }
    }

    /// Whether all that was asked for was done.
    pub(super) fn is_all(&self, outcome: &Outcome, target: Option<f64>) -> bool {
        let reached = target.is_none_or(|target| outcome.objective().is_some_and(|found| found <= target));
        *self == Self::Finished && reached
    }
}

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    schema: &'static str,
    method: String,
    seed: u64,
    queries: u64,
    sent: u64,
    failed: u64,
    iterations: u64,
    stop_reason: String,
    finished: bool,
    pub(super) objective: Option<f64>,
    objective_start: Option<f64>,
    loss: Option<f64>,
    regulariser: f64,
    dim: usize,
    norm_l1: f64,
    norm_l2: f64,
    nonzeros: usize,
    largest: Vec<Coordinate>,
    noise: gradless::Noise,
    radius: f64,
    notices: Vec<String>,
    seconds: f64,
    files: Files,
    #[serde(skip)]
    go_on: Option<String>,
}

#[derive(Debug, Serialize)]
struct Coordinate {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    value: f64,
}

impl Coordinate {
    fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("x[{}]", self.index))
    }
}

#[derive(Debug, Serialize)]
struct Files {
    x: String,
    trace: String,
    report: String,
}

/// Writes what was found into the folder. The record comes last: where it is, all is.
pub(super) fn write(
    folder: &Path,
    plan: &Plan,
    outcome: &Outcome,
    ended: &Ended,
    took: Duration,
) -> anyhow::Result<Told> {
    let path = |name: &str| folder.join(name);
    let shown = |path: PathBuf| path.display().to_string();
    let x = outcome.x();
    npy::write(&path("x.npy"), &[x.len()], x)?;
    put(&path("trace.csv"), trace::csv(outcome.history.iter().map(row)).as_bytes())?;
    let point = outcome.point();
    let told = Told {
        schema: SCHEMA,
        method: plan.problem.method.name.clone(),
        seed: plan.problem.seed,
        queries: outcome.counts.queries,
        sent: outcome.counts.sent,
        failed: outcome.counts.failed,
        iterations: outcome.counts.iterations,
        stop_reason: match ended {
            Ended::CutOff(reason) | Ended::Broken(reason) => reason.clone(),
            Ended::Finished => outcome.stop.as_ref().map_or_else(String::new, ToString::to_string),
        },
        finished: *ended == Ended::Finished,
        objective: outcome.objective(),
        objective_start: outcome.history.first().and_then(|first| first.objective),
        loss: point.loss,
        regulariser: point.regulariser,
        dim: x.len(),
        norm_l1: gradless::vector::norm_l1(x),
        norm_l2: gradless::vector::norm_l2(x),
        nonzeros: x.iter().filter(|value| **value != 0.0).count(),
        largest: largest(x, plan.problem.names.as_deref()),
        noise: outcome.noise,
        radius: outcome.radius,
        notices: outcome.notices.iter().map(ToString::to_string).collect(),
        seconds: took.as_secs_f64(),
        files: Files {
            x: shown(path("x.npy")),
            trace: shown(path("trace.csv")),
            report: shown(path("report.html")),
        },
        go_on: matches!(ended, Ended::CutOff(_)).then(|| format!("gradless resume {}", folder.display())),
    };
    put(&path("report.html"), told.page(plan, &outcome.history).to_html().as_bytes())?;
    put(&path(RESULT), &pretty(&told)?)?;
    Ok(told)
}

/// The coordinates that differ most from 0, the largest first.
fn largest(x: &[f64], names: Option<&[String]>) -> Vec<Coordinate> {
    let mut order: Vec<usize> = (0..x.len()).filter(|&i| x[i] != 0.0).collect();
    order.sort_by(|&a, &b| x[b].abs().total_cmp(&x[a].abs()).then(a.cmp(&b)));
    order.truncate(SHOWN);
    let name = |index: usize| names.and_then(|names| names.get(index)).cloned();
    order.into_iter().map(|index| Coordinate { index, name: name(index), value: x[index] }).collect()
}

impl Told {
    /// The result as people look at it.
    fn page(&self, plan: &Plan, history: &[Record]) -> Minimum {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
        let named = |name: &str, value: String| (name.to_owned(), value);
        let headline = match (self.objective, self.objective_start) {
            (Some(end), Some(start)) => format!(
                "From {start:.6} to {end:.6} in {} queries; {} of {} coordinates are not 0.",
                self.queries, self.nonzeros, self.dim
            ),
            _ => "No objective is known.".to_owned(),
        };
        Minimum {
            title: plan.program.join(" "),
            headline,
            figures: vec![
                named("objective", number(self.objective)),
                named("loss", number(self.loss)),
                named("regulariser", format!("{:.6}", self.regulariser)),
                named("queries", self.queries.to_string()),
                named("points sent", self.sent.to_string()),
                named("failed", self.failed.to_string()),
            ],
            trace: history.iter().filter_map(|at| Some((at.queries, at.objective?))).collect(),
            coordinates: self.largest.iter().map(|at| (at.label(), at.value)).collect(),
            others: self.nonzeros - self.largest.len(),
            settings: vec![
                named("method", self.method.clone()),
                named("seed", self.seed.to_string()),
                named("steps", self.iterations.to_string()),
                named("ended", self.stop_reason.clone()),
                named("time", terminal::duration(Duration::from_secs_f64(self.seconds))),
                named("gradless", env!("CARGO_PKG_VERSION").to_owned()),
            ],
            notices: self.notices.clone(),
            command: plan.command.clone(),
        }
    }

    /// The result as people read it.
    pub(super) fn human(&self) -> String {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
        let mut lines = vec![
            format!(
                "objective {} (loss {}, regulariser {:.6})",
                number(self.objective),
                number(self.loss),
                self.regulariser
            ),
            format!(
                "{} queries, {} points sent, {} failed, {} steps of {}, {}: {}",
                self.queries,
                self.sent,
                self.failed,
                self.iterations,
                self.method,
                terminal::duration(Duration::from_secs_f64(self.seconds)),
                self.stop_reason
            ),
        ];
        lines.extend(self.notices.iter().map(|notice| format!("note: {notice}")));
        lines.push(format!("{} of {} coordinates are not 0", self.nonzeros, self.dim));
        for coordinate in &self.largest {
            lines.push(format!("  {} = {:.6}", coordinate.label(), coordinate.value));
        }
        lines.push(format!("the point is in {}; look at {}", self.files.x, self.files.report));
        if let Some(go_on) = &self.go_on {
            lines.push(format!("go on with `{go_on}`"));
        }
        terminal::lines(&lines)
    }
}

/// A step as a row of the trace.
fn row(record: &Record) -> Row {
    let Record { iteration, queries, objective, loss, norm_l1, norm_l2, nonzeros, step_size, .. } = *record;
    Row { iteration, queries, objective, loss, norm_l1, norm_l2, nonzeros, step_size }
}
