//! What the command line asks for.

use std::path::PathBuf;

use gradless::Config;
use gradless_explain::{Moves, Options};
use gradless_models::{Engine, Onnx, OnnxOptions};

use crate::Fallible;

/// One question about an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// What of it suffices?
    Part,
    /// What would have to change?
    Change,
    /// What would have to be added?
    Addition,
}

impl Question {
    /// The same in the words of the library.
    fn asked(self) -> gradless_explain::Question {
        match self {
            Self::Part => gradless_explain::Question::Part,
            Self::Change => gradless_explain::Question::CHANGE,
            Self::Addition => gradless_explain::Question::Change { moves: Moves::Add, target: None },
        }
    }
}

/// Which of the two networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Lenet,
    Resnet20,
}

impl Network {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lenet => "lenet",
            Self::Resnet20 => "resnet20",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Lenet => "LeNet on MNIST",
            Self::Resnet20 => "ResNet20 on CIFAR-10",
        }
    }

    /// Margins must be above this. Chosen, not measured: about a hundred times the spacing of 32-bit numbers of the size of the
    /// scores, which is 1e-7 near 1 and 1e-6 near 10.
    pub(crate) fn floor(self) -> f64 {
        match self {
            Self::Lenet => 1e-5,
            Self::Resnet20 => 1e-4,
        }
    }
}

pub(crate) struct Asked {
    pub(crate) data: PathBuf,
    pub(crate) network: Network,
    pub(crate) modes: Vec<Question>,
    pub(crate) per_class: usize,
    pub(crate) tuning: bool,
    pub(crate) only: Option<usize>,
    pub(crate) queries: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) engine: Engine,
    pub(crate) reference: bool,
    pub(crate) resume: Option<PathBuf>,
    pub(crate) save: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) verbose: bool,
}

impl Asked {
    pub(crate) fn read() -> Fallible<Self> {
        let mut asked = Self {
            data: std::env::var_os("GRADLESS_DATA").unwrap_or_else(|| "data".into()).into(),
            network: Network::Lenet,
            modes: vec![Question::Part, Question::Change, Question::Addition],
            per_class: 10,
            tuning: false,
            only: None,
            queries: 5_000,
            seed: 0,
            threads: 2,
            engine: Engine::default(),
            reference: false,
            resume: None,
            save: None,
            out: None,
            verbose: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--data" => asked.data = value()?.into(),
                "--network" => asked.network = network(&value()?)?,
                "--modes" => asked.modes = value()?.split(',').map(question).collect::<Fallible<_>>()?,
                "--images" => asked.per_class = value()?.parse()?,
                "--set" => asked.tuning = value()? == "tuning",
                "--only" => asked.only = Some(value()?.parse()?),
                "--queries" => asked.queries = value()?.parse()?,
                "--seed" => asked.seed = value()?.parse()?,
                "--threads" => asked.threads = value()?.parse()?,
                "--engine" => asked.engine = if value()? == "ort" { Engine::Ort } else { Engine::Rten },
                "--reference" => asked.reference = true,
                "--resume" => asked.resume = Some(value()?.into()),
                "--save" => asked.save = Some(value()?.into()),
                "--out" => asked.out = Some(value()?.into()),
                "--verbose" => asked.verbose = true,
                other => return Err(format!("{other} is not understood").into()),
            }
        }
        Ok(asked)
    }

    /// Which section of the page this run is.
    pub(crate) fn kind(&self) -> String {
        let which = match (self.only, self.tuning) {
            (Some(index), _) => format!("image {index}"),
            (None, true) => "tuning".to_owned(),
            (None, false) => "held back".to_owned(),
        };
        format!("{}, {which}, {} queries", self.network.name(), self.queries)
    }

    /// The words of the command without those about this machine.
    pub(crate) fn shown(words: &[String]) -> String {
        let local = ["--data", "--save", "--threads"];
        let mut shown = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if local.contains(&word.as_str()) {
                words.next();
            } else if word != "--verbose" {
                shown.push(word.as_str());
            }
        }
        shown.join(" ")
    }

    pub(crate) fn model(&self) -> Fallible<Onnx> {
        let options = OnnxOptions { engine: self.engine, ..OnnxOptions::default() };
        Ok(Onnx::load_with(format!("assets/{}.onnx", self.network.name()), &options)?)
    }

    /// As `gradless explain --confidence 0 --stability off` does, with a noise floor that is given.
    pub(crate) fn options(&self, question: Question) -> Options {
        Options {
            questions: vec![question.asked()],
            config: Config { seed: self.seed, ..Config::default() },
            max_queries: self.queries,
            noise_floor: Some(self.network.floor()),
            ..Options::smallest()
        }
    }
}

fn network(name: &str) -> Fallible<Network> {
    match name {
        "lenet" => Ok(Network::Lenet),
        "resnet20" => Ok(Network::Resnet20),
        other => Err(format!("there is no network {other}: lenet, resnet20").into()),
    }
}

fn question(name: &str) -> Fallible<Question> {
    match name {
        "pp" => Ok(Question::Part),
        "pn" => Ok(Question::Change),
        "pn-add" => Ok(Question::Addition),
        other => Err(format!("there is no mode {other}: pp, pn, pn-add").into()),
    }
}
