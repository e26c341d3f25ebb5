//! The noise floor of a model: what rounding leaves of a difference of scores.

use std::fmt;

use gradless::drive::{NoiseError, NoiseFloor, NoiseProbe, noise_floor};
use gradless::{Inputs, Model, ModelError, Scored};
use serde::Serialize;

/// The noise of a model at an input, and the radius it asks for.
///
/// Finite differences divide this noise by the radius: with a margin that jumps by $10^{-6}$, a radius of $10^{-5}$ leaves
/// an error of $0.1$ in every slope. `radius` of the margin is where this error and that of the curvature are alike; hand
/// it on as `gradless::Radius::Fixed`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ModelNoise {
    /// The class the model sees.
    pub class: usize,
    /// The class it sees next.
    pub runner_up: usize,
    /// The difference of their scores.
    pub margin: f64,
    /// Noise of the score of `class`.
    pub score_noise: NoiseFloor,
    /// Noise of the margin, which is what a loss is made of.
    pub margin_noise: NoiseFloor,
    /// What measuring took, the look at the input itself included.
    pub queries: u64,
}

/// Why the noise of a model could not be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelNoiseError {
    /// The model has no runner-up.
    #[error("the model has {classes} classes: a margin needs two")]
    TooFewClasses {
        /// Its classes.
        classes: usize,
    },
    /// The model could not answer at the input itself.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The measurement could not be made.
    #[error("{0}")]
    Noise(#[from] NoiseError),
}

impl ModelNoise {
    /// Measures at an input, in the caller's space. Usually 100 to 260 queries.
    pub fn measure(model: &dyn Model, x: &[f64], probe: NoiseProbe) -> Result<Self, ModelNoiseError> {
        let classes = model.classes();
        if classes < 2 {
            return Err(ModelNoiseError::TooFewClasses { classes });
        }
        let mut scores = vec![0.0; classes];
        model.scores(Inputs { points: x, dim: x.len() }, &mut scores)?;
        let (class, runner_up) = best_two(&scores);
        let score = Scored { model, loss: |scores: &[f64]| scores[class] };
        let margin = Scored { model, loss: |scores: &[f64]| scores[class] - scores[runner_up] };
        let score_noise = noise_floor(&score, x, probe)?;
        let margin_noise = noise_floor(&margin, x, probe)?;
        let queries = 1 + score_noise.queries + margin_noise.queries;
        Ok(Self {
            class,
            runner_up,
            margin: scores[class] - scores[runner_up],
            score_noise,
            margin_noise,
            queries,
        })
    }
}

/// The first of the largest scores and the first of the largest others.
fn best_two(scores: &[f64]) -> (usize, usize) {
    let largest = |skip: Option<usize>| {
        let others = scores.iter().enumerate().filter(|(class, _)| Some(*class) != skip);
        others.fold(None, |best: Option<(usize, f64)>, (class, score)| match best {
            Some((_, so_far)) if so_far >= *score => best,
            _ => Some((class, *score)),
        })
    };
    let first = largest(None).map_or(0, |(class, _)| class);
    (first, largest(Some(first)).map_or(0, |(class, _)| class))
}

impl fmt::Display for ModelNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, runner_up, margin, score_noise, margin_noise, queries } = self;
        let noise = |floor: &NoiseFloor| {
            floor
                .noise
                .map_or_else(|| "not to be told from the function".to_owned(), |noise| format!("{noise:.1e}"))
        };
        writeln!(f, "class {class}, then {runner_up}; margin {margin:.4}")?;
        writeln!(f, "noise of one score    {}", noise(score_noise))?;
        writeln!(f, "noise of the margin   {}", noise(margin_noise))?;
        writeln!(f, "radius it asks for    {:.1e}", margin_noise.radius)?;
        write!(f, "measured with {queries} queries")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_two_are_two_even_in_a_tie() {
        assert_eq!(best_two(&[1.0, 3.0, 2.0]), (1, 2));
        assert_eq!(best_two(&[5.0, 5.0, 5.0]), (0, 1));
        assert_eq!(best_two(&[0.0, 7.0]), (1, 0));
    }
}
