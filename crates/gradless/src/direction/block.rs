//! Signs on a few coordinates: orthogonal rows that give their slopes exactly.

use rand_core::Rng;

use super::subset::Subsets;
use crate::random::Key;

/// Rows of a Hadamard matrix of order $N$, a power of two, on at most $N - 1$ coordinates, with random signs; 0 everywhere else.
///
/// For linear $l$ all $N$ differences give the slopes along these coordinates without error, and noise of the values is
/// divided by $\sqrt N$: one difference per coordinate would keep all of it. The column without a change of sign is left
/// out: in it would stand what all differences share, half the trace of the Hessian on the block.
#[derive(Clone)]
pub(super) struct Block {
    key: Key,
    dim: usize,
    subsets: Subsets,
    chosen: Vec<usize>,
    /// One for each chosen coordinate, $\pm 1$.
    signs: Vec<f64>,
}

impl Block {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        Self { key, dim, subsets: Subsets::of(dim), chosen: Vec::new(), signs: Vec::new() }
    }

    /// Coordinates at random.
    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.chosen.clear();
        let columns = count.next_power_of_two().max(2) - 1;
        let mut rng = self.key.stream(iteration, 1);
        self.subsets.draw(&mut rng, columns.min(self.dim), &mut self.chosen);
        self.draw_signs(iteration);
    }

    /// These coordinates.
    pub(super) fn choose(&mut self, iteration: u64, coordinates: Vec<usize>) {
        self.chosen = coordinates;
        self.draw_signs(iteration);
    }

    fn draw_signs(&mut self, iteration: u64) {
        let mut rng = self.key.stream(iteration, 0);
        self.signs.clear();
        let sign = |bits: u64| if bits >> 63 == 0 { 1.0 } else { -1.0 };
        self.signs.extend(self.chosen.iter().map(|_| sign(rng.next_u64())));
    }

    pub(super) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        out.copy_from_slice(base);
        for (column, (&i, sign)) in (1..).zip(self.chosen.iter().zip(&self.signs)) {
            out[i] += scale * sign * hadamard(j, column);
        }
    }

    /// $\langle u_j, h\rangle$.
    pub(super) fn dot(&self, j: usize, h: &[f64]) -> f64 {
        let columns = (1..).zip(self.chosen.iter().zip(&self.signs));
        columns.map(|(column, (&i, sign))| sign * hadamard(j, column) * h[i]).sum()
    }

    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        for (column, (&i, sign)) in (1..).zip(self.chosen.iter().zip(&self.signs)) {
            let sum: f64 = coefficients.iter().enumerate().map(|(j, c)| c * hadamard(j, column)).sum();
            g[i] += sign * sum;
        }
    }
}

/// An entry of the Hadamard matrix in Sylvester's order.
fn hadamard(row: usize, column: usize) -> f64 {
    if (row & column).count_ones() % 2 == 1 { -1.0 } else { 1.0 }
}
