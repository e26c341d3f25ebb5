//! What is told at the end: every arm beside the paper's number.

use std::path::PathBuf;
use std::time::Duration;

use gradless_paper::reproduce::{Cell, Results, reference};
use serde::Serialize;

use crate::terminal::{Terminal, duration};

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Told {
    data_set: &'static str,
    jobs: usize,
    failed: usize,
    oracle_calls: u64,
    job_seconds: f64,
    seconds: f64,
    arms: Vec<ArmTold>,
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct ArmTold {
    mode: &'static str,
    method: &'static str,
    parameter: String,
    mean: f64,
    reference: Option<f64>,
    valid: f64,
    images: usize,
}

pub(super) fn tell(
    results: &Results,
    files: Vec<PathBuf>,
    took: Duration,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let Results { experiment, summary, .. } = results;
    let set = experiment.set;
    let arm = |cell: &Cell| ArmTold {
        mode: cell.mode.name(),
        method: cell.arm.family.name(),
        parameter: cell.arm.parameter(),
        mean: cell.last(),
        reference: reference(set, cell.mode, cell.arm, cell.mean.len() - 1),
        valid: cell.looks.last().map_or(0.0, |look| look.valid),
        images: cell.images.len(),
    };
    let told = Told {
        data_set: set.name(),
        jobs: summary.jobs,
        failed: summary.failed.len(),
        oracle_calls: summary.oracle_calls,
        job_seconds: summary.seconds,
        seconds: took.as_secs_f64(),
        arms: summary.cells.iter().map(arm).collect(),
        files,
    };
    let mut lines = vec![
        format!(
            "{}: {} jobs, {:.1} million queries, {} on one thread (this time {})",
            set.title(),
            told.jobs,
            told.oracle_calls as f64 / 1e6,
            duration(Duration::try_from_secs_f64(told.job_seconds).unwrap_or_default()),
            duration(took)
        ),
        format!("{:30} {:>9} {:>9} {:>6}", "", "here", "paper", "valid"),
    ];
    for arm in &told.arms {
        let reference = arm.reference.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        let name = format!("{} {} {}", arm.mode, arm.method, arm.parameter);
        lines.push(format!("{name:30} {:>9.4} {reference:>9} {:>4.0} %", arm.mean, 100.0 * arm.valid));
    }
    if told.failed > 0 {
        lines.push(format!("{} jobs did not reach their end: index.html says why", told.failed));
    }
    lines.extend(told.files.last().map(|page| page.display().to_string()));
    terminal.result(&lines.join("\n"), &told)
}
