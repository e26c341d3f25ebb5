//! Every method by name: what it is made of, what it assumes, what it costs, where it comes from.

use super::{Preset, Recipe, UpdateRule};
use crate::direction::Direction;
use crate::estimator::{BatchSize, Difference, Estimator, Radius};
use crate::geometry::Geometry;
use crate::momentum::{AccZomSchedule, Momentum, StormRate};
use crate::step_size::{InitialWeight, StepRule, StormGrowth};

/// The paper's batch.
const PAPER_BATCH: usize = 200;
/// Chosen by experiment on sparse quadratics, see [`BatchSize::LogDim`].
const PRACTICAL_BATCH: BatchSize = BatchSize::LogDim { factor: 8.0 };

/// Rows of a block: one coordinate less is looked at. Chosen by experiment, `docs/auto.md`.
const AUTO_BATCH: usize = 8;

/// A method with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The name, as on the command line.
    pub name: &'static str,
    /// What it assumes of $l$.
    pub assumes: &'static str,
    /// What it needs to be told.
    pub tuning: &'static str,
    /// Queries per step for a black box that repeats itself, $m$ directions.
    pub queries: &'static str,
    /// Oracle calls to an $\epsilon$-stationary point.
    pub rate: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    family: Family,
    geometry: Geometry,
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Constant,
    Adaptive,
    AdaptivePlus,
    Storm,
    Psgd,
    AccZom,
    Optimistic,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Zeroth,
    First,
}

const SMOOTH: &str = "each l(.; xi) smooth";
/// What the paper's theorems assume.
const COMPACT: &str = "each l(.; xi) Lipschitz and smooth, K compact";
const NOTHING: &str = "nothing";
const STEP: &str = "a step weight";

const fn paper(
    name: &'static str,
    family: Family,
    geometry: Geometry,
    order: Order,
    source: &'static str,
) -> Method {
    let storm = matches!(family, Family::Storm);
    let queries = match (order, storm) {
        (Order::Zeroth, false) => "m + 1",
        (Order::Zeroth, true) => "2m + 1",
        (Order::First, false) => "m gradients",
        (Order::First, true) => "2m gradients",
    };
    let rate = match (order, storm) {
        (Order::Zeroth, false) => "ln d / eps^4",
        (Order::Zeroth, true) => "(ln d)^2 / eps^3",
        (Order::First, false) => "1 / eps^4",
        (Order::First, true) => "1 / eps^3",
    };
    let tuning = if matches!(family, Family::Constant) { STEP } else { NOTHING };
    Method { name, assumes: COMPACT, tuning, queries, rate, source, family, geometry, order }
}

const ALG: [&str; 4] = [
    "the paper, composite mirror descent with a constant step",
    "the paper, Algorithm ZO-AdaExpGrad",
    "the paper, Algorithm ZO-AdaExpGrad+",
    "the paper, Algorithm ZO-ExpStorm",
];

const ADA_EXP_GRAD_PLUS: Method =
    paper("zo-ada-exp-grad+", Family::AdaptivePlus, Geometry::Entropy, Order::Zeroth, ALG[2]);

const AUTO: Method = Method {
    name: "auto",
    assumes: SMOOTH,
    tuning: NOTHING,
    queries: "m + 1",
    rate: "none known",
    source: "ours, slopes remembered and steps watched",
    family: Family::Auto,
    geometry: Geometry::Euclidean,
    order: Order::Zeroth,
};

/// All named methods.
pub const METHODS: &[Method] = {
    use Family::{AccZom, Adaptive, AdaptivePlus, Constant, Optimistic, Psgd, Storm};
    use Geometry::{Entropy, Euclidean, PNorm};
    use Order::{First, Zeroth};
    &[
        paper("zo-exp-grad", Constant, Entropy, Zeroth, ALG[0]),
        paper("zo-ada-exp-grad", Adaptive, Entropy, Zeroth, ALG[1]),
        ADA_EXP_GRAD_PLUS,
        paper("zo-exp-storm", Storm, Entropy, Zeroth, ALG[3]),
        paper("zo-p-norm", Constant, PNorm, Zeroth, ALG[0]),
        paper("zo-ada-p-norm", Adaptive, PNorm, Zeroth, ALG[1]),
        paper("zo-ada-p-norm+", AdaptivePlus, PNorm, Zeroth, ALG[2]),
        paper("zo-p-norm-storm", Storm, PNorm, Zeroth, ALG[3]),
        paper("fo-exp-grad", Constant, Entropy, First, ALG[0]),
        paper("fo-ada-exp-grad", Adaptive, Entropy, First, ALG[1]),
        paper("fo-ada-exp-grad+", AdaptivePlus, Entropy, First, ALG[2]),
        paper("fo-exp-storm", Storm, Entropy, First, ALG[3]),
        paper("fo-p-norm", Constant, PNorm, First, ALG[0]),
        paper("fo-ada-p-norm", Adaptive, PNorm, First, ALG[1]),
        paper("fo-ada-p-norm+", AdaptivePlus, PNorm, First, ALG[2]),
        paper("fo-p-norm-storm", Storm, PNorm, First, ALG[3]),
        Method {
            name: "zo-psgd",
            assumes: SMOOTH,
            tuning: STEP,
            queries: "m + 1",
            rate: "d / eps^4",
            source: "Lan 2020, Corollary 6.10; Ghadimi, Lan & Zhang 2016",
            family: Psgd,
            geometry: Euclidean,
            order: Zeroth,
        },
        Method {
            name: "acc-zom",
            assumes: SMOOTH,
            tuning: "gamma, proportional to 1/L",
            queries: "2m + 1",
            rate: "d^(3/4) / eps^3",
            source: "Huang, Gao, Pei & Huang, JMLR 2022",
            family: AccZom,
            geometry: Euclidean,
            order: Zeroth,
        },
        Method {
            name: "ao-exp-grad",
            assumes: "l convex and smooth, K bounded",
            tuning: NOTHING,
            queries: "m + 1",
            rate: "none for nonconvex l",
            source: "Shao, Sivrikaya & Albayrak, Machine Learning 2022",
            family: Optimistic,
            geometry: Entropy,
            order: Zeroth,
        },
        AUTO,
    ]
};

impl Method {
    /// Finds a method; case and hyphens do not matter, so the paper's "ZO-AdaExpGrad+" is found too.
    pub fn named(name: &str) -> Result<Self, UnknownMethod> {
        let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
        METHODS
            .iter()
            .find(|method| plain(method.name) == plain(name))
            .copied()
            .ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }

    /// ZO-AdaExpGrad+: the paper's method without tuning and without dependence on the size of $K$.
    pub fn of_the_paper() -> Self {
        ADA_EXP_GRAD_PLUS
    }

    /// The parts it is made of.
    pub fn recipe(self, preset: Preset) -> Recipe {
        let batch = match preset {
            _ if self.family == Family::Auto => BatchSize::Fixed(AUTO_BATCH),
            Preset::Practical => PRACTICAL_BATCH,
            Preset::Paper | Preset::Authors => BatchSize::Fixed(PAPER_BATCH),
        };
        let estimator = match self.order {
            Order::First => Estimator::Gradients { batch },
            Order::Zeroth => Estimator::Differences {
                direction: self.direction(),
                difference: match preset {
                    Preset::Practical => Difference::Auto,
                    Preset::Paper | Preset::Authors => Difference::Forward,
                },
                batch,
                radius: self.radius(preset),
            },
        };
        let momentum = match self.family {
            Family::Storm => Momentum::Storm(StormRate::default()),
            Family::AccZom => Momentum::AccZom(AccZomSchedule::default()),
            _ => Momentum::Plain,
        };
        Recipe { geometry: self.geometry, estimator, momentum, update: self.update(preset) }
    }

    fn direction(self) -> Direction {
        match self.family {
            Family::Psgd => Direction::Gaussian,
            Family::AccZom => Direction::Sphere,
            Family::Auto => Direction::Block,
            _ => Direction::Rademacher,
        }
    }

    fn radius(self, preset: Preset) -> Radius {
        match (preset, self.family) {
            (Preset::Practical, _) | (_, Family::Auto) => Radius::Auto,
            (Preset::Paper, Family::Psgd) => Radius::Psgd,
            (Preset::Paper, Family::Storm | Family::AccZom) | (Preset::Authors, Family::Storm) => {
                Radius::Storm
            }
            (Preset::Paper, _) => Radius::MiniBatch,
            (Preset::Authors, Family::Psgd) => Radius::AuthorsPsgd,
            (Preset::Authors, Family::AccZom) => Radius::AuthorsAccZom,
            (Preset::Authors, _) => Radius::AuthorsMiniBatch,
        }
    }

    fn update(self, preset: Preset) -> UpdateRule {
        let initial = match preset {
            Preset::Practical => InitialWeight::ScaleFree(1.0),
            Preset::Paper | Preset::Authors => InitialWeight::Fixed(1.0),
        };
        let growth = match preset {
            Preset::Authors => StormGrowth::Authors,
            Preset::Practical | Preset::Paper => StormGrowth::Paper,
        };
        UpdateRule::Mirror(match self.family {
            Family::Constant | Family::Psgd => StepRule::Constant { weight: 1.0 },
            Family::Adaptive => StepRule::Adaptive { initial },
            Family::AdaptivePlus => StepRule::AdaptivePlus { initial },
            Family::Storm => StepRule::Storm { initial, growth },
            Family::AccZom => StepRule::AccZom { gamma: 1.0, schedule: AccZomSchedule::default() },
            Family::Optimistic => return UpdateRule::Optimistic,
            Family::Auto => return UpdateRule::Auto { without: None },
        })
    }
}

impl Default for Method {
    /// `auto`: the fewest queries on nearly everything that was measured, `docs/auto.md`.
    fn default() -> Self {
        AUTO
    }
}

fn names() -> String {
    METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ")
}

/// There is no method of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method '{name}'; there are {}", names())]
pub struct UnknownMethod {
    /// What was asked for.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_the_papers_spelling_works() {
        for (i, method) in METHODS.iter().enumerate() {
            assert_eq!(Method::named(method.name), Ok(METHODS[i]));
        }
        assert_eq!(Method::named("ZO-AdaExpGrad+").unwrap().name, "zo-ada-exp-grad+");
        assert_eq!(Method::named("ao_ExpGrad").unwrap().name, "ao-exp-grad");
    }

    #[test]
    fn an_unknown_method_is_told_what_there_is() {
        let message = Method::named("sgd").unwrap_err().to_string();
        assert!(message.contains("'sgd'") && message.contains("zo-ada-exp-grad+"), "{message}");
    }

    #[test]
    fn the_default_is_ours_and_the_papers_own_is_at_hand() {
        assert_eq!(Method::default().name, "auto");
        assert_eq!(Method::of_the_paper().name, "zo-ada-exp-grad+");
    }

    #[test]
    fn the_paper_preset_has_the_papers_numbers() {
        let recipe = Method::of_the_paper().recipe(Preset::Paper);
        assert_eq!(recipe.update, StepRule::AdaptivePlus { initial: InitialWeight::Fixed(1.0) }.into());
        assert!(matches!(
            recipe.estimator,
            Estimator::Differences { batch: BatchSize::Fixed(200), radius: Radius::MiniBatch, .. }
        ));
    }
}
