//! The weight of ZO-ExpStorm: ZO-AdaExpGrad+ with a growing factor.

use serde::{Deserialize, Serialize};

use super::InitialWeight;
use super::accumulated::Accumulated;
use crate::momentum::StormRate;

/// Where $\beta$ stands in the weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StormGrowth {
    /// $\sqrt{\beta_t(A^2+S_t)}$: the paper's text, and what its proof needs.
    #[default]
    #[serde(alias = "Seed")]
    Paper,
    /// $\beta_t\sqrt{A^2+S_t}$: the authors' scripts. The same while $\beta = 1$, i.e. for $t < 3.2\thinspace m$.
    Authors,
}

/// $\alpha_{t+1} = \sqrt{\beta_{t+1}(A^2+S_{t+1})}$ with the averaged update; $\alpha_1 = A$ since $\beta_1 = 1$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Storm {
    seen: Accumulated,
    growth: StormGrowth,
    rate: StormRate,
    m: usize,
    t: u64,
}

impl Storm {
    pub(crate) fn new(initial: InitialWeight, growth: StormGrowth, rate: StormRate, m: usize) -> Self {
        Self { seen: Accumulated::new(initial), growth, rate, m, t: 1 }
    }

    pub(crate) fn weight(&mut self, dual_norm: impl FnOnce() -> f64) -> f64 {
        self.seen.fix_floor(dual_norm);
        self.alpha()
    }

    pub(crate) fn advance(&mut self, step: f64) -> f64 {
        let before = self.alpha();
        self.seen.add(step);
        self.t = self.t.saturating_add(1);
        // beta and the sum never fall, so the share is at most 1; rounding must not break that.
        (before / self.alpha()).min(1.0)
    }

    fn alpha(&self) -> f64 {
        let total = 1.0 + self.seen.sum;
        let beta = self.rate.beta(self.t, self.m);
        self.seen.floor()
            * match self.growth {
                StormGrowth::Paper => (beta * total).sqrt(),
                StormGrowth::Authors => beta * total.sqrt(),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conventions_agree_until_beta_leaves_one() {
        let weights = |growth| {
            let mut rule = Storm::new(InitialWeight::Fixed(1.0), growth, StormRate { rate: Some(1.0) }, 1);
            (0..8)
                .map(|_| {
                    let w = rule.weight(|| 0.0);
                    rule.advance(0.5);
                    w
                })
                .collect::<Vec<f64>>()
        };
        let (paper, authors) = (weights(StormGrowth::Paper), weights(StormGrowth::Authors));
        assert_eq!(paper[..4], authors[..4]);
        assert!(paper[5] < authors[5], "beta > 1 from t = 5 on");
        assert!(paper.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
