//! A run of the experiments: images chosen, jobs done, results drawn.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use gradless::Model;
use gradless_paper::data::{DataSet, Labelled, Split, cifar10, mnist};
use gradless_paper::reproduce::{
    Ending, Experiment, Journal, JournalError, ModelFacts, Others, Results, Run, Summary, Sweep, Unusable,
    Watch, choose, missing, runs_csv_gz,
};

use super::super::Outcome;
use super::Reproduce;
use super::settings::{command, experiment, order};
use super::told::tell;
use crate::model::{self, Loaded};
use crate::run::interrupt;
use crate::terminal::{Jobs, Terminal, say};

/// A network that gets a smaller share of the images right is probably not shown what it was trained on. The paper's have 98 and 91 %;
/// its ResNet20 gets 32 % right where its input is not normalised.
const DOUBTFUL: f64 = 0.6;

pub(super) fn run(asked: &Reproduce, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let experiment = experiment(asked)?;
    let set = experiment.set;
    let order = order(asked, set)?;
    let test = read(asked.data.as_deref(), set)?;
    let Loaded { name, sha256, onnx: network, .. } = model::load_for(set, asked.model.clone(), asked.engine)?;
    check(&network, &name, &test)?;
    // The page is for everybody: where a file lies on this machine is nobody's concern.
    let own = asked.model.as_deref().and_then(Path::file_name).map(|file| file.display().to_string());
    let facts = ModelFacts { name: own.unwrap_or(name), sha256, engine: network.engine().to_owned() };
    let choice = choose(&network, set, &test, &order, experiment.per_class, experiment.seed)?;
    if choice.accuracy() < DOUBTFUL {
        say(&format!(
            "{} gets {:.0} % of the images right: are mean and std of its input missing beside it (a file with the ending .toml)?",
            facts.name,
            100.0 * choice.accuracy()
        ));
    }
    let images = choice.images;
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
    let work = Sweep {
        experiment: &experiment,
        jobs: &left,
        model: &network,
        images: &test.images,
        threads,
        cancel: interrupt::flag(),
    };
    let ending = work.run(&mut journal, &mut runs, &mut bar);
    drop(bar);
    let ending = ending?;
    let summary = Summary::new(&experiment, &jobs, &runs);
    let command = command(asked, &experiment);
    let results = Results { experiment, model: facts, images, summary, command };
    runs.retain(|run| jobs.iter().any(|job| run.is_of(job)));
    let files = if runs.is_empty() { Vec::new() } else { write(&results, &runs, &folder)? };
    if ending == Ending::Interrupted {
        bail!(
            "interrupted after {} of {} jobs; nothing is lost: the figures in {} show these, and the same command goes on",
            results.summary.done,
            results.summary.jobs,
            folder.display()
        );
    }
    tell(&results, files, began.elapsed(), terminal)?;
    Ok(Outcome::Done)
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
fn check(network: &model::BlackBox, name: &str, test: &Labelled) -> anyhow::Result<()> {
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

fn write(results: &Results, runs: &[Run], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let write = |(name, bytes): (String, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    };
    let mut files = vec![("runs.csv.gz".to_owned(), runs_csv_gz(runs)?)];
    files.extend(results.files());
    files.into_iter().map(write).collect()
}

struct Bar(Jobs);

impl Watch for Bar {
    fn done(&mut self, run: &Run, calls: u64) {
        self.0.done(calls, &run.arm.to_string());
    }
}
