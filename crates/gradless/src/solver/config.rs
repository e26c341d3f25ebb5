//! The configuration: plain data with defaults, turned into something valid by [`Solver::new`](super::Solver::new).

use serde::{Deserialize, Serialize};

use crate::estimator::Noise;
use crate::method::{Method, Preset, Recipe};
use crate::policy::{Failures, Finish, FixedCoordinates, Flat, Output, Placement, PreviousValue};
use crate::prox::NoClosedForm;
use crate::stop::{Budget, StopRule};

/// Queries a run may use unless told otherwise.
const DEFAULT_QUERIES: u64 = 5_000;

/// How to run.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `recipe` | `auto`, practical | the method |
/// | `seed` | 0 | same seed, same bits |
/// | `budget` | 5,000 queries | exact limits |
/// | `stop` | never | further rules |
/// | `noise` | detect | what is known of the black box's noise |
/// | `output` | auto | which point [`Outcome::x`](super::Outcome::x) is |
/// | `fixed` | remove | coordinates with equal bounds |
/// | `placement` | inside | whether queries must stay in $K$ |
/// | `flat` | grow the radius | what to do where nothing changes |
/// | `failures` | half, three times | how many failed answers to bear |
/// | `finish` | evaluate | whether the final points are evaluated too |
/// | `previous_value` | reuse | momentum's value at the last point |
/// | `horizon` | from `stop` or `budget` | $T$, for radii that depend on it |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Config {
    pub recipe: Recipe,
    pub seed: u64,
    pub budget: Budget,
    pub stop: StopRule,
    pub noise: Noise,
    pub output: Output,
    pub fixed: FixedCoordinates,
    pub placement: Placement,
    pub flat: Flat,
    pub failures: Failures,
    #[serde(alias = "finale")]
    pub finish: Finish,
    pub previous_value: PreviousValue,
    pub horizon: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new(Method::default(), Preset::Practical)
    }
}

impl Config {
    /// A method with somebody's settings.
    pub fn new(method: Method, preset: Preset) -> Self {
        let ours = preset == Preset::Practical;
        Self {
            recipe: method.recipe(preset),
            seed: 0,
            budget: Budget::queries(DEFAULT_QUERIES),
            stop: StopRule::default(),
            noise: if ours { Noise::Detect } else { Noise::None },
            output: match preset {
                Preset::Practical => Output::Auto,
                Preset::Paper => Output::Random,
                Preset::Authors => Output::Last,
            },
            fixed: if ours { FixedCoordinates::Remove } else { FixedCoordinates::Keep },
            placement: if ours { Placement::Inside } else { Placement::Anywhere },
            flat: if ours { Flat::GrowRadius } else { Flat::Accept },
            failures: Failures::default(),
            finish: if ours { Finish::Evaluate } else { Finish::Skip },
            previous_value: match preset {
                Preset::Authors => PreviousValue::AskAgain,
                Preset::Practical | Preset::Paper => PreviousValue::Reuse,
            },
            horizon: None,
        }
    }
}

/// A configuration that cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no exact step for this combination.
    #[error(transparent)]
    NoClosedForm(#[from] NoClosedForm),
    /// Every coordinate has equal bounds.
    #[error("every coordinate has equal bounds: there is nothing to optimise")]
    NothingFree,
    /// $m = 0$.
    #[error("the batch size is 0: an estimate needs at least one direction")]
    EmptyBatch,
    /// A number that must be positive and finite is not.
    #[error("{what} is {value}: it must be a positive finite number")]
    NotPositive {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// The radius depends on $T$, and nothing tells $T$.
    #[error(
        "the radius of this method depends on the number of iterations: set `horizon`, `StopRule::Iterations` or a \
         query budget"
    )]
    NoHorizon,
    /// A method that remembers slopes, with something else than blocks or with momentum.
    #[error("this method remembers slopes: it needs differences along `Direction::Block`, and no momentum")]
    NeedsBlocks,
    /// A method that needs a bounded set, on one that is not.
    #[error("this method needs a bounded set: give every coordinate a lower and an upper bound")]
    Unbounded,
    /// $m$ beyond anything that could be asked for.
    #[error("the batch size is {m} in {dim} dimensions: no machine holds that many directions")]
    HugeBatch {
        /// $m$.
        m: usize,
        /// $d$.
        dim: usize,
    },
    /// A stopping rule that could never be met, or always is.
    #[error("the stopping rule {rule:?} makes no sense: windows are at least 1, numbers are not NaN")]
    BadRule {
        /// The rule.
        rule: StopRule,
    },
    /// Nothing would ever end the run.
    #[error("nothing would ever end this run: give a budget or a stopping rule")]
    Endless,
    /// The rate of STORM is not in $(0, 1]$.
    #[error("the rate of STORM is {value}: it must be above 0 and at most 1")]
    BadRate {
        /// What it is.
        value: f64,
    },
    /// The share of failures is not between 0 and 1.
    #[error("the share of failed answers is {value}: it must lie between 0 and 1")]
    BadShare {
        /// What it is.
        value: f64,
    },
}

impl ConfigError {
    /// Refuses a number that is not positive and finite.
    pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), Self> {
        if value.is_finite() && value > 0.0 { Ok(()) } else { Err(Self::NotPositive { what, value }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_of_others_switch_everything_of_ours_off() {
        for preset in [Preset::Paper, Preset::Authors] {
            let config = Config::new(Method::default(), preset);
            assert_eq!(config.fixed, FixedCoordinates::Keep);
            assert_eq!((config.noise, config.flat, config.finish), (Noise::None, Flat::Accept, Finish::Skip));
            assert_eq!(config.placement, Placement::Anywhere);
        }
        assert_eq!(Config::new(Method::default(), Preset::Paper).output, Output::Random);
        assert_eq!(Config::new(Method::default(), Preset::Authors).previous_value, PreviousValue::AskAgain);
        assert_eq!(Config::default().fixed, FixedCoordinates::Remove);
    }
}
