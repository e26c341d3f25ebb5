//! Explanations: Python's keywords as a session of the crate that explains, run with Python's lock released.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use gradless::{Budget, Config, Inputs, Model, PerCoordinate, Preset};
use gradless_explain::{
    Column, Columns, Confidence, Declared, ExplainError, Features, Grid, Kappa, Labels, Moves, Options,
    Pixels, Question, Session, Start, Starts, Strategy, Watch,
};
use gradless_models::ScoreKind;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::config::named;
use crate::model::{Callable, Failure, Onnx, ask};
use crate::problem::Numbers;
use crate::words::{choose, value_error};

/// How often signals are looked for.
const GLANCE: Duration = Duration::from_millis(5);

/// An input, what is asked about it, and how it is searched: the keyword arguments of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request<'py> {
    title: String,
    classes: Vec<String>,
    shape: Vec<usize>,
    input: PyReadonlyArray1<'py, f64>,
    lower: Numbers<'py>,
    upper: Numbers<'py>,
    background: Option<Numbers<'py>>,
    frozen: Vec<bool>,
    /// Kind and places of every column; `None` for pictures and plain numbers.
    columns: Option<Vec<(String, Vec<usize>)>>,
    question: String,
    moves: String,
    target: Option<usize>,
    strategy: Option<String>,
    method: Option<String>,
    seed: u64,
    max_queries: u64,
    max_seconds: Option<f64>,
    l1: Option<f64>,
    l2: Option<f64>,
    confidence_share: Option<f64>,
    confidence_probability: Option<f64>,
    kappa: Option<f64>,
    kappa_share: Option<f64>,
    prune: bool,
    start: String,
    noise_floor: Option<f64>,
    scores: String,
    agree: u32,
    rows: usize,
    threads: usize,
}

/// Answers, each with the input of which nothing is present or changed, and an exception that ended the search early.
type Found<'py> = (Vec<(Answer, Bound<'py, PyArray1<f64>>)>, Option<Py<PyAny>>);

/// Explains by a model that Rust runs itself.
#[pyfunction]
pub(crate) fn explain_onnx<'py>(
    py: Python<'py>,
    model: &Bound<'py, Onnx>,
    request: Request<'py>,
) -> PyResult<Found<'py>> {
    let mut job = Job::new(request)?;
    let onnx = &model.get().model;
    if job.options.declared == Declared::Nothing {
        job.options.declared = match onnx.score_kind() {
            ScoreKind::Probabilities => Declared::Probabilities,
            ScoreKind::Logits => Declared::Logits,
            ScoreKind::Auto => Declared::Nothing,
        };
    }
    let (failure, cancel) = (Failure::default(), AtomicBool::new(false));
    job.run(
        py,
        onnx,
        Some(onnx.engine().name()),
        &Attendance { failure: &failure, cancel: &cancel, alone: false },
    )
}

/// Explains by a Python callable: `(n, d)` arrays in, `(n, classes)` arrays out.
#[pyfunction]
pub(crate) fn explain_callable<'py>(
    py: Python<'py>,
    predict: Py<PyAny>,
    request: Request<'py>,
) -> PyResult<Found<'py>> {
    let job = Job::new(request)?;
    // How many classes there are is known from the first answer only; the session gets that answer when it asks for it.
    let [first, second] = job.features.samples();
    let points = [job.features.input(), &first, &second].concat();
    let answer = ask(py, &predict, Inputs { points: &points, dim: job.features.input().len() })?;
    let scores = answer.as_slice()?.to_vec();
    let classes = scores.len() / 3;
    if scores[..classes].iter().any(|score| !score.is_finite()) {
        return Err(value_error(
            "predict gives a score that is not finite for the input itself: it cannot be explained",
        ));
    }
    let (failure, cancel) = (Failure::default(), AtomicBool::new(false));
    let model = Callable {
        predict,
        shape: job.shape.clone(),
        classes,
        rows: job.rows,
        first: Some((points, scores)).into(),
        failure: &failure,
        cancel: &cancel,
    };
    // Alone, the callable looks for signals itself, and libraries that care meet the thread they were loaded on.
    let alone = job.options.threads == 1;
    job.run(py, &model, None, &Attendance { failure: &failure, cancel: &cancel, alone })
}

/// A request in the words of the session.
struct Job {
    features: Box<dyn Features>,
    options: Options,
    title: String,
    classes: Vec<String>,
    shape: Vec<usize>,
    deadline: Option<Instant>,
    rows: usize,
}

impl Job {
    fn new(request: Request<'_>) -> PyResult<Self> {
        let options = options(&request)?;
        let deadline = request
            .max_seconds
            .and_then(|seconds| Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?));
        let job = Self {
            options,
            deadline,
            title: request.title.clone(),
            classes: request.classes.clone(),
            shape: request.shape.clone(),
            rows: request.rows.max(1),
            features: features(request)?,
        };
        // What makes no sense is refused before the model is asked anything.
        job.options.check().map_err(value_error)?;
        for &question in &job.options.questions {
            job.features.coordinates(question).map_err(value_error)?;
        }
        Ok(job)
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        model: &dyn Model,
        engine: Option<&str>,
        attendance: &Attendance<'_>,
    ) -> PyResult<Found<'py>> {
        let found = attendance.attend(py, || {
            let session = Session {
                model,
                features: self.features.as_ref(),
                options: &self.options,
                labels: Labels { input: &self.title, input_sha256: None, classes: &self.classes, engine },
                watch: Watch::new(attendance.cancel),
                deadline: self.deadline,
                sent: None,
            };
            session.explain(session.look()?)
        });
        let error = attendance.failure.take();
        let answers = match (found, &error) {
            (Ok(answers) | Err(ExplainError::Broken { answers, .. }), _) => answers,
            (Err(_), Some(error)) => return Err(error.clone_ref(py)),
            (Err(refused), None) => return Err(value_error(refused)),
        };
        let with_nothing = |answer: gradless_explain::Answer| {
            let coordinates = self.features.coordinates(answer.question).map_err(value_error)?;
            let nothing = coordinates.input(&coordinates.origin, self.features.input().len());
            Ok((Answer::from(answer), nothing.into_pyarray(py)))
        };
        let answers = answers.into_iter().map(with_nothing).collect::<PyResult<_>>()?;
        Ok((answers, error.map(|error| error.into_value(py).into_any())))
    }
}

/// The input, and what of it can be switched, moved or left out.
fn features(request: Request<'_>) -> PyResult<Box<dyn Features>> {
    let input = request.input.as_slice()?.to_vec();
    let (lower, upper) = (PerCoordinate::try_from(request.lower)?, PerCoordinate::try_from(request.upper)?);
    let background = request.background.map(PerCoordinate::try_from).transpose()?;
    let Some(columns) = request.columns else {
        let (low, high) = (lower.at(0), upper.at(0));
        // The values an 8-bit picture can hold.
        let grid = matches!(request.shape[..], [1 | 3, _, _]).then_some(Grid { low, high, steps: 255 });
        // What 8 bits cannot hold would not be absent in a saved picture.
        let black = 0.0_f64.clamp(low, high);
        let black = grid.map_or(black, |grid| grid.nearest(black));
        let absent = background.unwrap_or(black.into()).into();
        return Ok(Box::new(Pixels {
            input,
            shape: request.shape,
            lower,
            upper,
            absent,
            frozen: request.frozen,
            grid,
        }));
    };
    let column = |(kind, places): (String, Vec<usize>)| match (kind.as_str(), &places[..]) {
        ("number", &[place]) => Ok(Column::Number(place)),
        ("whole", &[place]) => Ok(Column::Whole(place)),
        ("one-hot", _) => Ok(Column::OneHot(places)),
        _ => Err(value_error(format!("there is no column '{kind}' with {} places", places.len()))),
    };
    Ok(Box::new(Columns {
        input,
        columns: columns.into_iter().map(column).collect::<PyResult<_>>()?,
        lower,
        upper,
        absent: background.unwrap_or(0.0.into()),
        frozen: request.frozen,
    }))
}

/// What is asked, and how it is searched.
fn options(request: &Request<'_>) -> PyResult<Options> {
    let ours = Options::default();
    let starts = [
        ("auto", Start::Auto),
        ("input", Start::Input),
        ("zero", Start::Zero),
        ("centre", Start::Centre),
        ("center", Start::Centre),
    ];
    let strategies =
        [("direct", Strategy::Direct), ("penalised", Strategy::Penalised), ("fixed", Strategy::Fixed)];
    let declared = [
        ("auto", Declared::Nothing),
        ("logits", Declared::Logits),
        ("probabilities", Declared::Probabilities),
    ];
    let method = named(request.method.as_deref())?;
    let strategy = match request.strategy.as_deref() {
        Some(word) => choose("strategy", word, &strategies)?,
        // A method that is named is used.
        None if method.name != ours.method => Strategy::Penalised,
        None => ours.strategy,
    };
    let config = Config {
        seed: request.seed,
        budget: Budget::queries(request.max_queries),
        ..Config::new(method, Preset::Practical)
    };
    // The same for the same picture, whatever numbers stand for black and white. Columns are measured in shares of their bounds.
    let width = match (&request.columns, &request.lower, &request.upper) {
        (None, &Numbers::Same(low), &Numbers::Same(high)) => high - low,
        _ => 1.0,
    };
    Ok(Options {
        questions: questions(request)?,
        strategy,
        method: method.name.to_owned(),
        config,
        max_queries: request.max_queries,
        l1: request.l1.unwrap_or(ours.l1 / width),
        l2: request.l2.or(request.l1).unwrap_or(ours.l2 / width / width),
        confidence: match (request.confidence_probability, request.confidence_share) {
            (Some(p), _) => Confidence::Probability(p),
            (None, share) => share.map_or(ours.confidence, Confidence::Share),
        },
        kappa: request.kappa.map(Kappa::Absolute).or(request.kappa_share.map(Kappa::Share)),
        prune: request.prune,
        starts: Starts::both(choose("start", &request.start, &starts)?),
        noise_floor: request.noise_floor,
        declared: choose("scores", &request.scores, &declared)?,
        agree: request.agree,
        threads: request.threads.max(1),
    })
}

fn questions(request: &Request<'_>) -> PyResult<Vec<Question>> {
    let moves = [("two-sided", Moves::TwoSided), ("add", Moves::Add)];
    let moves = choose("set", &request.moves, &moves)?;
    let named = |word: &str| Question::named(word, moves, request.target);
    if let Some(question) = named(&request.question) {
        return Ok(vec![question]);
    }
    let words =
        Question::KINDS.map(|kind| (kind.name(), ())).into_iter().chain([("both", ())]).collect::<Vec<_>>();
    choose("question", &request.question, &words)?;
    Ok(Question::KINDS.iter().filter_map(|kind| named(kind.name())).collect())
}

/// Who looks for exceptions and Ctrl-C while a session runs.
struct Attendance<'a> {
    failure: &'a Failure,
    cancel: &'a AtomicBool,
    /// Whether the work stays on this thread, and looks for signals itself.
    alone: bool,
}

impl Attendance<'_> {
    /// Does a piece of work with Python's lock released.
    fn attend<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, ExplainError> + Send,
    ) -> Result<T, ExplainError> {
        if self.alone {
            return py.detach(work);
        }
        py.detach(|| {
            thread::scope(|scope| {
                let running = scope.spawn(work);
                while !running.is_finished() {
                    Python::attach(|py| {
                        if let Err(error) = py.check_signals() {
                            self.failure.keep(error, self.cancel);
                        }
                    });
                    thread::sleep(GLANCE);
                }
                match running.join() {
                    Ok(done) => done,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            })
        })
    }
}
