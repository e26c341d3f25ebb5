//! Which update a method uses: the word in its recipe, and the update at work.

use serde::{Deserialize, Serialize};

use super::Recipe;
use crate::auto::{self, Component, Descent};
use crate::set::Set;
use crate::solver::ConfigError;
use crate::step_size::StepRule;
use crate::update::{Mirror, Optimistic, Parts, Update};

/// How an estimate moves the point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum UpdateRule {
    /// Mirror descent with this step rule.
    Mirror(StepRule),
    /// Optimistic, accelerated steps with averaging for convex $l$ (AO-ExpGrad); needs a bounded set.
    Optimistic,
    /// `auto`: slopes are remembered, and a step is taken back where $l$ rises unexpectedly. Goes with
    /// [`Direction::Block`](crate::Direction) and no momentum.
    ///
    /// Every iteration asks at the point reached and looks at the slopes of a few coordinates there; the next point is the step
    /// from the last one kept, with all slopes known and as the curvature between two looks says they have changed. Now and
    /// then all coordinates are asked together, to learn which to look at first. What $l$ has to lose is its value at the
    /// minimiser of $r$, which is asked first: no step may lose more than a share of it beyond what the slopes predicted.
    /// A descent that has settled begins again near the best point or at the start, more carefully; when several in a row
    /// bring nothing, more queries would not pay and the run stops by itself. `docs/auto.md` has the whole of it.
    ///
    /// Under noise ZO-AdaExpGrad+ takes over where this stalls.
    Auto {
        /// What is left out, `None` but for measuring.
        without: Option<Component>,
    },
}

impl From<StepRule> for UpdateRule {
    fn from(rule: StepRule) -> Self {
        Self::Mirror(rule)
    }
}

impl UpdateRule {
    /// Refuses numbers that no run can use, and parts that do not go with it.
    pub(crate) fn check(self, recipe: &Recipe) -> Result<(), ConfigError> {
        match self {
            Self::Mirror(rule) => rule.check(),
            Self::Optimistic => Ok(()),
            Self::Auto { .. } => auto::check(recipe),
        }
    }

    /// Whether $K$ must be bounded.
    pub(crate) fn needs_bounds(self) -> bool {
        self == Self::Optimistic
    }

    /// How many directions an estimate has where $m$ are asked for.
    pub(crate) fn batch(self, m: usize, dim: usize) -> usize {
        match self {
            Self::Mirror(_) | Self::Optimistic => m,
            Self::Auto { .. } => auto::batch(m, dim),
        }
    }

    /// Whether steps along narrow coordinates of this set are shortened when these are chosen.
    pub(crate) fn shortens_steps(self, set: &Set) -> bool {
        matches!((self, set), (Self::Auto { .. }, Set::Box(_)))
    }

    /// The update at its start.
    pub(crate) fn start(self, parts: &Parts, start: &[f64]) -> Running {
        match self {
            Self::Mirror(rule) => Running::Mirror(Mirror::new(rule, parts)),
            Self::Optimistic => Running::Optimistic(Optimistic::new(start, parts.space.set.max_norm())),
            Self::Auto { without } => Running::Auto(Box::new(auto::begin(parts, start, without))),
        }
    }
}

/// An update at work: [`UpdateRule`] with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Running {
    Mirror(Mirror),
    Optimistic(Optimistic),
    Auto(Box<Descent>),
}

impl Running {
    pub(crate) fn update(&self) -> &dyn Update {
        match self {
            Self::Mirror(update) => update,
            Self::Optimistic(update) => update,
            Self::Auto(update) => update.as_ref(),
        }
    }

    pub(crate) fn update_mut(&mut self) -> &mut dyn Update {
        match self {
            Self::Mirror(update) => update,
            Self::Optimistic(update) => update,
            Self::Auto(update) => update.as_mut(),
        }
    }

    /// Whether it is what the rule says, for one that comes from outside.
    pub(crate) fn follows(&self, rule: UpdateRule) -> bool {
        matches!(
            (self, rule),
            (Self::Mirror(_), UpdateRule::Mirror(_))
                | (Self::Optimistic(_), UpdateRule::Optimistic)
                | (Self::Auto(_), UpdateRule::Auto { .. })
        )
    }
}
