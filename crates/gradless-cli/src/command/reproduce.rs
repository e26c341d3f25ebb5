//! `gradless reproduce`: the paper's comparison of methods, in builds with the feature `paper`.

#[cfg(feature = "paper")]
mod settings;
#[cfg(feature = "paper")]
mod told;
#[cfg(feature = "paper")]
mod work;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::model::EngineName;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless reproduce mnist --data data/mnist --size quick    a look at it, minutes
  gradless reproduce mnist --data data/mnist                 the paper's experiment, hours
  gradless reproduce mnist --data data/mnist --model authors/lenet.onnx --images paper
  gradless reproduce cifar10 --data data/cifar10 --mode pn --methods zo-ada-exp-grad+,zo-psgd:0.001

The folder of the run gets `index.html` with all figures and tables, the figures as SVG and PNG, the numbers as CSV (`runs.csv.gz`:
every run), and `runs.jsonl` with every finished job, from which the command goes on. Give the same command again and it goes on where it was; give it more images, modes
or methods and only what is missing is run. Ctrl-C stops between queries and draws what is there. The same seed gives the
same files on any number of threads.
";

/// Repeats the paper's experiments, with figures beside the paper's numbers (needs a build with the feature `paper`)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reproduce {
    /// Which experiment
    #[arg(value_name = "mnist|cifar10")]
    set: Set,

    /// Folder with the data set, as `gradless data` leaves it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// How much of it
    #[arg(long, value_enum, default_value_t)]
    size: Size,

    /// What is searched for (default: both, pn for quick)
    #[arg(long, value_enum)]
    mode: Option<Modes>,

    /// Images per class (default: 20, 1 for quick)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_class: Option<u32>,

    /// Which images: `own` for a choice by the seed, `paper` for that of its authors' scripts, or a file with a list for each
    /// class, {"mnist": {"images": [[3, 10], …]}}; of each the first that the network gets right
    #[arg(long, value_name = "own|paper|FILE.json", default_value = "own")]
    images: String,

    /// Methods, such as zo-psgd for the paper's four steps or zo-psgd:0.03 for any one (default: all, for quick the paper's choice of
    /// each)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    methods: Vec<String>,

    /// Whose settings, where the paper's text and its authors' scripts differ
    #[arg(long, value_enum, default_value_t)]
    conventions: Whose,

    /// Same seed, same images and same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Jobs at a time; the numbers do not depend on it (default: all cores)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Another network than the embedded one: pixels from 0 to 1 in, a score per class out
    #[arg(long, value_name = "M.onnx")]
    model: Option<PathBuf>,

    /// What runs the network
    #[arg(long, value_enum, default_value_t)]
    engine: EngineName,

    /// Folder of the run (default: gradless-out/reproduce-mnist or -cifar10)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Begin again in a folder that holds another run
    #[arg(long)]
    force: bool,
}

/// An experiment of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Set {
    /// Digits, LeNet
    Mnist,
    /// Small photographs, ResNet20
    Cifar10,
}

/// How much is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Size {
    /// Pertinent negatives, every method as the paper tuned it, one image per class
    Quick,
    /// Both modes, all step sizes, 20 images per class
    #[default]
    Full,
}

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Modes {
    /// Pertinent negatives: what must change
    Pn,
    /// Pertinent positives: what must stay
    Pp,
    Both,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// The paper's text
    Seed,
    /// The authors' scripts, which made the paper's figures
    #[default]
    Authors,
}

impl Reproduce {
    #[cfg(feature = "paper")]
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        work::run(&self, terminal)
    }

    #[cfg(not(feature = "paper"))]
    #[expect(clippy::unused_self, reason = "the words are read so that mistakes in them are told here too")]
    pub(crate) fn run(self, _terminal: &Terminal) -> anyhow::Result<Outcome> {
        Err(super::only_with_paper("experiments", "reproduce"))
    }
}
