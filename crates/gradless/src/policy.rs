//! Policies: what a run does at the edges of its problem, where values fail or do not change, and which point it answers with.
//!
//! Each is a field of [`Config`](crate::Config), but for [`Outside`], which is said where the problem is built. The defaults suit most
//! problems; the presets of the paper and of its authors choose what these do.

use serde::{Deserialize, Serialize};

/// Which point of a run is its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// The best point if the black box repeats itself (the best of noisy values is optimistic), else the average of the
    /// iterates, or the last where that turns out better.
    #[default]
    Auto,
    /// The point with the smallest objective among those evaluated.
    Best,
    /// The last iterate.
    Last,
    /// The average of the iterates, late ones counting most; the last iterate where the black box repeats itself.
    Averaged,
    /// An iterate chosen uniformly: the one the theorems speak of.
    Random,
    /// The last prox point: exactly sparse where averaging leaves dust.
    Sparse,
}

/// What to do when every difference of a batch is exactly zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Flat {
    /// Make the radius four times larger and ask again, up to half the width of the box (1 if there is none).
    #[default]
    GrowRadius,
    /// Take it as a zero gradient, as the paper does.
    Accept,
}

/// How many failed answers a run bears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    /// An iteration is bad if more than this share of its directions is lost.
    pub share: f64,
    /// So many bad iterations in a row end the run.
    pub patience: u32,
}

impl Default for Failures {
    fn default() -> Self {
        Self { share: 0.5, patience: 3 }
    }
}

/// Whether the points reached last are evaluated before the run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// Yes; what it costs is kept in reserve. One query each for the last iterate and the prox point, 16 each under noise.
    #[default]
    Evaluate,
    /// No, as in the paper.
    Skip,
}

/// Where momentum's value at the last point comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviousValue {
    /// From the last iteration: $2m + 1$ queries.
    #[default]
    Reuse,
    /// Asked again: $2m + 2$ queries, as in the authors' scripts.
    AskAgain,
}

/// What happens to coordinates whose bounds are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FixedCoordinates {
    /// They are taken out before anything is sampled and put back in every answer.
    ///
    /// Exact, and every formula then sees the number of *free* coordinates: perturbing what cannot move only adds noise.
    #[default]
    Remove,
    /// They stay and are perturbed like the others, as in the paper.
    Keep,
}

/// Where queries may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Placement {
    /// In $K$: at its boundary, differences are taken around the nearest point that has room for them.
    ///
    /// The radius is at most a hundredth of $K$'s size, and up to half of it where it is measured, given or has grown. A coordinate
    /// without room is not perturbed, a normal direction beyond about two and a half standard deviations of its length is
    /// shortened, and on the simplex a query is scaled to the total. Costs a gradient bias of the order of the radius.
    #[default]
    Inside,
    /// Up to the radius outside $K$, as in the paper.
    Anywhere,
}

/// What to do with a starting point outside $K$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// Say so and stop: a start outside $K$ is usually a mistake.
    #[default]
    Refuse,
    /// Take the nearest point of $K$ (Euclidean).
    Project,
}
