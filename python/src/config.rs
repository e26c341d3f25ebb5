//! Configurations from keyword arguments.

use gradless::policy::{Output, Placement};
use gradless::{BatchSize, Budget, Config, Estimator, METHODS, Method, Noise, Preset, Radius, StopRule};
use gradless_explain::{Declared, Kappa, Options, Question, Start, Starts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::words::{choose, value_error};

/// What can be said about a run; what is not said is the default of the Rust crate.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    method: Option<String>,
    preset: String,
    seed: u64,
    queries: Option<u64>,
    unlimited: bool,
    sent: Option<u64>,
    iterations: Option<u64>,
    seconds: Option<f64>,
    target: Option<f64>,
    stagnation: Option<(u64, f64)>,
    batch: Option<usize>,
    radius: Option<f64>,
    step_weight: Option<f64>,
    noise: Option<String>,
    output: Option<String>,
    inside: Option<bool>,
}

impl TryFrom<Settings> for Config {
    type Error = PyErr;

    fn try_from(settings: Settings) -> Result<Self, PyErr> {
        let method = named(settings.method.as_deref())?;
        let mut config = Self::new(method, preset(&settings.preset)?);
        config.seed = settings.seed;
        config.budget = Budget {
            queries: if settings.unlimited { None } else { settings.queries.or(config.budget.queries) },
            sent: settings.sent,
        };
        let rules = [
            settings.iterations.map(StopRule::Iterations),
            settings.seconds.map(StopRule::Seconds),
            settings.target.map(StopRule::Target),
            settings.stagnation.map(|(window, tolerance)| StopRule::Stagnation { window, tolerance }),
        ];
        config.stop = StopRule::any(rules.into_iter().flatten());
        if let Some(batch) = settings.batch {
            config.recipe = config.recipe.with_batch(BatchSize::Fixed(batch));
        }
        if let Some(radius) = settings.radius {
            config.recipe = config.recipe.with_radius(Radius::Fixed(radius));
        }
        if let Some(weight) = settings.step_weight {
            if !(weight.is_finite() && weight > 0.0) {
                return Err(value_error(format!("step_weight is {weight}: a positive number is needed")));
            }
            config.recipe = config.recipe.with_weight(weight);
        }
        if let Some(noise) = settings.noise {
            let choices = [
                ("detect", Noise::Detect),
                ("none", Noise::None),
                ("common", Noise::Common),
                ("independent", Noise::Independent),
            ];
            config.noise = choose("noise", &noise, &choices)?;
        }
        if let Some(output) = settings.output {
            let choices = [
                ("auto", Output::Auto),
                ("best", Output::Best),
                ("last", Output::Last),
                ("averaged", Output::Averaged),
                ("random", Output::Random),
                ("sparse", Output::Sparse),
            ];
            config.output = choose("output", &output, &choices)?;
        }
        if let Some(inside) = settings.inside {
            config.placement = if inside { Placement::Inside } else { Placement::Anywhere };
        }
        Ok(config)
    }
}

/// The method of a name; the default without one.
pub(crate) fn named(name: Option<&str>) -> PyResult<Method> {
    name.map_or_else(|| Ok(Method::default()), Method::named).map_err(value_error)
}

/// The preset of a name.
pub(crate) fn preset(name: &str) -> PyResult<Preset> {
    let choices = [
        ("default", Preset::Practical),
        ("paper", Preset::Paper),
        ("authors", Preset::Authors),
        // The former word for the paper.
        ("seed", Preset::Paper),
    ];
    choose("preset", name, &choices)
}

/// What the signatures of Python must show: the defaults of the Rust crates, by keyword.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<(Bound<'_, PyDict>, Bound<'_, PyDict>)> {
    let config = Config::default();
    let minimize = PyDict::new(py);
    minimize.set_item("method", Method::default().name)?;
    minimize.set_item("rng", config.seed)?;
    minimize.set_item("maxfev", config.budget.queries)?;
    minimize.set_item("maxsent", config.budget.sent)?;
    let options = Options::default();
    let explain = PyDict::new(py);
    explain.set_item("method", options.method)?;
    explain.set_item("rng", options.config.seed)?;
    explain.set_item("max_queries", options.max_queries)?;
    let kappa = match options.kappa {
        Some(Kappa::Share(share)) => format!("{}%", 100.0 * share),
        other => format!("{other:?}"),
    };
    explain.set_item("confidence", options.confidence.map(|confidence| format!("{confidence:?}")))?;
    explain.set_item("stability", options.stability.map(|stability| format!("{stability:?}")))?;
    explain.set_item("kappa", kappa)?;
    explain.set_item("prune", options.prune)?;
    explain.set_item("noise_floor", options.noise_floor)?;
    explain.set_item("agree", options.agree)?;
    let is_both = options.questions == [Question::Part, Question::CHANGE];
    explain.set_item("question", if is_both { "both" } else { "?" })?;
    explain.set_item("set", if is_both { "two-sided" } else { "?" })?;
    explain.set_item("start", if options.starts == Starts::both(Start::Auto) { "auto" } else { "?" })?;
    explain.set_item("scores", if options.declared == Declared::Nothing { "auto" } else { "?" })?;
    Ok((minimize, explain))
}

/// Every method: name, what it assumes, what it needs to be told, queries per step, rate, source, and whether it asks for
/// gradients. The default comes first.
#[pyfunction]
pub(crate) fn methods()
-> Vec<(&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, bool)> {
    let default = Method::default();
    let others = METHODS.iter().copied().filter(|method| *method != default);
    std::iter::once(default)
        .chain(others)
        .map(|method| {
            let gradients = matches!(method.recipe(Preset::Practical).estimator, Estimator::Gradients { .. });
            let Method { name, assumes, tuning, queries, rate, source, .. } = method;
            (name, assumes, tuning, queries, rate, source, gradients)
        })
        .collect()
}
