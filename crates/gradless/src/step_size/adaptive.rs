//! The weight of ZO-AdaExpGrad: the root of the sum of squared steps, full steps.

use serde::{Deserialize, Serialize};

use super::InitialWeight;
use super::accumulated::Accumulated;

/// $\alpha_t = \sqrt{A^2 + S_t}$, $S_{t+1} = S_t + (\lambda_t\alpha_t\lVert x_{t+1}-x_t\rVert)^2$.
///
/// The theorem needs $D \ge 1$ (a set of $\ell_1$ radius at least 1) for the entropy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Adaptive {
    seen: Accumulated,
}

impl Adaptive {
    pub(crate) fn new(initial: InitialWeight) -> Self {
        Self { seen: Accumulated::new(initial) }
    }

    pub(crate) fn weight(&mut self, dual_norm: impl FnOnce() -> f64) -> f64 {
        self.seen.fix_floor(dual_norm);
        self.seen.floor() * (1.0 + self.seen.sum).sqrt()
    }

    pub(crate) fn advance(&mut self, step: f64) -> f64 {
        self.seen.add(step);
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_is_the_root_of_the_sum_of_squares() {
        let mut rule = Adaptive::new(InitialWeight::ScaleFree(0.5));
        assert_eq!(rule.weight(|| 6.0), 3.0);
        assert_eq!(rule.advance(4.0), 1.0);
        assert_eq!(rule.weight(|| unreachable!("the scale is fixed by the first estimate")), 5.0);
    }
}
