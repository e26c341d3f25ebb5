//! `auto`: a descent that remembers slopes and watches its steps, and hands over to a method that averages where noise stalls it.

mod component;
mod descent;
mod likeness;
mod memory;
mod update;
mod wide;

pub use component::Component;
pub(crate) use descent::Descent;

use crate::direction::{self, Direction};
use crate::estimator::{Estimator, Radius};
use crate::method::Recipe;
use crate::momentum::Momentum;
use crate::prox;
use crate::solver::ConfigError;
use crate::update::Parts;

/// Refuses a recipe without blocks to look at, or with a momentum beside the memory of slopes.
pub(crate) fn check(recipe: &Recipe) -> Result<(), ConfigError> {
    let blocks = matches!(recipe.estimator, Estimator::Differences { direction: Direction::Block, .. });
    let fits = blocks && recipe.momentum == Momentum::Plain;
    if fits { Ok(()) } else { Err(ConfigError::NeedsBlocks) }
}

/// The rows of a look: those of a whole block.
pub(crate) fn batch(m: usize, dim: usize) -> usize {
    direction::rows_of_block(m, dim)
}

/// The first descent, at the start.
pub(crate) fn begin(parts: &Parts, start: &[f64], without: Option<Component>) -> Descent {
    let reference = cheapest_point(parts);
    let cheaper = parts.space.penalty(&reference) < parts.space.penalty(start);
    let mut descent = Descent::new(start, parts.m - 1, cheaper, without);
    // A radius that was given is meant: no other is tried.
    descent.wide.forbidden = matches!(parts.radius_rule, Radius::Fixed(_));
    descent
}

/// The point of $K$ nearest to where $r$ is smallest.
fn cheapest_point(parts: &Parts) -> Vec<f64> {
    let centre = vec![0.0; parts.space.dim()];
    let mut point = centre.clone();
    prox::project(&parts.space.set, &centre, &mut point);
    point
}
