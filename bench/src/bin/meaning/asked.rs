//! What the command line asks for.

use std::path::PathBuf;

use bench::Fallible;
use gradless_explain::strategy::Elimination;
use gradless_explain::{Confidence, Steadiness};
use gradless_models::{Engine, Onnx, OnnxOptions};

use crate::kinds::Kind;

/// The data set of the pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Mnist,
    Cifar10,
}

pub(crate) struct Asked {
    pub(crate) data: PathBuf,
    pub(crate) set: Set,
    pub(crate) model: PathBuf,
    pub(crate) judges: Vec<PathBuf>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) per_class: usize,
    pub(crate) skip: usize,
    pub(crate) tuning: bool,
    pub(crate) examples: usize,
    pub(crate) queries: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) engine: Engine,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) steadiness: Steadiness,
    pub(crate) elimination: Elimination,
    pub(crate) bounds: Option<usize>,
    pub(crate) ablation: bool,
    pub(crate) save: Option<PathBuf>,
    pub(crate) write: bool,
}

impl Asked {
    pub(crate) fn read() -> Fallible<Self> {
        let mut asked = Self {
            data: std::env::var_os("GRADLESS_DATA").unwrap_or_else(|| "data".into()).into(),
            set: Set::Mnist,
            model: "assets/lenet.onnx".into(),
            judges: Vec::new(),
            kinds: Kind::ALL.to_vec(),
            per_class: 10,
            skip: 0,
            tuning: false,
            examples: 5_000,
            queries: 5_000,
            seed: 0,
            threads: 2,
            engine: Engine::default(),
            confidence: None,
            steadiness: Steadiness::default(),
            elimination: Elimination::default(),
            bounds: None,
            ablation: false,
            save: None,
            write: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--data" => asked.data = value()?.into(),
                "--cifar10" => asked.set = Set::Cifar10,
                "--model" => asked.model = value()?.into(),
                "--judge" => asked.judges.push(value()?.into()),
                "--kinds" => asked.kinds = value()?.split(',').map(Kind::named).collect::<Fallible<_>>()?,
                "--images" => asked.per_class = value()?.parse()?,
                "--skip" => asked.skip = value()?.parse()?,
                "--set" => asked.tuning = value()? == "tuning",
                "--examples" => asked.examples = value()?.parse()?,
                "--queries" => asked.queries = value()?.parse()?,
                "--seed" => asked.seed = value()?.parse()?,
                "--threads" => asked.threads = value()?.parse()?,
                "--engine" => asked.engine = if value()? == "ort" { Engine::Ort } else { Engine::Rten },
                "--confidence" => asked.confidence = Some(value()?.parse()?),
                "--stability" => asked.steadiness = value()?.parse()?,
                "--pieces" => asked.elimination.pieces = value()?.parse()?,
                "--copies" => asked.elimination.copies = value()?.parse()?,
                "--without" => match value()?.as_str() {
                    "rims" => asked.elimination.rims = false,
                    "faint" => asked.elimination.faint = false,
                    other => return Err(format!("{other} cannot be left out: rims, faint").into()),
                },
                "--bounds" => asked.bounds = Some(value()?.parse()?),
                "--ablation" => asked.ablation = true,
                "--save" => asked.save = Some(value()?.into()),
                "--write" => asked.write = true,
                other => return Err(format!("{other} is not understood").into()),
            }
        }
        if asked.judges.is_empty() {
            return Err("a judge is needed: --judge other.onnx (`gradless train convnet` makes one)".into());
        }
        Ok(asked)
    }

    pub(crate) fn load(&self, path: &PathBuf) -> Fallible<Onnx> {
        Ok(Onnx::load_with(path, &OnnxOptions { engine: self.engine, ..OnnxOptions::default() })?)
    }
}
