//! What the words mean together: presets first, then what was said instead.

use anyhow::{Context, bail};
use gradless::{Budget, Config, Method, Momentum, Preset, StopRule};
use gradless_explain::{
    Confidence, Disturbance, Moves, Options, Question, Stability, Start, Starts, Strategy,
};

use super::arguments::{BOTH, ChangeSet, Explain, PresetName, StartName, StrategyName, Switch};
use crate::search::{Given, Settings, into_regions};

/// The paper's steps and directions per step.
const STEPS: u64 = 200;
const DIRECTIONS: u64 = 200;
/// What is asked beside the steps: what the scores are and their noise, the input, and the answer as it is and as a picture.
/// A few more than needed, so that it is the steps that end the run.
const BESIDE: u64 = 16;
/// The paper's weight for colour pictures; for digits it is the default one.
const WEIGHT_COLOUR: f64 = 0.5;
/// Queries per question about the regions of a photograph: a model of that size takes its time.
const QUERIES_FOR_REGIONS: u64 = 1_500;

/// What is asked of such a model.
pub(super) fn of(asked: &Explain, given: Given<'_>) -> anyhow::Result<Settings> {
    let channels = match *given.shape {
        [channels, _, _] => channels,
        _ => 1,
    };
    let ours = Options::default();
    let (weight, queries) = (ours.l1, ours.max_queries);
    let paper = asked.preset != PresetName::Default;
    let method = match asked.method.as_deref() {
        Some(name) => Method::named(name)?,
        None if paper => Method::of_the_paper(),
        None => Method::default(),
    };
    let preset = match asked.preset {
        PresetName::Default => Preset::Practical,
        PresetName::Paper => Preset::Paper,
        PresetName::Authors => Preset::Authors,
    };
    let mut config = Config { seed: asked.seed, ..Config::new(method, preset) };
    if let Some(weight) = asked.step_weight {
        if !weight.is_finite() || weight <= 0.0 {
            bail!("--step-weight is {weight}: a positive number is needed");
        }
        config.recipe = config.recipe.with_weight(weight);
    }
    let strategy = strategy(asked, method);
    let regions = into_regions(asked.features.as_deref(), given.shape, strategy);
    let default_queries = if paper {
        config.stop = StopRule::Iterations(STEPS);
        let per_step =
            if config.recipe.momentum == Momentum::Plain { DIRECTIONS + 1 } else { 2 * DIRECTIONS + 2 };
        STEPS * per_step + BESIDE
    } else if regions {
        QUERIES_FOR_REGIONS
    } else {
        queries
    };
    let max_queries = asked.max_queries.unwrap_or(default_queries);
    config.budget = Budget::queries(max_queries);
    let width = given.range[1] - given.range[0];
    let (l1, l2) = match (paper, channels) {
        (true, 3) => (WEIGHT_COLOUR, WEIGHT_COLOUR),
        (true, _) => (weight, weight),
        // The same for the same picture, whatever numbers stand for black and white.
        (false, _) => (weight / width, weight / width / width),
    };
    let noise_floor = asked.noise_floor.map(|floor| not_negative("--noise-floor", floor)).transpose()?;
    let options = Options {
        questions: questions(asked, given.target)?,
        strategy,
        method: method.name.to_owned(),
        config,
        max_queries,
        l1: not_negative("--l1", asked.l1.unwrap_or(l1))?,
        l2: not_negative("--l2", asked.l2.or(asked.l1).unwrap_or(l2))?,
        confidence: match asked.confidence {
            Some(confidence) => Some(confidence),
            None if paper => Some(Confidence::CLASS_ALONE),
            None => ours.confidence,
        },
        stability: match asked.stability {
            Some(word) => Some(word.stability),
            None if paper => Some(Stability::Off),
            None => ours.stability,
        },
        elimination: ours.elimination,
        kappa: match asked.kappa {
            Some(word) => word.0,
            None if paper => None,
            None => ours.kappa,
        },
        prune: asked.prune.map_or(!paper, |switch| switch == Switch::On),
        starts: starts(asked, channels),
        noise_floor,
        declared: given.declared,
        enough: ours.enough,
        agree: asked.agree,
        count: asked.count,
        threads: ours.threads,
    };
    Ok(Settings {
        preset: match asked.preset {
            PresetName::Default => "default",
            PresetName::Paper => "paper",
            PresetName::Authors => "authors",
        },
        disturbance: asked
            .stability
            .unwrap_or_default()
            .disturbance
            .unwrap_or_else(|| if regions { Disturbance::OF_REGIONS } else { Disturbance::of(given.shape) }),
        options,
    })
}

fn questions(asked: &Explain, target: Option<usize>) -> anyhow::Result<Vec<Question>> {
    let moves = match (asked.set, asked.preset) {
        (Some(ChangeSet::Add), _) | (None, PresetName::Paper) => Moves::Add,
        (Some(ChangeSet::TwoSided) | None, _) => Moves::TwoSided,
    };
    let named = |word: &str| Question::named(word, moves, target);
    Ok(match named(&asked.question) {
        Some(question) => vec![question],
        None if asked.question != BOTH => {
            bail!("--question {} needs --target, the class it is compared with", asked.question)
        }
        None => Question::KINDS.iter().filter_map(|kind| named(kind.name())).collect(),
    })
}

/// As typed; else as in the paper, and a method that is named is used.
fn strategy(asked: &Explain, method: Method) -> Option<Strategy> {
    let typed = asked.strategy.map(|strategy| match strategy {
        StrategyName::Eliminate => Strategy::Eliminate,
        StrategyName::Select => Strategy::Select,
        StrategyName::Refine => Strategy::Refine,
        StrategyName::Direct => Strategy::Direct,
        StrategyName::Penalised => Strategy::Penalised,
        StrategyName::Fixed => Strategy::Fixed,
    });
    let paper = asked.preset != PresetName::Default;
    typed.or(match asked.search {
        Some(Switch::Off) => Some(Strategy::Fixed),
        None if paper => Some(Strategy::Fixed),
        Some(Switch::On) | None if method != Method::default() => Some(Strategy::Penalised),
        Some(Switch::On) | None => None,
    })
}

/// Where parts and changes start: as typed, else as in the paper or its scripts.
fn starts(asked: &Explain, channels: usize) -> Starts {
    let typed = asked.start.map(|start| match start {
        StartName::Auto => Start::Auto,
        StartName::Input => Start::Input,
        StartName::Zero => Start::Zero,
        StartName::Centre => Start::Centre,
    });
    let change = match asked.preset {
        PresetName::Authors if channels == 3 => Start::Zero,
        _ => Start::Centre,
    };
    match (typed, asked.preset) {
        (Some(start), _) => Starts::both(start),
        (None, PresetName::Default) => Starts::default(),
        (None, PresetName::Paper | PresetName::Authors) => Starts { part: Start::Input, change },
    }
}

fn not_negative(what: &str, value: f64) -> anyhow::Result<f64> {
    Some(value)
        .filter(|value| value.is_finite() && *value >= 0.0)
        .with_context(|| format!("{what} is {value}: a number that is not negative is needed"))
}
