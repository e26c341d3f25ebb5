//! The words of `gradless attack`, exactly as they are typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gradless_explain::Norm;

use crate::input::ResizeWord;
use crate::model::ModelArguments;
use crate::search::TextArguments;
use crate::table::TableArguments;

const EXAMPLES: &str = "\
Examples:
  gradless attack                                           the fewest pixels that make a 5 something else: try it first
  gradless attack --model M.onnx --input cat.png            your model and picture
  gradless attack --model M.onnx --input cat.png --norm l2 --target dog
  gradless attack --model M.onnx --input cat.png --labels   as if the model said nothing but its class
  gradless attack --model M.onnx --input pictures/ --max-queries 1000    how robust is it? A report over a folder

For models that you are allowed to test (docs/attack.md). A success is checked on the picture as it is saved, with 8 bits, and counts only
above the model's own noise. At every number of queries the best so far is recorded: `attack.curve` in result.json.

What is written to the folder: report.html to look at, result.json, config.json, journal, x.npy (the change), image.png (the changed
picture), overlay.png and trace.csv; of many inputs index.html, with the most fragile first.

Exit code: 0 the class of every input was altered, 1 searched and something was not found, 2 error.
";

/// Finds the least change that alters the class of an input: tests how robust a classifier is
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Attack {
    #[command(flatten)]
    pub(crate) model: ModelArguments,

    /// What to change: PNG, JPEG or .npy, a table (rows.csv), a text (mail.txt); many at once: a folder of them, a table, an IDX file, or a
    /// .npy with one input per row [default: the embedded digit]
    #[arg(long, value_name = "X", help_heading = "What is attacked")]
    pub(crate) input: Option<PathBuf>,

    /// Bring pictures of another size or colour to the model's: crop (their middle), letterbox (all of them within grey bars), squash
    /// (stretched), or trained (also without a word): as `resize` in the model's description says, else crop above 64 x 64, squash below
    /// [default: trained for models above 64 x 64, else they are refused]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "trained", hide_possible_values = true, help_heading = "What is attacked")]
    pub(crate) resize: Option<ResizeWord>,

    /// What is small
    #[arg(long, value_enum, default_value_t, help_heading = "What is asked")]
    pub(crate) norm: NormName,

    /// The class the change should lead to, by name or number [default: any other]
    #[arg(long, value_name = "CLASS", help_heading = "What is asked")]
    pub(crate) target: Option<String>,

    /// Use nothing but the class that the model gives, whatever else it says
    #[arg(long, help_heading = "What is asked")]
    pub(crate) labels: bool,

    /// What stays as it is: a mask (picture or .npy of the model's size, white for what stays), columns of a table or words of a text
    /// (NAME,..)
    #[arg(long, value_name = "MASK|NAME,..", help_heading = "What is asked")]
    pub(crate) freeze: Option<String>,

    /// The least number a change may lead to: one, or a picture or .npy [default: the model's range]
    #[arg(long, value_name = "V|FILE", allow_hyphen_values = true, help_heading = "What is asked")]
    pub(crate) lower: Option<String>,

    /// The largest number a change may lead to: one, or a picture or .npy [default: the model's range]
    #[arg(long, value_name = "V|FILE", allow_hyphen_values = true, help_heading = "What is asked")]
    pub(crate) upper: Option<String>,

    /// Another model that is asked whether the change alters its class too; not used in the search. May be repeated
    #[arg(long, value_name = "M2.onnx", help_heading = "What is asked")]
    pub(crate) second_opinion: Vec<PathBuf>,

    /// Inputs the model may be given for each attack, everything included [default: 5000]
    #[arg(long, value_name = "N", help_heading = "How it is searched")]
    pub(crate) max_queries: Option<u64>,

    /// Seconds after which the best so far is taken
    #[arg(long, value_name = "S", help_heading = "How it is searched")]
    pub(crate) max_seconds: Option<f64>,

    /// End with a change of this size, in the norm: a smaller one is not searched
    #[arg(long, value_name = "SIZE", help_heading = "How it is searched")]
    pub(crate) enough: Option<f64>,

    /// Same seed, same answer
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "How it is searched")]
    pub(crate) seed: u64,

    /// Threads, or requests at once to a service; the answer does not depend on it [default: all cores; a service: 8]
    #[arg(long, value_name = "N", help_heading = "How it is searched")]
    pub(crate) threads: Option<usize>,

    /// A margin must be above this to count; measured if not given (at most 17 queries)
    #[arg(long, value_name = "F", help_heading = "How it is searched")]
    pub(crate) noise_floor: Option<f64>,

    #[command(flatten)]
    pub(crate) table: TableArguments,

    #[command(flatten)]
    pub(crate) text: TextArguments,

    /// Folder of the run [default: a new one under gradless-out/]
    #[arg(long, value_name = "DIR", help_heading = "What is written")]
    pub(crate) out: Option<PathBuf>,

    /// Replace what an earlier run left in the folder
    #[arg(long, help_heading = "What is written")]
    pub(crate) force: bool,
}

/// What is small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum NormName {
    /// Pixels that change, whichever of their channels
    #[default]
    Pixels,
    /// Numbers that change: every channel of a pixel is one
    Numbers,
    /// The sum of the absolute changes
    L1,
    /// The root of the sum of their squares
    L2,
    /// The largest of them
    Linf,
}

impl From<NormName> for Norm {
    fn from(name: NormName) -> Self {
        match name {
            NormName::Pixels => Self::Pixels,
            NormName::Numbers => Self::Numbers,
            NormName::L1 => Self::L1,
            NormName::L2 => Self::L2,
            NormName::Linf => Self::Linf,
        }
    }
}
