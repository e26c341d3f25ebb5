//! Explanations: what is asked, searched with Python's lock released, and told as a dictionary.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gradless::{Budget, Config, Inputs, Model, PerCoordinate};
use gradless_explain::{
    Answer, Change, Explain, Floor, Grid, Kappa, Minimal, Mode, Search, Start, Task, Watch, Within,
};
use gradless_models::{Answers, ScoreKind};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{named, preset};
use crate::model::{Callable, Failure, Onnx, ask};
use crate::problem::Numbers;
use crate::words::{choose, value_error};

/// Below this, a measurement of the noise would eat the search; as on the command line.
const WORTH_MEASURING: u64 = 1_000;
/// How often a search is looked after.
const GLANCE: Duration = Duration::from_millis(20);
/// Probabilities add up to 1 this closely.
const ADDS_UP: f64 = 1e-3;

/// What is asked, and how it is searched.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "they are Python's keyword arguments")]
pub(crate) struct Question<'py> {
    modes: Vec<String>,
    shape: Vec<usize>,
    input: PyReadonlyArray1<'py, f64>,
    lower: Numbers<'py>,
    upper: Numbers<'py>,
    range: (f64, f64),
    background: Option<Numbers<'py>>,
    frozen: Option<Vec<bool>>,
    two_sided: bool,
    target: Option<usize>,
    method: Option<String>,
    seed: u64,
    queries: u64,
    seconds: Option<f64>,
    l1: f64,
    l2: f64,
    kappa: Option<f64>,
    kappa_share: Option<f64>,
    search: bool,
    prune: bool,
    start: String,
    grid: bool,
    floor: Option<f64>,
    scores: String,
    rows: usize,
    threads: usize,
}

/// One answer per mode, and an exception that ended the search early.
type Told<'py> = (Vec<Bound<'py, PyDict>>, Option<Py<PyAny>>);

/// Explains by a model that Rust runs itself.
#[pyfunction]
pub(crate) fn explain_onnx<'py>(
    py: Python<'py>,
    model: &Bound<'py, Onnx>,
    question: Question<'py>,
) -> PyResult<Told<'py>> {
    let asked = Asked::new(question)?;
    let onnx = &model.get().model;
    let kind = onnx.score_kind();
    let (failure, cancel) = (Failure::default(), AtomicBool::new(false));
    let look = py.detach(|| Answers::of(onnx, kind, &asked.looks()));
    let answers = look.map_err(value_error)?;
    asked.told(py, onnx, answers, &failure, &cancel, false)
}

/// Explains by a Python callable: `(n, d)` arrays in, `(n, classes)` arrays out.
#[pyfunction]
pub(crate) fn explain_callable<'py>(
    py: Python<'py>,
    predict: Py<PyAny>,
    question: Question<'py>,
) -> PyResult<Told<'py>> {
    let asked = Asked::new(question)?;
    let looks = asked.looks();
    let dim = asked.input.len();
    let scores = ask(py, &predict, Inputs { points: &looks, dim })?;
    let scores = scores.as_slice()?;
    let classes = scores.len() / (looks.len() / dim.max(1)).max(1);
    if scores[..classes].iter().any(|score| !score.is_finite()) {
        return Err(value_error(
            "predict gives a score that is not finite for the input itself: it cannot be explained",
        ));
    }
    let answers = Answers::recognise(scores, classes, asked.kind(scores, classes)?);
    let (failure, cancel) = (Failure::default(), AtomicBool::new(false));
    let model = Callable {
        predict,
        shape: asked.shape.clone(),
        classes,
        rows: asked.rows.max(1),
        failure: &failure,
        cancel: &cancel,
    };
    let alone = asked.how.threads == 1;
    asked.told(py, &model, answers, &failure, &cancel, alone)
}

/// A question in Rust's words.
struct Asked {
    modes: Vec<Mode>,
    shape: Vec<usize>,
    input: Vec<f64>,
    lower: PerCoordinate,
    upper: PerCoordinate,
    range: (f64, f64),
    background: PerCoordinate,
    frozen: Vec<bool>,
    change: Change,
    target: Option<usize>,
    how: Explain,
    queries: u64,
    seconds: Option<f64>,
    floor: Option<f64>,
    scores: String,
    rows: usize,
}

impl Asked {
    fn new(question: Question<'_>) -> PyResult<Self> {
        let modes = [("pp", Mode::PertinentPositive), ("pn", Mode::PertinentNegative)];
        let starts = [
            ("auto", Start::Auto),
            ("input", Start::Input),
            ("zero", Start::Zero),
            ("centre", Start::Centre),
            ("center", Start::Centre),
        ];
        let (low, high) = question.range;
        let grid = question.grid.then_some(Grid { low, high, steps: 255 });
        let nothing = 0.0_f64.clamp(low, high);
        let background = match question.background {
            Some(numbers) => numbers.try_into()?,
            // What 8 bits cannot hold would not be absent in a saved picture.
            None => PerCoordinate::Same(grid.map_or(nothing, |grid| grid.nearest(nothing))),
        };
        let named_method = question.method.as_deref().filter(|&name| name != "auto");
        let config = Config { seed: question.seed, ..Config::new(named(named_method)?, preset("default")?) };
        let how = Explain {
            config,
            l1: question.l1,
            l2: question.l2,
            kappa: question.kappa.map(Kappa::Absolute).or(question.kappa_share.map(Kappa::Share)),
            search: match (question.search, named_method) {
                (false, _) => Search::Off,
                (true, None) => Search::Direct,
                (true, Some(_)) => Search::Weights,
            },
            prune: question.prune,
            start: choose("start", &question.start, &starts)?,
            grid,
            floor: Floor::default(),
            threads: question.threads.max(1),
        };
        Ok(Self {
            modes: question.modes.iter().map(|mode| choose("mode", mode, &modes)).collect::<PyResult<_>>()?,
            shape: question.shape,
            input: question.input.as_slice()?.to_vec(),
            lower: question.lower.try_into()?,
            upper: question.upper.try_into()?,
            range: question.range,
            background,
            frozen: question.frozen.unwrap_or_default(),
            change: if question.two_sided { Change::TwoSided } else { Change::Add },
            target: question.target,
            how,
            queries: question.queries,
            seconds: question.seconds,
            floor: question.floor,
            scores: question.scores,
            rows: question.rows,
        })
    }

    /// Where a model is looked at before the search: the input, all low, all in the middle.
    fn looks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        let flat = |value: f64| std::iter::repeat_n(value, self.input.len());
        self.input.iter().copied().chain(flat(low)).chain(flat(f64::midpoint(low, high))).collect()
    }

    /// What a callable's scores are.
    fn kind(&self, scores: &[f64], classes: usize) -> PyResult<ScoreKind> {
        let choices = [
            ("auto", ScoreKind::Auto),
            ("logits", ScoreKind::Logits),
            ("probabilities", ScoreKind::Probabilities),
        ];
        let kind = choose("scores", &self.scores, &choices)?;
        let adds_up = |row: &[f64]| {
            row.iter().all(|&p| (0.0..=1.0).contains(&p)) && (row.iter().sum::<f64>() - 1.0).abs() <= ADDS_UP
        };
        Ok(match kind {
            ScoreKind::Auto if scores.chunks_exact(classes.max(1)).all(adds_up) => ScoreKind::Probabilities,
            ScoreKind::Auto => ScoreKind::Logits,
            said => said,
        })
    }

    fn task(&self, mode: Mode) -> Task {
        Task {
            mode,
            input: self.input.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            background: self.background.clone(),
            frozen: self.frozen.clone(),
            change: self.change,
            target: self.target.filter(|_| mode == Mode::PertinentNegative),
        }
    }

    /// Searches every answer and tells it.
    fn told<'py>(
        mut self,
        py: Python<'py>,
        model: &dyn Model,
        answers: Answers,
        failure: &Failure,
        cancel: &AtomicBool,
        alone: bool,
    ) -> PyResult<Told<'py>> {
        for &mode in &self.modes {
            self.task(mode).check(model.inputs(), model.classes()).map_err(value_error)?;
        }
        let searched = answers.searched(Box::new(model));
        let found = attended(py, alone, self.seconds, failure, cancel, || {
            self.search(searched.as_ref(), answers, cancel)
        });
        let error = failure.take();
        let (floor, found) = match (found, &error) {
            (Ok(found), _) => found,
            (Err(_), Some(error)) => return Err(error.clone_ref(py)),
            (Err(told), None) => return Err(value_error(told)),
        };
        let dicts = found.into_iter().map(|(mode, answer, seconds)| {
            let nothing = self.task(mode).nothing();
            to_dict(py, mode, answer, &nothing, answers, floor, seconds)
        });
        Ok((dicts.collect::<PyResult<_>>()?, error.map(|error| error.into_value(py).into_any())))
    }

    /// The floor, then one search after the other; what was asked before is paid from the first budget, as by the command.
    fn search(
        &mut self,
        model: &dyn Model,
        answers: Answers,
        cancel: &AtomicBool,
    ) -> Result<Searched, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let plain = self.how.search == Search::Off && !self.how.prune;
        let measure = !plain && self.queries >= WORTH_MEASURING;
        let floor = match self.floor {
            Some(floor) => Floor::given(floor),
            None if answers == Answers::Labels => Floor::of_labels(),
            None => {
                let within = Within { point: &self.input, lower: &self.lower, upper: &self.upper };
                Floor::at(model, within, self.how.config.seed, measure).map_err(|error| told(&error))?
            }
        };
        self.how.floor = floor;
        let mut before = 3 + floor.queries;
        let mut found = Vec::new();
        for &mode in &self.modes {
            if !found.is_empty() && cancel.load(Ordering::Relaxed) {
                break;
            }
            let begun = Instant::now();
            self.how.config.budget = Budget::queries(self.queries.saturating_sub(before));
            let answer = gradless_explain::explain(model, &self.task(mode), &self.how, &Watch::new(cancel));
            let mut answer = answer.map_err(|error| told(&error))?;
            answer.queries += before;
            let counts = answer.steps.iter_mut().map(|step| &mut step.queries);
            for count in counts.chain(&mut answer.first_valid).chain(&mut answer.best_valid) {
                *count += before;
            }
            before = 0;
            found.push((mode, answer, begun.elapsed().as_secs_f64()));
        }
        Ok((floor, found))
    }
}

type Searched = (Floor, Vec<(Mode, Answer, f64)>);

/// Does a piece of work with Python's lock released, while the clock and Ctrl-C are looked after.
///
/// Alone, the work stays on this thread: the callable it asks looks for signals itself, and libraries that care meet the
/// thread they were loaded on. Otherwise it goes to a thread of its own, and this one waits for signals.
fn attended<T: Send>(
    py: Python<'_>,
    alone: bool,
    seconds: Option<f64>,
    failure: &Failure,
    cancel: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> T {
    let deadline =
        seconds.and_then(|seconds| Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?));
    let over = AtomicBool::new(false);
    let watch = || {
        while !over.load(Ordering::Relaxed) {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                cancel.store(true, Ordering::Relaxed);
                return;
            }
            thread::park_timeout(GLANCE);
        }
    };
    py.detach(|| {
        thread::scope(|scope| {
            let guard = deadline.map(|_| scope.spawn(watch));
            let done = if alone {
                work()
            } else {
                let running = scope.spawn(work);
                while !running.is_finished() {
                    Python::attach(|py| {
                        if let Err(error) = py.check_signals() {
                            failure.keep(error, cancel);
                        }
                    });
                    thread::sleep(GLANCE / 4);
                }
                match running.join() {
                    Ok(done) => done,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            };
            over.store(true, Ordering::Relaxed);
            if let Some(guard) = guard {
                guard.thread().unpark();
            }
            done
        })
    })
}

fn to_dict<'py>(
    py: Python<'py>,
    mode: Mode,
    answer: Answer,
    nothing: &[f64],
    answers: Answers,
    floor: Floor,
    seconds: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("mode", if mode == Mode::PertinentPositive { "pp" } else { "pn" })?;
    dict.set_item("valid", answer.valid)?;
    dict.set_item("scores", answers.told(&answer.scores).into_pyarray(py))?;
    dict.set_item("label", answer.class)?;
    dict.set_item("margin", answer.margin)?;
    dict.set_item("original_scores", answers.told(&answer.original_scores).into_pyarray(py))?;
    dict.set_item("original_label", answer.original_class)?;
    dict.set_item("kappa", answer.kappa)?;
    dict.set_item("weights", answer.weights)?;
    dict.set_item("loss", answer.loss)?;
    dict.set_item("objective", answer.objective)?;
    dict.set_item("objective_start", answer.objective_start)?;
    dict.set_item("first_valid", answer.first_valid)?;
    dict.set_item("best_valid", answer.best_valid)?;
    dict.set_item("nfev", answer.queries)?;
    dict.set_item("nit", answer.iterations)?;
    dict.set_item(
        "minimal",
        match answer.minimal {
            Minimal::Checked => "checked",
            Minimal::BudgetEnded => "budget_ended",
            Minimal::NotAsked => "not_asked",
        },
    )?;
    dict.set_item("norm_l1", answer.norm_l1)?;
    dict.set_item("norm_l2", answer.norm_l2)?;
    dict.set_item("nonzeros", answer.nonzeros)?;
    dict.set_item(
        "message",
        answer.stop.as_ref().map_or_else(|| "the search was over".to_owned(), ToString::to_string),
    )?;
    dict.set_item("floor", floor.margin)?;
    dict.set_item("floor_source", floor.source)?;
    dict.set_item("answers", answers.name())?;
    dict.set_item("warning", answers.warning())?;
    dict.set_item("seconds", seconds)?;
    let history = PyDict::new(py);
    let steps = &answer.steps;
    history.set_item("nfev", steps.iter().map(|step| step.queries).collect::<Vec<u64>>().into_pyarray(py))?;
    let real = |column: fn(&gradless_explain::Step) -> f64| {
        steps.iter().map(column).collect::<Vec<f64>>().into_pyarray(py)
    };
    history.set_item("fun", real(|step| step.objective.unwrap_or(f64::NAN)))?;
    history.set_item("loss", real(|step| step.loss.unwrap_or(f64::NAN)))?;
    history.set_item("norm_l1", real(|step| step.norm_l1))?;
    history.set_item("norm_l2", real(|step| step.norm_l2))?;
    history.set_item("nonzeros", real(|step| step.nonzeros as f64))?;
    history.set_item("best", real(|step| step.best.unwrap_or(f64::NAN)))?;
    dict.set_item("history", history)?;
    dict.set_item("nothing", nothing.to_vec().into_pyarray(py))?;
    dict.set_item("seen", answer.seen.into_pyarray(py))?;
    dict.set_item("x", answer.unknown.into_pyarray(py))?;
    Ok(dict)
}
