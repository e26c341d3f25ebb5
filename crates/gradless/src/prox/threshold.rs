//! One threshold for all: the common part of the steps into an $\ell_1$ ball and onto a simplex.

use super::coordinates::clip;
use super::kernel::{Active, Kernel, Terms, sum};
use super::root::root;
use crate::set::Bounds;

/// The coordinates that may end above the threshold $\mu$, where $y_i$ has the size $s(k_i - \mu)$.
///
/// Their $k_i$ are kept relative to a reference, $\kappa_i = k_i - k_{\text{ref}}$, and what is looked for is
/// $\tau = k_{\text{ref}} - \mu$. The reference is 0 until [`recentre`](Self::recentre) finds a better one.
pub(super) struct Threshold {
    target: f64,
    actives: Vec<Active>,
}

impl Threshold {
    /// Nothing yet; the sizes are to sum to `target`.
    pub(super) fn new(target: f64) -> Self {
        Self { target, actives: Vec::new() }
    }

    /// Adds a coordinate.
    pub(super) fn push(&mut self, active: Active) {
        self.actives.push(active);
    }

    /// Makes the coordinate with the smallest $\ell_2$ weight the reference.
    ///
    /// With $g = 10^9$ and $\eta = 10^{-9}$ the $k$ are of size $10^{18}$, where neighbouring floats are 128 apart and
    /// nothing of $\varphi'(x)$ is left; differences of the parts are as exact as the data. Let $K_i$ be the $k$ with
    /// which coordinate $i$ alone would reach the target. If all coordinates here satisfy $k_i \ge \max_j k_j - K_j$,
    /// then $|\tau| \le K_j$ and $|\kappa_j| \le K_j$ for every $j$ that ends above the threshold, and since
    /// $s(K_j)$ is the target, a rounding of $\tau$ or $\kappa_j$ is one of $y_j$ relative to the target.
    pub(super) fn recentre<K: Kernel>(&mut self, terms: &Terms<'_, K>) {
        let Some(reference) = self.actives.iter().min_by(|a, b| a.b.total_cmp(&b.b)) else { return };
        let reference = terms.parts(reference.index, reference.sign);
        for active in &mut self.actives {
            active.level = terms.lead(terms.parts(active.index, active.sign), reference);
        }
    }

    /// Writes the answers whose sizes sum to the target, `base` being the sum over all other coordinates.
    pub(super) fn write<K: Kernel>(self, kernel: K, base: f64, bounds: Option<&Bounds>, out: &mut [f64]) {
        let answer = |active: &Active, tau: f64| {
            let k = active.level + tau;
            let free = if k > 0.0 { active.sign * kernel.magnitude(k, active.b) } else { 0.0 };
            clip(bounds, active.index, free)
        };
        let size = |tau: f64| base + sum(&self.actives, |active| answer(active, tau).abs());
        // The search runs over t = |τ|, away from the reference to the side where the target is.
        let (ends, side) = if size(0.0) <= self.target {
            let reach = |active: &Active| kernel.dual(self.target) + active.b * self.target - active.level;
            let top = self.actives.iter().map(reach).fold(f64::INFINITY, f64::min);
            ((0.0, top.clamp(0.0, f64::MAX)), 1.0)
        } else {
            let deepest = self.actives.iter().fold(0.0_f64, |most, active| most.max(active.level));
            ((deepest, 0.0), -1.0)
        };
        // The mirror map of the sum is the natural scale: nearly linear for the entropy, linear for Euclid.
        let root = root(ends, self.target, |size| kernel.dual(size), |t| size(side * t));
        for active in &self.actives {
            out[active.index] = root.blend(|t| answer(active, side * t));
        }
    }
}
