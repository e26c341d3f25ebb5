//! $r$: the known convex part of the objective, one file per kind.

mod elastic_net;
mod group_l2;

pub use elastic_net::ElasticNet;
pub use group_l2::GroupL2;

use serde::{Deserialize, Serialize};

use crate::PerCoordinate;
use crate::error::ProblemError;

/// A regulariser as the user names it.
///
/// Everything separable is an elastic net with some weights zero, so the steps know two kinds only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Regulariser {
    /// $\sum_i \gamma_{1,i}|x_i| + \frac{\gamma_{2,i}}2 x_i^2$; none, $\ell_1$ and $\ell_2$ are special cases.
    Separable(ElasticNet),
    /// $\sum_g w_g \lVert x_g\rVert_2$ over disjoint groups of coordinates.
    GroupL2(GroupL2),
}

impl Regulariser {
    /// $r = 0$.
    pub fn none() -> Self {
        Self::elastic_net(0.0, 0.0)
    }

    /// $\sum_i \gamma_{1,i} |x_i|$.
    pub fn l1(weight: impl Into<PerCoordinate>) -> Self {
        Self::elastic_net(weight, 0.0)
    }

    /// $\frac12 \sum_i \gamma_{2,i} x_i^2$.
    pub fn l2(weight: impl Into<PerCoordinate>) -> Self {
        Self::elastic_net(0.0, weight)
    }

    /// $\sum_i \gamma_{1,i} |x_i| + \frac{\gamma_{2,i}}2 x_i^2$.
    pub fn elastic_net(l1: impl Into<PerCoordinate>, l2: impl Into<PerCoordinate>) -> Self {
        Self::Separable(ElasticNet { l1: l1.into(), l2: l2.into() })
    }

    /// $\sum_g w_g \lVert x_g\rVert_2$; `group_of[i]` is the group of coordinate `i`, `weight` is per group.
    pub fn group_l2(weight: impl Into<PerCoordinate>, group_of: Vec<usize>) -> Self {
        Self::GroupL2(GroupL2 { weight: weight.into(), group_of })
    }

    /// $r(x)$.
    pub fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Separable(net) => net.value(x),
            Self::GroupL2(group) => group.value(x),
        }
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), ProblemError> {
        match self {
            Self::Separable(net) => net.check(dim),
            Self::GroupL2(group) => group.check(dim),
        }
    }

    /// The same regulariser on the coordinates `kept` only. Groups are never cut: they have no bounds.
    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        match self {
            Self::Separable(net) => Self::Separable(net.select(kept)),
            Self::GroupL2(group) => Self::GroupL2(group.clone()),
        }
    }
}

/// Weights must be finite and not negative, and there must be one or as many as `count`.
fn check_weights(name: &'static str, weights: &PerCoordinate, count: usize) -> Result<(), ProblemError> {
    if let Some(found) = weights.len().filter(|&found| found != count) {
        return Err(ProblemError::WrongLength { what: name, expected: count, found });
    }
    match weights.values().iter().position(|w| !w.is_finite() || *w < 0.0) {
        Some(index) => Err(ProblemError::BadWeight { what: name, index, value: weights.at(index) }),
        None => Ok(()),
    }
}
