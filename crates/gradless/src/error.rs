//! What can be wrong with a problem; every error carries what was found.

/// What is wrong with a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// There is nothing to optimise.
    #[error("the problem has no coordinates: give a dimension of at least 1")]
    ZeroDimension,
    /// A list does not have one entry per coordinate (or group).
    #[error("{what} has {found} entries, {expected} are needed (or a single number for all)")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// The entries needed.
        expected: usize,
        /// The entries found.
        found: usize,
    },
    /// A point contains NaN or an infinity.
    #[error("{what}[{index}] is {value}: every coordinate must be a finite number")]
    NotFinite {
        /// Which point.
        what: &'static str,
        /// Where.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// A weight is negative or not finite.
    #[error("{what} number {index} is {value}: weights are finite and not negative")]
    BadWeight {
        /// Which weight.
        what: &'static str,
        /// Where.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// A group number that cannot be.
    #[error("coordinate {index} is in group {group}: groups are numbered from 0 and there are at most {dim}")]
    BadGroup {
        /// Where.
        index: usize,
        /// What stands there.
        group: usize,
        /// How many groups are possible.
        dim: usize,
    },
    /// The radius of a ball or the total of a simplex is not a positive number.
    #[error("the size of the set is {value}: it must be a positive finite number")]
    BadSize {
        /// The radius or total.
        value: f64,
    },
    /// The ball and the bounds have no point in common.
    #[error(
        "the set is empty: the l1 ball has radius {radius}, but the bounds allow no l1 norm below {nearest}"
    )]
    EmptySet {
        /// The radius of the ball.
        radius: f64,
        /// The smallest norm the bounds allow.
        nearest: f64,
    },
    /// The lower bound is above the upper one, or one of them is NaN.
    #[error(
        "coordinate {index} has lower bound {lower} and upper bound {upper}: no number lies between them"
    )]
    CrossedBounds {
        /// Where.
        index: usize,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// The start is not in the set.
    #[error(
        "the starting point is outside the set by {violation}: move it inside, or ask for projection (`Outside::Project`)"
    )]
    StartOutside {
        /// By how much, in the set's own measure.
        violation: f64,
    },
    /// A centre was given for a set that has its own.
    #[error(
        "a centre other than 0 works on a free set or a box: balls and the simplex have a centre of their own"
    )]
    CentredBall,
}
