//! $\varphi$: the distance generating functions, one file each, and what the methods need to know of them.

mod entropy;
mod euclidean;
mod p_norm;

pub use entropy::Entropy;
pub use euclidean::Euclidean;
pub use p_norm::PNorm;
pub(crate) use p_norm::norm as p_norm_of;

use serde::{Deserialize, Serialize};

/// The user's word for a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Geometry {
    /// $\varphi(x) = \sum_i (|x_i| + \tfrac1d)\ln(d|x_i| + 1) - |x_i|$: gradient descent in the maximum norm, the paper's choice.
    Entropy,
    /// $\varphi(x) = \tfrac12\lVert x\rVert_2^2$.
    Euclidean,
    /// $\varphi(x) = \tfrac1{2(p-1)}\lVert x\rVert_p^2$ with $p = 1 + 1/(2\ln d - 1)$; Euclidean for $d \le 2$.
    PNorm,
}

impl Geometry {
    /// The running $\varphi$ in $\mathbb R^{dim}$.
    ///
    /// The exponent of the p-norm is defined from three coordinates on; below that the answer is [`Euclidean`],
    /// which is what $p$ tends to.
    pub fn generator(self, dim: usize) -> DistanceGenerator {
        match self {
            Self::Entropy => DistanceGenerator::Entropy(Entropy::new(dim)),
            Self::Euclidean => DistanceGenerator::Euclidean(Euclidean),
            Self::PNorm => {
                PNorm::new(dim).map_or(DistanceGenerator::Euclidean(Euclidean), DistanceGenerator::PNorm)
            }
        }
    }
}

/// A distance generating function $\varphi$, with everything a mirror method asks of it.
///
/// $\varphi$ is convex and differentiable; $B(y, x) = \varphi(y) - \varphi(x) - \langle\nabla\varphi(x), y - x\rangle$
/// is its divergence and $\varphi^\ast$ its conjugate, so that $\nabla\varphi^\ast = (\nabla\varphi)^{-1}$. On the segment
/// between $x$ and $y$ it is strongly convex with the modulus $\lambda$ with respect to its own norm:
///
/// $$ B(y, x) \ge \tfrac{\lambda(x, y)}2 \lVert y - x\rVert^2. $$
///
/// | geometry | norm | dual norm | $\lambda(x, y)$ |
/// |---|---|---|---|
/// | [`Entropy`] | $\ell_1$ | $\ell_\infty$ | $1/(\max(\lVert x\rVert_1, \lVert y\rVert_1) + ad)$ |
/// | [`Euclidean`] | $\ell_2$ | $\ell_2$ | 1 |
/// | [`PNorm`] | $\ell_1$ | $\ell_\infty$ | $1/e$ |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DistanceGenerator {
    /// The entropy-like function of the paper.
    Entropy(Entropy),
    /// Half the squared Euclidean norm.
    Euclidean(Euclidean),
    /// The squared p-norm.
    PNorm(PNorm),
}

/// The same call on whichever geometry it is.
macro_rules! of_each {
    ($self:ident, $phi:ident => $call:expr) => {
        match $self {
            DistanceGenerator::Entropy($phi) => $call,
            DistanceGenerator::Euclidean($phi) => $call,
            DistanceGenerator::PNorm($phi) => $call,
        }
    };
}

impl DistanceGenerator {
    /// Which geometry it is.
    pub fn geometry(&self) -> Geometry {
        match self {
            Self::Entropy(_) => Geometry::Entropy,
            Self::Euclidean(_) => Geometry::Euclidean,
            Self::PNorm(_) => Geometry::PNorm,
        }
    }

    /// $\varphi(x)$.
    pub fn potential(&self, x: &[f64]) -> f64 {
        of_each!(self, phi => phi.potential(x))
    }

    /// $\nabla\varphi(x)$ into `out`.
    pub fn gradient(&self, x: &[f64], out: &mut [f64]) {
        of_each!(self, phi => phi.gradient(x, out));
    }

    /// $\varphi^*(\theta) = \max_x \langle\theta, x\rangle - \varphi(x)$.
    pub fn conjugate(&self, theta: &[f64]) -> f64 {
        of_each!(self, phi => phi.conjugate(theta))
    }

    /// $\nabla\varphi^*(\theta)$, the inverse of [`gradient`](Self::gradient), into `out`.
    pub fn conjugate_gradient(&self, theta: &[f64], out: &mut [f64]) {
        of_each!(self, phi => phi.conjugate_gradient(theta, out));
    }

    /// $B(y, x)$; not negative.
    pub fn divergence(&self, y: &[f64], x: &[f64]) -> f64 {
        of_each!(self, phi => phi.divergence(y, x))
    }

    /// $\lambda(x, y)$: the strong convexity between `x` and `y` with respect to [`distance`](Self::distance).
    pub fn modulus(&self, x: &[f64], y: &[f64]) -> f64 {
        of_each!(self, phi => phi.modulus(x, y))
    }

    /// $\lVert x - y\rVert$ in the norm of this geometry.
    pub fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        of_each!(self, phi => phi.distance(x, y))
    }

    /// $\lVert g\rVert_*$ in the dual norm of this geometry.
    pub fn dual_norm(&self, g: &[f64]) -> f64 {
        of_each!(self, phi => phi.dual_norm(g))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_p_norm_needs_three_coordinates() {
        let names = [1, 2, 3].map(|dim| Geometry::PNorm.generator(dim).geometry());
        assert_eq!(names, [Geometry::Euclidean, Geometry::Euclidean, Geometry::PNorm]);
    }

    #[test]
    fn the_modulus_of_the_entropy_falls_with_the_size_of_the_points_and_the_others_have_one_for_all() {
        let (x, y) = ([0.25, -0.5, 0.0], [1.0, 0.0, -0.25]);
        let modulus = |geometry: Geometry| geometry.generator(3).modulus(&x, &y);
        assert_eq!(modulus(Geometry::Entropy), 1.0 / (1.25 + 1.0));
        assert_eq!(modulus(Geometry::Euclidean), 1.0);
        assert_eq!(modulus(Geometry::PNorm), 1.0 / std::f64::consts::E);
    }
}
