//! The words of `gradless explain`, exactly as they are typed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use gradless_explain::{Confidence, Kappa, Question, Steadiness};

use crate::input::ResizeWord;
use crate::model::ModelArguments;
use crate::search::TextArguments;
use crate::table::TableArguments;

const EXAMPLES: &str = "\
Examples:
  gradless explain                                          the embedded LeNet and a digit: try it first
  gradless explain --model M.onnx --input cat.png           both questions about your model and picture
  gradless explain --model M.onnx --input cat.jpg --resize --classes labels.txt --scores probabilities
  gradless explain --input 5.png --question change --target 3   a change that makes it a 3
  gradless explain --input 5.png --examples digits/ --second-opinion other.onnx   changes made of real digits, and another model's view
  gradless explain --confidence 0 --stability off           the smallest answers that have the class at all
  gradless explain --model M.onnx --input pictures/         every picture of a folder; run it again to go on
  gradless explain --model credit.onnx --input people.csv --row 7 --freeze age,sex     a row of a table: what would get the credit?
  gradless explain --input mail.txt --classes labels.txt -- python spam.py   a text, and a program as the model
  gradless explain --preset paper --question part --method zo-exp-storm   the paper's experiment on one digit

A model takes one input `[batch, channels, rows, columns]` (or NHWC), the columns of a table, or a text, and gives one score per class. `M.toml` beside
`M.onnx` describes what the file does not say (layout, scale, mean, std, range, scores, classes); flags go first.

What is written to the folder: report.html to look at, result.json, config.json, journal, and for each question x.npy (the part,
or the change), image.png (what the model sees), overlay.png and trace.csv; of a table answer.csv, of a text answer.txt; of regions also
regions.npy (the region of every pixel), heat.npy, heat-error.npy and heat.png (how much each matters, and how well that is known).

Exit code: 0 all that was asked for was found, 1 searched and something was not found, 2 error.
";

/// Explains a classifier's answer: what is enough for its class, and what small change would alter it
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) model: ModelArguments,

    /// What to explain: PNG, JPEG or .npy, a table (rows.csv), a text (mail.txt); many at once: a folder of them, a table, an IDX file, or
    /// a .npy with one input per row [default: the embedded digit]
    #[arg(long, value_name = "X", help_heading = "What is explained")]
    pub(crate) input: Option<PathBuf>,

    /// Bring pictures of another size or colour to the model's: crop (their middle), letterbox (all of them within grey bars), squash
    /// (stretched), or trained (also without a word): as `resize` in the model's description says, else crop above 64 x 64, squash below
    /// [default: trained for models above 64 x 64, else they are refused]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "trained", hide_possible_values = true, help_heading = "What is explained")]
    pub(crate) resize: Option<ResizeWord>,

    /// Which questions: what is enough for the class, what change would alter it
    #[arg(long, alias = "mode", value_parser = questions(), default_value = BOTH, help_heading = "What is asked")]
    pub(crate) question: String,

    /// Which way a change may move numbers [default: two-sided; with --preset paper: add]
    #[arg(long, value_enum, value_name = "SET", help_heading = "What is asked")]
    pub(crate) set: Option<ChangeSet>,

    /// The class a change should lead to, by name or number [default: any other]; with --question contrast the one it is compared with
    #[arg(long, value_name = "CLASS", help_heading = "What is asked")]
    pub(crate) target: Option<String>,

    /// How sure the model must be of an answer: the share of the input's own margin that it keeps (0.5 or 50%), or a probability
    /// (p=0.9); 0: the class alone [default: 0.5, of regions half of the input's probability, and 0.97 where scores lie between -1 and 1;
    /// with the presets paper and authors: 0]
    #[arg(long, value_name = "C", help_heading = "What is asked")]
    pub(crate) confidence: Option<Confidence>,

    /// What an answer must survive: off, on, or a list of noise=SHARE (of the range of numbers), shift=PIXELS, brightness=SHARE and
    /// draws=N (of the last check) [default: noise=0.15,shift=1,brightness=0.1,draws=100, small pictures are not moved; with the presets paper and authors: off]
    #[arg(long, value_name = "off|on|noise=..,shift=..", help_heading = "What is asked")]
    pub(crate) stability: Option<Steadiness>,

    /// What of a picture is left out or changed: pixels; regions=N, about N patches of similar colour; grid=N, squares, N each way; or
    /// regions=FILE, a picture or .npy of the model's size with a label for every pixel [default: regions=256 for models of pictures above 64 x 64, else pixels]
    #[arg(long, value_name = "pixels|regions|grid|regions=FILE", help_heading = "What is asked")]
    pub(crate) features: Option<String>,

    /// Inputs like this one (a folder, an IDX file, a .npy or CSV with one per row): changes begin at the nearest of another class, so that
    /// what remains is real. `none` for none [default: with the embedded LeNet a sheet of digits]
    #[arg(long, value_name = "DIR|FILE|none", help_heading = "What is asked")]
    pub(crate) examples: Option<PathBuf>,

    /// An autoencoder (input in, input out) that tells how plausible answers are [default: a linear one of the examples]
    #[arg(long, value_name = "A.onnx", help_heading = "What is asked")]
    pub(crate) autoencoder: Option<PathBuf>,

    /// Another model that is asked what it thinks of the answers; not used in the search. May be repeated
    #[arg(long, value_name = "M2.onnx", help_heading = "What is asked")]
    pub(crate) second_opinion: Vec<PathBuf>,

    /// What stays as it is: a mask (picture or .npy of the model's size, white for what stays), columns of a table or words of a text
    /// (NAME,..)
    #[arg(long, value_name = "MASK|NAME,..", help_heading = "What is asked")]
    pub(crate) freeze: Option<String>,

    /// What counts as absent: a number, a colour R,G,B (0 to 255), a picture or .npy with one number for each place, blur or blur=SHARE
    /// (the input itself, blurred by that share of its shorter side), mean (its mean colour), diffusion (what diffuses in from around; regions only)
    /// [default: blur for regions, else 0]
    #[arg(
        long,
        alias = "background",
        value_name = "V|R,G,B|blur|mean|diffusion|FILE",
        allow_hyphen_values = true,
        help_heading = "What is asked"
    )]
    pub(crate) absent: Option<String>,

    /// The least number a change may lead to: one, or a picture or .npy [default: the model's range]
    #[arg(long, value_name = "V|FILE", allow_hyphen_values = true, help_heading = "What is asked")]
    pub(crate) lower: Option<String>,

    /// The largest number a change may lead to: one, or a picture or .npy [default: the model's range]
    #[arg(long, value_name = "V|FILE", allow_hyphen_values = true, help_heading = "What is asked")]
    pub(crate) upper: Option<String>,

    /// Inputs the model may be given for each question, everything included [default: 5000; for regions 1500; with the presets paper and
    /// authors: what 200 steps take]
    #[arg(long, value_name = "N", help_heading = "How it is searched")]
    pub(crate) max_queries: Option<u64>,

    /// Seconds after which the best so far is taken
    #[arg(long, value_name = "S", help_heading = "How it is searched")]
    pub(crate) max_seconds: Option<f64>,

    /// Same seed, same answer
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "How it is searched")]
    pub(crate) seed: u64,

    /// Different answers to each question: with no feature in common, as long as there are such
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "What is asked")]
    pub(crate) count: usize,

    /// Search again with this many other seeds and say how well the answers agree
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "How it is searched")]
    pub(crate) agree: u32,

    /// Threads, or requests at once to a service; the answer does not depend on it [default: all cores; a service: 8]
    #[arg(long, value_name = "N", help_heading = "How it is searched")]
    pub(crate) threads: Option<usize>,

    /// How the smallest answer is searched [default: refine for regions, else eliminate; direct with --stability off; penalised where --method names another method than auto; with the
    /// presets paper and authors: fixed]
    #[arg(long, value_enum, value_name = "STRATEGY", help_heading = "How it is searched")]
    pub(crate) strategy: Option<StrategyName>,

    /// The optimiser of a penalised search, by its name in `gradless methods` [default: auto; with the presets paper and authors:
    /// zo-ada-exp-grad+]
    #[arg(long, value_name = "NAME", help_heading = "How it is searched")]
    pub(crate) method: Option<String>,

    /// All settings at once; flags go first
    #[arg(long, value_enum, default_value_t, help_heading = "How it is searched")]
    pub(crate) preset: PresetName,

    /// The step weight of methods that need one (1/eta; of acc-zom: 1/gamma); for others the weight they begin with
    #[arg(long, value_name = "W", help_heading = "How it is searched")]
    pub(crate) step_weight: Option<f64>,

    /// Weight of the l1 norm; of a search over weights, where it begins [default: 0.0625; colour with a preset: 0.5]
    #[arg(long, value_name = "A", help_heading = "How it is searched")]
    pub(crate) l1: Option<f64>,

    /// Weight of half the squared l2 norm [default: as --l1]
    #[arg(long, value_name = "B", help_heading = "How it is searched")]
    pub(crate) l2: Option<f64>,

    /// By how much the class condition should hold before the loss stops pulling: in scores (0.1), as a share of the
    /// input's own margin (5%), or none [default: 5%; with the presets paper and authors: none]
    #[arg(long, value_name = "C", help_heading = "How it is searched")]
    pub(crate) kappa: Option<KappaWord>,

    /// `off` is another word for `--strategy fixed`
    #[arg(long, value_enum, hide = true, conflicts_with = "strategy")]
    pub(crate) search: Option<Switch>,

    /// Whether what is not needed is removed at the end [default: on; with the presets paper and authors: off]
    #[arg(
        long,
        value_enum,
        value_name = "on|off",
        hide_possible_values = true,
        help_heading = "How it is searched"
    )]
    pub(crate) prune: Option<Switch>,

    /// Where the search starts [default: auto; with the presets: as there]
    #[arg(long, value_enum, value_name = "START", help_heading = "How it is searched")]
    pub(crate) start: Option<StartName>,

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

    /// Pictures of how an answer of regions formed, one for every better one, below frames/: their names count queries
    #[arg(long, help_heading = "What is written")]
    pub(crate) frames: bool,

    /// Replace what an earlier run left in the folder
    #[arg(long, help_heading = "What is written")]
    pub(crate) force: bool,
}

/// All questions, one after the other.
pub(crate) const BOTH: &str = "both";

/// The names of questions, with what they ask.
fn questions() -> PossibleValuesParser {
    let named = |question: Question| {
        let word =
            PossibleValue::new(question.name()).help(format!("{} ({})", question.title(), question.term()));
        if question.abbreviation() == question.name() { word } else { word.alias(question.abbreviation()) }
    };
    let both = PossibleValue::new(BOTH).help("One after the other");
    Question::KINDS.into_iter().map(named).chain([both]).chain(Question::OTHERS.map(named)).into()
}

/// How the smallest answer is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// From something that answers the question, what is not needed is taken away
    Eliminate,
    /// The fewest features that suffice, of those that have a choice of a few values: columns, words, regions
    Select,
    /// From groups of regions to single ones: what answers the question grows, then what it does not need goes
    Refine,
    /// By what single places do to the scores; where they tell nothing, by the method
    Direct,
    /// The method minimises loss and penalty at several weights
    Penalised,
    /// The same once, at the weights given: the paper's objective and nothing else
    Fixed,
}

/// Which changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangeSet {
    /// Numbers only grow: something is added (the text of the paper)
    Add,
    /// Numbers grow and shrink (its authors' scripts)
    TwoSided,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetName {
    /// Ours: weights searched, pruned, few queries
    #[default]
    Default,
    /// The text of the paper: one minimisation at fixed weights, m = 200, T = 200
    #[value(alias = "seed")]
    Paper,
    /// The scripts of its authors, where they differ from the text
    Authors,
}

/// Where to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StartName {
    /// A part: the input; a change: where the class just alters
    Auto,
    /// A part: the input; a change: no change
    Input,
    /// A part: nothing of the input; a change: no change
    Zero,
    /// The middle of what is allowed
    Centre,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// A margin to reach, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KappaWord(pub(crate) Option<Kappa>);

impl FromStr for KappaWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
            value.ok_or_else(|| "a number that is not negative (0.1), a share (5%), or none".to_owned())
        };
        Ok(Self(match text.strip_suffix('%') {
            _ if text == "none" => None,
            Some(share) => Some(Kappa::Share(number(share)? / 100.0)),
            None => Some(Kappa::Absolute(number(text)?)),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_a_number_a_share_or_none() {
        let read = |text: &str| text.parse::<KappaWord>().map(|word| word.0);
        assert_eq!(read("none"), Ok(None));
        assert_eq!(read("0.1"), Ok(Some(Kappa::Absolute(0.1))));
        assert_eq!(read("5%"), Ok(Some(Kappa::Share(0.05))));
        for wrong in ["", "-1", "nan", "inf", "much", "%", "5%%"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
