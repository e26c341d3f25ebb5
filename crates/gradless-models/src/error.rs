//! What can be wrong with a model file: always with its path, what was found and what to do.

use std::path::{Path, PathBuf};

use crate::description::DescriptionError;

/// A model that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct LoadError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is a folder.
    #[error("is a folder, a file is needed")]
    IsFolder,
    /// It is larger than is read.
    #[error(
        "holds {bytes} bytes, more than the {limit} that are read: raise the limit (`OnnxOptions::max_bytes`)"
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest size read.
        limit: u64,
    },
    /// It is not an ONNX file, or no longer.
    #[error("is not an ONNX file, or it was damaged: {what}")]
    NotOnnx {
        /// What does not fit.
        what: String,
    },
    /// Its weights are in another file.
    #[error("keeps the weight {name:?} in another file: save the model with its weights inside")]
    ExternalWeights {
        /// Which weight.
        name: String,
    },
    /// A weight is NaN or infinite.
    #[error("has a weight that is not a number: {name:?}[{index}] is {value}")]
    BadWeight {
        /// Which tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// It has not exactly one input.
    #[error("has {} inputs ({}), a classifier has one", names.len(), names.join(", "))]
    Inputs {
        /// Their names.
        names: Vec<String>,
    },
    /// Its input does not take numbers.
    #[error(
        "takes input of ONNX type {found}, which is no kind of number: a table (`rows.csv`) or a text can be shown to a model of strings"
    )]
    InputType {
        /// ONNX's number of the type.
        found: u64,
    },
    /// It takes no texts.
    #[error("takes {}, none of which is a single input of strings: a text cannot be shown to it", names.join(", "))]
    NoText {
        /// The names of its inputs.
        names: Vec<String>,
    },
    /// It takes another number of columns.
    #[error(
        "takes {expected} columns, the table has {found}: leave out what the model does not take (`--drop NAME`), and keep their order"
    )]
    ColumnCount {
        /// Columns of the model.
        expected: usize,
        /// Columns of the table.
        found: usize,
    },
    /// An input of its has no column.
    #[error("takes a column '{name}', which the table does not have; it has {}", columns.join(", "))]
    NoColumn {
        /// The input's name.
        name: String,
        /// The columns there are.
        columns: Vec<String>,
    },
    /// The shape of its input is not known.
    #[error(
        "takes inputs of shape {found}, of which only the first axis may be open: give the shape of one input, channels first (`shape = [1, 28, 28]` in the description, or `--shape 1,28,28`)"
    )]
    OpenShape {
        /// The shape in the file.
        found: String,
    },
    /// The shape given does not fit the file.
    #[error("takes inputs of shape {found}, the description says {given:?} (channels first)")]
    WrongShape {
        /// The shape in the file.
        found: String,
        /// The shape in the description.
        given: Vec<usize>,
    },
    /// A block of inputs has no numbers or more than anything sensible.
    #[error(
        "would be run with {rows} inputs of shape {shape:?} at once: between 1 and 65,536 inputs and 2^27 numbers can be (`OnnxOptions::rows`)"
    )]
    HugeBlock {
        /// Inputs per call of the engine.
        rows: usize,
        /// The shape of one.
        shape: Vec<usize>,
    },
    /// It has not exactly one output that can be scores.
    #[error(
        "has {} outputs ({}): say which holds the scores (`output = \"name\"` in the description, or `--output name`)",
        names.len(),
        names.join(", ")
    )]
    Outputs {
        /// Their names.
        names: Vec<String>,
    },
    /// It has no output of the name that was given.
    #[error("has no output '{name}'; it has {}", names.join(", "))]
    NoOutput {
        /// The name given.
        name: String,
        /// The names there are.
        names: Vec<String>,
    },
    /// Its output is not of 32-bit floats: a label, most likely.
    #[error(
        "answers with '{name}' of ONNX type {found}, which is a label rather than scores: export it with its scores or \
         probabilities as 32-bit floats, one per class (labels alone as one-hot floats work too, with larger answers)"
    )]
    OutputType {
        /// The output's name.
        name: String,
        /// ONNX's number of the type.
        found: u64,
    },
    /// Its output is not one score vector per input.
    #[error(
        "answers {rows} inputs with a tensor of shape {found:?}, a classifier answers with [{rows}, classes]"
    )]
    OutputShape {
        /// Inputs of the batch.
        rows: usize,
        /// The shape of the answer.
        found: Vec<usize>,
    },
    /// It does not answer with as many scores as it says.
    #[error(
        "promises {promised} scores and answers with {found}: the file contradicts itself, export it again"
    )]
    ClassCount {
        /// In the file.
        promised: usize,
        /// In its answer.
        found: usize,
    },
    /// It answers an ordinary input with NaN or an infinity.
    #[error("gives the score {value} for class {class} at an ordinary input")]
    NotFinite {
        /// Which class.
        class: usize,
        /// What it said.
        value: f64,
    },
    /// It uses operators that the engine does not have.
    #[error(
        "uses {}, which the engine {engine} does not have ({message}): try the engine {} (`--engine {1}`), or export it with other operators",
        operators.join(", "),
        other(engine),
    )]
    Operator {
        /// The engine's name.
        engine: &'static str,
        /// The operators.
        operators: Vec<String>,
        /// The engine's own words.
        message: String,
    },
    /// The engine does not take it.
    #[error(
        "is refused by the engine {engine}: {message}. If the file is right, try the engine {} (`--engine {0}`)",
        other(engine)
    )]
    Refused {
        /// The engine's name.
        engine: &'static str,
        /// The engine's own words.
        message: String,
    },
    /// The engine was not compiled in.
    #[error("needs the engine {engine}, which is not in this build: build with the feature `{engine}`")]
    NoEngine {
        /// The engine's name.
        engine: &'static str,
    },
    /// The engine's library is not there or cannot be used.
    #[error("needs onnxruntime: {0}")]
    Library(String),
    /// Its description does not fit it.
    #[error("{0}")]
    Description(#[from] DescriptionError),
}

/// The other engine's name.
fn other(engine: &str) -> &'static str {
    if engine == "ort" { "rten" } else { "ort" }
}

impl Problem {
    pub(crate) fn at(self, path: &Path) -> LoadError {
        LoadError { path: path.to_owned(), problem: self }
    }
}
