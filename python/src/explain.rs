//! Explanations: Python's keywords as a session of the crate that explains, run with Python's lock released.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use gradless::{Budget, Config, Inputs, Model, Preset};
use gradless_explain::examples::{Autoencoder, Linear};
use gradless_explain::session::Second;
use gradless_explain::{
    Beside, Declared, Examples, ExplainError, Features, Kappa, Labels, Moves, Norm, Options, Progress,
    Question, Session, Start, Starts, Steadiness, Strategy, Watch,
};
use gradless_models::ScoreKind;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::audience::Audience;
use crate::config::named;
use crate::features::{Given, RegionsRequest, TableRequest, features};
use crate::model::{Callable, Failure, Onnx, Shared, ask};
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
    /// What a table is; `None` for what is none.
    table: Option<TableRequest<'py>>,
    /// What switches are called, and how many alternatives each has; `None` for what has none.
    switches: Option<(String, Vec<usize>)>,
    /// Names of switches, if they have any.
    switch_names: Vec<String>,
    /// How a picture is cut into regions; `None` for what is not.
    #[pyo3(default)]
    regions: Option<RegionsRequest>,
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
    confidence: Option<String>,
    stability: Option<String>,
    /// Rows like the input, one after the other.
    examples: Option<PyReadonlyArray1<'py, f64>>,
    /// What gives inputs back, as a callable.
    autoencoder: Option<Py<PyAny>>,
    /// Names of other models, and what they are: callables, or files that Rust runs.
    second_opinions: Vec<(String, Py<PyAny>)>,
    kappa: Option<f64>,
    kappa_share: Option<f64>,
    prune: bool,
    start: String,
    noise_floor: Option<f64>,
    scores: String,
    agree: u32,
    count: usize,
    rows: usize,
    /// What is small in an attack, by name, and the size that is enough.
    norm: Option<String>,
    enough: Option<f64>,
    /// How many values a number of a saved picture can have; `None`: any.
    levels: Option<u32>,
    threads: usize,
    /// Who is told what the search holds so far.
    #[pyo3(default)]
    progress: Option<Py<PyAny>>,
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

/// What is known beside the model.
#[derive(Default)]
struct Company {
    examples: Option<Examples>,
    autoencoder: Option<Box<dyn Autoencoder + Send>>,
    others: Vec<(String, Py<PyAny>)>,
}

impl Company {
    fn new(request: &mut Request<'_>) -> PyResult<Self> {
        let examples = request.examples.take().map(|rows| {
            #[expect(clippy::cast_possible_truncation, reason = "examples are kept in single precision")]
            let rows = rows.as_slice()?.iter().map(|&x| x as f32).collect();
            Examples::new(rows, request.shape.iter().product())
                .map_err(|error| value_error(format!("examples: {error}")))
        });
        let examples = examples.transpose()?;
        let autoencoder: Option<Box<dyn Autoencoder + Send>> = match (request.autoencoder.take(), &examples) {
            (Some(restore), _) => Some(Box::new(Restoring(restore))),
            (None, Some(examples)) => Some(Box::new(Linear::of(examples))),
            (None, None) => None,
        };
        Ok(Self { examples, autoencoder, others: std::mem::take(&mut request.second_opinions) })
    }
}

/// A Python callable that gives inputs back.
struct Restoring(Py<PyAny>);

impl Autoencoder for Restoring {
    fn restored(&self, input: &[f64]) -> Option<Vec<f64>> {
        Python::attach(|py| {
            let back = ask(py, &self.0, Inputs { points: input, dim: input.len() }).ok()?;
            Some(back.as_slice().ok()?.to_vec()).filter(|back| back.len() == input.len())
        })
    }
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
    company: Company,
    progress: Option<Py<PyAny>>,
}

impl Job {
    fn new(mut request: Request<'_>) -> PyResult<Self> {
        let options = options(&request)?;
        let company = Company::new(&mut request)?;
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
            company,
            progress: request.progress.take(),
            features: features(Given {
                disturbance: steadiness(&request)?.unwrap_or_default().disturbance,
                input: request.input,
                shape: request.shape,
                lower: request.lower,
                upper: request.upper,
                background: request.background,
                frozen: request.frozen,
                table: request.table,
                switches: request.switches,
                regions: request.regions,
                names: request.switch_names,
                levels: request.levels,
            })?,
        };
        // What makes no sense is refused before the model is asked anything.
        job.options.check().map_err(value_error)?;
        for &question in &job.options.questions {
            job.features.coordinates(question).map_err(value_error)?;
        }
        Ok(job)
    }

    /// Another model, for a second opinion. Its exceptions leave it without one.
    fn other<'a>(
        &self,
        py: Python<'_>,
        other: &Py<PyAny>,
        model: &dyn Model,
        (failure, cancel): (&'a Failure, &'a AtomicBool),
    ) -> Box<dyn Model + 'a> {
        match other.extract::<Py<Onnx>>(py) {
            Ok(onnx) => Box::new(Shared(onnx)),
            Err(_) => Box::new(Callable {
                predict: other.clone_ref(py),
                shape: self.shape.clone(),
                classes: model.classes(),
                rows: self.rows,
                first: None.into(),
                failure,
                cancel,
            }),
        }
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        model: &dyn Model,
        engine: Option<&str>,
        attendance: &Attendance<'_>,
    ) -> PyResult<Found<'py>> {
        let (unheard, silent) = (Failure::default(), AtomicBool::new(false));
        let others: Vec<(&str, Box<dyn Model + '_>)> = self
            .company
            .others
            .iter()
            .map(|(name, other)| (name.as_str(), self.other(py, other, model, (&unheard, &silent))))
            .collect();
        let opinions: Vec<Second<'_>> =
            others.iter().map(|(name, model)| Second { name, model: model.as_ref() }).collect();
        let audience = self.progress.as_ref().map(|call| Audience::new(call, attendance));
        let tell = |progress: &Progress<'_>| {
            if let Some(audience) = &audience {
                audience.tell(progress);
            }
        };
        let found = attendance.attend(py, || {
            let autoencoder =
                self.company.autoencoder.as_deref().map(|autoencoder| autoencoder as &dyn Autoencoder);
            let session = Session {
                model,
                features: self.features.as_ref(),
                options: &self.options,
                beside: Beside { examples: self.company.examples.as_ref(), autoencoder, opinions: &opinions },
                labels: Labels { input: &self.title, input_sha256: None, classes: &self.classes, engine },
                watch: Watch { cancel: attendance.cancel, progress: &tell },
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
    let strategies = [
        ("eliminate", Strategy::Eliminate),
        ("select", Strategy::Select),
        ("refine", Strategy::Refine),
        ("direct", Strategy::Direct),
        ("penalised", Strategy::Penalised),
        ("fixed", Strategy::Fixed),
    ];
    let declared = [
        ("auto", Declared::Nothing),
        ("logits", Declared::Logits),
        ("probabilities", Declared::Probabilities),
        ("labels", Declared::Labels),
    ];
    let method = named(request.method.as_deref())?;
    let strategy = match request.strategy.as_deref() {
        Some(word) => Some(choose("strategy", word, &strategies)?),
        // A method that is named is used.
        None if method.name != ours.method => Some(Strategy::Penalised),
        None => ours.strategy,
    };
    let confidence = request.confidence.as_deref().map(|text| {
        text.parse().map_err(|needed: String| value_error(format!("confidence is {text}: {needed}")))
    });
    let config = Config {
        seed: request.seed,
        budget: Budget::queries(request.max_queries),
        ..Config::new(method, Preset::Practical)
    };
    // The same for the same picture, whatever numbers stand for black and white. Columns are measured in shares of their bounds.
    let width = match (&request.table, &request.lower, &request.upper) {
        (None, &Numbers::Same(low), &Numbers::Same(high)) if high > low => high - low,
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
        confidence: confidence.transpose()?.or(ours.confidence),
        stability: steadiness(request)?.map(|steadiness| steadiness.stability),
        elimination: ours.elimination,
        kappa: request.kappa.map(Kappa::Absolute).or(request.kappa_share.map(Kappa::Share)),
        prune: request.prune,
        starts: Starts::both(choose("start", &request.start, &starts)?),
        noise_floor: request.noise_floor,
        declared: choose("scores", &request.scores, &declared)?,
        enough: request.enough,
        agree: request.agree,
        count: request.count.max(1),
        threads: request.threads.max(1),
    })
}

/// What must be survived, if that is said.
fn steadiness(request: &Request<'_>) -> PyResult<Option<Steadiness>> {
    let read = |text: &String| {
        text.parse().map_err(|needed: String| value_error(format!("stability is {text:?}: {needed}")))
    };
    request.stability.as_ref().map(read).transpose()
}

fn questions(request: &Request<'_>) -> PyResult<Vec<Question>> {
    let moves = [("two-sided", Moves::TwoSided), ("add", Moves::Add)];
    let moves = choose("set", &request.moves, &moves)?;
    if let Some(norm) = &request.norm {
        let norms = Norm::ALL.map(|norm| (norm.name(), norm));
        let norm = Norm::named(norm).map_or_else(|| choose("norm", norm, &norms), Ok)?;
        return Ok(vec![Question::Attack { norm, target: request.target }]);
    }
    let named = |word: &str| Question::named(word, moves, request.target);
    if let Some(question) = named(&request.question) {
        return Ok(vec![question]);
    }
    if Question::OTHERS.iter().any(|other| other.name() == request.question) {
        return Err(value_error(format!(
            "question {:?} needs target, the class it is compared with",
            request.question
        )));
    }
    let kinds = Question::KINDS.map(Question::name).into_iter();
    let words = kinds.chain(["both"]).chain(Question::OTHERS.map(Question::name)).map(|word| (word, ()));
    choose("question", &request.question, &words.collect::<Vec<_>>())?;
    Ok(Question::KINDS.iter().filter_map(|kind| named(kind.name())).collect())
}

/// Who looks for exceptions and Ctrl-C while a session runs.
pub(crate) struct Attendance<'a> {
    pub(crate) failure: &'a Failure,
    pub(crate) cancel: &'a AtomicBool,
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
