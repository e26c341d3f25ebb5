//! The model a command asks: a file of the user's, or the embedded LeNet.

mod black_box;
mod program;
mod records;
#[cfg(feature = "http")]
mod service;

pub(crate) use black_box::{Account, BlackBox};
pub(crate) use records::{Waits, load_records};

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use gradless::drive::Journal;
use gradless_models::{Description, Engine, Layout, Onnx, OnnxOptions, ScoreKind, Wording};
use sha2::{Digest, Sha256};

use crate::terminal;

/// A network that is part of the program.
pub(crate) struct Shipped {
    name: &'static str,
    bytes: &'static [u8],
    description: &'static str,
}

const LENET: Shipped = Shipped {
    name: "the embedded LeNet",
    bytes: include_bytes!("../assets/lenet.onnx"),
    description: include_str!("../assets/lenet.toml"),
};
#[cfg(feature = "paper")]
const RESNET20: Shipped = Shipped {
    name: "the embedded ResNet20",
    bytes: include_bytes!("../assets/resnet20.onnx"),
    description: include_str!("../assets/resnet20.toml"),
};

/// No list of class names is longer than this.
const MOST_NAMES: u64 = 1 << 20;

/// Which model, and what its file does not say.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelArguments {
    /// The classifier: an ONNX file (`M.toml` beside `M.onnx` describes its preprocessing), or the address of a service that is
    /// asked over HTTP [default: the embedded LeNet]
    #[arg(long, value_name = "M.onnx|http://…", help_heading = "The model")]
    pub(crate) model: Option<PathBuf>,

    /// What runs the model; GRADLESS_ENGINE in the environment does the same
    #[arg(
        long,
        value_enum,
        env = "GRADLESS_ENGINE",
        hide_env = true,
        default_value_t,
        help_heading = "The model"
    )]
    pub(crate) engine: EngineName,

    /// Names of the classes: a file with one per line
    #[arg(long, value_name = "FILE", help_heading = "The model")]
    pub(crate) classes: Option<PathBuf>,

    /// The output that holds the scores, where the file has several that could
    #[arg(long, value_name = "NAME", help_heading = "The model")]
    pub(crate) output: Option<String>,

    /// Where the network has its channels
    #[arg(long, value_enum, help_heading = "The model")]
    pub(crate) layout: Option<LayoutName>,

    /// The shape of one input, channels first, where the file leaves it open
    #[arg(long, value_name = "C,H,W", value_delimiter = ',', help_heading = "The model")]
    pub(crate) shape: Vec<usize>,

    /// What inputs are multiplied with, before anything else
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "The model")]
    pub(crate) scale: Option<f64>,

    /// What is then subtracted, one number per channel
    #[arg(
        long,
        value_name = "M,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "The model"
    )]
    pub(crate) mean: Vec<f64>,

    /// What it is then divided by, one number per channel
    #[arg(
        long,
        value_name = "D,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "The model"
    )]
    pub(crate) std: Vec<f64>,

    /// The numbers of black and white, before the scale [default: 0,1]
    #[arg(
        long,
        value_name = "LOW,HIGH",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        help_heading = "The model"
    )]
    pub(crate) range: Vec<f64>,

    /// What the scores are; probabilities are turned into logarithms
    #[arg(long, value_enum, help_heading = "The model")]
    pub(crate) scores: Option<ScoresName>,

    /// How a service is asked: a TOML file (docs/http.md); flags go first
    #[arg(long, value_name = "FILE.toml", help_heading = "A model behind an address")]
    pub(crate) http: Option<PathBuf>,

    /// A header for the service; $NAME is filled in from the environment and never shown (mind the shell: single quotes)
    #[arg(long, value_name = "'Name: value'", help_heading = "A model behind an address")]
    pub(crate) header: Vec<String>,

    /// Inputs that may be sent to the service in all, those sent again after a fault included
    #[arg(long, value_name = "N", help_heading = "A model behind an address")]
    pub(crate) max_sent: Option<u64>,

    /// Inputs in one request to a program [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "A program as the model")]
    pub(crate) rows: Option<u32>,

    /// Seconds that a program may take to answer; it is then replaced [default: as long as it likes]
    #[arg(long, value_name = "S", help_heading = "A program as the model")]
    pub(crate) timeout: Option<f64>,

    /// A program that reads inputs and writes scores, one JSON object per line (docs/explain.md), behind two dashes: -- python model.py
    #[arg(last = true, value_name = "PROGRAM", help_heading = "A program as the model")]
    pub(crate) program: Vec<OsString>,
}

impl ModelArguments {
    /// The address, if the model is behind one.
    pub(crate) fn address(&self) -> Option<&str> {
        let text = self.model.as_deref()?.to_str()?;
        let is_address = ["http://", "https://"]
            .iter()
            .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        is_address.then_some(text)
    }

    /// Whether what is said fits a model that is no service.
    fn check(&self) -> anyhow::Result<()> {
        if self.http.is_some() || !self.header.is_empty() || self.max_sent.is_some() {
            bail!(
                "--http, --header and --max-sent are for a model behind an address: give one with --model http://…"
            );
        }
        if !self.program.is_empty() && self.model.is_some() {
            bail!("--model and a program behind -- are two models: name one of them");
        }
        if self.program.is_empty() && (self.rows.is_some() || self.timeout.is_some()) {
            bail!("--rows and --timeout are for a program: give one behind two dashes, -- python model.py");
        }
        Ok(())
    }
}

/// What runs a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// onnxruntime where its library is found, otherwise rten; the embedded network always runs in rten
    #[default]
    Auto,
    /// Pure Rust, built in
    Rten,
    /// onnxruntime, its library found while running (`ORT_DYLIB_PATH`, or the Python package: `pip install onnxruntime`)
    Ort,
}

impl EngineName {
    /// The one with this name, as a run has recorded it.
    pub(crate) fn recorded(name: &str) -> Option<Self> {
        [(Engine::Rten, Self::Rten), (Engine::Ort, Self::Ort)]
            .into_iter()
            .find_map(|(engine, found)| (engine.name() == name).then_some(found))
    }
}

/// Where a network has its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutName {
    /// Batch, channel, row, column
    Nchw,
    /// Batch, row, column, channel
    Nhwc,
}

/// What scores are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoresName {
    /// Any numbers, the largest wins
    Logits,
    /// Not negative, with sum 1
    Probabilities,
    /// Probabilities if they look so at an ordinary input
    Auto,
}

/// A model and where it comes from.
pub(crate) struct Loaded {
    /// What to call it.
    pub(crate) name: String,
    /// SHA-256 of its file, or of how a service is asked.
    pub(crate) sha256: String,
    /// The model.
    pub(crate) onnx: BlackBox,
    /// Which side of it counts, where the model answers with one number.
    pub(crate) threshold: Option<f64>,
}

impl Loaded {
    fn new(name: impl Into<String>, sha256: String, onnx: BlackBox) -> Self {
        Self { name: name.into(), sha256, onnx, threshold: None }
    }

    /// The same with a threshold, if one is given; a model that answers with one number needs it.
    fn beyond(mut self, threshold: Option<f64>) -> anyhow::Result<Self> {
        let count = self.onnx.scores_per_input();
        match threshold {
            Some(_) if count != 1 => {
                bail!(
                    "--threshold is for a model that answers with one number; {} gives {count} scores",
                    self.name
                )
            }
            Some(threshold) if !threshold.is_finite() => {
                bail!("--threshold is {threshold}: a finite number is needed")
            }
            None if count == 1 => bail!(
                "{} answers with one number for each input: say from which value on it counts as another class (--threshold T)",
                self.name
            ),
            _ => self.threshold = threshold,
        }
        Ok(self)
    }

    /// How many classes there are.
    pub(crate) fn classes(&self) -> usize {
        if self.threshold.is_some() { 2 } else { self.onnx.scores_per_input() }
    }

    /// Names of the classes; none if only their number is known.
    pub(crate) fn class_names(&self) -> Vec<String> {
        match self.threshold {
            Some(threshold) => vec![format!("below {threshold}"), format!("{threshold} or more")],
            None => self.onnx.description().classes.clone(),
        }
    }

    /// The name of a class, else its number.
    pub(crate) fn class_name(&self, class: usize) -> String {
        self.class_names().get(class).cloned().unwrap_or_else(|| class.to_string())
    }

    /// The model with a count of its own; what has to be sent again is written to the journal first. Records are worded.
    pub(crate) fn account<'a>(
        &'a self,
        shape: &[usize],
        wording: Option<&'a dyn Wording>,
        journal: Option<&'a Journal>,
    ) -> Account<'a> {
        let shape = shape.to_vec();
        Account { threshold: self.threshold, wording, shape, journal, ..Account::of(&self.onnx) }
    }
}

/// Loads what the arguments ask for.
pub(crate) fn load(asked: &ModelArguments) -> anyhow::Result<Loaded> {
    load_or(asked, &LENET)
}

/// Loads the network of a data set of the paper, or the file that is named instead.
#[cfg(feature = "paper")]
pub(crate) fn load_for(
    set: gradless_paper::data::DataSet,
    model: Option<PathBuf>,
    engine: EngineName,
) -> anyhow::Result<Loaded> {
    use gradless_paper::data::DataSet;
    let shipped = match set {
        DataSet::Mnist => LENET,
        DataSet::Cifar10 => RESNET20,
    };
    load_or(&ModelArguments { model, engine, ..ModelArguments::default() }, &shipped)
}

/// Loads what the arguments ask for; a service gets so many requests at once, and nobody waits for it after the deadline.
pub(crate) fn load_until(
    asked: &ModelArguments,
    in_flight: Option<usize>,
    deadline: Option<Instant>,
    known: Option<&serde_json::Value>,
) -> anyhow::Result<Loaded> {
    match asked.address() {
        Some(address) => service(address, asked, in_flight, deadline, known)?.beyond(None),
        None => load(asked)?.beyond(None),
    }
}

#[cfg(feature = "http")]
use service::connect as service;

#[cfg(not(feature = "http"))]
fn service(
    address: &str,
    _: &ModelArguments,
    _: Option<usize>,
    _: Option<Instant>,
    _: Option<&serde_json::Value>,
) -> anyhow::Result<Loaded> {
    bail!("this build asks no services: use `cargo run --release --features http -- …` for {address}")
}

/// Whether a service is not asked because nobody says what a picture for it is: it may take rows or texts.
#[cfg(feature = "http")]
pub(crate) fn wants_a_shape(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(gradless_models::HttpError::NoShape))
}

#[cfg(not(feature = "http"))]
pub(crate) fn wants_a_shape(_: &anyhow::Error) -> bool {
    false
}

fn load_or(asked: &ModelArguments, shipped: &Shipped) -> anyhow::Result<Loaded> {
    if let Some(address) = asked.address() {
        return service(address, asked, None, None, None);
    }
    asked.check()?;
    if !asked.program.is_empty() {
        return program::of_arrays(asked);
    }
    // The embedded network is small: rten is as fast, and everybody sees the same digits.
    let engine = match (asked.engine, &asked.model) {
        (EngineName::Auto, None) => Engine::Rten,
        (name, _) => engine_of(name)?,
    };
    let description = described(asked, shipped)?;
    let options = OnnxOptions { engine, description: Some(description), ..OnnxOptions::default() };
    let Some(path) = &asked.model else {
        let onnx = Onnx::from_bytes(shipped.name, shipped.bytes, &options)?;
        return Ok(Loaded::new(shipped.name, hash(shipped.bytes), onnx.into()));
    };
    let onnx = Onnx::load_with(path, &options)?;
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(Loaded::new(path.display().to_string(), hash(&bytes), onnx.into()))
}

/// The description beside the model, with what the flags say instead.
fn described(asked: &ModelArguments, shipped: &Shipped) -> anyhow::Result<Description> {
    let description = match &asked.model {
        Some(path) => Description::beside(path)?,
        None => Description::parse(shipped.description)
            .context("the embedded description is damaged: build again")?,
    };
    with_flags(description, asked)
}

/// A description with what the flags say instead.
fn with_flags(mut description: Description, asked: &ModelArguments) -> anyhow::Result<Description> {
    if let Some(layout) = asked.layout {
        description.layout = match layout {
            LayoutName::Nchw => Layout::Nchw,
            LayoutName::Nhwc => Layout::Nhwc,
        };
    }
    if let Some(scores) = asked.scores {
        description.scores = match scores {
            ScoresName::Logits => ScoreKind::Logits,
            ScoresName::Probabilities => ScoreKind::Probabilities,
            ScoresName::Auto => ScoreKind::Auto,
        };
    }
    match asked.range[..] {
        [] => (),
        [low, high] => description.range = [low, high],
        _ => bail!("--range takes two numbers, such as 0,255: {} were given", asked.range.len()),
    }
    if !asked.shape.is_empty() {
        description.shape = Some(asked.shape.clone());
    }
    description.scale = asked.scale.unwrap_or(description.scale);
    if !asked.mean.is_empty() {
        description.mean.clone_from(&asked.mean);
    }
    if !asked.std.is_empty() {
        description.std.clone_from(&asked.std);
    }
    if let Some(output) = &asked.output {
        description.output = Some(output.clone());
    }
    if let Some(path) = &asked.classes {
        description.classes = names(path)?;
    }
    Ok(description)
}

/// The lines of a file; empty ones at its end do not count.
fn names(path: &Path) -> anyhow::Result<Vec<String>> {
    let read = || {
        let length = fs::metadata(path).context("cannot be read")?.len();
        if length > MOST_NAMES {
            bail!("has {length} bytes, a list of class names has one short line per class");
        }
        let text = fs::read_to_string(path).context("is not a text with one class name per line")?;
        let text = text.trim_end();
        if text.is_empty() {
            bail!("is empty: one class name per line is needed");
        }
        Ok(text.lines().map(|line| line.trim().to_owned()).collect())
    };
    read().with_context(|| format!("the class names in {}", path.display()))
}

/// SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// SHA-256 in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('?');
    digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg_attr(feature = "ort", expect(clippy::unnecessary_wraps, reason = "without the feature it may fail"))]
pub(crate) fn engine_of(name: EngineName) -> anyhow::Result<Engine> {
    match name {
        EngineName::Auto => Ok(fastest()),
        EngineName::Rten => Ok(Engine::Rten),
        #[cfg(feature = "ort")]
        EngineName::Ort => Ok(Engine::Ort),
        #[cfg(not(feature = "ort"))]
        EngineName::Ort => anyhow::bail!(
            "this build has no onnxruntime: use `cargo run --release --features ort -- …`, or leave out `--engine ort`"
        ),
    }
}

/// onnxruntime, or rten and a line that says what that costs.
fn fastest() -> Engine {
    static SAID: Once = Once::new();
    let engine = Engine::fastest();
    if engine == Engine::Rten {
        // `docs/benchmarks/engines.md`: LeNet, ResNet20 and EfficientNet-Lite0.
        SAID.call_once(|| {
            terminal::say(
                "note: rten runs the model. onnxruntime is about as fast on small dense networks, 3 times on residual networks and 6 times \
                 on depthwise convolutions: `pip install onnxruntime` makes it the default (`--engine rten` says nothing)",
            );
        });
    }
    engine
}
