//! How large a margin must be to mean anything: the noise of the model where it is explained.

use gradless::drive::{NoiseError, NoiseProbe, noise_floor};
use gradless::{Inputs, Model, ModelError, Scored};

use crate::condition::largest;

/// A margin counts when it is so many times the standard deviation of its noise.
const SIGMAS: f64 = 5.0;
/// What stands in where noise could not be measured: so many roundings of the largest score in single precision.
const ROUNDINGS: f64 = 16.0;

/// A margin must be above this to count, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// In scores.
    pub margin: f64,
    /// How it is known, in words.
    pub source: &'static str,
    /// Inputs the model was given to know it.
    pub queries: u64,
}

/// Why the noise is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FloorError {
    /// The model does not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its answers cannot be measured.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

impl Floor {
    /// A floor that somebody has chosen.
    pub fn given(margin: f64) -> Self {
        Self { margin, source: "given", queries: 0 }
    }

    /// The floor of a model that answers its class and nothing else.
    pub fn of_labels() -> Self {
        Self { margin: 0.0, source: "labels have none", queries: 0 }
    }

    /// The floor of a model at an input: measured along lines through it (about 100 queries) if that is asked for, and never
    /// less than what rounding in single precision does. Where scores are saturated nothing moves, and another engine would
    /// still round otherwise.
    pub fn at(model: &dyn Model, input: &[f64], seed: u64, measure: bool) -> Result<Self, FloorError> {
        let mut scores = vec![0.0; model.classes()];
        model.scores(Inputs { points: input, dim: input.len() }, &mut scores)?;
        let size = scores.iter().fold(0.0_f64, |most, score| most.max(score.abs()));
        let rounding = ROUNDINGS * f64::from(f32::EPSILON) * size;
        let assumed = |queries| Self { margin: rounding, source: "assumed: rounding", queries };
        if !measure || model.classes() < 2 {
            return Ok(assumed(1));
        }
        let class = largest(&scores);
        let margin = |scores: &[f64]| {
            let others = scores.iter().enumerate().filter(|&(i, _)| i != class).map(|(_, &score)| score);
            scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
        };
        let probe = NoiseProbe { seed, ..NoiseProbe::default() };
        let measured = noise_floor(&Scored { model, loss: margin }, input, probe)?;
        let queries = 1 + measured.queries;
        Ok(match measured.noise {
            Some(noise) if SIGMAS * noise > rounding => {
                Self { margin: SIGMAS * noise, source: "measured", queries }
            }
            _ => assumed(queries),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two scores, the first with noise of a known size that repeats itself.
    struct Noisy(f64);

    impl Model for Noisy {
        fn shape(&self) -> &[usize] {
            &[4]
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
                let sum: f64 = x.iter().sum();
                // Uniform between -1 and 1 by the last digits of the input.
                let hash = x.iter().fold(17_u64, |hash, x| {
                    (hash ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
                });
                let noise = (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
                scores.copy_from_slice(&[sum + self.0 * noise, 0.0]);
            }
            Ok(())
        }
    }

    #[test]
    fn noise_is_measured_and_rounding_is_the_least() {
        let input = [0.5; 4];
        let noisy = Floor::at(&Noisy(1e-2), &input, 0, true).unwrap();
        // A uniform number between -a and a has the standard deviation a / sqrt 3.
        let expected = SIGMAS * 1e-2 / 3.0_f64.sqrt();
        assert_eq!(noisy.source, "measured");
        assert!(noisy.margin > 0.5 * expected && noisy.margin < 2.0 * expected, "{noisy:?}, {expected}");
        let exact = Floor::at(&Noisy(0.0), &input, 0, true).unwrap();
        assert_eq!(exact.margin, ROUNDINGS * f64::from(f32::EPSILON) * 2.0);
        assert_eq!(Floor::at(&Noisy(1e-2), &input, 0, false).unwrap().queries, 1);
    }
}
