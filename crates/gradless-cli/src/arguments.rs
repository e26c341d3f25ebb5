//! The command line exactly as it is typed.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::{Parser, ValueEnum};

use crate::command::Command;

const EXAMPLES: &str = "\
Examples:
  gradless explain                         what a network sees in a digit: try it first
  gradless minimize --problem P.toml -- python3 black_box.py     any program as the black box
  gradless resume gradless-out/explain-1   go on after a crash or Ctrl-C, without asking for an answer twice
  gradless studio                          a page to draw a digit on, and to watch searches
  gradless methods                         every method: what it assumes, what it costs
  gradless noise --model M.onnx            how far rounding blurs a model's scores
  gradless data mnist                      bring MNIST into data/mnist, checked
  gradless data cifar10 --from ~/Downloads take the files from a folder instead
  gradless reproduce mnist --size quick    the paper's experiments, a look at them in minutes

The result goes to stdout, progress and messages to stderr.
Exit code: 0 done or found, 1 searched and not found, 2 error.
";

/// Minimises and explains what can only be queried.
#[derive(Debug, Parser)]
#[command(name = "gradless", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// How the result is written: for people or for programs
    #[arg(long, global = true, value_enum, default_value_t, display_order = 100)]
    pub(crate) format: Format,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How a result is written to stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Human,
    Json,
}

static TYPED: OnceLock<Vec<OsString>> = OnceLock::new();
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the words for [`typed`], which are not always those of the process, and those by which the program is started, for
/// [`program`].
pub(crate) fn remember(words: &[OsString], program: Vec<OsString>) {
    // One process, one command: whoever calls twice is shown the first.
    let _ = TYPED.set(words.to_vec());
    let _ = PROGRAM.set(program);
}

/// The words by which this program is started, those of its commands left out: its path, or `python -m gradless`.
pub(crate) fn program() -> Vec<OsString> {
    PROGRAM.get().cloned().unwrap_or_default()
}

/// The words as they were typed, without the name of the program.
pub(crate) fn typed() -> impl Iterator<Item = &'static OsString> {
    TYPED.get().into_iter().flatten().skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }
}
