//! Which images: of every class the first correctly classified ones, in an order that the seed decides.

use gradless::{Inputs, Model, ModelError};
use gradless_explain::condition::largest;
use serde::{Deserialize, Serialize};

use super::stream;
use crate::data::{DataSet, Labelled};

/// An image of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chosen {
    /// Its class.
    pub class: u8,
    /// Where it stands among the chosen images of its class, from 0.
    pub rank: usize,
    /// Where it stands in the test set, from 0.
    pub index: usize,
}

/// Chooses `per_class` images of every class that occurs, the first of every class first.
///
/// The order within a class is that of a hash of the seed and the image's number: it has nothing to do with the randomness
/// of the methods, and a larger choice contains the smaller ones.
pub fn choose(
    model: &dyn Model,
    set: DataSet,
    test: &Labelled,
    per_class: usize,
    seed: u64,
) -> Result<Vec<Chosen>, ChoiceError> {
    let mut chosen = Vec::new();
    for class in 0..=test.labels.iter().copied().max().unwrap_or(0) {
        let mut indices: Vec<usize> = (0..test.labels.len()).filter(|&i| test.labels[i] == class).collect();
        indices
            .sort_by_key(|&i| (stream::number(&["image", set.name(), &seed.to_string(), &i.to_string()]), i));
        let mut found = Vec::new();
        for &index in &indices {
            if found.len() == per_class {
                break;
            }
            if classified(model, test, index)? == usize::from(class) {
                found.push(Chosen { class, rank: found.len(), index });
            }
        }
        if found.len() < per_class && !indices.is_empty() {
            return Err(ChoiceError::TooFew { class, found: found.len(), wanted: per_class });
        }
        chosen.append(&mut found);
    }
    chosen.sort_by_key(|image| (image.rank, image.class));
    Ok(chosen)
}

fn classified(model: &dyn Model, test: &Labelled, index: usize) -> Result<usize, ModelError> {
    let points: Vec<f64> = test.images.image(index).iter().map(|&byte| f64::from(byte) / 255.0).collect();
    let mut scores = vec![0.0; model.classes()];
    model.scores(Inputs { points: &points, dim: points.len() }, &mut scores)?;
    Ok(largest(&scores))
}

/// The images cannot be chosen.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum ChoiceError {
    #[error(
        "{found} images of class {class} are classified correctly, {wanted} are wanted: ask for fewer per class"
    )]
    TooFew { class: u8, found: usize, wanted: usize },
    #[error(transparent)]
    Model(#[from] ModelError),
}
