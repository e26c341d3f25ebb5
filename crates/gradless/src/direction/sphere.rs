//! Uniform points of the unit sphere: normal deviates over their norm.

use super::gaussian::Gaussian;
use crate::random::Key;

/// $u = z/\lVert z\rVert_2$ with $z \sim N(0, I)$.
#[derive(Clone)]
pub(super) struct Sphere {
    dim: usize,
    normal: Gaussian,
    /// $\lVert z_j\rVert_2$; the deviates themselves are produced again.
    norms: Vec<f64>,
}

impl Sphere {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        Self { dim, normal: Gaussian::new(key), norms: Vec::new() }
    }

    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.normal.draw(iteration, count);
        self.norms.clear();
        self.norms.extend((0..count).map(|j| norm(self.normal.components(j), self.dim)));
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        let norm = self.norms[j];
        for ((out, x), z) in out.iter_mut().zip(base).zip(self.normal.components(j)) {
            *out = x + scale * (z / norm);
        }
    }

    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        for (j, (c, norm)) in
            coefficients.iter().zip(&self.norms).enumerate().filter(|(_, (c, _))| **c != 0.0)
        {
            for (g, z) in g.iter_mut().zip(self.normal.components(j)) {
                *g += c * (z / norm);
            }
        }
    }
}

/// $\lVert z\rVert_2$ of the first `dim` components, never 0.
///
/// Runs of squares are summed apart: over $10^7$ components one running sum would lose digits.
fn norm(mut components: impl Iterator<Item = f64>, dim: usize) -> f64 {
    const RUN: usize = 1024;
    let mut square = 0.0;
    for start in (0..dim).step_by(RUN) {
        let run = RUN.min(dim - start);
        square += components.by_ref().take(run).map(|z| z * z).sum::<f64>();
    }
    square.sqrt().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::tests::vectors;
    use super::super::{Direction, Directions};
    use crate::vector;

    #[test]
    fn every_direction_has_length_one() {
        for dim in [1, 2, 3, 1000, 5000] {
            let mut directions = Directions::new(Direction::Sphere, dim, 1);
            directions.draw(0, 5);
            for u in vectors(&directions) {
                assert!((vector::norm_l2(&u) - 1.0).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn on_the_line_there_are_two_directions() {
        let mut directions = Directions::new(Direction::Sphere, 1, 1);
        directions.draw(0, 20);
        assert!(vectors(&directions).iter().all(|u| u[0].abs() == 1.0));
    }
}
