//! One update, then another.

use serde::{Deserialize, Serialize};

use super::{Parts, Update};
use crate::method::{Recipe, Running};
use crate::solver::{Config, ConfigError};
use crate::space::Space;

/// The update at work and the recipe it follows: that of the configuration, until one update hands over to another.
///
/// Parts are made of this recipe, so that each update has its own geometry, estimator and momentum; the configuration stays
/// as the user gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Relay {
    recipe: Recipe,
    running: Running,
}

/// What the next update needs to go on.
#[derive(Clone, Debug)]
pub(crate) struct Baton {
    recipe: Recipe,
    pub(crate) parts: Parts,
    /// Where it begins.
    pub(crate) from: Vec<f64>,
}

impl Baton {
    /// An error if the recipe cannot be run in this space.
    pub(crate) fn new(
        space: &Space,
        config: &Config,
        recipe: Recipe,
        from: &[f64],
    ) -> Result<Self, ConfigError> {
        let parts = Parts::in_space(space.clone(), config, recipe)?;
        Ok(Self { recipe, parts, from: from.to_vec() })
    }
}

impl Relay {
    /// The first update, at the start.
    pub(crate) fn new(recipe: Recipe, parts: &Parts, start: &[f64]) -> Self {
        Self { recipe, running: recipe.update.start(parts, start) }
    }

    /// The next update begins; returns its parts.
    pub(crate) fn hand_over(&mut self, baton: Baton) -> Parts {
        *self = Self::new(baton.recipe, &baton.parts, &baton.from);
        baton.parts
    }

    /// What the update at work is made of.
    pub(crate) fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// The update at work.
    pub(crate) fn update(&self) -> &dyn Update {
        self.running.update()
    }

    /// The update at work.
    pub(crate) fn update_mut(&mut self) -> &mut dyn Update {
        self.running.update_mut()
    }

    /// Whether the update follows its recipe in so many dimensions, for a run that comes from outside.
    pub(crate) fn fits(&self, dim: usize) -> bool {
        self.running.follows(self.recipe.update) && self.update().fits(dim)
    }
}
