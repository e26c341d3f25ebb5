//! `gradless train`: the paper's two networks and a judge of their explanations, in builds with the feature `paper`.

#[cfg(feature = "paper")]
mod work;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless train lenet --data data/mnist            10 minutes on 2 cores
  gradless train resnet20 --data data/cifar10       under 2 hours
  gradless train resnet20 --data data/cifar10 --resume gradless-out/resnet20/checkpoint

The folder of the run gets the network (.onnx with its .toml), the training curve (.csv, .svg) and a checkpoint,
written every minute and after every epoch. Ctrl-C writes one too. The same seed gives the same network on any number
of threads.
";

/// Trains one of the paper's two networks, or a judge of explanations (needs a build with the feature `paper`)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    /// Which network
    network: Network,

    /// Folder with the data set, as `gradless data` leaves it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Times every image is seen (12 for lenet, 40 for resnet20, 6 for resnet8 and convnet)
    #[arg(long, value_name = "N", conflicts_with = "resume", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: Option<u32>,

    /// Same seed, same network
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "resume")]
    seed: u64,

    /// Threads; the network does not depend on it (default: all cores, at most 4)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Folder of the run (default: gradless-out/NETWORK, or that of the checkpoint)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Go on from this checkpoint, to the same bits as if nothing had happened
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// What becomes of batch norm in the ONNX file
    #[arg(long, value_enum, default_value_t)]
    batch_norm: Norm,

    /// Begin again in a folder that holds another run
    #[arg(long)]
    force: bool,
}

/// A network that can be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Network {
    /// Digits (MNIST)
    Lenet,
    /// Small photographs (CIFAR-10)
    Resnet20,
    /// Digits (MNIST), nothing like LeNet: for a second opinion
    Resnet8,
    /// Digits (MNIST), nothing like either
    Convnet,
}

/// What becomes of batch norm in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Norm {
    /// Part of the convolution before it: fewer operators, the same function
    #[default]
    Folded,
    /// Operators of its own
    Kept,
}

impl Train {
    #[cfg(feature = "paper")]
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        work::run(&self, terminal)
    }

    #[cfg(not(feature = "paper"))]
    #[expect(clippy::unused_self, reason = "the words are read so that mistakes in them are told here too")]
    pub(crate) fn run(self, _terminal: &Terminal) -> anyhow::Result<Outcome> {
        Err(super::only_with_paper("training", "train"))
    }
}
