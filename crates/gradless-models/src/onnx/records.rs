//! ONNX files that take records: a typed input for every column, one tensor of all of them, or a text. For onnxruntime.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gradless::ModelError;
use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;

use super::adapt::{Casts, adapt};
use super::engine::{Engine, Failure};
use super::graph::{self, Axis, Value};
use super::load::output;
use super::ort::{environment, session, words};
use crate::description::{Description, DescriptionError, ScoreKind};
use crate::error::{LoadError, Problem};
use crate::file;
use crate::records::{Cell, Record, RecordModel};

/// ONNX's numbers of the types that a column may have.
const FLOAT: u64 = 1;
const INT32: u64 = 6;
const INT64: u64 = 7;
const STRING: u64 = 8;
const BOOL: u64 = 9;
const DOUBLE: u64 = 11;
/// Records per call.
const ROWS: usize = 64;
/// Files larger than this are not read.
const MAX_BYTES: u64 = 2 << 30;

/// A classifier of records in an ONNX file: what scikit-learn's pipelines become when they are exported.
///
/// Either every column has an input of its own, by name, of 32- or 64-bit floats, whole numbers, strings or truth values; or one input takes
/// all columns in order; or one input of strings takes texts. The answer is a tensor `[batch, classes]`, or a list of maps of
/// probabilities (`ZipMap`), which is read as the tensor it is made of. A single number per record is one, too: of a regression, for
/// a threshold to be set. It runs in onnxruntime, whose operators for tables `rten` does not have.
pub struct OnnxRecords {
    bytes: Vec<u8>,
    idle: Mutex<Vec<Session>>,
    feeds: Vec<Feed>,
    output: usize,
    classes: usize,
    description: Description,
    kind: ScoreKind,
    row_time: Duration,
}

/// What is fed to an input.
#[derive(Clone, Debug, PartialEq)]
struct Feed {
    name: String,
    element: u64,
    what: What,
    /// Whether it has a second axis.
    is_table: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Columns by their places in a record.
    Columns(Vec<usize>),
    Text,
}

impl OnnxRecords {
    /// Loads a file for records with these columns (none for texts), with its description beside it unless one is given, and asks it about
    /// some of them.
    pub fn load(
        path: impl AsRef<Path>,
        description: Option<Description>,
        columns: &[String],
        first: &[Record],
    ) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let description = match description {
            Some(description) => description,
            None => Description::beside(path)?,
        };
        let bytes = file::read(path, MAX_BYTES).map_err(|problem| problem.at(path))?;
        Self::of_bytes(&bytes, description, columns, first).map_err(|problem| problem.at(path))
    }

    fn of_bytes(
        bytes: &[u8],
        mut description: Description,
        columns: &[String],
        first: &[Record],
    ) -> Result<Self, Problem> {
        description.check()?;
        let adapted = adapt(bytes, Casts::Outputs)?;
        let graph = graph::read(&adapted.bytes)?;
        let feeds = feeds(&graph.inputs, columns, matches!(first.first(), Some(Record::Text(_))))?;
        let output = output(&graph.outputs, description.output.as_deref())?.index;
        if description.classes.is_empty() {
            description.classes = adapted.classes;
        }
        let told = |failure: Failure| failure.problem(Engine::Ort, &graph.operators);
        let made = session(&environment().map_err(told)?, &adapted.bytes).map_err(told)?;
        let mut model = Self {
            bytes: adapted.bytes.into_owned(),
            idle: Mutex::new(vec![made]),
            feeds,
            output,
            classes: 0,
            kind: description.scores,
            description,
            row_time: Duration::ZERO,
        };
        let begun = Instant::now();
        let (classes, scores) =
            model.run(first).map_err(|message| Problem::Refused { engine: "ort", message })?;
        model.row_time = begun.elapsed() / u32::try_from(first.len().max(1)).unwrap_or(u32::MAX);
        model.classes = classes;
        let names = model.description.classes.len();
        if names != 0 && names != classes && classes != 1 {
            return Err(DescriptionError::Classes { expected: classes, found: names }.into());
        }
        if let Some(i) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Problem::NotFinite { class: i % classes.max(1), value: scores[i] });
        }
        if model.kind == ScoreKind::Auto {
            model.kind = ScoreKind::of(&scores, classes);
        }
        Ok(model)
    }

    /// What is known of it: names of classes are those of the file where nothing else is said.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What its scores are: never [`ScoreKind::Auto`].
    pub fn score_kind(&self) -> ScoreKind {
        self.kind
    }

    /// What one record took when the file was loaded.
    pub fn row_time(&self) -> Duration {
        self.row_time
    }

    fn session(&self) -> Result<Session, String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(session) => Ok(session),
            None => session(&environment().map_err(Failure::words)?, &self.bytes).map_err(Failure::words),
        }
    }

    /// Scores per record, and the scores of all of them.
    fn run(&self, records: &[Record]) -> Result<(usize, Vec<f64>), String> {
        let mut session = self.session()?;
        let mut inputs: Vec<(String, SessionInputValue<'_>)> = Vec::new();
        for feed in &self.feeds {
            inputs.push((feed.name.clone(), feed.tensor(records)?));
        }
        let answer = {
            let outputs = session.run(inputs).map_err(words)?;
            let output = outputs.values().nth(self.output).ok_or("an output is missing")?;
            let (shape, numbers) = output.try_extract_tensor::<f32>().map_err(words)?;
            let classes = match shape[..] {
                [rows] if usize::try_from(rows) == Ok(records.len()) => 1,
                [rows, classes] if usize::try_from(rows) == Ok(records.len()) => {
                    usize::try_from(classes).unwrap_or(0)
                }
                _ => {
                    return Err(format!(
                        "it answers {} records with a tensor of shape {shape:?}",
                        records.len()
                    ));
                }
            };
            (classes, numbers.iter().map(|&score| f64::from(score)).collect())
        };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        Ok(answer)
    }
}

impl std::fmt::Debug for OnnxRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxRecords")
            .field("feeds", &self.feeds)
            .field("classes", &self.classes)
            .finish_non_exhaustive()
    }
}

impl RecordModel for OnnxRecords {
    fn classes(&self) -> usize {
        self.classes
    }

    fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError> {
        for (records, scores) in records.chunks(ROWS).zip(scores.chunks_mut(ROWS * self.classes)) {
            let (_, told) = self.run(records).map_err(ModelError::Gone)?;
            if told.len() != scores.len() {
                return Err(ModelError::Gone("the model changed the shape of its answer".into()));
            }
            scores.copy_from_slice(&told);
        }
        Ok(())
    }

    fn preferred_records(&self) -> usize {
        ROWS
    }
}

/// What is fed to which input.
fn feeds(inputs: &[Value], columns: &[String], is_text: bool) -> Result<Vec<Feed>, Problem> {
    let names = || inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>();
    let feed = |input: &Value, what: What| Feed {
        name: input.name.clone(),
        element: input.element,
        what,
        is_table: input.axes.as_ref().is_none_or(|axes| axes.len() > 1),
    };
    if is_text {
        return match inputs {
            [only] if only.element == STRING => Ok(vec![feed(only, What::Text)]),
            _ => Err(Problem::NoText { names: names() }),
        };
    }
    if let [only] = inputs {
        let width = match only.axes.as_deref() {
            Some([_, Axis::Fixed(width)]) => *width,
            _ => columns.len(),
        };
        // One column by its name, or all of them in order.
        if let Some(at) = (width == 1).then(|| place(&only.name, columns)).flatten() {
            return Ok(vec![feed(only, What::Columns(vec![at]))]);
        }
        if width != columns.len() {
            return Err(Problem::ColumnCount { expected: width, found: columns.len() });
        }
        return Ok(vec![feed(only, What::Columns((0..width).collect()))]);
    }
    let found = inputs.iter().map(|input| {
        let at = place(&input.name, columns)
            .ok_or_else(|| Problem::NoColumn { name: input.name.clone(), columns: columns.to_vec() })?;
        Ok(feed(input, What::Columns(vec![at])))
    });
    found.collect()
}

/// Where a column stands whose name an exporter may have written without its signs.
fn place(name: &str, columns: &[String]) -> Option<usize> {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    };
    let same = columns.iter().position(|column| column == name);
    same.or_else(|| columns.iter().position(|column| plain(column) == plain(name)))
}

impl Feed {
    /// The tensor of this input for some records.
    fn tensor(&self, records: &[Record]) -> Result<SessionInputValue<'static>, String> {
        let width = match &self.what {
            What::Columns(columns) => columns.len(),
            What::Text => 1,
        };
        let shape = if self.is_table { vec![records.len(), width] } else { vec![records.len()] };
        let cells = || self.cells(records);
        Ok(match self.element {
            FLOAT => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "single precision is what the model takes"
                )]
                let numbers: Vec<f32> =
                    cells()?.iter().map(|cell| number(cell).map(|x| x as f32)).collect::<Result<_, _>>()?;
                Tensor::from_array((shape, numbers)).map_err(words)?.into()
            }
            DOUBLE => {
                let numbers: Vec<f64> = cells()?.iter().map(number).collect::<Result<_, _>>()?;
                Tensor::from_array((shape, numbers)).map_err(words)?.into()
            }
            INT64 => {
                let numbers: Vec<i64> = cells()?.iter().map(whole).collect::<Result<_, _>>()?;
                Tensor::from_array((shape, numbers)).map_err(words)?.into()
            }
            INT32 => {
                let narrow = |cell| {
                    i32::try_from(whole(cell)?).map_err(|_| format!("'{}' is too large a number", self.name))
                };
                let numbers: Vec<i32> = cells()?.iter().map(narrow).collect::<Result<_, _>>()?;
                Tensor::from_array((shape, numbers)).map_err(words)?.into()
            }
            BOOL => {
                let truths: Vec<bool> =
                    cells()?.iter().map(|cell| whole(cell).map(|x| x != 0)).collect::<Result<_, _>>()?;
                Tensor::from_array((shape, truths)).map_err(words)?.into()
            }
            STRING => {
                let texts: Vec<String> = cells()?.iter().map(text).collect();
                Tensor::from_string_array((shape, &texts[..])).map_err(words)?.into()
            }
            other => {
                return Err(format!(
                    "its input '{}' is of ONNX type {other}, which no column has",
                    self.name
                ));
            }
        })
    }

    /// The cells of all records for this input, one record after the other.
    fn cells(&self, records: &[Record]) -> Result<Vec<Cell>, String> {
        let mut cells = Vec::new();
        for record in records {
            match (&self.what, record) {
                (What::Columns(columns), Record::Row(row)) => {
                    for &column in columns {
                        cells.push(row.get(column).cloned().ok_or("a row is too short")?);
                    }
                }
                (What::Text, Record::Text(text)) => cells.push(Cell::Text(text.clone())),
                _ => return Err("records of another kind than the model takes".to_owned()),
            }
        }
        Ok(cells)
    }
}

/// A cell as a number; what is missing is NaN.
fn number(cell: &Cell) -> Result<f64, String> {
    match cell {
        Cell::Number(number) => Ok(*number),
        Cell::Whole(number) => Ok(*number as f64),
        Cell::Truth(truth) => Ok(f64::from(u8::from(*truth))),
        Cell::Missing => Ok(f64::NAN),
        Cell::Text(text) => Err(format!("'{text}' is no number, which the model takes there")),
    }
}

/// A cell as a whole number.
fn whole(cell: &Cell) -> Result<i64, String> {
    let number = number(cell)?;
    if number.is_nan() {
        return Err("a value is missing where the model takes whole numbers".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounded, and far below the largest")]
    let whole = number.round() as i64;
    Ok(whole)
}

/// A cell as a text; what is missing is empty.
fn text(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(number) => number.to_string(),
        Cell::Whole(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Missing => String::new(),
    }
}
