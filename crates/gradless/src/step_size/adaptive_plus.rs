//! The weight of ZO-AdaExpGrad+: as ZO-AdaExpGrad's, but only a share of each step is taken.

use serde::{Deserialize, Serialize};

use super::InitialWeight;
use super::accumulated::Accumulated;

/// $\alpha_1 = A$, $\alpha_{t+1} = \max(A, \sqrt{S_{t+1}})$, $x_{t+1} = x_t + \frac{\alpha_t}{\alpha_{t+1}}(v_t - x_t)$.
///
/// $S_{t+1}$ already contains the step to $v_t$, so the share is known before it is taken; it is in $(0, 1]$ since
/// $\alpha$ never falls. This frees the bound of ZO-AdaExpGrad from the radius of the set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AdaptivePlus {
    seen: Accumulated,
}

impl AdaptivePlus {
    pub(crate) fn new(initial: InitialWeight) -> Self {
        Self { seen: Accumulated::new(initial) }
    }

    pub(crate) fn weight(&mut self, dual_norm: impl FnOnce() -> f64) -> f64 {
        self.seen.fix_floor(dual_norm);
        self.alpha()
    }

    pub(crate) fn advance(&mut self, step: f64) -> f64 {
        let before = self.alpha();
        self.seen.add(step);
        before / self.alpha()
    }

    fn alpha(&self) -> f64 {
        self.seen.floor() * self.seen.sum.sqrt().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_the_ratio_of_the_weights() {
        let mut rule = AdaptivePlus::new(InitialWeight::Fixed(2.0));
        assert_eq!(rule.weight(|| unreachable!()), 2.0);
        assert_eq!(rule.advance(1.0), 1.0, "below A nothing changes");
        assert_eq!(rule.advance(15.0_f64.sqrt()), 0.5);
        assert_eq!(rule.weight(|| unreachable!()), 4.0);
    }
}
