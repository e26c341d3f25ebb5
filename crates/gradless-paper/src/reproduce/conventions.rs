//! Where the paper's text and its authors' scripts differ, and which of the two is followed.

use gradless::policy::{Finish, Output, PreviousValue};
use gradless::step_size::StepRule;
use gradless::{BatchSize, Budget, Config, Estimator, Preset, Radius, StopRule};
use gradless_explain::{Moves, Start};
use serde::{Deserialize, Serialize};

use super::arm::Arm;
use crate::data::DataSet;

/// Every point on which the text and the scripts differ and that changes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conventions {
    /// What a pertinent negative of a digit may change.
    pub mnist_pn_set: Moves,
    /// Where the search for a pertinent negative of a photograph starts.
    pub cifar10_pn_start: Start,
    /// Whose smoothing radii.
    pub radii: Source,
    /// Whose growth of the weight in ZO-ExpStorm.
    pub storm_growth: Source,
    /// Whether momentum asks for the value at the last point again.
    pub previous_value: Source,
}

/// Who is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The paper.
    Text,
    /// Its authors' programs.
    Scripts,
}

/// One such point, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub what: &'static str,
    /// The paper.
    pub text: &'static str,
    /// Its authors' programs.
    pub scripts: &'static str,
    /// Which of them is followed.
    pub used: Source,
}

impl Conventions {
    /// The paper's text.
    pub const SEED: Self = Self {
        mnist_pn_set: Moves::Add,
        cifar10_pn_start: Start::Centre,
        radii: Source::Text,
        storm_growth: Source::Text,
        previous_value: Source::Text,
    };

    /// The authors' scripts, which made the paper's figures.
    pub const AUTHORS: Self = Self {
        mnist_pn_set: Moves::TwoSided,
        cifar10_pn_start: Start::Zero,
        radii: Source::Scripts,
        storm_growth: Source::Scripts,
        previous_value: Source::Scripts,
    };

    /// What a pertinent negative may change.
    pub fn moves(&self, set: DataSet) -> Moves {
        match set {
            DataSet::Mnist => self.mnist_pn_set,
            DataSet::Cifar10 => Moves::TwoSided,
        }
    }

    /// Where the search for a pertinent negative starts.
    pub fn pn_start(&self, set: DataSet) -> Start {
        match set {
            DataSet::Mnist => Start::Centre,
            DataSet::Cifar10 => self.cifar10_pn_start,
        }
    }

    /// How an arm is run: `batch` directions, `iterations` steps, no other limit.
    pub fn config(&self, arm: Arm, batch: usize, iterations: u64, seed: u64) -> Config {
        let method = arm.family.method();
        let scripts = method.recipe(Preset::Authors);
        let mut config = Config::new(method, Preset::Paper);
        if let (Source::Scripts, Some(radius)) = (self.radii, radius_of(&scripts.estimator)) {
            config.recipe = config.recipe.with_radius(radius);
        }
        if let (Source::Scripts, Some(StepRule::Storm { .. })) = (self.storm_growth, scripts.step()) {
            config.recipe.update = scripts.update;
        }
        if self.previous_value == Source::Scripts {
            config.previous_value = PreviousValue::AskAgain;
        }
        config.recipe = config.recipe.with_batch(BatchSize::Fixed(batch));
        if let Some(value) = arm.value() {
            // The paper's tables give the step, or gamma: the reciprocal of our weight.
            config.recipe = config.recipe.with_weight(1.0 / value);
        }
        Config {
            seed,
            budget: Budget::default(),
            stop: StopRule::Iterations(iterations),
            horizon: Some(iterations),
            output: Output::Last,
            finish: Finish::Skip,
            ..config
        }
    }

    /// All points, in words.
    pub fn differences(&self) -> [Difference; 5] {
        let is_text = |text: bool| if text { Source::Text } else { Source::Scripts };
        [
            Difference {
                what: "MNIST, PN: what may change",
                text: "pixels may only grow, x in [0, 1 - x0]",
                scripts: "pixels may grow and shrink, x in [-x0, 1 - x0]",
                used: is_text(self.mnist_pn_set == Moves::Add),
            },
            Difference {
                what: "CIFAR-10, PN: start",
                text: "the centre of the set",
                scripts: "x = 0, the unchanged image",
                used: is_text(self.cifar10_pn_start == Start::Centre),
            },
            Difference {
                what: "smoothing radii",
                text: "from m: sqrt(2e(2 ln d - 1)/m)/d, 1/sqrt(md) for ZO-PSGD, 1/(d T^(2/3)) for Acc-ZOM",
                scripts: "from T: sqrt(4e ln(d - 1)/T)/d, 1/sqrt(Td) for ZO-PSGD, 1/(d (m0 + T)^(2/3)) for Acc-ZOM",
                used: self.radii,
            },
            Difference {
                what: "ZO-ExpStorm: weight",
                text: "sqrt(beta S)",
                scripts: "beta sqrt(S); the same for t < 3.2 m",
                used: self.storm_growth,
            },
            Difference {
                what: "momentum: value at the last point",
                text: "kept, 2m + 1 calls per step",
                scripts: "asked again, 2m + 2 calls per step",
                used: self.previous_value,
            },
        ]
    }
}

fn radius_of(estimator: &Estimator) -> Option<Radius> {
    match estimator {
        Estimator::Differences { radius, .. } => Some(*radius),
        Estimator::Gradients { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Family;

    #[test]
    fn the_presets_of_the_core_are_what_is_run() {
        for arm in Arm::of(&Family::ALL) {
            for (conventions, preset) in
                [(Conventions::SEED, Preset::Paper), (Conventions::AUTHORS, Preset::Authors)]
            {
                let config = conventions.config(arm, 200, 200, 7);
                let wanted = Config::new(arm.family.method(), preset);
                assert_eq!(config.recipe.estimator, wanted.recipe.estimator, "{arm}");
                assert_eq!(
                    (config.previous_value, config.fixed),
                    (wanted.previous_value, wanted.fixed),
                    "{arm}"
                );
                assert_eq!((config.flat, config.noise), (wanted.flat, wanted.noise), "{arm}");
            }
        }
    }

    #[test]
    fn steps_are_reciprocals_of_weights_and_gamma_is_gamma() {
        let step = |name: &str| {
            Conventions::AUTHORS.config(Arm::find(name).unwrap()[0], 200, 200, 0).recipe.step().unwrap()
        };
        assert_eq!(step("zo-psgd:0.001"), StepRule::Constant { weight: 1000.0 });
        assert_eq!(step("zo-exp-grad:0.1"), StepRule::Constant { weight: 10.0 });
        assert!(matches!(step("acc-zom:0.01"), StepRule::AccZom { gamma, .. } if gamma == 0.01));
    }
}
