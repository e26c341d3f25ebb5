//! A training run: data in, files out, with a bar that tells loss, accuracy, speed and time left.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gradless_paper::data::{DataSet, Labelled, Split, cifar10, mnist};
use gradless_paper::train::{
    Architecture, BatchNorm, Ending, EpochRecord, Progress, Recipe, Settings, Trained, Watch, curve_csv,
    curve_svg, resume, train,
};
use serde::Serialize;

use super::super::Outcome;
use super::{Network, Norm, Train};
use crate::run::interrupt;
use crate::terminal::{Steps, Terminal, say};

/// More threads than shards per batch have nothing to do.
const MOST_THREADS: usize = 4;

pub(super) fn run(asked: &Train, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let architecture = match asked.network {
        Network::Lenet => Architecture::LeNet,
        Network::Resnet20 => Architecture::ResNet20,
        Network::Resnet8 => Architecture::ResNet8,
        Network::Convnet => Architecture::ConvNet,
    };
    let folder = folder(asked, architecture)?;
    let (images, test) = read(asked, architecture)?;
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut recipe = Recipe::of(architecture);
    recipe.epochs = asked.epochs.unwrap_or(recipe.epochs);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        architecture,
        recipe,
        seed: asked.seed,
        threads: asked.threads.unwrap_or(cores).clamp(1, MOST_THREADS),
        checkpoint: folder.join("checkpoint"),
    };
    let cancel = interrupt::flag();
    let mut watch = Bar { architecture, folder: &folder, steps: Steps::new(), failed: None };
    let trained = match &asked.resume {
        Some(from) => resume(from, &settings, &images, &test, &mut watch, cancel),
        None => train(&settings, &images, &test, &mut watch, cancel),
    }?;
    if let Some(error) = watch.failed.take() {
        say(&format!("the training curve could not be written: {error:#}"));
    }
    drop(watch);
    match trained.ending {
        Ending::Interrupted => {
            let (data, checkpoint) = (word(&data_folder(asked, architecture)), word(&settings.checkpoint));
            let kept = if asked.batch_norm == Norm::Kept { " --batch-norm kept" } else { "" };
            let network = architecture.name();
            bail!(
                "interrupted; nothing is lost: `gradless train {network} --data {data} --resume {checkpoint}{kept}` goes on"
            )
        }
        Ending::Finished => finish(asked, architecture, &trained, &folder, terminal),
    }
}

/// Where the run lives. A folder with another run in it is left alone.
fn folder(asked: &Train, architecture: Architecture) -> anyhow::Result<PathBuf> {
    let beside = asked.resume.as_deref().and_then(Path::parent).map(Path::to_owned);
    let folder = match (&asked.out, beside) {
        (Some(out), _) => out.clone(),
        (None, Some(folder)) => folder,
        (None, None) => Path::new("gradless-out").join(architecture.name()),
    };
    let checkpoint = folder.join("checkpoint");
    // A checkpoint that goes on in its own folder replaces itself; any other would be lost.
    let real = |path: &Path| path.canonicalize().ok();
    let itself = asked.resume.as_deref().is_some_and(|from| real(from) == real(&checkpoint));
    if checkpoint.exists() && !itself && asked.force {
        // Until the first new one is written there is none: the old run must not be taken for this one.
        fs::remove_file(&checkpoint)
            .with_context(|| format!("{} cannot be removed", checkpoint.display()))?;
    } else if checkpoint.exists() && !itself {
        bail!(
            "{} holds a run: go on with `--resume {}`, begin again with `--force`, or choose another folder with `--out`",
            folder.display(),
            word(&checkpoint)
        );
    }
    Ok(folder)
}

/// A path as it is typed into a shell.
fn word(path: &Path) -> String {
    let path = path.display().to_string();
    if path.contains(char::is_whitespace) { format!("'{path}'") } else { path }
}

fn data_folder(asked: &Train, architecture: Architecture) -> PathBuf {
    let set = data_set(architecture);
    let folder = asked.data.clone().unwrap_or_else(|| PathBuf::from("data"));
    let inner = folder.join(set.name());
    if inner.is_dir() { inner } else { folder }
}

fn data_set(architecture: Architecture) -> DataSet {
    match architecture {
        Architecture::LeNet | Architecture::ResNet8 | Architecture::ConvNet => DataSet::Mnist,
        Architecture::ResNet20 => DataSet::Cifar10,
    }
}

fn read(asked: &Train, architecture: Architecture) -> anyhow::Result<(Labelled, Labelled)> {
    let folder = data_folder(asked, architecture);
    let read = match architecture {
        Architecture::LeNet | Architecture::ResNet8 | Architecture::ConvNet => mnist,
        Architecture::ResNet20 => cifar10,
    };
    let both = read(&folder, Split::Train).and_then(|images| Ok((images, read(&folder, Split::Test)?)));
    both.with_context(|| {
        let name = data_set(architecture).name();
        format!("the images cannot be read; `gradless data {name}` brings them to data/{name}, `--data DIR` says where they are")
    })
}

/// What is told at the end.
#[derive(Serialize)]
struct Told {
    network: &'static str,
    seed: u64,
    epochs: u32,
    test_accuracy: f64,
    train_accuracy: f64,
    seconds: f64,
    files: Vec<PathBuf>,
}

fn finish(
    asked: &Train,
    architecture: Architecture,
    trained: &Trained,
    folder: &Path,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
    let name = architecture.name();
    let batch_norm = match asked.batch_norm {
        Norm::Folded => BatchNorm::Folded,
        Norm::Kept => BatchNorm::Kept,
    };
    let history = trained.history();
    let Some(last) = history.last() else {
        bail!("a run of no epochs has no result: use `--epochs 1` or more")
    };
    let files = [
        (format!("{name}.onnx"), trained.to_onnx(batch_norm)?),
        (format!("{name}.toml"), architecture.description().into_bytes()),
        ("curve.csv".to_owned(), curve_csv(history).into_bytes()),
        ("curve.svg".to_owned(), curve_svg(architecture, history).into_bytes()),
    ];
    let mut written = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
        written.push(path);
    }
    let told = Told {
        network: name,
        seed: trained.seed(),
        epochs: last.epoch,
        test_accuracy: last.test_accuracy,
        train_accuracy: last.train_accuracy,
        seconds: last.seconds,
        files: written,
    };
    let human = format!(
        "{name}: {:.2} % of the test images after {} epochs, {:.0} s, seed {}\n{}",
        100.0 * told.test_accuracy,
        told.epochs,
        told.seconds,
        told.seed,
        told.files.iter().map(|path| format!("  {}", path.display())).collect::<Vec<_>>().join("\n")
    );
    terminal.result(&human, &told)?;
    Ok(Outcome::Done)
}

/// Draws the bar, and keeps the curve on disk up to date.
struct Bar<'a> {
    architecture: Architecture,
    folder: &'a Path,
    steps: Steps,
    failed: Option<std::io::Error>,
}

impl Watch for Bar<'_> {
    fn step(&mut self, progress: &Progress) {
        let Progress { epoch, epochs, step, steps, loss, accuracy, batch } = *progress;
        let message = format!("epoch {epoch}/{epochs}, loss {loss:.3}, {:.1} % right", 100.0 * accuracy);
        self.steps.done(
            u64::from(epoch - 1) * steps + step,
            u64::from(epochs) * steps,
            batch as u64,
            &message,
        );
    }

    fn epoch(&mut self, history: &[EpochRecord]) {
        if let Some(EpochRecord { epoch, test_accuracy, .. }) = history.last() {
            self.steps.above(&format!("epoch {epoch}: {:.2} % of the test images", 100.0 * test_accuracy));
        }
        let curve = curve_svg(self.architecture, history);
        let written = fs::write(self.folder.join("curve.csv"), curve_csv(history))
            .and_then(|()| fs::write(self.folder.join("curve.svg"), curve));
        self.failed = written.err().or(self.failed.take());
    }
}
