//! What a model's scores tell beyond its class, and how they are searched.

use gradless::{Inputs, Model, ModelError};
use serde::Serialize;

use crate::condition::says;

/// Probabilities add up to 1 this closely.
const ADDS_UP: f64 = 1e-3;
/// A tanh in single precision may be so much more than 1.
const ROUNDING: f64 = 1e-6;
/// What stands for the logarithm of 0: that of the smallest number of single precision, $2^{-149}$.
const NEVER: f64 = -103.278_929_903_431_85;

/// What scores are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// Numbers that tell which way the class changes.
    Logits,
    /// The same between -1 and 1, as after a tanh.
    Squashed,
    /// The same as probabilities; their logarithms are searched: a confident model says 1 and 0 for a whole neighbourhood, and
    /// the logarithm of its small numbers still tells where they grow.
    Probabilities,
    /// The class and nothing else.
    Labels,
    /// The scores of so many classes, 0 for the others.
    Top(usize),
}

/// What scores are declared to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Declared {
    /// Nothing: rows of numbers between 0 and 1 that add up to 1 are taken for probabilities.
    #[default]
    Nothing,
    /// Numbers without a scale.
    Logits,
    /// Probabilities.
    Probabilities,
    /// Whatever they are, nothing but the class is used.
    Labels,
}

impl Scores {
    /// Recognises scores, `classes` of them per input.
    pub fn recognise(scores: &[f64], classes: usize, declared: Declared) -> Self {
        let rows = || scores.chunks_exact(classes.max(1));
        if declared == Declared::Labels {
            return Self::Labels;
        }
        if scores.iter().all(|&score| score == 0.0 || score == 1.0)
            && rows().all(|row| row.iter().sum::<f64>() == 1.0)
        {
            return Self::Labels;
        }
        let most =
            rows().map(|row| row.iter().filter(|&&score| score != 0.0).count()).max().unwrap_or(classes);
        if classes >= 4 && most <= classes / 2 {
            return Self::Top(most);
        }
        let adds_up = |row: &[f64]| {
            row.iter().all(|p| (0.0..=1.0).contains(p)) && (row.iter().sum::<f64>() - 1.0).abs() <= ADDS_UP
        };
        match declared {
            Declared::Probabilities => Self::Probabilities,
            Declared::Nothing if rows().all(adds_up) => Self::Probabilities,
            _ if scores.iter().all(|score| score.abs() <= 1.0 + ROUNDING) => Self::Squashed,
            Declared::Nothing | Declared::Logits | Declared::Labels => Self::Logits,
        }
    }

    /// The model as it is searched.
    pub fn searched<'a>(self, model: &'a dyn Model) -> Box<dyn Model + 'a> {
        match self {
            Self::Probabilities => Box::new(Logarithms(model)),
            Self::Labels => Box::new(Decisions(model)),
            Self::Logits | Self::Squashed | Self::Top(_) => Box::new(model),
        }
    }

    /// Scores of the searched model as the model itself gives them.
    pub fn original(self, scores: &[f64]) -> Vec<f64> {
        match self {
            Self::Probabilities => scores.iter().map(|score| score.exp()).collect(),
            Self::Logits | Self::Squashed | Self::Labels | Self::Top(_) => scores.to_vec(),
        }
    }

    /// Whether they may tell how probable the model takes a class to be, by a softmax if they are no probabilities themselves.
    pub fn has_probabilities(self) -> bool {
        matches!(self, Self::Logits | Self::Squashed | Self::Probabilities)
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logits | Self::Squashed => "logits",
            Self::Probabilities => "probabilities",
            Self::Labels => "labels",
            Self::Top(_) => "top-k",
        }
    }

    /// Warning shown when the model reveals less than full scores.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Logits | Self::Squashed | Self::Probabilities => None,
            Self::Labels => Some(
                "the model returns labels only: there is no slope to follow, so answers are found by leaving out what is not \
                 needed. Expect them to be valid but larger. Export its scores or probabilities for smaller ones"
                    .to_owned(),
            ),
            Self::Top(count) => Some(format!(
                "the model returns its {count} highest scores only: a class outside of them gives no slope, so changes may be \
                 missed or larger. Export all scores if you can"
            )),
        }
    }
}

/// A model whose probabilities are told as logarithms; 0 (or below, by rounding) counts as the smallest number of single precision.
struct Logarithms<'a>(&'a dyn Model);

impl Model for Logarithms<'_> {
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

/// A model of which nothing but the class is seen: 1 for it, 0 for the others.
struct Decisions<'a>(&'a dyn Model);

impl Model for Decisions<'_> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn classes(&self) -> usize {
        self.0.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for row in scores.chunks_exact_mut(self.0.classes().max(1)) {
            // What was not answered stays so.
            let Some(class) = says(row) else { continue };
            row.fill(0.0);
            row[class] = 1.0;
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

    #[test]
    fn what_scores_are_is_recognised() {
        let kind = |scores: &[f64], classes, declared| Scores::recognise(scores, classes, declared);
        assert_eq!(kind(&[0.0, 1.0, 1.0, 0.0], 2, Declared::Probabilities), Scores::Labels);
        for declared in [Declared::Nothing, Declared::Probabilities] {
            assert_eq!(kind(&[0.1, 0.9, 1.0, 0.0], 2, declared), Scores::Probabilities);
        }
        assert_eq!(kind(&[0.1, 0.9, 1.0, 0.0], 2, Declared::Logits), Scores::Squashed);
        assert_eq!(kind(&[-0.97, 0.999, 0.1, -1.0], 2, Declared::Nothing), Scores::Squashed);
        assert_eq!(kind(&[0.0, 0.9, 0.1, 0.0, 0.5, 0.0, 0.0, 0.1], 4, Declared::Logits), Scores::Top(2));
        assert_eq!(kind(&[0.3, 0.9, 0.1, -1.1], 4, Declared::Nothing), Scores::Logits);
        assert_eq!(kind(&[0.0, 0.0, 3.0], 3, Declared::Nothing), Scores::Logits);
    }

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
        let says = Says(vec![1.0, 1e-30, 0.0, -1e-9]);
        let model = Scores::Probabilities.searched(&says);
        model.scores(Inputs { points: &[0.5], dim: 1 }, &mut scores).unwrap();
        assert_eq!(scores, [0.0, 1e-30_f64.ln(), NEVER, NEVER]);
        assert!((NEVER - f64::from(f32::from_bits(1)).ln()).abs() < 1e-12);
        assert_eq!(Scores::Probabilities.original(&scores)[0], 1.0);
    }
    #[test]
    fn of_declared_labels_nothing_but_the_class_is_seen() {
        assert_eq!(Scores::recognise(&[0.3, 2.5], 2, Declared::Labels), Scores::Labels);
        let mut scores = [0.0; 3];
        let ask = |says: &Says, scores: &mut [f64]| {
            let model = Scores::Labels.searched(says);
            model.scores(Inputs { points: &[0.5], dim: 1 }, scores).unwrap();
        };
        ask(&Says(vec![-3.0, 7.5, 7.4]), &mut scores);
        assert_eq!(scores, [0.0, 1.0, 0.0]);
        ask(&Says(vec![-3.0, f64::NAN, 7.4]), &mut scores);
        assert!(scores[1].is_nan(), "what was not answered has no class");
    }
}
