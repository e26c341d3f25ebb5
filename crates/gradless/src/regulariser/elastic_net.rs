//! The elastic net, and with it $\ell_1$, $\ell_2$ and no regulariser at all.

use serde::{Deserialize, Serialize};

use super::check_weights;
use crate::error::ProblemError;
use crate::{PerCoordinate, vector};

/// $r(x) = \sum_i \gamma_{1,i} |x_i| + \frac{\gamma_{2,i}}2 x_i^2$ with weights $\gamma \ge 0$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNet {
    /// $\gamma_1$: drives coordinates to exactly zero.
    pub l1: PerCoordinate,
    /// $\gamma_2$: keeps coordinates small.
    pub l2: PerCoordinate,
}

impl ElasticNet {
    /// $r(x)$.
    pub fn value(&self, x: &[f64]) -> f64 {
        weighted(x, &self.l1, f64::abs) + 0.5 * weighted(x, &self.l2, |a| a * a)
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), ProblemError> {
        check_weights("l1 weight", &self.l1, dim)?;
        check_weights("l2 weight", &self.l2, dim)
    }

    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        Self { l1: self.l1.select(kept), l2: self.l2.select(kept) }
    }
}

fn weighted(x: &[f64], weights: &PerCoordinate, f: impl Fn(f64) -> f64) -> f64 {
    match weights {
        PerCoordinate::Same(0.0) => 0.0,
        PerCoordinate::Same(weight) => weight * vector::sum_by(x, f),
        // A weight of 0 takes nothing, even of a square that has overflowed.
        PerCoordinate::Each(weights) => {
            vector::sum_by_pair(x, weights, |a, w| if w == 0.0 { 0.0 } else { w * f(a) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_weight_for_all_equals_that_weight_for_each() {
        let x = [1.0, -2.0, 0.0, 3.0];
        let same = ElasticNet { l1: 0.5.into(), l2: 2.0.into() };
        let each = ElasticNet { l1: vec![0.5; 4].into(), l2: vec![2.0; 4].into() };
        assert_eq!(same.value(&x), 0.5 * 6.0 + 14.0);
        assert_eq!(same.value(&x), each.value(&x));
    }
}
