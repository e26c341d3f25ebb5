//! Choosing $k$ of $n$ without replacement in $O(k)$ draws and $n$ bits.

use rand_core::Rng;

use crate::random;

/// Draws subsets of $\lbrace 0, \dots, n-1\rbrace$, every subset of one size with the same probability.
#[derive(Clone)]
pub(super) struct Subsets {
    n: usize,
    taken: Vec<u64>,
}

impl Subsets {
    pub(super) fn of(n: usize) -> Self {
        Self { n, taken: vec![0; n.div_ceil(64)] }
    }

    /// Appends $k \le n$ different numbers: in the order drawn if they are at most half of all, else
    /// ascending, because then the numbers left out are drawn.
    ///
    /// A number drawn before is drawn again; at most half being taken, this happens less than once per
    /// number on average.
    pub(super) fn draw(&mut self, rng: &mut impl Rng, k: usize, chosen: &mut Vec<usize>) {
        let start = chosen.len();
        let leave_out = k > self.n / 2;
        let draws = if leave_out { self.n - k } else { k };
        while chosen.len() < start + draws {
            let i = random::below(rng, self.n);
            let bit = 1 << (i % 64);
            if self.taken[i / 64] & bit == 0 {
                self.taken[i / 64] |= bit;
                chosen.push(i);
            }
        }
        if leave_out {
            chosen.truncate(start);
            chosen.extend((0..self.n).filter(|i| self.taken[i / 64] >> (i % 64) & 1 == 0));
            self.taken.fill(0);
        } else {
            for i in &chosen[start..] {
                self.taken[i / 64] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Key, Purpose};

    #[test]
    fn every_subset_of_one_size_is_equally_likely() {
        // 5 choose 2 = 5 choose 3 = 10 subsets; each count is binomial(20 000, 1/10):
        // mean 2000, standard deviation 42.4.
        for k in [2, 3] {
            let mut rng = Key { seed: 1, purpose: Purpose::Directions }.stream(0, k as u64);
            let mut subsets = Subsets::of(5);
            let mut counts = [0_u32; 32];
            for _ in 0..20_000 {
                let mut chosen = Vec::new();
                subsets.draw(&mut rng, k, &mut chosen);
                counts[chosen.iter().fold(0, |set, i| set | 1_usize << i)] += 1;
            }
            let possible = (0_usize..32).filter(|set| set.count_ones() as usize == k);
            assert!(possible.clone().all(|set| (f64::from(counts[set]) - 2000.0).abs() < 4.0 * 42.4));
            assert_eq!(possible.map(|set| counts[set]).sum::<u32>(), 20_000);
        }
    }

    #[test]
    fn all_of_them_come_ascending() {
        let mut rng = Key { seed: 1, purpose: Purpose::Directions }.stream(0, 0);
        let mut chosen = vec![9];
        Subsets::of(4).draw(&mut rng, 4, &mut chosen);
        assert_eq!(chosen, [9, 0, 1, 2, 3]);
    }
}
