//! A model whose every answer is kept in a journal.

use gradless::drive::{Journal, Key, Question, Source};
use gradless::oracle::Recovery;
use gradless::{Inputs, Model, ModelError};

/// Answers from a journal what is in it, and keeps there what is not: inputs are written before they are sent, scores before
/// they are used.
///
/// The journal is one of this model (its `width` is the number of classes) and of one run. With
/// [`Repeats::Remember`](gradless::drive::Repeats::Remember) an input is never sent twice once it was answered. With
/// [`Repeats::AskAgain`](gradless::drive::Repeats::AskAgain) it is sent as often as it is asked for; which of two answers
/// belongs to which asking is then only certain as long as no two threads ask about the same input at once.
#[derive(Clone, Copy, Debug)]
pub struct Journalled<'a, M> {
    /// The model.
    pub model: M,
    /// Where its answers are.
    pub journal: &'a Journal,
}

impl<M: Model> Journalled<'_, M> {
    /// Sends inputs until they are answered or have been sent as often as they may be.
    fn send(&self, questions: &[Question], inputs: Inputs<'_>) -> Result<Vec<f64>, ModelError> {
        let mut scores = vec![0.0; inputs.len() * self.classes()];
        let mut retries = self.journal.options().retries;
        loop {
            self.journal.sending(questions)?;
            match self.model.scores(inputs, &mut scores) {
                Ok(()) => {
                    self.journal.answered(questions, Some(&scores))?;
                    return Ok(scores);
                }
                Err(error) if error.recovery() == Recovery::Impossible => return Err(error),
                Err(error) if retries == 0 => {
                    self.journal.answered(questions, None)?;
                    return Err(error);
                }
                Err(_) => retries -= 1,
            }
        }
    }
}

impl<M: Model> Model for Journalled<'_, M> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let classes = self.classes().max(1);
        let keys: Vec<Key> = inputs.rows().map(|x| Key::new(0, x)).collect();
        let sources = self.journal.look_up(&keys);
        let (mut questions, mut places, mut points) = (Vec::new(), Vec::new(), Vec::new());
        let mut failed = false;
        for (row, (source, x)) in sources.iter().zip(inputs.rows()).enumerate() {
            match source {
                Source::Known(Some(told)) => scores[row * classes..][..classes].copy_from_slice(told),
                Source::Known(None) => failed = true,
                Source::ToSend(question) => {
                    questions.push(*question);
                    places.push(row);
                    points.extend_from_slice(x);
                }
                Source::SameAs(_) => {}
            }
        }
        if !questions.is_empty() {
            let answers = self.send(&questions, Inputs { points: &points, dim: inputs.dim })?;
            for (row, answer) in places.into_iter().zip(answers.chunks_exact(classes)) {
                scores[row * classes..][..classes].copy_from_slice(answer);
            }
        }
        if failed {
            return Err(ModelError::Inputs("the model could not answer, says the journal".to_owned()));
        }
        for (row, source) in sources.iter().enumerate() {
            if let Source::SameAs(other) = *source {
                scores.copy_within(other * classes..(other + 1) * classes, row * classes);
            }
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}
