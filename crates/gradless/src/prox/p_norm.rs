//! The p-norm step: closed without an $\ell_2$ weight or bounds, otherwise a search for the norm of the answer.

use super::coordinates::clip;
use super::kernel::Ratio;
use super::root::root;
use super::{Step, StepError};
use crate::geometry::{PNorm, p_norm_of};
use crate::regulariser::ElasticNet;
use crate::set::Bounds;
use crate::vector;

/// With $\theta = \nabla\varphi(x) - g/\eta$ and $k_i = \max(|\theta_i| - \gamma_1/\eta, 0)$: on the free set without an
/// $\ell_2$ weight $y = \nabla\varphi^*(\operatorname{sgn}(\theta) k)$, otherwise see [`Search`].
pub(super) fn step(
    phi: PNorm,
    net: &ElasticNet,
    bounds: Option<&Bounds>,
    step: Step<'_>,
    out: &mut [f64],
) -> Result<(), StepError> {
    let l1 = Ratio::new(&net.l1, step.eta);
    let gradient = phi.gradient_at(step.x);
    for (i, k) in out.iter_mut().enumerate() {
        let theta = gradient(step.x[i]) - step.g[i] / step.eta;
        if !theta.is_finite() {
            return Err(StepError::NotFinite { coordinate: i });
        }
        let size = theta.abs() - l1.at(i);
        *k = if size > 0.0 { size.copysign(theta) } else { 0.0 };
    }
    if bounds.is_none() && net.l2.values().iter().all(|&weight| weight == 0.0) {
        phi.conjugate_gradient_in_place(out);
    } else {
        Search::new(phi, &Ratio::new(&net.l2, step.eta), bounds, out).write(out);
    }
    match vector::first_not_finite(out) {
        Some((coordinate, _)) => Err(StepError::Overflow { coordinate, exponent: f64::INFINITY }),
        None => Ok(()),
    }
}

/// The search for $N = \lVert y\rVert_p$.
///
/// For a trial $N$, $A = N^{2-p}/(p-1)$ makes the problem separable:
/// $A s_i^{p-1} + b_i s_i = k_i$, $y_i(N) = \operatorname{clip}(\operatorname{sgn}(\theta_i) s_i, l_i, h_i)$.
/// No $|y_i(N)|$ grows with $N$, and a free one falls at most like $N^{-(q-2)}$; so $\ln\lVert y(N)\rVert_p - \ln N$ falls
/// with a slope between $-(q-1)$ and $-1$ in $\ln N$, and its value $h_0$ at any $N_0$ brackets the root in
/// $\ln N_0 + [h_0/(q-1), h_0]$. Powers are taken of logarithms throughout.
struct Search<'a> {
    phi: PNorm,
    bounds: Option<&'a Bounds>,
    actives: Vec<Powered>,
    /// The logarithm of the p-norm of the coordinates that stay at `clip(0)`.
    ln_rest: f64,
    /// $\ln N_0$: the norm of the answer without $\ell_2$ weight and bounds.
    ln_start: f64,
}

/// A coordinate with $k > 0$.
struct Powered {
    index: usize,
    sign: f64,
    k: f64,
    ln_k: f64,
    b: f64,
    ln_b: f64,
}

impl<'a> Search<'a> {
    /// Takes the signed $k$ from `out` and leaves the answers of the coordinates with $k = 0$ there.
    fn new(phi: PNorm, l2: &Ratio<'_>, bounds: Option<&'a Bounds>, out: &mut [f64]) -> Self {
        let size = p_norm_of(out, phi.dual_exponent());
        let ln_start = phi.p_less_one().ln() + size.ln();
        let mut search = Self { phi, bounds, actives: Vec::new(), ln_rest: f64::NEG_INFINITY, ln_start };
        for (index, y) in out.iter_mut().enumerate() {
            let k = y.abs();
            if k > 0.0 {
                let b = l2.at(index);
                search.actives.push(Powered { index, sign: y.signum(), k, ln_k: k.ln(), b, ln_b: b.ln() });
                *y = 0.0;
            } else {
                *y = clip(bounds, index, 0.0);
            }
        }
        search.ln_rest = p_norm_of(out, phi.exponent()).ln();
        search
    }

    fn write(&self, out: &mut [f64]) {
        // A tiny norm allows the largest answers: if bounds hold even these at zero, zero it is.
        let stays = |active: &Powered| self.clipped(active, active.k / active.b) == 0.0;
        let ln_norm = if self.ln_rest == f64::NEG_INFINITY && self.actives.iter().all(stays) {
            f64::NEG_INFINITY
        } else {
            self.ln_norm()
        };
        for active in &self.actives {
            out[active.index] = if ln_norm == f64::NEG_INFINITY {
                self.clipped(active, 0.0)
            } else {
                self.answer(active, ln_norm)
            };
        }
    }

    /// $\ln N$ at the root.
    fn ln_norm(&self) -> f64 {
        if self.actives.is_empty() {
            return 0.0;
        }
        let start = self.ln_start;
        let excess = self.ratio(start).ln();
        // Slightly wider than the bracket of the slopes, for rounding, and no wider than logarithms of floats are apart.
        let near = (excess.abs() / (self.phi.dual_exponent() - 1.0) * (1.0 - 1e-9)).min(1600.0);
        let far = (excess.abs() * (1.0 + 1e-9) + 1e-12).min(1600.0);
        let towards = if excess > 0.0 { 1.0 } else { -1.0 };
        // A larger norm makes smaller answers: upwards the far end is inside, downwards the near one.
        let ends = if excess > 0.0 { (far, near) } else { (near, far) };
        let root = root(ends, 1.0, f64::ln, |t| self.ratio(start + towards * t));
        root.blend(|t| start + towards * t)
    }

    /// $\lVert y(N)\rVert_p/N$.
    fn ratio(&self, ln_norm: f64) -> f64 {
        let p = self.phi.exponent();
        let mut lanes = [0.0; 8];
        for chunk in self.actives.chunks(8) {
            for (lane, active) in lanes.iter_mut().zip(chunk) {
                let size = self.answer(active, ln_norm).abs();
                *lane += if size == 0.0 { 0.0 } else { (p * (size.ln() - ln_norm)).exp() };
            }
        }
        let rest = (p * (self.ln_rest - ln_norm)).exp();
        (lanes.iter().sum::<f64>() + rest).powf(1.0 / p)
    }

    fn clipped(&self, active: &Powered, size: f64) -> f64 {
        clip(self.bounds, active.index, size * active.sign)
    }

    fn answer(&self, active: &Powered, ln_norm: f64) -> f64 {
        let p_less_one = self.phi.p_less_one();
        let ln_scale = (1.0 - p_less_one) * ln_norm - p_less_one.ln();
        self.clipped(active, magnitude(active, ln_scale, p_less_one))
    }
}

/// The $s > 0$ with $A s^{p-1} + bs = k$.
///
/// With $s = \tfrac kb e^D$ the two sides are shares of $k$: $e^D + e^{(p-1)D + c} = 1$. The logarithm of the left side
/// is convex in $D$ with slopes between $p-1$ and 1, so Newton's method converges from anywhere; from the smaller of
/// the two upper bounds it takes about four steps.
fn magnitude(active: &Powered, ln_scale: f64, p_less_one: f64) -> f64 {
    let Powered { k, ln_k, b, ln_b, .. } = *active;
    let ln_power_only = (ln_k - ln_scale) / p_less_one;
    if b == 0.0 {
        return ln_power_only.exp();
    }
    let ln_linear_only = ln_k - ln_b;
    let c = p_less_one * (ln_linear_only - ln_power_only);
    let mut d = (ln_power_only - ln_linear_only).min(0.0);
    for _ in 0..50 {
        let (linear, power) = (d.exp(), (p_less_one * d + c).exp());
        let move_by = (linear + power).ln() * (linear + power) / (linear + p_less_one * power);
        d -= move_by;
        // Newton squares the error: after a move of 1e-9 nothing is left of it.
        if move_by.abs() <= 1e-9 {
            break;
        }
    }
    let linear_only = k / b;
    if linear_only.is_finite() { linear_only * d.exp() } else { (ln_linear_only + d).exp() }
}
