//! Signs on a few coordinates: orthogonal rows that give their slopes exactly.

use rand_core::Rng;

use super::subset::Subsets;
use crate::random::Key;

/// Rows of a Hadamard matrix of order $N$, a power of two, on at most $N - 1$ coordinates, with random signs; 0 everywhere else.
/// In the place of a coordinate may stand a group of them that move together; the sum of their slopes is told then.
///
/// For linear $l$ all $N$ differences give the slopes along these coordinates without error, and noise of the values is
/// divided by $\sqrt N$: one difference per coordinate would keep all of it. The column without a change of sign is left
/// out: in it would stand what all differences share, half the trace of the Hessian on the block.
#[derive(Clone)]
pub(super) struct Block {
    key: Key,
    dim: usize,
    subsets: Subsets,
    groups: Vec<Vec<usize>>,
    /// One for each group, $\pm 1$.
    signs: Vec<f64>,
    /// The length of each group's steps; 0 where it is not perturbed.
    shares: Vec<f64>,
}

/// Rows of a block that has $m$ of them or a few more: a power of two, at least 2 and not more than all coordinates need.
pub(crate) fn rows_of_block(m: usize, dim: usize) -> usize {
    m.next_power_of_two().clamp(2, (dim + 1).next_power_of_two())
}

impl Block {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        Self {
            key,
            dim,
            subsets: Subsets::of(dim),
            groups: Vec::new(),
            signs: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Coordinates at random.
    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        let columns = count.next_power_of_two().max(2) - 1;
        let mut rng = self.key.stream(iteration, 1);
        let mut chosen = Vec::new();
        self.subsets.draw(&mut rng, columns.min(self.dim), &mut chosen);
        self.groups = chosen.into_iter().map(|i| vec![i]).collect();
        self.shares = vec![1.0; self.groups.len()];
        self.draw_signs(iteration);
    }

    /// These coordinates, in groups that move together, by steps of these lengths.
    pub(super) fn choose(&mut self, iteration: u64, groups: Vec<Vec<usize>>, shares: Vec<f64>) {
        (self.groups, self.shares) = (groups, shares);
        self.draw_signs(iteration);
    }

    fn draw_signs(&mut self, iteration: u64) {
        let mut rng = self.key.stream(iteration, 0);
        self.signs.clear();
        let sign = |bits: u64| if bits >> 63 == 0 { 1.0 } else { -1.0 };
        self.signs.extend(self.groups.iter().map(|_| sign(rng.next_u64())));
    }

    pub(super) fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// How many coordinates are perturbed.
    pub(super) fn perturbed(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// Column, signed length and coordinates of each group.
    fn columns(&self) -> impl Iterator<Item = (usize, f64, &[usize])> {
        let lengths = self.signs.iter().zip(&self.shares).map(|(sign, share)| sign * share);
        (1..)
            .zip(lengths.zip(&self.groups))
            .map(|(column, (length, group))| (column, length, group.as_slice()))
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        out.copy_from_slice(base);
        for (column, length, group) in self.columns() {
            for &i in group {
                out[i] += scale * length * hadamard(j, column);
            }
        }
    }

    /// $\langle u_j, h\rangle$.
    pub(super) fn dot(&self, j: usize, h: &[f64]) -> f64 {
        let along = |group: &[usize]| group.iter().map(|&i| h[i]).sum::<f64>();
        self.columns().map(|(column, length, group)| length * hadamard(j, column) * along(group)).sum()
    }

    /// Adds up slopes along coordinates: a step of half the length tells them as well as a whole one.
    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        for (column, length, group) in self.columns().filter(|(_, length, _)| *length != 0.0) {
            let sum: f64 = coefficients.iter().enumerate().map(|(j, c)| c * hadamard(j, column)).sum();
            for &i in group {
                g[i] += sum / length;
            }
        }
    }
}

/// An entry of the Hadamard matrix in Sylvester's order.
fn hadamard(row: usize, column: usize) -> f64 {
    if (row & column).count_ones() % 2 == 1 { -1.0 } else { 1.0 }
}
