//! Who competes, on what, and with which settings.

use std::error::Error;
use std::fmt;

use gradless::method::UnknownMethod;
use gradless::{BatchSize, Budget, Config, Estimator, Method, Noise, Preset, Problem, Radius, Solver};
use testkit::families::SparseTarget;

/// One rule for all dimensions, no tuning: the practical preset.
pub(crate) const EXP_FAMILY: [&str; 3] = ["zo-ada-exp-grad", "zo-ada-exp-grad+", "zo-exp-storm"];
/// Ours, without tuning either.
pub(crate) const AUTO: &str = "auto";
pub(crate) const PSGD: &str = "zo-psgd";

/// Shares of the paper's radius, and what a run with it is called.
pub(crate) const RADII: [(f64, &str); 4] = [
    (1.0, "zo-ada-exp-grad+, ν"),
    (0.3, "zo-ada-exp-grad+, 0.3 ν"),
    (0.1, "zo-ada-exp-grad+, 0.1 ν"),
    (0.01, "zo-ada-exp-grad+, 0.01 ν"),
];

/// A hundred times what is needed; whoever has not arrived by then has failed.
const EXP_BUDGET: u64 = 200_000;
/// ZO-PSGD's radius is this over $d$: the second-order error $\nu d L/2$ of a difference is then nowhere felt.
///
/// The usual $1/\sqrt{md}$ makes that error $\sqrt{d/m}\,L/2$, more than the gradient itself where $m \ll d$, and the goal is
/// not reached within ten times $d$ calls from $d = 10^3$ on.
const PSGD_RADIUS: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// $\frac12\lVert x-b\rVert^2$ with 10 coordinates of $b$ at $\pm0.5$.
    A,
    /// $\sum_i\rho(x_i-b_i)$, $\rho(z) = z^2/(1+z^2)$, with 20 coordinates of $b$ at $\pm0.7$.
    C,
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::A, Self::C];

    pub(crate) fn target(self, dim: usize, gamma: f64, seed: u64) -> SparseTarget {
        match self {
            Self::A => SparseTarget::quadratic(dim, gamma, seed),
            Self::C => SparseTarget::nonconvex(dim, gamma, seed),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A (quadratic)",
            Self::C => "C (nonconvex)",
        })
    }
}

/// A method that is not tuned.
pub(crate) fn untuned_config(method: &str, seed: u64) -> Result<Config, UnknownMethod> {
    Ok(Config {
        seed,
        budget: Budget::queries(EXP_BUDGET),
        ..Config::new(Method::named(method)?, Preset::Practical)
    })
}

/// The same with a share of the paper's radius for this batch.
pub(crate) fn exp_config_with_radius(
    method: &str,
    dim: usize,
    share: f64,
    seed: u64,
) -> Result<Config, Box<dyn Error + Send + Sync>> {
    let mut config = untuned_config(method, seed)?;
    config.noise = Noise::None;
    let by_rule = Config { recipe: config.recipe.with_radius(Radius::MiniBatch), ..config.clone() };
    let usual = Solver::new(Problem::builder(dim).build()?, by_rule)?.radius();
    if let Estimator::Differences { radius, .. } = &mut config.recipe.estimator {
        *radius = Radius::Fixed(share * usual);
    }
    Ok(config)
}

/// What ZO-PSGD is allowed to choose: its batch $m$ and its weight $\eta = cL(1 + (d+2)/m)$, constant and stable for $c \ge 1$
/// since its noise is proportional to the gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tuning {
    batch: Batch,
    /// $c$.
    factor: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batch {
    Fixed,
    Share,
}

impl Batch {
    fn size(self, dim: usize) -> usize {
        match self {
            Self::Fixed => 64,
            Self::Share => (dim / 50).max(1),
        }
    }
}

impl Tuning {
    /// What the grid search chose, or came within 5 % of, in every dimension of both families.
    pub(crate) const USUAL: Self = Self { batch: Batch::Fixed, factor: 1.0 };

    /// All settings that are tried.
    pub(crate) const GRID: [Self; 6] = {
        const fn with(batch: Batch, factor: f64) -> Tuning {
            Tuning { batch, factor }
        }
        use Batch::{Fixed, Share};
        [
            with(Fixed, 0.5),
            with(Fixed, 1.0),
            with(Fixed, 2.0),
            with(Share, 0.5),
            with(Share, 1.0),
            with(Share, 2.0),
        ]
    };
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batch = match self.batch {
            Batch::Fixed => "64",
            Batch::Share => "d/50",
        };
        write!(f, "m = {batch}, c = {}", self.factor)
    }
}

pub(crate) fn psgd_config(tuning: Tuning, target: &SparseTarget, seed: u64) -> Result<Config, UnknownMethod> {
    let d = target.dim as f64;
    let m = tuning.batch.size(target.dim);
    let eta = tuning.factor * target.smoothness() * (1.0 + (d + 2.0) / m as f64);
    let mut config = Config::new(Method::named(PSGD)?, Preset::Practical);
    config.seed = seed;
    // Twice what a good setting takes.
    config.budget = Budget::queries(6 * target.dim as u64 + 2_000);
    config.recipe = config.recipe.with_weight(eta);
    if let Estimator::Differences { batch, radius, .. } = &mut config.recipe.estimator {
        *batch = BatchSize::Fixed(m);
        *radius = Radius::Fixed(PSGD_RADIUS / d);
    }
    Ok(config)
}
