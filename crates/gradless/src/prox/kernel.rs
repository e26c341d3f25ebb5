//! The scalar problem the separable steps share, and the numbers it is made of.

use std::ops::Range;

use super::lanes::{self, Weights};
use super::{Step, StepError, omega};
use crate::PerCoordinate;
use crate::geometry::{Entropy, Euclidean};
use crate::regulariser::ElasticNet;

/// A separable $\varphi$, coordinate by coordinate.
pub(super) trait Kernel: Copy {
    /// $\varphi'(x)$; odd and increasing.
    fn dual(&self, x: f64) -> f64;

    /// The $s > 0$ with $\varphi'(s) + bs = k$, for $k > 0$ and $b \ge 0$ (infinite ones included).
    fn magnitude(&self, k: f64, b: f64) -> f64;

    /// The free answers of many coordinates at once, for weights $\gamma_1$ and $\gamma_2$ that are the same for all;
    /// `false` if that cannot be done here.
    fn block(&self, _step: Step<'_>, _l1: f64, _l2: f64, _out: &mut [f64]) -> bool {
        false
    }
}

impl Kernel for Entropy {
    #[inline]
    fn dual(&self, x: f64) -> f64 {
        Entropy::dual(self, x)
    }

    #[inline]
    fn magnitude(&self, k: f64, b: f64) -> f64 {
        if b == 0.0 { self.primal(k) } else { omega::solve(k, self.scale(), b) }
    }

    fn block(&self, step: Step<'_>, l1: f64, l2: f64, out: &mut [f64]) -> bool {
        lanes::entropy_step(Weights { a: self.scale(), eta: step.eta, l1, l2 }, step.x, step.g, out)
    }
}

impl Kernel for Euclidean {
    #[inline]
    fn dual(&self, x: f64) -> f64 {
        x
    }

    #[inline]
    fn magnitude(&self, k: f64, b: f64) -> f64 {
        k / (1.0 + b)
    }
}

/// A step with its elastic net, read coordinate by coordinate.
pub(super) struct Terms<'a, K> {
    pub(super) kernel: K,
    pub(super) l1: Ratio<'a>,
    pub(super) l2: Ratio<'a>,
    step: Step<'a>,
}

impl<'a, K: Kernel> Terms<'a, K> {
    pub(super) fn new(kernel: K, net: &'a ElasticNet, step: Step<'a>) -> Self {
        Self { kernel, l1: Ratio::new(&net.l1, step.eta), l2: Ratio::new(&net.l2, step.eta), step }
    }

    /// $z_i = \varphi'(x_i) - g_i/\eta$.
    #[inline]
    pub(super) fn z(&self, i: usize) -> Result<f64, StepError> {
        let z = self.kernel.dual(self.step.x[i]) - self.step.g[i] / self.step.eta;
        if z.is_finite() { Ok(z) } else { Err(StepError::NotFinite { coordinate: i }) }
    }

    /// Whether all these coordinates are 0 and stay there on the free set: $x_i = 0$ and $|g_i| \le \gamma_{1,i}$, from
    /// which $|g_i/\eta| \le \gamma_{1,i}/\eta$ follows for rounded quotients too.
    pub(super) fn stays_zero(&self, block: Range<usize>) -> bool {
        let (x, g) = (&self.step.x[block.clone()], &self.step.g[block.clone()]);
        // Counting instead of stopping at the first lets the compiler compare several at once; a slope that is not a
        // number is not counted.
        let resting = match self.l1.weights {
            PerCoordinate::Same(l1) => x.iter().zip(g).filter(|(x, g)| **x == 0.0 && g.abs() <= *l1).count(),
            PerCoordinate::Each(l1) => {
                let all = x.iter().zip(g).zip(&l1[block]);
                all.filter(|((x, g), l1)| **x == 0.0 && g.abs() <= **l1).count()
            }
        };
        resting == x.len()
    }

    /// The free answers from coordinate `first` on, if the kernel can give them at once.
    pub(super) fn block(&self, first: usize, out: &mut [f64]) -> bool {
        let block = first..first + out.len();
        match (self.l1.weights, self.l2.weights) {
            (PerCoordinate::Same(l1), PerCoordinate::Same(l2)) => {
                let Step { x, g, eta } = self.step;
                self.kernel.block(Step { x: &x[block.clone()], g: &g[block], eta }, *l1, *l2, out)
            }
            _ => false,
        }
    }

    /// $\sigma\varphi'(x_i)$ and $\sigma g_i + \gamma_{1,i}$, the parts of
    /// $k_i = \sigma\varphi'(x_i) - (\sigma g_i + \gamma_{1,i})/\eta$.
    pub(super) fn parts(&self, i: usize, sign: f64) -> Parts {
        Parts {
            dual: sign * self.kernel.dual(self.step.x[i]),
            slope: sign * self.step.g[i] + self.l1.weights.at(i),
        }
    }

    /// $k - k_{\text{ref}}$, from differences of the parts.
    pub(super) fn lead(&self, of: Parts, reference: Parts) -> f64 {
        (of.dual - reference.dual) + (reference.slope - of.slope) / self.step.eta
    }
}

/// The parts of a $k_i$, see [`Terms::parts`].
#[derive(Clone, Copy)]
pub(super) struct Parts {
    dual: f64,
    slope: f64,
}

/// A weight divided by $\eta$; divided once if it is the same for all coordinates.
pub(super) struct Ratio<'a> {
    weights: &'a PerCoordinate,
    eta: f64,
    same: f64,
}

impl<'a> Ratio<'a> {
    pub(super) fn new(weights: &'a PerCoordinate, eta: f64) -> Self {
        let same = if let PerCoordinate::Same(weight) = weights { weight / eta } else { f64::NAN };
        Self { weights, eta, same }
    }

    #[inline]
    pub(super) fn at(&self, i: usize) -> f64 {
        match self.weights {
            PerCoordinate::Same(_) => self.same,
            PerCoordinate::Each(weights) => weights[i] / self.eta,
        }
    }
}

/// A coordinate that can be other than `clip(0)`, kept aside for a search.
pub(super) struct Active {
    pub(super) index: usize,
    /// The sign of $z_i$.
    pub(super) sign: f64,
    /// $k_i$, perhaps relative to a reference.
    pub(super) level: f64,
    pub(super) b: f64,
}

/// $\sum f$ over the active coordinates, in lanes as in [`crate::vector`].
pub(super) fn sum(actives: &[Active], f: impl Fn(&Active) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    for chunk in actives.chunks(8) {
        for (lane, active) in lanes.iter_mut().zip(chunk) {
            *lane += f(active);
        }
    }
    lanes.iter().sum()
}
