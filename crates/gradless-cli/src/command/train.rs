//! `gradless train`: the paper's two networks, in builds with the feature `paper`.

use clap::Args;

use super::{Outcome, other_build};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  cargo run --release --features paper -- train lenet --data data/mnist
  cargo run --release --features paper -- train resnet20 --data data/cifar10
";

/// Trains one of the paper's two networks (needs a build with the feature `paper`)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    /// `lenet` or `resnet20`, and its options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "NETWORK")]
    words: Vec<String>,
}

impl Train {
    pub(crate) fn run(self, _terminal: &Terminal) -> anyhow::Result<Outcome> {
        Err(other_build("training", "train", &self.words))
    }
}
