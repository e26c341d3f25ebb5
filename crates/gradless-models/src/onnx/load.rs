//! From a file to a model that is known to answer.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::adapt::{Casts, adapt};
use super::blocks::Blocks;
use super::complete::complete;
use super::engine::{Engine, Failure, Output, Worker};
use super::graph::{self, Axis, Value};
use super::{Onnx, OnnxOptions, Seat};
use crate::description::{Description, DescriptionError, Layout, ScoreKind};
use crate::error::{LoadError, Problem};
use crate::file;

/// No call of an engine has more numbers than this: eight colour pictures of 2,300 by 2,300.
const MAX_BLOCK: usize = 1 << 27;
/// No call of an engine has more rows than this.
const MAX_ROWS: usize = 1 << 16;

pub(super) fn from_file(path: &Path, options: &OnnxOptions) -> Result<Onnx, LoadError> {
    let bytes = file::read(path, options.max_bytes).map_err(|problem| problem.at(path))?;
    let description = match &options.description {
        Some(description) => description.clone(),
        None => Description::beside(path)?,
    };
    from_bytes(&bytes, description, options).map_err(|problem| problem.at(path))
}

pub(super) fn from_bytes(
    bytes: &[u8],
    mut description: Description,
    options: &OnnxOptions,
) -> Result<Onnx, Problem> {
    description.check()?;
    let engine = options.engine;
    let given = graph::read(bytes)?;
    let adapted = adapt(bytes, Casts::All)?;
    let bytes = &*adapted.bytes;
    let graph = graph::read(bytes)?;
    let names = |values: &[Value]| values.iter().map(|value| value.name.clone()).collect();
    let [input] = &graph.inputs[..] else { return Err(Problem::Inputs { names: names(&graph.inputs) }) };
    let output = output(&graph.outputs, description.output.as_deref())?;
    // Bytes go from 0 to 255 where nothing else is said.
    if given.inputs.first().is_some_and(|input| input.element == graph::BYTE)
        && description.range == Description::default().range
    {
        description.range = [0.0, 255.0];
    }
    let Shapes { batch, shape, tensor } = shapes(input, &description)?;
    let rows = batch.or(options.rows).unwrap_or(Onnx::BLOCK);
    let numbers = tensor.iter().try_fold(rows, |n, length| n.checked_mul(*length));
    if rows == 0 || rows > MAX_ROWS || numbers.is_none_or(|numbers| numbers > MAX_BLOCK) {
        return Err(Problem::HugeBlock { rows, shape });
    }
    let preparation = description.preparation(&shape)?;
    let told = |failure: Failure| failure.problem(engine, &graph.operators);
    let loaded = engine.load(complete(bytes, engine)?, output).map_err(told)?;
    let mut worker = loaded.worker().map_err(told)?;
    // A file with a fixed batch takes no other.
    let blocks = match batch {
        Some(rows) => Blocks::only(rows),
        None => Blocks::new(rows, engine.smallest_rows()),
    };
    let classes = classes(worker.as_mut(), engine, blocks.smallest(), &tensor)?;
    if let Some([_, Axis::Fixed(promised)]) = graph.outputs[output.index].axes.as_deref()
        && *promised != classes
    {
        return Err(Problem::ClassCount { promised: *promised, found: classes });
    }
    if description.classes.is_empty() && adapted.classes.len() == classes {
        description.classes = adapted.classes;
    }
    if !description.classes.is_empty() && description.classes.len() != classes {
        let found = description.classes.len();
        return Err(DescriptionError::Classes { expected: classes, found }.into());
    }
    let seat = Seat { worker, input: Vec::new(), shape: Vec::new() };
    let mut model = Onnx {
        loaded,
        idle: Mutex::default(),
        engine,
        kind: description.scores,
        description,
        preparation,
        shape,
        tensor,
        classes,
        blocks,
        threads: options.threads.clamp(1, MAX_ROWS),
        row_time: Duration::ZERO,
    };
    try_out(&mut model, seat)?;
    Ok(model)
}

/// Which output holds the scores: the one that is named, else the only one that can. Exports of scikit-learn have a label
/// (whole numbers) beside the probabilities.
pub(super) fn output(outputs: &[Value], named: Option<&str>) -> Result<Output, Problem> {
    let names = || outputs.iter().map(|value| value.name.clone()).collect();
    let found = |index| Ok(Output { index, of: outputs.len() });
    if let Some(name) = named {
        let place = outputs.iter().position(|value| value.name == name);
        return place.map_or_else(|| Err(Problem::NoOutput { name: name.to_owned(), names: names() }), found);
    }
    let is_float = |value: &Value| matches!(value.element, 0 | graph::FLOAT);
    let is_table = |value: &Value| value.axes.as_ref().is_none_or(|axes| axes.len() == 2);
    let can = |value: &Value| is_float(value) && is_table(value);
    match outputs {
        [only] if !is_float(only) => {
            Err(Problem::OutputType { name: only.name.clone(), found: only.element })
        }
        [_] => found(0),
        several => {
            let able: Vec<usize> = (0..several.len()).filter(|&index| can(&several[index])).collect();
            if let [index] = able[..] { found(index) } else { Err(Problem::Outputs { names: names() }) }
        }
    }
}

/// What is known of the input.
struct Shapes {
    /// Rows per batch, if the file fixes them.
    batch: Option<usize>,
    /// One input, channels first.
    shape: Vec<usize>,
    /// One input as the network sees it.
    tensor: Vec<usize>,
}

fn shapes(input: &Value, description: &Description) -> Result<Shapes, Problem> {
    if input.element != graph::FLOAT {
        return Err(Problem::InputType { found: input.element });
    }
    let last = description.layout == Layout::Nhwc;
    let given = description.shape.as_ref().map(|shape| {
        let mut tensor = shape.clone();
        if last {
            tensor.rotate_left(1);
        }
        tensor
    });
    let found = input.shape();
    let batch = match input.axes.as_deref() {
        Some([Axis::Fixed(rows), ..]) => Some(*rows),
        _ => None,
    };
    let tensor: Vec<usize> = match (input.axes.as_deref(), given) {
        (None, Some(tensor)) => tensor,
        (Some([_, axes @ ..]), Some(tensor)) => {
            let fits =
                |(axis, length): (&Axis, &usize)| !matches!(axis, Axis::Fixed(fixed) if fixed != length);
            if axes.len() != tensor.len() || !axes.iter().zip(&tensor).all(fits) {
                let given = description.shape.clone().unwrap_or_default();
                return Err(Problem::WrongShape { found, given });
            }
            tensor
        }
        (Some([_, axes @ ..]), None) if !axes.is_empty() => {
            let length = |axis: &Axis| match axis {
                Axis::Fixed(length) => Some(*length),
                Axis::Open(_) => None,
            };
            let lengths: Option<Vec<usize>> = axes.iter().map(length).collect();
            lengths.ok_or_else(|| Problem::OpenShape { found: found.clone() })?
        }
        _ => return Err(Problem::OpenShape { found }),
    };
    let mut shape = tensor.clone();
    if last {
        shape.rotate_right(1);
    }
    Ok(Shapes { batch, shape, tensor })
}

/// Runs one block of zeros to see what an answer looks like.
fn classes(worker: &mut dyn Worker, engine: Engine, rows: usize, tensor: &[usize]) -> Result<usize, Problem> {
    let shape: Vec<usize> = std::iter::once(rows).chain(tensor.iter().copied()).collect();
    let input = vec![0.0; shape.iter().product()];
    let mut found = Vec::new();
    let result = worker.run(&shape, &input, &mut |shape, _| found.extend_from_slice(shape));
    result.map_err(|message| Problem::Refused { engine: engine.name(), message })?;
    match found[..] {
        [answers, classes] if answers == rows && classes > 0 => Ok(classes),
        _ => Err(Problem::OutputShape { rows, found }),
    }
}

/// Runs one block of ordinary inputs: are the scores numbers, what kind are they, and do smaller blocks have the same
/// digits?
fn try_out(model: &mut Onnx, mut seat: Seat) -> Result<(), Problem> {
    let (classes, dim, rows) = (model.classes, model.preparation.dim(), model.blocks.largest());
    let points = ordinary(model.description.range, rows * dim);
    let engine = model.engine.name();
    // The last rows of the block, in one call.
    let mut ask = |rows: usize| -> Result<Vec<f64>, Problem> {
        let mut scores = vec![0.0; rows * classes];
        let answer = model.run(&mut seat, &points[points.len() - rows * dim..], rows, &mut scores);
        answer.map_err(|error| Problem::Refused { engine, message: error.to_string() })?;
        Ok(scores)
    };
    let begun = Instant::now();
    let whole = ask(rows)?;
    let row_time = begun.elapsed() / u32::try_from(rows).unwrap_or(u32::MAX);
    if let Some(i) = whole.iter().position(|score| !score.is_finite()) {
        return Err(Problem::NotFinite { class: i % classes, value: whole[i] });
    }
    let mut blocks = model.blocks.clone();
    blocks.retain(|size| {
        let last = &whole[whole.len() - size * classes..];
        let alone = ask(size)?;
        Ok::<_, Problem>(alone.iter().zip(last).all(|(alone, whole)| alone.to_bits() == whole.to_bits()))
    })?;
    if model.kind == ScoreKind::Auto {
        model.kind = ScoreKind::of(&whole, classes);
    }
    model.blocks = blocks;
    model.row_time = row_time;
    model.idle = Mutex::new(vec![seat]);
    Ok(())
}

/// Numbers that fill the range evenly and repeat only after long.
fn ordinary([low, high]: [f64; 2], count: usize) -> Vec<f64> {
    // The golden ratio's multiples, modulo 1.
    let step = 0.618_033_988_749_895;
    (0..count).map(|i| low + (high - low) * (i as f64 * step).fract()).collect()
}
