//! One coordinate at a time, none twice before all had their turn.

use super::subset::Subsets;
use crate::random::Key;

/// $u = \sqrt d\thinspace e_i$ with $i$ drawn without replacement in blocks of $d$.
#[derive(Clone)]
pub(super) struct Coordinate {
    key: Key,
    dim: usize,
    length: f64,
    subsets: Subsets,
    chosen: Vec<usize>,
}

impl Coordinate {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        let length = (dim as f64).sqrt();
        Self { key, dim, length, subsets: Subsets::of(dim), chosen: Vec::new() }
    }

    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.chosen.clear();
        let mut rng = self.key.stream(iteration, 0);
        while self.chosen.len() < count {
            let next = (count - self.chosen.len()).min(self.dim);
            self.subsets.draw(&mut rng, next, &mut self.chosen);
        }
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        out.copy_from_slice(base);
        out[self.chosen[j]] += scale * self.length;
    }

    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        for (&i, c) in self.chosen.iter().zip(coefficients) {
            g[i] += c * self.length;
        }
    }
}
