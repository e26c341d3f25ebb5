//! Which images: of every class the first correctly classified ones, in an order of our own, of the paper's, or of a list.

use gradless::{Inputs, Model, ModelError};
use gradless_explain::condition::largest;
use serde::{Deserialize, Serialize};

use super::numpy;
use super::stream;
use crate::data::{DataSet, Labelled};

/// What the authors' scripts seed their generator with, for the first class; the next ones follow.
const SEED_OF_THE_PAPER: u32 = 48;

/// In which order images are considered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// That of a hash of the seed and the image's number: it has nothing to do with the randomness of the methods.
    #[default]
    Hashed,
    /// That of the authors' scripts: for each class a permutation of the whole test set by numpy's legacy generator.
    Paper,
    /// For each class these places of the test set, in this order, and no others.
    Listed(Vec<Vec<usize>>),
}

impl Order {
    /// Reads lists in the form of `{"mnist": {"images": [[3, 10], [2, 5]]}}`, one for each class.
    pub fn parse(text: &str, set: DataSet) -> Result<Self, ChoiceError> {
        let found: serde_json::Value =
            serde_json::from_str(text).map_err(|error| ChoiceError::NoLists { why: error.to_string() })?;
        let lists = &found[set.name()]["images"];
        serde_json::from_value(lists.clone()).map(Self::Listed).map_err(|_| ChoiceError::NoLists {
            why: format!("\"{}\" has no \"images\" with one list of numbers for each class", set.name()),
        })
    }

    /// Places of the test set in the order in which they are considered for a class.
    fn of_class(
        &self,
        set: DataSet,
        test: &Labelled,
        class: u8,
        seed: u64,
    ) -> Result<Vec<usize>, ChoiceError> {
        let is_of_class = |&i: &usize| test.labels[i] == class;
        match self {
            Self::Hashed => {
                let mut places: Vec<usize> = (0..test.labels.len()).filter(is_of_class).collect();
                let key =
                    |i: usize| stream::number(&["image", set.name(), &seed.to_string(), &i.to_string()]);
                places.sort_by_key(|&i| (key(i), i));
                Ok(places)
            }
            Self::Paper => {
                let seed = SEED_OF_THE_PAPER + u32::from(class);
                Ok(numpy::permutation(seed, test.labels.len()).into_iter().filter(is_of_class).collect())
            }
            Self::Listed(lists) => {
                let list = lists.get(usize::from(class)).cloned().unwrap_or_default();
                match list.iter().find(|&&i| test.labels.get(i) != Some(&class)) {
                    Some(&index) => Err(ChoiceError::OfAnotherClass { class, index }),
                    None => Ok(list),
                }
            }
        }
    }
}

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

/// The images of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The first of every class first.
    pub images: Vec<Chosen>,
    /// How many the network was shown to find them.
    pub shown: usize,
}

impl Choice {
    /// The share of the images it was shown that the network gets right.
    pub fn accuracy(&self) -> f64 {
        self.images.len() as f64 / self.shown.max(1) as f64
    }
}

/// Chooses `per_class` images of every class that occurs.
///
/// A larger choice contains the smaller ones.
pub fn choose(
    model: &dyn Model,
    set: DataSet,
    test: &Labelled,
    order: &Order,
    per_class: usize,
    seed: u64,
) -> Result<Choice, ChoiceError> {
    let (mut chosen, mut shown) = (Vec::new(), 0);
    for class in 0..=test.labels.iter().copied().max().unwrap_or(0) {
        let indices = order.of_class(set, test, class, seed)?;
        let mut found = Vec::new();
        for &index in &indices {
            if found.len() == per_class {
                break;
            }
            shown += 1;
            if classified(model, test, index)? == usize::from(class) {
                found.push(Chosen { class, rank: found.len(), index });
            }
        }
        let occurs = test.labels.contains(&class);
        if found.len() < per_class && occurs {
            return Err(ChoiceError::TooFew { class, found: found.len(), wanted: per_class });
        }
        chosen.append(&mut found);
    }
    chosen.sort_by_key(|image| (image.rank, image.class));
    Ok(Choice { images: chosen, shown })
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
    #[error("it holds no lists of images: {why}")]
    NoLists { why: String },
    #[error("image {index} is listed for class {class}, which is not its class in the test set")]
    OfAnotherClass { class: u8, index: usize },
    #[error(transparent)]
    Model(#[from] ModelError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Images;

    /// Says class 0 of a dark pixel and class 1 of a bright one.
    struct Bright;

    impl Model for Bright {
        fn shape(&self) -> &[usize] {
            &[1, 1, 1]
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
                scores.copy_from_slice(&[0.5, x[0]]);
            }
            Ok(())
        }
    }

    /// The third image is bright and labelled 0: the model gets it wrong.
    fn test() -> Labelled {
        let images = Images { channels: 1, height: 1, width: 1, pixels: vec![0, 255, 255, 0, 255, 0] };
        Labelled { images, labels: vec![0, 1, 0, 0, 1, 0] }
    }

    fn chosen(order: &Order, per_class: usize) -> Result<Vec<usize>, ChoiceError> {
        let found = choose(&Bright, DataSet::Mnist, &test(), order, per_class, 1)?;
        Ok(found.images.into_iter().map(|image| image.index).collect())
    }

    #[test]
    fn a_list_is_followed_and_what_the_network_gets_wrong_is_passed_over() {
        let lists = r#"{"mnist": {"accuracy": 0.9, "images": [[5, 2, 0, 3], [4, 1]]}}"#;
        let order = Order::parse(lists, DataSet::Mnist).unwrap();
        assert_eq!(chosen(&order, 2), Ok(vec![5, 4, 0, 1]));
        // Of class 0 it was shown 5, 2 (which it gets wrong) and 0.
        assert_eq!(choose(&Bright, DataSet::Mnist, &test(), &order, 2, 1).unwrap().accuracy(), 0.8);
        assert_eq!(chosen(&order, 3), Err(ChoiceError::TooFew { class: 1, found: 2, wanted: 3 }));
        let wrong = Order::Listed(vec![vec![1], vec![1]]);
        assert_eq!(chosen(&wrong, 1), Err(ChoiceError::OfAnotherClass { class: 0, index: 1 }));
        for damaged in ["[", r#"{"cifar10": {}}"#, r#"{"mnist": {"images": [[-1]]}}"#] {
            let found = Order::parse(damaged, DataSet::Mnist);
            assert!(matches!(found, Err(ChoiceError::NoLists { .. })), "{damaged}");
        }
    }

    #[test]
    fn every_order_chooses_from_the_class_alone() {
        for order in [Order::Hashed, Order::Paper] {
            let mut found = chosen(&order, 2).unwrap();
            assert!([0, 3, 5].contains(&found[0]) && [1, 4].contains(&found[1]), "{order:?}: {found:?}");
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 4);
        }
    }
}
