//! The Euclidean geometry: mirror descent is gradient descent.

use serde::{Deserialize, Serialize};

use crate::vector;

/// $\varphi(x) = \tfrac12\lVert x\rVert_2^2$; its gradient is the identity and $B(y, x) = \tfrac12\lVert y - x\rVert_2^2$.
///
/// Strongly convex with modulus 1 with respect to $\ell_2$, with equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Euclidean;

impl Euclidean {
    /// $\tfrac12\lVert x\rVert_2^2$.
    pub fn potential(&self, x: &[f64]) -> f64 {
        0.5 * vector::dot(x, x)
    }

    /// $x$ into `out`.
    pub fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// $\tfrac12\lVert\theta\rVert_2^2$.
    pub fn conjugate(&self, theta: &[f64]) -> f64 {
        self.potential(theta)
    }

    /// $\theta$ into `out`.
    pub fn conjugate_gradient(&self, theta: &[f64], out: &mut [f64]) {
        out.copy_from_slice(theta);
    }

    /// $\tfrac12\lVert y - x\rVert_2^2$.
    pub fn divergence(&self, y: &[f64], x: &[f64]) -> f64 {
        0.5 * vector::sum_by_pair(y, x, |y, x| (y - x) * (y - x))
    }

    /// 1.
    pub fn modulus(&self, _x: &[f64], _y: &[f64]) -> f64 {
        1.0
    }

    /// $\lVert x - y\rVert_2$.
    pub fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        vector::distance_l2(x, y)
    }

    /// $\lVert g\rVert_2$.
    pub fn dual_norm(&self, g: &[f64]) -> f64 {
        vector::norm_l2(g)
    }
}
