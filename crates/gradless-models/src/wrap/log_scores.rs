//! A model whose probabilities are told as logarithms.

use gradless::{Inputs, Model, ModelError};

/// What stands for the logarithm of 0: that of the smallest number of single precision, $2^{-149}$.
const NEVER: f64 = -103.278_929_903_431_85;

/// Turns the probabilities of a model into their logarithms.
///
/// A confident model says 1 and 0 for a whole neighbourhood, and the logarithm of its small numbers still tells where they
/// grow. A probability of 0 (or below, by rounding) counts as the smallest number of single precision.
#[derive(Clone, Debug)]
pub struct LogScores<M>(pub M);

impl<M: Model> Model for LogScores<M> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn classes(&self) -> usize {
        self.0.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for score in scores {
            *score = score.ln().max(NEVER);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.0.preferred_rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(Vec<f64>);

    impl Model for Says {
        fn shape(&self) -> &[usize] {
            &[1]
        }
        fn classes(&self) -> usize {
            self.0.len()
        }
        fn scores(&self, _: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            scores.copy_from_slice(&self.0);
            Ok(())
        }
    }

    #[test]
    fn small_probabilities_are_told_apart_and_zero_is_finite() {
        let mut scores = [0.0; 4];
        let model = LogScores(Says(vec![1.0, 1e-30, 0.0, -1e-9]));
        model.scores(Inputs { points: &[0.5], dim: 1 }, &mut scores).unwrap();
        assert_eq!(scores, [0.0, 1e-30_f64.ln(), NEVER, NEVER]);
        assert!((NEVER - f64::from(f32::from_bits(1)).ln()).abs() < 1e-12);
    }
}
