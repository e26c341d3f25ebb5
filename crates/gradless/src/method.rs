//! The named methods, each a recipe of the parts above.

mod catalogue;
mod rule;

pub use catalogue::{METHODS, Method, UnknownMethod};
pub use rule::UpdateRule;

pub(crate) use rule::Running;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::direction::Direction;
use crate::estimator::{BatchSize, Difference, Estimator, Radius};
use crate::geometry::Geometry;
use crate::momentum::Momentum;
use crate::step_size::StepRule;

/// A method: which parts it is made of. Any combination with an exact step may be run, named or not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// $\varphi$.
    pub geometry: Geometry,
    /// $\hat g$.
    pub estimator: Estimator,
    /// $d$.
    pub momentum: Momentum,
    /// How $d_t$ moves $x_t$.
    pub update: UpdateRule,
}

impl Recipe {
    /// The same recipe with this many directions (or gradient samples) per estimate.
    #[must_use]
    pub fn with_batch(mut self, size: BatchSize) -> Self {
        match &mut self.estimator {
            Estimator::Differences { batch, .. } | Estimator::Gradients { batch } => *batch = size,
        }
        self
    }

    /// The same recipe with this law of directions; nothing changes where gradients are told.
    #[must_use]
    pub fn with_direction(mut self, law: Direction) -> Self {
        if let Estimator::Differences { direction, .. } = &mut self.estimator {
            *direction = law;
        }
        self
    }

    /// The same recipe with this difference; nothing changes where gradients are told.
    #[must_use]
    pub fn with_difference(mut self, kind: Difference) -> Self {
        if let Estimator::Differences { difference, .. } = &mut self.estimator {
            *difference = kind;
        }
        self
    }

    /// The same recipe with this radius; nothing changes where gradients are told.
    #[must_use]
    pub fn with_radius(mut self, rule: Radius) -> Self {
        if let Estimator::Differences { radius, .. } = &mut self.estimator {
            *radius = rule;
        }
        self
    }

    /// The step rule; `None` where the update is not mirror descent.
    pub fn step(&self) -> Option<StepRule> {
        match self.update {
            UpdateRule::Mirror(step) => Some(step),
            _ => None,
        }
    }

    /// The same recipe with this weight: constant, initial, or $1/\gamma$, whichever the rule has; nothing changes where there is none.
    #[must_use]
    pub fn with_weight(mut self, value: f64) -> Self {
        if let UpdateRule::Mirror(step) = &mut self.update {
            *step = step.with_weight(value);
        }
        self
    }
}

/// Whose settings a method runs with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// Ours: a batch of order $\ln d$, a scale-free initial weight, noise detected, fixed coordinates removed.
    #[default]
    Practical,
    /// The paper's text: $m = 200$, initial weight 1, its radii, nothing removed or detected.
    #[serde(alias = "Seed")]
    Paper,
    /// The paper's authors' scripts where they differ from the text: radii, STORM's growth, values asked again, last iterate.
    Authors,
}

impl Preset {
    /// All of them, with the words they go by.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Practical, "default"), (Self::Paper, "paper"), (Self::Authors, "authors")];
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(preset, _)| preset == self).map_or("", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    /// Also reads `practical` for `default` and `seed` for `paper`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "practical" => Ok(Self::Practical),
            "seed" => Ok(Self::Paper),
            _ => Self::ALL
                .iter()
                .find(|(_, known)| *known == name)
                .map(|(preset, _)| *preset)
                .ok_or_else(|| UnknownPreset { name: name.to_owned() }),
        }
    }
}

/// There is no preset of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no preset '{name}'; there are default, paper and authors")]
pub struct UnknownPreset {
    /// What was asked for.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_read_as_they_are_shown_and_by_their_old_names() {
        for (preset, name) in Preset::ALL {
            assert_eq!((preset.to_string().as_str(), name.parse()), (name, Ok(preset)));
        }
        assert_eq!(("seed".parse(), "practical".parse()), (Ok(Preset::Paper), Ok(Preset::Practical)));
        assert_eq!(serde_json::from_str::<Preset>("\"Seed\"").unwrap(), Preset::Paper);
        assert!("sead".parse::<Preset>().unwrap_err().to_string().contains("paper"));
    }
}
