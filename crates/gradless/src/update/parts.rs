//! The parts an update works with, which never change while it does: what a recipe means for this problem.

use crate::direction::{self, Direction, Directions, Norms};
use crate::estimator::{BatchSize, Difference, Estimator, Radius, RadiusContext};
use crate::geometry::DistanceGenerator;
use crate::method::Recipe;
use crate::momentum::Momentum;
use crate::policy::Placement;
use crate::problem::Problem;
use crate::prox::{self, Prox};
use crate::room::{self, Share};
use crate::set::Set;
use crate::solver::{Config, ConfigError};
use crate::space::Space;
use crate::stop::Budget;
use crate::trace::Notice;
use crate::vector;

#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) space: Space,
    pub(crate) generator: DistanceGenerator,
    pub(crate) prox: Prox,
    /// The law of $u$, and which difference is taken along it.
    direction: Direction,
    pub(crate) difference: Difference,
    /// $m$.
    pub(crate) m: usize,
    /// $\nu$ by the rule, before anything is measured; 0 if gradients are told.
    pub(crate) radius: f64,
    pub(crate) radius_rule: Radius,
    /// No radius above this, whatever is measured.
    pub(crate) largest_radius: f64,
    /// No radius above this where it is measured under noise.
    pub(crate) largest_measured: f64,
    pub(crate) room: Room,
    pub(crate) momentum: Momentum,
}

/// Whether differences must be taken around a point that has room for them in $K$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Queries may lie anywhere, or $K$ is everything.
    NotNeeded,
    Needed,
    /// $K$ is a single point.
    Nowhere,
}

impl Parts {
    /// The parts, the starting point in their space, and what should be said about it.
    pub(crate) fn new(
        problem: Problem,
        config: &Config,
    ) -> Result<(Self, Vec<f64>, Vec<Notice>), ConfigError> {
        let had_start = problem.start.is_some();
        let (space, start) = Space::new(problem, config.fixed).ok_or(ConfigError::NothingFree)?;
        let parts = Self::in_space(space, config, config.recipe)?;
        let mut projected = vec![0.0; start.len()];
        prox::project(&parts.space.set, &start, &mut projected);
        let distance = vector::distance_l2(&start, &projected);
        let notices =
            if had_start && distance > 0.0 { vec![Notice::StartProjected { distance }] } else { Vec::new() };
        Ok((parts, projected, notices))
    }

    /// The parts of a recipe for a space that is already known: after a snapshot, or where another update takes over.
    pub(crate) fn in_space(space: Space, config: &Config, recipe: Recipe) -> Result<Self, ConfigError> {
        let dim = space.dim();
        check_numbers(config, &recipe)?;
        let generator = recipe.geometry.generator(dim);
        let prox = prox::closed_form(&generator, &space.regulariser, &space.set)?;
        if recipe.update.needs_bounds() && !space.set.max_norm().is_finite() {
            return Err(ConfigError::Unbounded);
        }
        let (direction, difference, batch, radius_rule) = match recipe.estimator {
            Estimator::Differences { direction, difference, batch, radius } => {
                (direction, difference, batch, radius)
            }
            // Gradients need no directions; the object stays empty.
            Estimator::Gradients { batch } => {
                (Direction::Rademacher, Difference::Auto, batch, Radius::MiniBatch)
            }
        };
        let m = recipe.update.batch(resolve_batch(batch, dim)?, dim);
        let radius = match recipe.estimator {
            Estimator::Gradients { .. } => 0.0,
            Estimator::Differences { .. } => {
                let horizon = horizon(config, recipe.momentum, m);
                let context = RadiusContext { dim, batch: m, horizon };
                radius_rule.resolve(context).ok_or(ConfigError::NoHorizon)?
            }
        };
        let (radius, largest_radius) = match radius_rule {
            Radius::NoiseAware { largest: Some(largest) } => (radius.min(largest), largest),
            _ => (radius, default_largest_radius(&space.set, dim).max(radius)),
        };
        let differences = matches!(recipe.estimator, Estimator::Differences { .. });
        let inside = differences && config.placement == Placement::Inside && space.set != Set::Free;
        let mut parts = Self {
            space,
            generator,
            prox,
            direction,
            difference,
            m,
            radius,
            radius_rule,
            largest_radius,
            largest_measured: largest_radius,
            room: if inside { Room::Needed } else { Room::NotNeeded },
            momentum: recipe.momentum,
        };
        // Where steps are shortened to the coordinates they are taken along, every radius has room.
        if inside && !recipe.update.shortens_steps(&parts.space.set) {
            parts.find_room(config.seed);
        }
        Ok(parts)
    }

    /// The directions of an estimate, none drawn yet.
    pub(crate) fn directions(&self, seed: u64) -> Directions {
        let directions = Directions::new(self.direction, self.space.dim(), seed);
        if self.room == Room::NotNeeded { directions } else { directions.bounded() }
    }

    /// Shortens the radii until perturbations of that length have room in $K$.
    fn find_room(&mut self, seed: u64) {
        let (set, dim) = (&self.space.set, self.space.dim());
        let norms = if self.direction == Direction::Block {
            Norms::of_signs(direction::rows_of_block(self.m, dim).min(dim))
        } else {
            self.directions(seed).norms()
        };
        let longest = |share| room::longest_radius(set, dim, norms, share);
        let largest = longest(Share::Whole);
        if largest == 0.0 {
            self.room = Room::Nowhere;
            return;
        }
        let given = matches!(self.radius_rule, Radius::Fixed(_));
        self.radius = self.radius.min(longest(if given { Share::Whole } else { Share::Small }));
        self.largest_radius = self.largest_radius.min(largest).max(self.radius);
        self.largest_measured = self.largest_measured.min(longest(Share::Large)).max(self.radius);
    }
}

/// Beyond this many directions, or signs in all of them (128 GiB of bits), a batch is a mistake.
const MOST_DIRECTIONS: usize = 1 << 24;
const MOST_SIGNS: u64 = 1 << 40;

fn resolve_batch(batch: BatchSize, dim: usize) -> Result<usize, ConfigError> {
    match batch.resolve(dim) {
        0 => Err(ConfigError::EmptyBatch),
        m if m > MOST_DIRECTIONS || (m as u64).saturating_mul(dim as u64) > MOST_SIGNS => {
            Err(ConfigError::HugeBatch { m, dim })
        }
        m => Ok(m),
    }
}

/// $T$: as given, as the stopping rule promises, or as the budget allows.
fn horizon(config: &Config, momentum: Momentum, m: usize) -> Option<u64> {
    let m = m as u64;
    let per_iteration = if momentum == Momentum::Plain { m + 1 } else { 2 * m + 1 };
    config.horizon.or_else(|| config.stop.horizon()).or_else(|| {
        let Budget { queries, sent } = config.budget;
        let limit = queries.into_iter().chain(sent).min()?;
        Some((limit / per_iteration).max(1))
    })
}

/// Half the narrowest width; 1 where the set does not say.
fn default_largest_radius(set: &Set, dim: usize) -> f64 {
    let width = match set {
        Set::Free => f64::INFINITY,
        // Coordinates that were kept although fixed have no width; they must not forbid every radius.
        Set::Box(bounds) => bounds.least_room(dim),
        Set::L1Ball { .. } | Set::L2Ball { .. } | Set::Simplex { .. } => set.max_norm(),
    };
    if width.is_finite() && width > 0.0 { 0.5 * width } else { 1.0 }
}

fn check_numbers(config: &Config, recipe: &Recipe) -> Result<(), ConfigError> {
    recipe.update.check(recipe)?;
    recipe.momentum.check()?;
    if let Estimator::Differences { radius, .. } = recipe.estimator {
        radius.check()?;
    }
    if let Some(rule) = config.stop.nonsense() {
        return Err(ConfigError::BadRule { rule: rule.clone() });
    }
    let share = config.failures.share;
    if (0.0..=1.0).contains(&share) { Ok(()) } else { Err(ConfigError::BadShare { value: share }) }
}
