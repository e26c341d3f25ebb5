//! The parts of a run that never change: what the configuration means for this problem.

use super::config::{Config, ConfigError};
use crate::direction::{Direction, Directions, Norms};
use crate::estimator::{BatchSize, Estimator, Radius, RadiusContext};
use crate::geometry::DistanceGenerator;
use crate::method::Recipe;
use crate::momentum::{AccZomSchedule, Momentum, StormRate};
use crate::problem::Problem;
use crate::prox::{self, Prox};
use crate::room::{self, Share};
use crate::set::Set;
use crate::space::{Placement, Space};
use crate::step_size::{StepRule, StepSize};
use crate::stop::Budget;
use crate::trace::Notice;
use crate::vector;

#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) space: Space,
    pub(super) generator: DistanceGenerator,
    pub(super) prox: Prox,
    pub(super) directions: Directions,
    /// The directions of a survey, where there is a memory.
    pub(super) survey: Directions,
    /// $m$.
    pub(super) m: usize,
    /// $\nu$ by the rule, before anything is measured; 0 if gradients are told.
    pub(super) radius: f64,
    pub(super) radius_rule: Radius,
    /// No radius above this, whatever is measured.
    pub(super) largest_radius: f64,
    /// No radius above this where it is measured under noise.
    pub(super) largest_measured: f64,
    pub(super) room: Room,
    pub(super) momentum: Momentum,
}

/// Whether differences must be taken around a point that has room for them in $K$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Queries may lie anywhere, or $K$ is everything.
    NotNeeded,
    Needed,
    /// $K$ is a single point.
    Nowhere,
}

impl Parts {
    /// The parts, the starting point in their space, and what should be said about it.
    pub(super) fn new(
        problem: Problem,
        config: &Config,
    ) -> Result<(Self, Vec<f64>, Vec<Notice>), ConfigError> {
        let had_start = problem.start.is_some();
        let (space, start) = Space::new(problem, config.fixed).ok_or(ConfigError::NothingFree)?;
        let parts = Self::in_space(space, config)?;
        let mut projected = vec![0.0; start.len()];
        prox::project(&parts.space.set, &start, &mut projected);
        let distance = vector::distance_l2(&start, &projected);
        let notices =
            if had_start && distance > 0.0 { vec![Notice::StartProjected { distance }] } else { Vec::new() };
        Ok((parts, projected, notices))
    }

    /// The parts for a space that is already known, as after a snapshot.
    pub(super) fn in_space(space: Space, config: &Config) -> Result<Self, ConfigError> {
        let recipe = config.recipe;
        let dim = space.dim();
        check_numbers(config)?;
        let generator = recipe.geometry.generator(dim);
        let prox = prox::closed_form(&generator, &space.regulariser, &space.set)?;
        if recipe.step == StepRule::Optimistic && !space.set.max_norm().is_finite() {
            return Err(ConfigError::Unbounded);
        }
        let (direction, batch, radius_rule) = match recipe.estimator {
            Estimator::Differences { direction, batch, radius, .. } => (direction, batch, radius),
            // Gradients need no directions; the object stays empty.
            Estimator::Gradients { batch } => (Direction::Rademacher, batch, Radius::MiniBatch),
        };
        let m = resolve_batch(batch, dim)?;
        let m = if matches!(recipe.step, StepRule::Trust { .. }) { block_rows(m, dim) } else { m };
        let radius = match recipe.estimator {
            Estimator::Gradients { .. } => 0.0,
            Estimator::Differences { .. } => {
                let context = RadiusContext { dim, batch: m, horizon: horizon(config, m) };
                radius_rule.resolve(context).ok_or(ConfigError::NoHorizon)?
            }
        };
        let (radius, largest_radius) = match radius_rule {
            Radius::NoiseAware { largest: Some(largest) } => (radius.min(largest), largest),
            _ => (radius, default_largest_radius(&space.set, dim).max(radius)),
        };
        let differences = matches!(recipe.estimator, Estimator::Differences { .. });
        let inside = differences && config.placement == Placement::Inside && space.set != Set::Free;
        let directions = Directions::new(direction, dim, config.seed);
        let mut parts = Self {
            space,
            generator,
            prox,
            directions: if inside { directions.bounded() } else { directions },
            survey: Directions::new(Direction::Rademacher, dim, config.seed),
            m,
            radius,
            radius_rule,
            largest_radius,
            largest_measured: largest_radius,
            room: Room::NotNeeded,
            momentum: recipe.momentum,
        };
        if inside {
            parts.find_room(recipe);
        }
        Ok(parts)
    }

    /// Shortens the radii until perturbations of that length have room in $K$.
    fn find_room(&mut self, recipe: Recipe) {
        let (set, dim) = (&self.space.set, self.space.dim());
        self.room = Room::Needed;
        let blocks = matches!(recipe.estimator, Estimator::Differences { direction: Direction::Block, .. });
        if matches!((recipe.step, set), (StepRule::Trust { .. }, Set::Box(_))) {
            // Steps along narrow coordinates are shortened when these are chosen.
            return;
        }
        let norms =
            if blocks { Norms::of_signs(block_rows(self.m, dim).min(dim)) } else { self.directions.norms() };
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

    /// Directions of a survey.
    pub(super) fn survey_size(&self) -> usize {
        BatchSize::LogDim { factor: SURVEY_FACTOR }.resolve(self.space.dim())
    }

    /// The point of $K$ nearest to where $r$ is smallest.
    pub(super) fn cheapest_point(&self) -> Vec<f64> {
        let centre = vec![0.0; self.space.dim()];
        let mut point = centre.clone();
        prox::project(&self.space.set, &centre, &mut point);
        point
    }

    /// How far a first step may go: to where $r$ is smallest, or half the width of $K$; 1 where neither says.
    pub(super) fn reach(&self, x: &[f64]) -> f64 {
        let away = vector::norm_max(x);
        let size = self.space.set.max_norm();
        let reach = if away > 0.0 { away } else { size };
        if reach.is_finite() && reach > 0.0 { reach } else { 1.0 }
    }

    /// The steepest slope known at $x$: of $l$ along a coordinate, or of $r$ on the way to where it is smallest.
    pub(super) fn steepness(&self, d: &[f64], x: &[f64]) -> f64 {
        let length = vector::norm_l1(x);
        let regulariser = if length > 0.0 { self.space.regulariser.value(x) / length } else { 0.0 };
        vector::norm_max(d) + regulariser
    }

    pub(super) fn step_size(&self, rule: StepRule) -> Option<StepSize> {
        let rate = match self.momentum {
            Momentum::Storm(rate) => rate,
            Momentum::Plain | Momentum::AccZom(_) => StormRate::default(),
        };
        StepSize::new(rule, rate, self.m)
    }
}

/// As many directions as keep the maximum norm of the noise at a fixed share of the signal.
const SURVEY_FACTOR: f64 = 8.0;
/// Beyond this many directions, or signs in all of them (128 GiB of bits), a batch is a mistake.
const MOST_DIRECTIONS: usize = 1 << 24;
const MOST_SIGNS: u64 = 1 << 40;

/// A power of two, at least 2 and not more than all coordinates need.
fn block_rows(m: usize, dim: usize) -> usize {
    m.next_power_of_two().clamp(2, (dim + 1).next_power_of_two())
}

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
fn horizon(config: &Config, m: usize) -> Option<u64> {
    let m = m as u64;
    let per_iteration = if config.recipe.momentum == Momentum::Plain { m + 1 } else { 2 * m + 1 };
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

fn positive(what: &'static str, value: f64) -> Result<(), ConfigError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ConfigError::NotPositive { what, value }) }
}

fn check_schedule(AccZomSchedule { k, c, m0 }: AccZomSchedule) -> Result<(), ConfigError> {
    positive("k", k)?;
    positive("c", c)?;
    positive("m0", m0)
}

/// A memory of slopes needs blocks to look at, and no other memory beside it.
fn check_trust(recipe: &Recipe) -> Result<(), ConfigError> {
    let blocks = matches!(recipe.estimator, Estimator::Differences { direction: Direction::Block, .. });
    let fits = blocks && recipe.momentum == Momentum::Plain;
    let trusts = matches!(recipe.step, StepRule::Trust { .. });
    if trusts && !fits { Err(ConfigError::TrustWithoutBlocks) } else { Ok(()) }
}

fn check_numbers(config: &Config) -> Result<(), ConfigError> {
    match config.recipe.step {
        StepRule::Constant { weight } => positive("the step weight", weight)?,
        StepRule::AccZom { gamma, schedule } => {
            positive("gamma", gamma)?;
            check_schedule(schedule)?;
        }
        StepRule::Adaptive { initial }
        | StepRule::AdaptivePlus { initial }
        | StepRule::Storm { initial, .. } => positive("the initial weight", initial.factor())?,
        StepRule::Optimistic | StepRule::Trust { .. } => {}
    }
    check_trust(&config.recipe)?;
    if let Momentum::AccZom(schedule) = config.recipe.momentum {
        check_schedule(schedule)?;
    }
    if let Some(rule) = config.stop.nonsense() {
        return Err(ConfigError::BadRule { rule: rule.clone() });
    }
    if let Momentum::Storm(StormRate { rate: Some(value) }) = config.recipe.momentum
        && !(value > 0.0 && value <= 1.0)
    {
        return Err(ConfigError::BadRate { value });
    }
    if let Estimator::Differences { radius, .. } = config.recipe.estimator {
        match radius {
            Radius::Fixed(radius) => positive("the radius", radius)?,
            Radius::NoiseAware { largest: Some(largest) } => positive("the largest radius", largest)?,
            _ => {}
        }
    }
    let share = config.failures.share;
    if (0.0..=1.0).contains(&share) { Ok(()) } else { Err(ConfigError::BadShare { value: share }) }
}
