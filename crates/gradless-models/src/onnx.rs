//! A classifier in an ONNX file.

mod adapt;
mod blocks;
mod complete;
mod edits;
mod engine;
mod graph;
#[cfg(feature = "ort")]
mod library;
mod load;
mod node;
mod once;
#[cfg(feature = "ort")]
mod ort;
#[cfg(feature = "ort")]
mod records;
#[cfg(feature = "rten")]
mod rten;
mod scope;
mod wire;

pub use engine::Engine;
pub use once::{Element, Tensor, run_graph};
#[cfg(feature = "ort")]
pub use records::OnnxRecords;

use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use gradless::{Inputs, Model, ModelError};

use crate::description::{Description, Preparation, ScoreKind};
use crate::error::LoadError;
use blocks::Blocks;
use engine::{Loaded, Worker};

/// How an ONNX file is run.
#[derive(Clone, Debug, PartialEq)]
pub struct OnnxOptions {
    /// What runs it.
    pub engine: Engine,
    /// Threads on which one call of [`Model::scores`] works. With 1 (the default) a call works on one thread and
    /// the caller makes the threads, as `gradless::Driver::threads` does. The answers do not depend on it.
    pub threads: usize,
    /// Inputs per call of the engine; [`Onnx::BLOCK`] unless given. A file with a fixed batch decides itself.
    pub rows: Option<usize>,
    /// What the file does not say; `None` looks for `M.toml` beside `M.onnx`.
    pub description: Option<Description>,
    /// Files larger than this are not read.
    pub max_bytes: u64,
}

impl Default for OnnxOptions {
    fn default() -> Self {
        Self { engine: Engine::default(), threads: 1, rows: None, description: None, max_bytes: 2 << 30 }
    }
}

/// A classifier in an ONNX file.
///
/// One input of 32-bit floats, `[batch, ...]` with an open or fixed batch, and one output `[batch, classes]`
/// (beside labels and the like, if there is only one such). Everything else is refused when loading, with a reason ([`crate::Problem`]).
///
/// What ONNX lets a file leave out may be left out: for `rten`, defaults are filled in before it sees the file, and what it would
/// compute otherwise than ONNX is corrected or refused. A refusal names the operator and its node. Which operators either
/// engine runs: `docs/benchmarks/onnx-operators.md`.
///
/// # Blocks
///
/// An engine may use other instructions for other batch sizes, and then the last digits of a score change with the company
/// its input is in. Differences over small radii would be made of that. So the engine only ever sees a few batch
/// sizes: [`BLOCK`](Self::BLOCK) inputs, a quarter of that, and so on down to 2 (`rten`) or 1 (`ort`); what does not fill a
/// block is filled up with copies. That all sizes have the same digits is checked when loading, on that file, and a size
/// that has others is not used. A row's score is then one number, however a batch is cut and whatever the number of
/// threads (tested bit for bit).
///
/// Measured on a LeNet and a ResNet20 with random weights, 2,010 scores each, one thread, images per CPU second (median of 7;
/// read the ratios):
///
/// | rows per call | LeNet, `rten` | ResNet20, `rten` | LeNet, `ort` | ResNet20, `ort` |
/// |---|---|---|---|---|
/// | 1 | 3,970 | 430 | 7,230 | 970 |
/// | 2 | 3,190 | 450 | 8,690 | 990 |
/// | 8 | 5,880 | 470 | 10,370 | 1,050 |
/// | 32 | 7,060 | 440 | 9,630 | 1,070 |
/// | 201 | 7,050 | 420 | 9,660 | 1,050 |
///
/// With `rten` about 1,750 of the 2,010 LeNet scores differ in their last digits between 1 row and 201, and change again with its
/// threads; from 2 rows on not one differs, on either network, on one thread or two. With `ort` none differs at all. A
/// lone input costs two rows with `rten` and one with `ort`.
///
/// # Threads
///
/// The engine works on one thread per call and calls run side by side: rows are split, operators are not. Two callers
/// get 1.9 times the LeNet images of one, with either engine; two threads inside the operators of `rten` get 1.75 times, and
/// sums would depend on them. Each caller takes a worker of its own and gives it back; with `ort` that is a session with
/// its own copy of the weights.
///
/// # Untrusted files
///
/// Sizes, shapes, weights and how deeply graphs are nested are looked at before an engine sees the file, and a panic of `rten` becomes an error. What an
/// operator allocates while running is the engine's: a file made to exhaust memory can. onnxruntime is not Rust, and a
/// file made to crash it may.
pub struct Onnx {
    loaded: Box<dyn Loaded>,
    /// Workers that nobody uses now.
    idle: Mutex<Vec<Seat>>,
    engine: Engine,
    description: Description,
    preparation: Preparation,
    /// One input, channels first.
    shape: Vec<usize>,
    /// One input as the network sees it.
    tensor: Vec<usize>,
    classes: usize,
    kind: ScoreKind,
    blocks: Blocks,
    threads: usize,
    row_time: Duration,
}

/// A worker with the memory it needs.
struct Seat {
    worker: Box<dyn Worker>,
    input: Vec<f32>,
    shape: Vec<usize>,
}

impl Onnx {
    /// Inputs per call of the engine, unless the file or the options say otherwise: the fewest at full speed.
    pub const BLOCK: usize = 32;

    /// Loads a model with its description beside it, on the default engine.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_with(path, &OnnxOptions::default())
    }

    /// Loads a model. Everything that can be checked is: one block of ordinary inputs is run.
    pub fn load_with(path: impl AsRef<Path>, options: &OnnxOptions) -> Result<Self, LoadError> {
        let path = path.as_ref();
        load::from_file(path, options)
    }

    /// Takes a model that is already in memory; `name` stands for the path in errors. Without a description in the
    /// options it has the default one.
    pub fn from_bytes(name: &str, bytes: &[u8], options: &OnnxOptions) -> Result<Self, LoadError> {
        let description = options.description.clone().unwrap_or_default();
        load::from_bytes(bytes, description, options).map_err(|problem| problem.at(Path::new(name)))
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// What is known of it beyond the file.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What its scores are: never [`ScoreKind::Auto`].
    pub fn score_kind(&self) -> ScoreKind {
        self.kind
    }

    /// The name of a class: as described, else its number.
    pub fn class_name(&self, class: usize) -> String {
        self.description.classes.get(class).cloned().unwrap_or_else(|| class.to_string())
    }

    /// What one input took in a whole block when the file was loaded, on one thread: a first guess of what a run will take.
    pub fn row_time(&self) -> Duration {
        self.row_time
    }

    /// The batch sizes the engine sees: a whole block, then what rests are cut into.
    pub fn block_sizes(&self) -> &[usize] {
        self.blocks.sizes()
    }

    fn seat(&self) -> Result<Seat, ModelError> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        if let Some(seat) = idle {
            return Ok(seat);
        }
        let worker = self.loaded.worker().map_err(|failure| ModelError::Gone(failure.words()))?;
        Ok(Seat { worker, input: Vec::new(), shape: Vec::new() })
    }

    /// One call of the engine: at most `rows` inputs, filled up with copies of the last.
    fn run(
        &self,
        seat: &mut Seat,
        points: &[f64],
        rows: usize,
        scores: &mut [f64],
    ) -> Result<(), ModelError> {
        let dim = self.preparation.dim();
        seat.input.resize(rows * dim, 0.0);
        let inputs = points.chunks_exact(dim);
        let filled = inputs.len() * dim;
        for (x, out) in inputs.zip(seat.input.chunks_exact_mut(dim)) {
            self.preparation.write(x, out);
        }
        for start in (filled..rows * dim).step_by(dim) {
            seat.input.copy_within(start - dim..start, start);
        }
        seat.shape.clear();
        seat.shape.push(rows);
        seat.shape.extend_from_slice(&self.tensor);
        let (classes, mut fits) = (self.classes, true);
        let mut take = |shape: &[usize], answer: &[f32]| {
            fits = shape == [rows, classes];
            for (score, answer) in scores.iter_mut().zip(answer) {
                *score = f64::from(*answer);
            }
        };
        seat.worker.run(&seat.shape, &seat.input, &mut take).map_err(ModelError::Gone)?;
        if fits { Ok(()) } else { Err(ModelError::Gone("the model changed the shape of its answer".into())) }
    }

    /// The scores of some inputs, block by block.
    fn answer(&self, points: &[f64], scores: &mut [f64]) -> Result<(), ModelError> {
        let dim = self.preparation.dim();
        let mut seat = self.seat()?;
        let (mut points, mut scores) = (points, scores);
        while !scores.is_empty() {
            let left = scores.len() / self.classes;
            let rows = self.blocks.next(left);
            let (now, later) = points.split_at(rows.min(left) * dim);
            let (scores_now, scores_later) = scores.split_at_mut(rows.min(left) * self.classes);
            // A worker that failed is not given back.
            self.run(&mut seat, now, rows, scores_now)?;
            (points, scores) = (later, scores_later);
        }
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(seat);
        }
        Ok(())
    }
}

impl Model for Onnx {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let block = self.blocks.largest();
        let points = inputs.points.chunks(block * inputs.dim);
        blocks::work_off(
            points.zip(scores.chunks_mut(block * self.classes)),
            self.threads,
            |index, (points, scores)| {
                self.answer(points, scores)?;
                let bad = scores.iter().position(|score| !score.is_finite());
                bad.map_or(Ok(()), |i| {
                    let (row, class) = (index * block + i / self.classes, i % self.classes);
                    Err(ModelError::NotFinite { row, class, value: scores[i] })
                })
            },
        )
    }

    fn preferred_rows(&self) -> usize {
        self.blocks.largest() * self.threads
    }
}

impl fmt::Debug for Onnx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Onnx")
            .field("engine", &self.engine)
            .field("shape", &self.shape)
            .field("classes", &self.classes)
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}
