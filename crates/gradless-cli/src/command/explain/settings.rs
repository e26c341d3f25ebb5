//! What the words mean together: presets first, then what was said instead.

use anyhow::{Context, bail};
use gradless::{Budget, Config, Estimator, Method, Momentum, Preset, StopRule};
use gradless_explain::{Change, Floor, Grid, Kappa, Mode, Search, Start};
use serde::Serialize;

use super::arguments::{ChangeSet, Explain, Modes, PresetName, StartName, Switch};

/// Queries per question unless told otherwise.
const QUERIES: u64 = 5_000;
/// The paper's steps and directions per step.
const STEPS: u64 = 200;
const DIRECTIONS: u64 = 200;
/// What is asked beside the steps: what the model tells and its noise, the input, and the answer as it is and as a picture.
/// A few more than needed, so that it is the steps that end the run.
const BESIDE: u64 = 16;
/// The paper's weight for digits and for colour pictures.
const WEIGHT_GREY: f64 = 0.0625;
const WEIGHT_COLOUR: f64 = 0.5;

/// How every input is searched: all that is needed to do it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Settings {
    pub(super) modes: Vec<Mode>,
    pub(super) preset: &'static str,
    pub(super) method: &'static str,
    pub(super) seed: u64,
    pub(super) max_queries: u64,
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) kappa: Option<Kappa>,
    pub(super) search: Search,
    pub(super) prune: bool,
    pub(super) set: Change,
    /// Of parts and of changes.
    pub(super) start: [Start; 2],
    pub(super) noise_floor: Option<f64>,
    pub(super) agree: u32,
    pub(super) config: Config,
}

impl Settings {
    /// What is asked, for inputs with this many channels.
    pub(super) fn new(asked: &Explain, channels: usize, [low, high]: [f64; 2]) -> anyhow::Result<Self> {
        let paper = asked.preset != PresetName::Default;
        let method = match asked.method.as_deref() {
            Some(name) => Method::named(name)?,
            None if paper => Method::of_the_paper(),
            None => Method::default(),
        };
        let auto = method == Method::default();
        let width = high - low;
        let preset = match asked.preset {
            PresetName::Default => Preset::Practical,
            PresetName::Seed => Preset::Paper,
            PresetName::Authors => Preset::Authors,
        };
        let mut config = Config { seed: asked.seed, ..Config::new(method, preset) };
        if matches!(config.recipe.estimator, Estimator::Gradients { .. }) {
            bail!(
                "{} asks for gradients, which queries do not give: take a zo- method (`gradless methods`)",
                method.name
            );
        }
        if let Some(weight) = asked.step_weight {
            if !weight.is_finite() || weight <= 0.0 {
                bail!("--step-weight is {weight}: a positive number is needed");
            }
            config.recipe = config.recipe.with_weight(weight);
        }
        let default_queries = if paper {
            config.stop = StopRule::Iterations(STEPS);
            let per_step =
                if config.recipe.momentum == Momentum::Plain { DIRECTIONS + 1 } else { 2 * DIRECTIONS + 2 };
            STEPS * per_step + BESIDE
        } else {
            QUERIES
        };
        let max_queries = asked.max_queries.unwrap_or(default_queries);
        config.budget = Budget::queries(max_queries);
        let weight = match (paper, channels) {
            (true, 3) => WEIGHT_COLOUR,
            (true, _) => WEIGHT_GREY,
            // The same for the same picture, whatever numbers stand for black and white.
            (false, _) => WEIGHT_GREY / width,
        };
        let l1 = not_negative("--l1", asked.l1.unwrap_or(weight))?;
        let ours = |switch: Option<Switch>| switch.map_or(!paper, |switch| switch == Switch::On);
        let kappa = match asked.kappa {
            Some(word) => word.0,
            None if paper => None,
            None => Some(Kappa::Share(0.05)),
        };
        if let Some(floor) = asked.noise_floor {
            not_negative("--noise-floor", floor)?;
        }
        Ok(Self {
            modes: match asked.mode {
                Modes::Pp => vec![Mode::PertinentPositive],
                Modes::Pn => vec![Mode::PertinentNegative],
                Modes::Both => vec![Mode::PertinentPositive, Mode::PertinentNegative],
            },
            preset: match asked.preset {
                PresetName::Default => "default",
                PresetName::Seed => "seed",
                PresetName::Authors => "authors",
            },
            method: method.name,
            seed: asked.seed,
            max_queries,
            l1,
            l2: not_negative(
                "--l2",
                asked.l2.or(asked.l1).unwrap_or(if paper { weight } else { weight / width }),
            )?,
            kappa,
            search: match (ours(asked.search), auto) {
                (false, _) => Search::Off,
                (true, false) => Search::Weights,
                (true, true) => Search::Direct,
            },
            prune: ours(asked.prune),
            set: match (asked.set, asked.preset) {
                (Some(ChangeSet::Add), _) | (None, PresetName::Seed) => Change::Add,
                (Some(ChangeSet::TwoSided) | None, _) => Change::TwoSided,
            },
            start: starts(asked, channels),
            noise_floor: asked.noise_floor,
            agree: asked.agree,
            config,
        })
    }

    /// How one question is searched.
    pub(super) fn explain(
        &self,
        mode: Mode,
        queries: u64,
        floor: Floor,
        grid: Option<Grid>,
        threads: usize,
    ) -> gradless_explain::Explain {
        let [part, change] = self.start;
        gradless_explain::Explain {
            config: Config { budget: Budget::queries(queries), ..self.config.clone() },
            l1: self.l1,
            l2: self.l2,
            kappa: self.kappa,
            search: self.search,
            prune: self.prune,
            start: match mode {
                Mode::PertinentPositive => part,
                Mode::PertinentNegative => change,
            },
            grid,
            floor,
            threads,
        }
    }

    /// How many searches so many inputs take.
    pub(super) fn questions(&self, inputs: usize) -> u64 {
        (inputs as u64).saturating_mul(self.modes.len() as u64).saturating_mul(1 + u64::from(self.agree))
    }

    /// Whether this is one minimisation at fixed weights and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.search == Search::Off && !self.prune
    }
}

/// Where parts and changes start: as typed, else as in the paper or its scripts.
fn starts(asked: &Explain, channels: usize) -> [Start; 2] {
    if let Some(start) = asked.start {
        return [match start {
            StartName::Auto => Start::Auto,
            StartName::Input => Start::Input,
            StartName::Zero => Start::Zero,
            StartName::Centre => Start::Centre,
        }; 2];
    }
    match asked.preset {
        PresetName::Default => [Start::Auto; 2],
        PresetName::Seed => [Start::Input, Start::Centre],
        PresetName::Authors => [Start::Input, if channels == 3 { Start::Zero } else { Start::Centre }],
    }
}

fn not_negative(what: &str, value: f64) -> anyhow::Result<f64> {
    Some(value)
        .filter(|value| value.is_finite() && *value >= 0.0)
        .with_context(|| format!("{what} is {value}: a number that is not negative is needed"))
}
