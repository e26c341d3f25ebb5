//! What a model tells beyond its class: scores, probabilities, or hardly anything.

use gradless::{Inputs, Model, ModelError};

use crate::{LogScores, ScoreKind};

/// What a model tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Numbers that tell which way the class changes.
    Scores,
    /// The same as probabilities; their logarithms are searched.
    Probabilities,
    /// The class and nothing else.
    Labels,
    /// The scores of so many classes, 0 for the others.
    Top(usize),
}

impl Answers {
    /// Looks at what a model says about some inputs; `kind` is what its scores are said to be.
    pub fn of(model: &dyn Model, kind: ScoreKind, inputs: &[f64]) -> Result<Self, ModelError> {
        let (dim, classes) = (model.inputs(), model.classes());
        let mut scores = vec![0.0; inputs.len() / dim * classes];
        model.scores(Inputs { points: inputs, dim }, &mut scores)?;
        Ok(Self::recognise(&scores, classes, kind))
    }

    /// Looks at scores, `classes` of them per input; `kind` is what they are said to be.
    pub fn recognise(scores: &[f64], classes: usize, kind: ScoreKind) -> Self {
        let rows = || scores.chunks_exact(classes);
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
        if kind == ScoreKind::Probabilities { Self::Probabilities } else { Self::Scores }
    }

    /// The model as it is searched.
    pub fn searched<'a>(self, model: Box<dyn Model + 'a>) -> Box<dyn Model + 'a> {
        match self {
            Self::Probabilities => Box::new(LogScores(model)),
            Self::Scores | Self::Labels | Self::Top(_) => model,
        }
    }

    /// Scores of the searched model as the model itself tells them.
    pub fn told(self, scores: &[f64]) -> Vec<f64> {
        match self {
            Self::Probabilities => scores.iter().map(|score| score.exp()).collect(),
            Self::Scores | Self::Labels | Self::Top(_) => scores.to_vec(),
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scores => "logits",
            Self::Probabilities => "probabilities",
            Self::Labels => "labels",
            Self::Top(_) => "top-k",
        }
    }

    /// What whoever has only this may expect, if it is less than usual.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Scores | Self::Probabilities => None,
            Self::Labels => Some(
                "the model answers labels only: there is no slope to follow, so answers are found by leaving out what is not \
                 needed; expect them to be valid but larger. Export its scores or probabilities for small ones"
                    .to_owned(),
            ),
            Self::Top(count) => Some(format!(
                "the model answers its {count} highest scores only: a class outside of them gives no slope, so pertinent \
                 negatives may be missed or larger. Export all scores if you can"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_tells_is_recognised() {
        let kind = |scores: &[f64], classes, kind| Answers::recognise(scores, classes, kind);
        assert_eq!(kind(&[0.0, 1.0, 1.0, 0.0], 2, ScoreKind::Probabilities), Answers::Labels);
        assert_eq!(kind(&[0.1, 0.9, 1.0, 0.0], 2, ScoreKind::Probabilities), Answers::Probabilities);
        assert_eq!(kind(&[0.0, 0.9, 0.1, 0.0, 0.5, 0.0, 0.0, 0.1], 4, ScoreKind::Logits), Answers::Top(2));
        assert_eq!(kind(&[0.3, 0.9, 0.1, -1.0], 4, ScoreKind::Logits), Answers::Scores);
        assert_eq!(kind(&[0.0, 0.0, 3.0], 3, ScoreKind::Logits), Answers::Scores);
    }
}
