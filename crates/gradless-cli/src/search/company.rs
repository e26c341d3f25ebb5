//! What is known beside the model: examples, an autoencoder, other models.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use gradless::{Inputs, Model};
use gradless_explain::Examples;
use gradless_explain::examples::{Autoencoder, Linear};
use gradless_explain::session::{Beside, Second};
use gradless_models::{Description, Onnx, OnnxOptions};

use crate::input::{self, Source, Space};
use crate::model::{self, EngineName, Loaded};
use crate::table::Sheet;

/// Numbers that examples may have in all: a gigabyte in single precision.
const MOST_NUMBERS: usize = 1 << 28;

/// The words that name who is asked beside the model.
#[derive(Clone, Copy)]
pub(crate) struct Invited<'a> {
    pub(crate) engine: EngineName,
    pub(crate) examples: Option<&'a Path>,
    /// Whether the embedded digits are the examples where none are named.
    pub(crate) digits: bool,
    pub(crate) autoencoder: Option<&'a Path>,
    pub(crate) second_opinion: &'a [PathBuf],
}

/// Who is asked beside the model, and what like inputs are known.
#[derive(Default)]
pub(super) struct Company {
    examples: Option<Examples>,
    autoencoder: Option<Box<dyn Autoencoder + Send>>,
    others: Vec<(String, Onnx)>,
}

impl Company {
    /// Reads what the words name.
    pub(super) fn new(asked: &Invited<'_>, loaded: &Loaded, space: &Space) -> anyhow::Result<Self> {
        let load = |path: &Path| -> anyhow::Result<Onnx> {
            let (engine, description) = (model::engine_of(asked.engine)?, Some(Description::beside(path)?));
            Ok(Onnx::load_with(path, &OnnxOptions { engine, description, ..OnnxOptions::default() })?)
        };
        let mut others = Vec::new();
        for path in asked.second_opinion {
            let other = load(path).context("--second-opinion")?;
            let (found, expected) = (other.shape(), loaded.onnx.shape());
            ensure!(
                found == expected && other.classes() == loaded.classes(),
                "--second-opinion {}: it takes inputs of {found:?} and knows {} classes, the model {expected:?} and {}",
                path.display(),
                other.classes(),
                loaded.classes()
            );
            others.push((path.display().to_string(), other));
        }
        let examples = examples(asked, loaded, space)?;
        let autoencoder: Option<Box<dyn Autoencoder + Send>> = match (asked.autoencoder, &examples) {
            (Some(path), _) => {
                let network = load(path).context("--autoencoder")?;
                ensure!(
                    network.inputs() == space.count() && network.classes() == space.count(),
                    "--autoencoder {}: it takes {} numbers and gives {}, an input of the model has {}",
                    path.display(),
                    network.inputs(),
                    network.classes(),
                    space.count()
                );
                Some(Box::new(Network(network)))
            }
            (None, Some(examples)) => Some(Box::new(Linear::of(examples))),
            (None, None) => None,
        };
        Ok(Self { examples, autoencoder, others })
    }

    /// The other models, for a session.
    pub(super) fn opinions(&self) -> Vec<Second<'_>> {
        self.others.iter().map(|(name, model)| Second { name, model }).collect()
    }

    /// All of it, for a session.
    pub(super) fn beside<'a>(&'a self, opinions: &'a [Second<'a>]) -> Beside<'a> {
        let autoencoder = self.autoencoder.as_deref().map(|autoencoder| autoencoder as &dyn Autoencoder);
        Beside { examples: self.examples.as_ref(), autoencoder, opinions }
    }

    /// What tells one set of examples from another.
    pub(super) fn examples_sha256(&self) -> Option<String> {
        let bytes = |examples: &Examples| -> Vec<u8> {
            (0..examples.len()).flat_map(|i| examples.row(i)).flat_map(f64::to_le_bytes).collect()
        };
        self.examples.as_ref().map(|examples| model::hash(&bytes(examples)))
    }
}

/// The examples that are named, or the embedded digits for the embedded network.
fn examples(asked: &Invited<'_>, loaded: &Loaded, space: &Space) -> anyhow::Result<Option<Examples>> {
    let rows = match asked.examples {
        Some(path) if path == Path::new("none") => return Ok(None),
        Some(path) if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) => {
            numbers(path, space.count()).context("--examples")?
        }
        Some(path) => {
            let source = Source::open(path, space).context("--examples")?;
            ensure!(
                source.len().saturating_mul(space.count()) <= MOST_NUMBERS,
                "--examples {}: {} inputs are more than is kept in memory, take fewer",
                path.display(),
                source.len()
            );
            let read = |index| source.read(index, space).context("--examples");
            (0..source.len()).map(read).collect::<anyhow::Result<Vec<_>>>()?
        }
        None => {
            if !asked.digits || loaded.onnx.shape() != input::DIGIT_SHAPE {
                return Ok(None);
            }
            input::digits(space)?
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "examples are kept in single precision")]
    let rows = rows.into_iter().flatten().map(|x| x as f32).collect();
    Examples::new(rows, space.count()).map(Some).context("--examples")
}

/// The rows of a table, an input each, in the order of its columns.
fn numbers(path: &Path, count: usize) -> anyhow::Result<Vec<Vec<f64>>> {
    let sheet = Sheet::read(path, &[])?;
    let place = || path.display().to_string();
    ensure!(
        sheet.names.len() == count,
        "{}: has {} columns, an input has {count} numbers",
        place(),
        sheet.names.len()
    );
    let cell = |row: usize, column: usize| {
        let number = sheet.cell(row, column).and_then(|cell| cell.parse().ok());
        number.filter(|number: &f64| number.is_finite()).with_context(|| {
            format!("{}: row {row}, column '{}' holds no number", place(), sheet.names[column])
        })
    };
    (0..sheet.len()).map(|row| (0..count).map(|column| cell(row, column)).collect()).collect()
}

/// A network that gives inputs back.
struct Network(Onnx);

impl Autoencoder for Network {
    fn restored(&self, input: &[f64]) -> Option<Vec<f64>> {
        let mut back = vec![0.0; self.0.classes()];
        self.0.scores(Inputs { points: input, dim: input.len() }, &mut back).ok()?;
        Some(back)
    }
}
