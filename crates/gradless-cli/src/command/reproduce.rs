//! `gradless reproduce`: the paper's experiments, in builds with the feature `paper`.

use clap::Args;

use super::{Outcome, other_build};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  cargo run --release --features paper -- reproduce mnist
  cargo run --release --features paper -- reproduce cifar10
";

/// Runs the paper's experiments (needs a build with the feature `paper`)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reproduce {
    /// `mnist` or `cifar10`, and its options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DATA_SET")]
    words: Vec<String>,
}

impl Reproduce {
    pub(crate) fn run(self, _terminal: &Terminal) -> anyhow::Result<Outcome> {
        Err(other_build("experiments", "reproduce", &self.words))
    }
}
