//! The folder of a run: its configuration, its journal, and what was found.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::problem::ProblemFile;
use super::run::Plan;
use crate::run::folder::{self, CONFIG, JOURNAL, PROGRESS, RESULT};

/// The version of the keys of `config.json`.
pub(in super::super) const SCHEMA: &str = "gradless-minimize-1";
/// What a run leaves behind, and another may replace; the journal comes last, so that half a removal can be told.
const LEAVINGS: [&str; 7] = [RESULT, PROGRESS, "report.html", "trace.csv", "x.npy", CONFIG, JOURNAL];

/// All that is needed to repeat a run. Keys may be added, not renamed.
#[derive(Serialize, Deserialize)]
struct Written {
    schema: String,
    version: String,
    command: String,
    directory: PathBuf,
    program: Vec<String>,
    /// The whole `P.toml`, arrays included.
    problem: String,
    processes: usize,
    rows: usize,
    timeout: Option<f64>,
    retries: u32,
}

/// Where the journal of a run is.
pub(super) fn journal(folder: &Path) -> PathBuf {
    folder.join(JOURNAL)
}

/// Makes the folder of a new run, and writes its configuration.
pub(super) fn prepare(out: Option<&Path>, force: bool, plan: &Plan) -> anyhow::Result<PathBuf> {
    let path = match out {
        None => folder::fresh("minimize")?,
        Some(path) => {
            make(path, force)?;
            path.to_owned()
        }
    };
    let written = Written {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: plan.command.clone(),
        directory: plan.directory.clone(),
        program: plan.program.clone(),
        problem: plan.problem.text()?,
        processes: plan.processes,
        rows: plan.rows,
        timeout: plan.timeout,
        retries: plan.retries,
    };
    folder::put(&path.join(CONFIG), &folder::pretty(&written)?)?;
    Ok(path)
}

fn make(path: &Path, force: bool) -> anyhow::Result<()> {
    let empty = folder::is_empty(path)?;
    if !empty && !force {
        let hint = if path.join(JOURNAL).exists() {
            format!("Go on with it: gradless resume {}. Or choose", path.display())
        } else {
            "Choose".to_owned()
        };
        bail!(
            "{} exists already. {hint} another --out, or replace what is there with --force",
            path.display()
        );
    }
    folder::make(path)?;
    if empty { Ok(()) } else { clear(path) }
}

/// Away with what an earlier run has left, unless it is still at work. What somebody else keeps there stays.
fn clear(path: &Path) -> anyhow::Result<()> {
    let _held = match fs::File::open(path.join(JOURNAL)) {
        Ok(file) => {
            if file.try_lock().is_err() {
                bail!(
                    "another process is working in {}: wait until it has ended, or stop it",
                    path.display()
                );
            }
            Some(file)
        }
        Err(_) => None,
    };
    folder::clear(path, &LEAVINGS)
}

/// The plan of a run that was begun.
pub(super) fn read(folder: &Path) -> anyhow::Result<Plan> {
    let path = folder.join(CONFIG);
    let read = || {
        let text = fs::read_to_string(&path).context("cannot be read")?;
        let written: Written = serde_json::from_str(&text).context("is damaged")?;
        if written.version != env!("CARGO_PKG_VERSION") {
            bail!(
                "belongs to version {} of gradless, this is {}: the same run is only promised by the same version",
                written.version,
                env!("CARGO_PKG_VERSION")
            );
        }
        Ok(Plan {
            problem: ProblemFile::parse(&written.problem)?,
            program: written.program,
            command: written.command,
            directory: written.directory,
            processes: written.processes,
            rows: written.rows,
            timeout: written.timeout,
            retries: written.retries,
        })
    };
    read().with_context(|| format!("the configuration {}", path.display()))
}
