//! Independent signs, packed into bits.

use super::signs;
use crate::random::Key;

/// $u \in \lbrace -1, 1\rbrace^d$ with independent fair signs.
#[derive(Clone)]
pub(super) struct Rademacher {
    key: Key,
    words: usize,
    /// One row of words per direction, one after the other.
    bits: Vec<u64>,
}

impl Rademacher {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        Self { key, words: signs::words(dim), bits: Vec::new() }
    }

    /// Direction $j$ is words $jw, \dots, (j+1)w - 1$ of one stream: no block of random bits is wasted on
    /// the end of a row, and a row does not depend on how many follow.
    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.bits.resize(count * self.words, 0);
        self.key.fill(iteration, 0, &mut self.bits);
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        let row = &self.bits[j * self.words..(j + 1) * self.words];
        signs::write(|w| row[w], base, scale, out);
    }

    pub(super) fn sign(&self, j: usize, i: usize) -> f64 {
        let word = self.bits[j * self.words + i / 64];
        if word >> (i % 64) & 1 == 1 { -1.0 } else { 1.0 }
    }

    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        let fetch = |j: usize, w: usize, words: &mut [u64]| {
            words.copy_from_slice(&self.bits[j * self.words + w..][..words.len()]);
        };
        signs::accumulate(fetch, coefficients, g);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dense, estimate, mean, vectors};
    use super::super::{Direction, Directions, Drawn, Law};
    use super::Rademacher;
    use crate::random::{Key, Purpose};
    use crate::vector;

    /// All $2^d$ sign vectors, each once.
    fn every_sign_vector(dim: usize) -> Directions {
        let bits = (0..1 << dim).collect();
        let law = Rademacher { key: Key { seed: 0, purpose: Purpose::Directions }, words: 1, bits };
        Directions { dim, law: Law::Rademacher(law), drawn: Some(Drawn { iteration: 0, count: 1 << dim }) }
    }

    #[test]
    fn over_all_signs_the_second_moment_is_exactly_the_identity() {
        for dim in 1..=10 {
            let directions = every_sign_vector(dim);
            let u = vectors(&directions);
            for k in 0..dim {
                let c: Vec<f64> = u.iter().map(|u| u[k] / directions.count() as f64).collect();
                let mut column = vec![0.0; dim];
                directions.accumulate(&c, &mut column);
                assert!((0..dim).all(|i| column[i] == f64::from(u8::from(i == k))));
            }
        }
    }

    #[test]
    fn over_all_signs_the_difference_estimate_of_a_quadratic_is_its_gradient() {
        let (dim, nu) = (9, 0.5);
        let (x, a) = (dense(dim), [3.0, -1.0, 0.5, 2.0, 0.0, 7.0, -4.0, 1.0, 0.25]);
        // Separable part a_i x_i^2 / 2 and the coupling (sum x)^2 / 2.
        let total = |x: &[f64]| x.iter().sum::<f64>();
        let l = |x: &[f64]| 0.5 * (vector::sum_by_pair(x, &a, |x, a| a * x * x) + total(x).powi(2));
        let directions = every_sign_vector(dim);
        let mut point = vec![0.0; dim];
        let mut y = Vec::new();
        for j in 0..directions.count() {
            directions.write(j, &x, nu, &mut point);
            y.push((l(&point) - l(&x)) / nu / directions.count() as f64);
        }
        let mut g = vec![0.0; dim];
        directions.accumulate(&y, &mut g);
        for i in 0..dim {
            assert!((g[i] - (a[i] * x[i] + total(&x))).abs() < 1e-12);
        }
    }

    #[test]
    fn over_all_signs_the_squared_max_norm_of_a_linear_slope_is_the_squared_gradient() {
        let gradient = dense(8);
        let u = vectors(&every_sign_vector(8));
        let squares: Vec<f64> =
            u.iter().map(|u| (vector::dot(u, &gradient) * vector::norm_max(u)).powi(2)).collect();
        let expected = vector::dot(&gradient, &gradient);
        assert!((mean(&squares).0 - expected).abs() < 1e-12 * expected);
    }

    /// $\lVert\hat g - \nabla l\rVert_\infty^2 m/\lVert\nabla l\rVert_2^2$ is about $1.6 \ln d$ on average,
    /// below the rule of thumb $2\ln 2d$ and far below the bound $10\kappa_d$ with $\kappa_d = e(2\ln d - 1)$.
    #[test]
    fn the_max_norm_error_of_a_batch_grows_like_the_logarithm_of_the_dimension() {
        let count = 32;
        for (dim, batches) in [(100, 300), (1_000, 100), (10_000, 40)] {
            let gradient = dense(dim);
            let mut directions = Directions::new(Direction::Rademacher, dim, 0);
            let errors: Vec<f64> = (0..batches)
                .map(|iteration| {
                    directions.draw(iteration, count);
                    let g = estimate(&directions, &gradient);
                    let worst = g.iter().zip(&gradient).fold(0.0, |e: f64, (g, l)| e.max((g - l).abs()));
                    worst * worst * count as f64 / vector::dot(&gradient, &gradient)
                })
                .collect();
            let (mean, _) = mean(&errors);
            let rule = 2.0 * (2.0 * dim as f64).ln();
            let kappa = std::f64::consts::E * (2.0 * (dim as f64).ln() - 1.0);
            assert!((0.4 * rule..rule).contains(&mean) && mean < 10.0 * kappa, "{dim}: {mean} of {rule}");
        }
    }

    #[test]
    fn first_signs_are_pinned() {
        let mut directions = Directions::new(Direction::Rademacher, 8, 0);
        directions.draw(0, 1);
        // 0x3e, the first byte of the stream, from its lowest bit up.
        assert_eq!(vectors(&directions), [[1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0]]);
    }
}
