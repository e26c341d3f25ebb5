//! The entropy-like function on all of $\mathbb R^d$: mirror descent in the maximum norm, without a simplex.

use serde::{Deserialize, Serialize};

use crate::vector;

/// $\varphi(x) = \sum_i (|x_i| + a)\ln(1 + |x_i|/a) - |x_i|$, with $a = 1/d$ unless said.
///
/// $$ \nabla\varphi(x)_i = \operatorname{sgn}(x_i)\ln(1 + |x_i|/a), \qquad
///    \varphi^\ast(\theta) = \sum_i a\thinspace (e^{|\theta_i|} - 1 - |\theta_i|), \qquad
///    \nabla\varphi^\ast(\theta)_i = a\operatorname{sgn}(\theta_i)(e^{|\theta_i|} - 1). $$
///
/// Twice continuously differentiable, also at 0, where the curvature is $1/a$. Strongly convex with respect to
/// $\ell_1$ with $\lambda(x, y) = 1/(\max(\lVert x\rVert_1, \lVert y\rVert_1) + ad)$ (tested on close, opposite,
/// tiny and huge pairs). With $a = 1/d$ the price of the dimension is the constant 1.
///
/// The paper's generating function ("Adaptive Stochastic Optimisation of Nonconvex Composite Objectives");
/// there $a = 1/d$ is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entropy {
    a: f64,
    dim: usize,
}

impl Entropy {
    /// The function of the paper: $a = 1/d$.
    pub fn new(dim: usize) -> Self {
        Self { a: 1.0 / dim.max(1) as f64, dim }
    }

    /// The same with another $a > 0$: the size below which a coordinate counts as nearly zero.
    pub fn with_scale(dim: usize, a: f64) -> Self {
        Self { a, dim }
    }

    /// $a$.
    pub fn scale(&self) -> f64 {
        self.a
    }

    /// $\varphi(x)$.
    pub fn potential(&self, x: &[f64]) -> f64 {
        self.a * vector::sum_by(x, |x| relative_entropy(x.abs() / self.a))
    }

    /// $\nabla\varphi(x)$ into `out`.
    pub fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
        for x in out {
            *x = self.dual(*x);
        }
    }

    /// $\varphi^*(\theta)$.
    pub fn conjugate(&self, theta: &[f64]) -> f64 {
        self.a * vector::sum_by(theta, |theta| exp_beyond_linear(theta.abs()))
    }

    /// $\nabla\varphi^*(\theta)$ into `out`; infinite where it is beyond the largest float.
    pub fn conjugate_gradient(&self, theta: &[f64], out: &mut [f64]) {
        out.copy_from_slice(theta);
        for theta in out {
            *theta = self.primal(theta.abs()).copysign(*theta);
        }
    }

    /// $B(y, x)$, without cancellation where $y$ is close to $x$.
    ///
    /// With $A = |x_i| + a$ and $C = |y_i| + a$, one coordinate contributes $C\ln(C/A) - (C - A)$ if the signs
    /// agree (or one is zero). With opposite signs the path passes through 0, and the divergences to and from 0
    /// are joined by $|y_i|\ln(1 + |x_i|/a)$ for the turn of the gradient.
    pub fn divergence(&self, y: &[f64], x: &[f64]) -> f64 {
        let a = self.a;
        vector::sum_by_pair(y, x, |y, x| {
            let (y_size, x_size) = (y.abs(), x.abs());
            if y * x >= 0.0 {
                let from = x_size + a;
                from * relative_entropy((y_size - x_size) / from)
            } else {
                let (t, dual) = (x_size / a, self.dual(x_size));
                a * (relative_entropy(y_size / a) + (t * dual - relative_entropy(t))) + y_size * dual
            }
        })
    }

    /// $1/(\max(\lVert x\rVert_1, \lVert y\rVert_1) + ad)$.
    pub fn modulus(&self, x: &[f64], y: &[f64]) -> f64 {
        let (x_l1, y_l1) = (vector::norm_l1(x), vector::norm_l1(y));
        1.0 / (x_l1.max(y_l1) + self.a * self.dim as f64)
    }

    /// $\lVert x - y\rVert_1$.
    pub fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        vector::distance_l1(x, y)
    }

    /// $\lVert g\rVert_\infty$.
    pub fn dual_norm(&self, g: &[f64]) -> f64 {
        vector::norm_max(g)
    }

    /// $\operatorname{sgn}(x)\ln(1 + |x|/a)$; free of charge at 0.
    #[inline]
    pub(crate) fn dual(&self, x: f64) -> f64 {
        if x == 0.0 {
            return 0.0;
        }
        let t = x.abs() / self.a;
        let size = if t < 1.0 {
            t.ln_1p()
        } else if t < f64::INFINITY {
            // As accurate as `ln_1p` from here on (within 1 ulp), in a third of the time.
            (1.0 + t).ln()
        } else {
            // Beyond 1e308·a the ratio is no float, its logarithm is.
            x.abs().ln() - self.a.ln()
        };
        size.copysign(x)
    }

    /// $a(e^k - 1)$ for $k \ge 0$; infinite only where the product is, not where $e^k$ is.
    #[inline]
    pub(crate) fn primal(&self, k: f64) -> f64 {
        if k < 1.0 {
            self.a * k.exp_m1()
        } else if k < 700.0 {
            // As accurate as `exp_m1` from here on (within 1 ulp), in half the time.
            self.a * (k.exp() - 1.0)
        } else {
            let half = (0.5 * k).exp();
            (self.a * half) * half
        }
    }
}

/// $(1 + t)\ln(1 + t) - t$ for $t \ge -1$, to full relative accuracy.
fn relative_entropy(t: f64) -> f64 {
    if !(-0.25..0.5).contains(&t) {
        // t = -1 is the limit 1; `(0) * ln(0)` would be NaN.
        return if t <= -1.0 { 1.0 } else { (1.0 + t) * t.ln_1p() - t };
    }
    // With r = t/(2 + t): ln(1 + t) = 2(r + r³/3 + r⁵/5 + …), and the leading terms cancel on paper.
    // |r| <= 0.2, so eleven terms leave less than 0.04^11.
    let r = t / (2.0 + t);
    let r2 = r * r;
    let tail = (1..=11).rev().fold(0.0, |sum, n| r2.mul_add(sum, 1.0 / f64::from(2 * n + 1)));
    2.0 * r2 * (1.0 + (1.0 + r) * r * tail) / (1.0 - r)
}

/// $e^\theta - 1 - \theta$ for $\theta \ge 0$, to full relative accuracy.
fn exp_beyond_linear(theta: f64) -> f64 {
    if theta >= 0.5 {
        return theta.exp_m1() - theta;
    }
    // Taylor, all terms positive; θ^14/16! is below the last digit for θ < 1/2.
    let tail = (3..=15).rev().fold(1.0, |sum, n| 1.0 + sum * theta / f64::from(n));
    0.5 * theta * theta * tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_forms_agree_with_the_definitions_where_those_are_accurate() {
        for t in [-1.0 + 1e-12, -0.5, -0.251, -0.25, -0.1, 0.1, 0.4999, 0.5, 2.0, 1e6] {
            let plain = (1.0 + t) * f64::ln_1p(t) - t;
            assert!((relative_entropy(t) / plain - 1.0).abs() < 1e-13, "{t}");
        }
        for theta in [0.1, 0.4, 0.4999, 0.5, 3.0_f64] {
            assert!((exp_beyond_linear(theta) / (theta.exp_m1() - theta) - 1.0).abs() < 1e-13, "{theta}");
        }
        // For tiny arguments both tend to half the square, which the plain forms lose entirely.
        assert!((relative_entropy(1e-12) / 0.5e-24 - 1.0).abs() < 1e-11);
        assert!((exp_beyond_linear(1e-12) / 0.5e-24 - 1.0).abs() < 1e-11);
        assert_eq!(relative_entropy(-1.0), 1.0);
    }

    #[test]
    fn the_largest_floats_have_a_dual_and_come_back() {
        let phi = Entropy::new(100_000_000);
        for x in [1e-300, 1e-8, 1.0, 1e300, f64::MAX / 4.0] {
            let back = phi.primal(phi.dual(x));
            assert!((back / x - 1.0).abs() < 1e-12, "{x} {back}");
        }
    }
}
