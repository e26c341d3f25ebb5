//! A run of the experiments: images chosen, jobs done, results drawn.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use gradless::Model;
use gradless_models::Onnx;
use gradless_paper::data::{DataSet, Labelled, Split, cifar10, mnist};
use gradless_paper::reproduce::{
    Arm, Cell, Conventions, Ending, Experiment, Journal, JournalError, Mode, ModelFacts, Others, Results,
    Run, Summary, Unusable, Watch, choose, missing, reference, sweep,
};
use serde::Serialize;

use super::super::Outcome;
use super::{Modes, Reproduce, Set, Size, Whose};
use crate::interrupt;
use crate::model::{self, EngineName, Loaded};
use crate::terminal::{Jobs, Terminal, duration};

pub(super) fn run(asked: &Reproduce, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let experiment = experiment(asked)?;
    let set = experiment.set;
    let test = read(asked.data.as_deref(), set)?;
    let Loaded { name, sha256, onnx: network } = model::load_for(set, asked.model.clone(), asked.engine)?;
    check(&network, &name, &test)?;
    let facts = ModelFacts { name, sha256, engine: network.engine().name().to_owned() };
    let images = choose(&network, set, &test, experiment.per_class, experiment.seed)?;
    let jobs = experiment.jobs(&images);

    let default = || Path::new("gradless-out").join(format!("reproduce-{}", set.name()));
    let folder = asked.out.clone().unwrap_or_else(default);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let (mut journal, mut runs) = open(&folder, &experiment, &facts, asked.force)?;
    let left = missing(&jobs, &runs);
    let queries = left.iter().map(|job| experiment.cost(job)).sum();
    let mut bar = Bar(Jobs::new(left.len() as u64, queries));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = asked.threads.unwrap_or(cores).max(1);
    let ending = sweep(
        &experiment,
        &left,
        &network,
        &test.images,
        threads,
        &mut journal,
        &mut runs,
        &mut bar,
        interrupt::flag(),
    );
    drop(bar);
    let ending = ending?;
    let summary = Summary::new(&experiment, &jobs, &runs);
    let command = command(asked, &experiment);
    let results = Results { experiment, model: facts, images, summary, command };
    let files = if runs.is_empty() { Vec::new() } else { write(&results, &folder)? };
    if ending == Ending::Interrupted {
        bail!(
            "interrupted after {} of {} jobs; nothing is lost: the figures in {} show these, and the same command goes on",
            results.summary.done,
            results.summary.jobs,
            folder.display()
        );
    }
    tell(&results, &runs, files, began.elapsed(), terminal)
}

/// What is asked for: a size, and what is said otherwise.
fn experiment(asked: &Reproduce) -> anyhow::Result<Experiment> {
    let set = match asked.set {
        Set::Mnist => DataSet::Mnist,
        Set::Cifar10 => DataSet::Cifar10,
    };
    let mut experiment = match asked.size {
        Size::Quick => Experiment::quick(set),
        Size::Full => Experiment::full(set),
    };
    match asked.mode {
        Some(Modes::Pn) => experiment.modes = vec![Mode::Pn],
        Some(Modes::Pp) => experiment.modes = vec![Mode::Pp],
        Some(Modes::Both) => experiment.modes = vec![Mode::Pn, Mode::Pp],
        None => (),
    }
    if let Some(count) = asked.per_class {
        experiment.per_class = count as usize;
    }
    if !asked.methods.is_empty() {
        let mut arms: Vec<Arm> = Vec::new();
        for words in &asked.methods {
            arms.extend(Arm::find(words)?);
        }
        arms.sort();
        arms.dedup();
        experiment.arms = Some(arms);
    }
    experiment.conventions = match asked.conventions {
        Whose::Seed => Conventions::SEED,
        Whose::Authors => Conventions::AUTHORS,
    };
    experiment.seed = asked.seed;
    Ok(experiment)
}

fn read(data: Option<&Path>, set: DataSet) -> anyhow::Result<Labelled> {
    let folder = data.map_or_else(|| PathBuf::from("data"), Path::to_owned);
    let inner = folder.join(set.name());
    let folder = if inner.is_dir() { inner } else { folder };
    let read = match set {
        DataSet::Mnist => mnist,
        DataSet::Cifar10 => cifar10,
    };
    read(&folder, Split::Test).with_context(|| {
        let name = set.name();
        format!("the images cannot be read; `gradless data {name}` brings them to data/{name}, `--data DIR` says where they are")
    })
}

/// Whether the network takes the images as they are and knows their classes.
fn check(network: &Onnx, name: &str, test: &Labelled) -> anyhow::Result<()> {
    let Labelled { images, labels } = test;
    let wanted = [images.channels, images.height, images.width];
    if network.shape() != wanted {
        bail!("{name} takes inputs of shape {:?}, the images have {wanted:?}", network.shape());
    }
    if network.description().range != [0.0, 1.0] {
        bail!("{name} takes numbers in {:?}: pixels from 0 to 1 are needed", network.description().range);
    }
    let classes = labels.iter().max().map_or(0, |&label| usize::from(label) + 1);
    if network.classes() < classes.max(2) {
        bail!("{name} knows {} classes, the images have {classes}", network.classes());
    }
    Ok(())
}

fn open(
    folder: &Path,
    experiment: &Experiment,
    facts: &ModelFacts,
    force: bool,
) -> anyhow::Result<(Journal, Vec<Run>)> {
    let others = if force { Others::Replace } else { Others::Refuse };
    Journal::open(folder, &experiment.identity(facts), others).map_err(|error| match error {
        JournalError::Unusable { problem: Unusable::Another { .. } | Unusable::Header, .. } => {
            anyhow!("{error}; begin again with `--force`, or choose another folder with `--out`")
        }
        other => other.into(),
    })
}

/// The command that repeats the run, on any machine: without folders and threads.
fn command(asked: &Reproduce, experiment: &Experiment) -> String {
    let mode = match experiment.modes[..] {
        [only] => only.name(),
        _ => "both",
    };
    let size = if asked.size == Size::Quick { "quick" } else { "full" };
    let whose = if asked.conventions == Whose::Seed { "seed" } else { "authors" };
    let mut words = vec![format!("gradless reproduce {} --size {size} --mode {mode}", experiment.set.name())];
    words.push(format!("--per-class {}", experiment.per_class));
    if !asked.methods.is_empty() {
        words.push(format!("--methods {}", asked.methods.join(",")));
    }
    words.push(format!("--conventions {whose} --seed {}", experiment.seed));
    if let Some(model) = asked.model.as_deref().and_then(Path::file_name) {
        words.push(format!("--model {}", model.display()));
    }
    if asked.engine == EngineName::Ort {
        words.push("--engine ort".to_owned());
    }
    words.join(" ")
}

fn write(results: &Results, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let write = |(name, bytes): (String, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    };
    results.files().into_iter().map(write).collect()
}

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Told {
    data_set: &'static str,
    jobs: usize,
    failed: usize,
    oracle_calls: u64,
    cpu_seconds: f64,
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

fn tell(
    results: &Results,
    runs: &[Run],
    files: Vec<PathBuf>,
    took: Duration,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
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
        oracle_calls: runs.iter().filter_map(|run| run.calls.last()).sum(),
        cpu_seconds: runs.iter().map(|run| run.seconds).sum(),
        seconds: took.as_secs_f64(),
        arms: summary.cells.iter().map(arm).collect(),
        files,
    };
    let mut lines = vec![
        format!(
            "{}: {} jobs, {:.1} million queries, {} (this time {})",
            set.title(),
            told.jobs,
            told.oracle_calls as f64 / 1e6,
            duration(Duration::try_from_secs_f64(told.cpu_seconds).unwrap_or_default()),
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
    terminal.result(&lines.join("\n"), &told)?;
    Ok(Outcome::Done)
}

struct Bar(Jobs);

impl Watch for Bar {
    fn done(&mut self, run: &Run, calls: u64) {
        self.0.done(calls, &run.arm.to_string());
    }
}
