//! Rows of a Hadamard matrix under random signs: Rademacher directions that are orthogonal to each other.

use super::signs;
use super::subset::Subsets;
use crate::random::Key;

/// Signs of row $r < 64$ in columns 0 to 63: bit $i$ is the parity of $r \wedge i$.
const PATTERN: [u64; 64] = {
    let mut patterns = [0; 64];
    let mut entry = 0;
    while entry < 64 * 64 {
        let (row, i) = (entry / 64, entry % 64);
        patterns[row] |= (((row & i).count_ones() & 1) as u64) << i;
        entry += 1;
    }
    patterns
};

/// The transform of this many numbers stays in the first-level cache.
const CACHED: usize = 2048;

/// $u_i = (-1)^{|r \wedge i|} s_i$ for $i < d$, where $r$ is a row of the Hadamard matrix of order $N \ge d$,
/// the next power of two, $|r \wedge i|$ the number of common bits, and $s$ random signs.
#[derive(Clone)]
pub(super) struct Hadamard {
    key: Key,
    words: usize,
    order: usize,
    subsets: Subsets,
    /// $s$ of each block of at most $N$ directions.
    signs: Vec<u64>,
    /// $r$ of each direction.
    rows: Vec<usize>,
}

impl Hadamard {
    pub(super) fn new(dim: usize, key: Key) -> Self {
        let order = dim.next_power_of_two();
        let (words, subsets) = (signs::words(dim), Subsets::of(order));
        Self { key, words, order, subsets, signs: Vec::new(), rows: Vec::new() }
    }

    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.signs.resize(count.div_ceil(self.order) * self.words, 0);
        self.key.fill(iteration, 0, &mut self.signs);
        self.rows.clear();
        let mut rng = self.key.stream(iteration, 1);
        while self.rows.len() < count {
            let next = (count - self.rows.len()).min(self.order);
            self.subsets.draw(&mut rng, next, &mut self.rows);
        }
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        let block = j / self.order;
        let s = &self.signs[block * self.words..(block + 1) * self.words];
        let row = self.rows[j];
        signs::write(|w| signs_of_row(row, w) ^ s[w], base, scale, out);
    }

    /// By table for few directions, by fast transform for many: the former costs $d m/8$ additions,
    /// the latter $N \log_2 N$ whatever $m$, and a buffer of $N$ numbers.
    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        let blocks = self.rows.chunks(self.order).zip(coefficients.chunks(self.order));
        let mut buffer = Vec::new();
        for ((rows, coefficients), s) in blocks.zip(self.signs.chunks(self.words)) {
            if rows.len() <= self.few() {
                let fetch = |j: usize, w: usize, words: &mut [u64]| {
                    for ((word, s), w) in words.iter_mut().zip(&s[w..]).zip(w..) {
                        *word = signs_of_row(rows[j], w) ^ s;
                    }
                };
                signs::accumulate(fetch, coefficients, g);
            } else {
                buffer.clear();
                buffer.resize(self.order, 0.0);
                for (&row, &c) in rows.iter().zip(coefficients) {
                    buffer[row] = c;
                }
                transform(&mut buffer);
                signs::add_signed(|w| s[w], &buffer[..g.len()], g);
            }
        }
    }

    /// Up to about this many directions the table is faster, measured for $N$ from $2^7$ to $2^{20}$.
    fn few(&self) -> usize {
        3 * self.order.ilog2() as usize
    }
}

/// Signs of a row in columns $64w$ to $64w + 63$, before $s$: the low six bits of the row choose a pattern,
/// the others whether it is turned over.
fn signs_of_row(row: usize, w: usize) -> u64 {
    let turned = u64::from((row >> 6 & w).count_ones() & 1);
    PATTERN[row & 63] ^ turned.wrapping_neg()
}

/// $x \leftarrow H x$ with $H_{ri} = (-1)^{|r \wedge i|}$, $N$ a power of two, in $N \log_2 N$ additions.
///
/// $H_{4n}$ consists of 16 blocks $\pm H_n$: combine the quarters, then transform each. Depth first, so that
/// a part that fits a cache is finished while it is there; two levels at once, so that memory is passed
/// half as often.
fn transform(x: &mut [f64]) {
    if x.len() <= CACHED {
        let mut len = x.len();
        while len >= 4 {
            x.chunks_exact_mut(len).for_each(combine);
            len /= 4;
        }
        if len == 2 {
            x.as_chunks_mut().0.iter_mut().for_each(|[a, b]| (*a, *b) = (*a + *b, *a - *b));
        }
    } else {
        combine(x);
        x.chunks_exact_mut(x.len() / 4).for_each(transform);
    }
}

fn combine(x: &mut [f64]) {
    let (lower, upper) = x.split_at_mut(x.len() / 2);
    let (a, b) = lower.split_at_mut(lower.len() / 2);
    let (c, d) = upper.split_at_mut(upper.len() / 2);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let (ac, bd, a_c, b_d) = (*a + *c, *b + *d, *a - *c, *b - *d);
        (*a, *b, *c, *d) = (ac + bd, ac - bd, a_c + b_d, a_c - b_d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dense, estimate, mean, vectors};
    use super::super::{Direction, Directions};
    use super::*;
    use crate::vector;

    #[test]
    fn directions_are_orthogonal_when_the_dimension_is_a_power_of_two() {
        let mut directions = Directions::new(Direction::Hadamard, 128, 3);
        directions.draw(0, 20);
        let u = vectors(&directions);
        for (j, k) in (0..20).flat_map(|j| (0..20).map(move |k| (j, k))) {
            assert_eq!(vector::dot(&u[j], &u[k]), if j == k { 128.0 } else { 0.0 });
        }
    }

    #[test]
    fn each_sign_vector_is_equally_likely() {
        // d = 3, N = 4: each of the 8 sign vectors is direction j of 8000 iterations
        // binomial(8000, 1/8) times: mean 1000, standard deviation 29.6.
        let mut directions = Directions::new(Direction::Hadamard, 3, 4);
        let mut counts = [[0_u32; 8]; 2];
        for iteration in 0..8000 {
            directions.draw(iteration, 2);
            for (u, counts) in vectors(&directions).iter().zip(&mut counts) {
                counts[u.iter().fold(0, |index, &sign| 2 * index + usize::from(sign < 0.0))] += 1;
            }
        }
        assert!(counts.iter().flatten().all(|&n| (f64::from(n) - 1000.0).abs() < 4.0 * 29.6), "{counts:?}");
    }

    #[test]
    fn orthogonality_removes_its_share_of_the_variance() {
        // Independent signs have E|g - l'|_2^2 = (d - 1)|l'|_2^2/m for linear l.
        for (dim, order, count) in [(16, 16, 4), (13, 16, 12)] {
            let gradient = dense(dim);
            let mut directions = Directions::new(Direction::Hadamard, dim, 5);
            let errors: Vec<f64> = (0..4000)
                .map(|iteration| {
                    directions.draw(iteration, count);
                    vector::distance_l2(&estimate(&directions, &gradient), &gradient).powi(2)
                })
                .collect();
            let share = (order - count) as f64 / (order - 1) as f64;
            let independent = (dim - 1) as f64 * vector::dot(&gradient, &gradient) / count as f64;
            let (mean, error) = mean(&errors);
            assert!((mean / independent - share).abs() < 4.0 * error / independent + 1e-12, "{dim}: {mean}");
        }
    }

    #[test]
    fn every_block_has_signs_of_its_own() {
        let mut directions = Directions::new(Direction::Hadamard, 16, 6);
        directions.draw(0, 40);
        let u = vectors(&directions);
        // Whole blocks come in the order of the rows, so only the signs can differ.
        assert_ne!(u[..16], u[16..32]);
    }

    #[test]
    fn the_transform_is_multiplication_by_the_matrix() {
        for order in [1, 2, 4, 8, 64, 128, 4096] {
            let x = dense(order);
            let mut fast = x.clone();
            transform(&mut fast);
            for r in (0..order).step_by(order.div_ceil(64)) {
                let sign = |i: usize| if (r & i).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                let slow: f64 = x.iter().enumerate().map(|(i, x)| sign(i) * x).sum();
                assert!((fast[r] - slow).abs() < 1e-11, "{order} {r}");
            }
        }
    }

    #[test]
    fn table_and_transform_agree() {
        let mut directions = Directions::new(Direction::Hadamard, 1000, 7);
        for count in [29, 30, 31, 32] {
            directions.draw(count as u64, count);
            let c = dense(count);
            let mut expected = vec![0.0; 1000];
            for (u, c) in vectors(&directions).iter().zip(&c) {
                expected.iter_mut().zip(u).for_each(|(g, u)| *g += c * u);
            }
            let mut g = vec![0.0; 1000];
            directions.accumulate(&c, &mut g);
            assert!(vector::distance_l1(&g, &expected) < 1e-10);
        }
    }
}
