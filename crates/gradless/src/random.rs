//! Randomness as a function: (seed, purpose, index, index) gives a stream, and no state is shared.

use rand_chacha::{ChaCha8Core, ChaCha8Rng};
use rand_core::block::Generator;
use rand_core::{Rng, SeedableRng};

/// Words of 32 bits that one call of the block function yields: four `ChaCha` blocks.
const BLOCK: usize = 64;

/// What random numbers are for; streams of different purposes never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Search directions $u_j$.
    Directions,
    /// Which iterate is returned, chosen while running.
    Reservoir,
    /// How an input is disturbed, to see whether what is said of it holds.
    Disturbances,
    /// How a set of features is changed, in search of one that alters the class.
    Moves,
}

/// The root of all streams of one purpose.
///
/// A stream is named by two indices, usually (iteration, direction), and can be produced alone, in any
/// order and on any thread. It is `ChaCha8` under the 256-bit key (seed, purpose, first index, second
/// index), 64 bits each and little-endian, with nonce 0 and counter from 0: different names are different
/// keys, so no packing of indices can collide.
///
/// Bernstein 2008, "ChaCha, a variant of Salsa20". Eight rounds are far beyond what statistical tests
/// can tell from chance, and at 0.3 ns per byte the signs of a direction cost less than writing it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The user's seed.
    pub seed: u64,
    /// What the numbers are for.
    pub purpose: Purpose,
}

impl Key {
    /// The generator of stream (`a`, `b`).
    pub fn stream(&self, a: u64, b: u64) -> impl Rng + use<> {
        ChaCha8Rng::from_seed(self.bytes(a, b))
    }

    /// The first words of stream (`a`, `b`), as `next_u64` of [`stream`](Self::stream) would give them,
    /// at nearly the speed of the block function.
    pub fn fill(&self, a: u64, b: u64, words: &mut [u64]) {
        let mut core = ChaCha8Core::from_seed(self.bytes(a, b));
        let mut block = [0_u32; BLOCK];
        for chunk in words.chunks_mut(BLOCK / 2) {
            core.generate(&mut block);
            let (pairs, _) = block.as_chunks::<2>();
            for (word, [low, high]) in chunk.iter_mut().zip(pairs) {
                *word = u64::from(*low) | u64::from(*high) << 32;
            }
        }
    }

    /// One number uniform in $[0, 1)$, a multiple of $2^{-53}$.
    pub fn uniform(&self, index: u64) -> f64 {
        let bits = self.stream(index, 0).next_u64() >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }

    fn bytes(self, a: u64, b: u64) -> [u8; 32] {
        let purpose = match self.purpose {
            Purpose::Directions => 0,
            Purpose::Reservoir => 1,
            Purpose::Disturbances => 2,
            Purpose::Moves => 3,
        };
        let mut bytes = [0; 32];
        let (parts, _) = bytes.as_chunks_mut::<8>();
        for (part, number) in parts.iter_mut().zip([self.seed, purpose, a, b]) {
            *part = number.to_le_bytes();
        }
        bytes
    }
}

/// A number uniform in $\lbrace 0, \dots, n-1\rbrace$, without bias.
///
/// Lemire 2019, "Fast random integer generation in an interval".
///
/// # Panics
/// If `n` is 0.
pub fn below(rng: &mut impl Rng, n: usize) -> usize {
    assert!(n > 0, "there is no number below 0");
    let n = n as u64;
    let mut product = u128::from(rng.next_u64()) * u128::from(n);
    if low(product) < n {
        let unfair = n.wrapping_neg() % n;
        while low(product) < unfair {
            product = u128::from(rng.next_u64()) * u128::from(n);
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is below n, which was a usize")]
    let number = (product >> 64) as usize;
    number
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn low(product: u128) -> u64 {
    product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { seed: 0, purpose: Purpose::Directions };

    #[test]
    fn first_words_are_pinned() {
        let mut words = [0; 2];
        KEY.fill(0, 0, &mut words);
        // Seed 0 is the all-zero key: the first bytes of the ChaCha8 test vector TC1 with 256-bit key
        // (Strombergson, draft-strombergson-chacha-test-vectors): 3e 00 ef 2f 89 5f 40 d6 7f 5b b8 e8 1f 09 a5 a1
        assert_eq!(words, [0xd640_5f89_2fef_003e, 0xa1a5_091f_e8b8_5b7f]);
        let reservoir = Key { seed: 7, purpose: Purpose::Reservoir };
        assert_eq!(
            [reservoir.uniform(0), reservoir.uniform(1)],
            [0.869_857_644_205_879_5, 0.743_878_070_154_354_5]
        );
    }

    #[test]
    fn filling_and_streaming_give_the_same_words() {
        let mut words = [0; 77];
        KEY.fill(3, 5, &mut words);
        let mut rng = KEY.stream(3, 5);
        assert!(words.iter().all(|&word| word == rng.next_u64()));
    }

    #[test]
    fn every_part_of_the_name_matters() {
        let first = |seed, purpose, a, b| Key { seed, purpose }.stream(a, b).next_u64();
        let words = [
            first(0, Purpose::Directions, 0, 0),
            first(1, Purpose::Directions, 0, 0),
            first(0, Purpose::Reservoir, 0, 0),
            first(0, Purpose::Directions, 1, 0),
            first(0, Purpose::Directions, 0, 1),
        ];
        for (i, word) in words.iter().enumerate() {
            assert!(!words[..i].contains(word));
        }
    }

    #[test]
    fn uniform_has_the_moments_of_the_uniform_law() {
        let n = 10_000;
        let numbers: Vec<f64> = (0..n).map(|index| KEY.uniform(index)).collect();
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let square = numbers.iter().map(|u| u * u).sum::<f64>() / n as f64;
        // Four standard errors; var u = 1/12, var u^2 = 4/45.
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0 / n as f64).sqrt());
        assert!((square - 1.0 / 3.0).abs() < 4.0 * (4.0 / 45.0 / n as f64).sqrt());
        assert!(numbers.iter().all(|u| (0.0..1.0).contains(u)));
    }

    #[test]
    fn below_is_uniform() {
        let (n, draws) = (7, 70_000);
        let mut rng = KEY.stream(0, 0);
        let mut counts = vec![0_u32; n];
        for _ in 0..draws {
            counts[below(&mut rng, n)] += 1;
        }
        // Each count is binomial(70 000, 1/7): mean 10 000, standard deviation 92.6.
        assert!(counts.iter().all(|&count| (f64::from(count) - 10_000.0).abs() < 4.0 * 92.6), "{counts:?}");
        assert_eq!(below(&mut rng, 1), 0);
    }
}
