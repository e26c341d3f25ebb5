//! The squared p-norm with $p$ close to 1: the other way to the maximum norm, with a modulus that never changes.

use serde::{Deserialize, Serialize};

use crate::vector;

/// $\varphi(x) = \tfrac1{2(p-1)}\lVert x\rVert_p^2$ with $p = 1 + 1/(2\ln d - 1)$, dual exponent $q = 2\ln d$.
///
/// $$ \nabla\varphi(x)_i = \frac{\operatorname{sgn}(x_i)|x_i|^{p-1}\lVert x\rVert_p^{2-p}}{p-1}, \qquad
///    \varphi^\ast(\theta) = \tfrac{p-1}2\lVert\theta\rVert_q^2, \qquad
///    \nabla\varphi^\ast(\theta)_i = (p-1)\operatorname{sgn}(\theta_i)|\theta_i|^{q-1}\lVert\theta\rVert_q^{2-q}. $$
///
/// Needs $d \ge 3$, so that $1 < p \le 2$. It is 1-strongly convex with respect to $\lVert\cdot\rVert_p$, and
/// $\lVert x\rVert_1 \le \sqrt e\thinspace\lVert x\rVert_p$ makes that $1/e$ with respect to $\ell_1$. Vectors are scaled by
/// their largest entry before powers are taken, so nothing overflows that the answer does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PNorm {
    p: f64,
    q: f64,
}

impl PNorm {
    /// The exponents for `dim` coordinates; `None` below three, where $p$ would exceed 2.
    pub fn new(dim: usize) -> Option<Self> {
        let q = 2.0 * (dim as f64).ln();
        (dim >= 3).then(|| Self { p: 1.0 + 1.0 / (q - 1.0), q })
    }

    /// $p$.
    pub fn exponent(&self) -> f64 {
        self.p
    }

    /// $q = p/(p-1)$.
    pub fn dual_exponent(&self) -> f64 {
        self.q
    }

    /// $p - 1 = 1/(q - 1)$, not rounded through $p$.
    pub(crate) fn p_less_one(&self) -> f64 {
        1.0 / (self.q - 1.0)
    }

    /// $\varphi(x)$.
    pub fn potential(&self, x: &[f64]) -> f64 {
        let norm = norm(x, self.p);
        0.5 * (norm / self.p_less_one()) * norm
    }

    /// $\nabla\varphi(x)$ into `out`.
    pub fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
        let gradient = self.gradient_at(x);
        for x in out {
            *x = gradient(*x);
        }
    }

    /// $x_i \mapsto \nabla\varphi(x)_i$, the norm of `x` being taken once.
    pub(crate) fn gradient_at(&self, x: &[f64]) -> impl Fn(f64) -> f64 + use<> {
        power_of_ratio(norm(x, self.p), self.p_less_one(), self.p_less_one().recip())
    }

    /// $\varphi^*(\theta)$.
    pub fn conjugate(&self, theta: &[f64]) -> f64 {
        let norm = norm(theta, self.q);
        0.5 * (norm * self.p_less_one()) * norm
    }

    /// $\nabla\varphi^*(\theta)$ into `out`.
    pub fn conjugate_gradient(&self, theta: &[f64], out: &mut [f64]) {
        out.copy_from_slice(theta);
        self.conjugate_gradient_in_place(out);
    }

    /// $\theta \leftarrow \nabla\varphi^*(\theta)$.
    pub(crate) fn conjugate_gradient_in_place(&self, theta: &mut [f64]) {
        let gradient = power_of_ratio(norm(theta, self.q), self.q - 1.0, self.p_less_one());
        for theta in theta {
            *theta = gradient(*theta);
        }
    }

    /// $B(y, x) = \varphi(y) + \varphi(x) - \langle\nabla\varphi(x), y\rangle$, since $\langle\nabla\varphi(x), x\rangle = 2\varphi(x)$.
    ///
    /// Exact up to the rounding of $\varphi(x)$ itself: of two nearly equal points only the order of magnitude is left.
    pub fn divergence(&self, y: &[f64], x: &[f64]) -> f64 {
        let gradient = self.gradient_at(x);
        let inner = vector::sum_by_pair(x, y, |x, y| gradient(x) * y);
        (self.potential(y) + self.potential(x) - inner).max(0.0)
    }

    /// $1/e$.
    pub fn modulus(&self, _x: &[f64], _y: &[f64]) -> f64 {
        1.0 / std::f64::consts::E
    }

    /// $\lVert x - y\rVert_1$.
    pub fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        vector::distance_l1(x, y)
    }

    /// $\lVert g\rVert_\infty$.
    pub fn dual_norm(&self, g: &[f64]) -> f64 {
        vector::norm_max(g)
    }
}

/// $\lVert x\rVert_r$, scaled by the largest entry first.
pub(crate) fn norm(x: &[f64], r: f64) -> f64 {
    let largest = vector::norm_max(x);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let power = |x: f64| if x == 0.0 { 0.0 } else { (x.abs() / largest).powf(r) };
    largest * vector::sum_by(x, power).powf(1.0 / r)
}

/// $v \mapsto c\thinspace n\operatorname{sgn}(v)(|v|/n)^e$, and 0 at 0: both gradients have this form.
fn power_of_ratio(n: f64, exponent: f64, factor: f64) -> impl Fn(f64) -> f64 + use<> {
    move |v| if v == 0.0 { 0.0 } else { (factor * (v.abs() / n).powf(exponent) * n).copysign(v) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_and_tiny_vectors_go_there_and_back() {
        let phi = PNorm::new(1000).expect("enough coordinates");
        for scale in [1e-290, 1e-100, 1.0, 1e100, 1e290] {
            let x: Vec<f64> = (0..1000).map(|i| scale * (f64::from(i) - 300.5) / 700.0).collect();
            let (mut theta, mut back) = (vec![0.0; 1000], vec![0.0; 1000]);
            phi.gradient(&x, &mut theta);
            phi.conjugate_gradient(&theta, &mut back);
            for (x, back) in x.iter().zip(&back) {
                assert!((back / x - 1.0).abs() < 1e-12, "{scale} {x} {back}");
            }
        }
    }

    #[test]
    fn the_gradient_vanishes_at_the_origin() {
        let phi = PNorm::new(3).expect("enough coordinates");
        let mut out = [1.0; 3];
        phi.gradient(&[0.0; 3], &mut out);
        assert_eq!(out, [0.0; 3]);
        phi.conjugate_gradient(&[0.0; 3], &mut out);
        assert_eq!(out, [0.0; 3]);
    }
}
