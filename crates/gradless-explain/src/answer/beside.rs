//! What others say of an answer, and how plausible it is.

use serde::{Deserialize, Serialize};

use crate::features::Coordinates;

/// What another model says of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// What it is called.
    pub model: String,
    /// The class it gives the input.
    pub original: usize,
    /// The class it gives the answer.
    pub answer: usize,
    /// Whether that is the class the answer has.
    pub agrees: bool,
}

/// How like known inputs an answer is. It costs no queries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plausibility {
    /// Inputs that were known.
    pub examples: usize,
    /// The distance from the answer to the nearest of them.
    pub nearest: Option<f64>,
    /// The distance from the input itself to the nearest.
    pub nearest_input: Option<f64>,
    /// How far the answer is from its image under the autoencoder.
    pub autoencoder: Option<f64>,
    /// How far the input itself is from its image.
    pub autoencoder_input: Option<f64>,
}

impl Plausibility {
    /// How far a row is from known rows, in the units of its columns; `None` if none are known.
    pub(crate) fn among_rows(coordinates: &Coordinates<'_>, input: &[f64], after: &[f64]) -> Option<Self> {
        let nearest = coordinates.distance_to_known(after)?;
        Some(Self {
            examples: coordinates.known(),
            nearest: Some(nearest),
            nearest_input: coordinates.distance_to_known(input),
            autoencoder: None,
            autoencoder_input: None,
        })
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let both = |what: &str, [answer, input]: [Option<f64>; 2]| {
            let (answer, input) = answer.zip(input)?;
            Some(format!("{answer:.2} from {what}, the input itself {input:.2}"))
        };
        let nearest =
            both(&format!("the nearest of {} examples", self.examples), [self.nearest, self.nearest_input]);
        let image = both("its image by the autoencoder", [self.autoencoder, self.autoencoder_input]);
        nearest.into_iter().chain(image).collect::<Vec<_>>().join("; ")
    }
}
