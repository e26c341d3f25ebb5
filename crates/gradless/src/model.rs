//! The seam to a classifier: inputs in, one score per class out, and the way from there to a black box.

use std::sync::Arc;

use crate::oracle::{Batch, Oracle, OracleError, Recovery};

/// A batch of inputs for a model.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The inputs, one after the other.
    pub points: &'a [f64],
    /// Numbers per input.
    pub dim: usize,
}

impl<'a> Inputs<'a> {
    /// The number of inputs.
    pub fn len(&self) -> usize {
        self.points.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The inputs one by one.
    pub fn rows(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.points.chunks_exact(self.dim.max(1))
    }
}

/// A classifier: batches of inputs to score vectors.
///
/// The answer to an input does not depend on the other inputs of its batch, nor on the thread that asks.
///
/// ```
/// use gradless::model::{Inputs, Model, ModelError};
///
/// struct Sign;
///
/// impl Model for Sign {
///     fn shape(&self) -> &[usize] {
///         &[3]
///     }
///     fn classes(&self) -> usize {
///         2
///     }
///     fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
///         self.check(inputs, scores)?;
///         for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
///             let sum: f64 = x.iter().sum();
///             scores.copy_from_slice(&[sum, -sum]);
///         }
///         Ok(())
///     }
/// }
///
/// let mut scores = [0.0; 2];
/// Sign.scores(Inputs { points: &[1.0, 2.0, 3.0], dim: 3 }, &mut scores)?;
/// assert_eq!(scores, [6.0, -6.0]);
/// # Ok::<(), ModelError>(())
/// ```
pub trait Model: Sync {
    /// The shape of one input, channels first: `[1, 28, 28]` for a grey picture.
    fn shape(&self) -> &[usize];

    /// Numbers per input: the product of the shape.
    fn inputs(&self) -> usize {
        self.shape().iter().product()
    }

    /// Scores per input.
    fn classes(&self) -> usize;

    /// Writes [`classes`](Self::classes) scores per input, one input after the other. May be called from several threads
    /// at once. After an error, what stands in `scores` means nothing.
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError>;

    /// How many inputs it likes at once.
    fn preferred_rows(&self) -> usize {
        1
    }

    /// Whether inputs and scores have the right lengths; for the first line of [`scores`](Self::scores).
    fn check(&self, inputs: Inputs<'_>, scores: &[f64]) -> Result<(), ModelError> {
        let (expected, classes) = (self.inputs(), self.classes());
        if inputs.dim != expected || !inputs.points.len().is_multiple_of(expected.max(1)) {
            return Err(ModelError::WrongInput { expected, dim: inputs.dim, numbers: inputs.points.len() });
        }
        let room = inputs.len() * classes;
        if scores.len() == room {
            Ok(())
        } else {
            Err(ModelError::WrongRoom { expected: room, found: scores.len() })
        }
    }
}

macro_rules! model_behind {
    ($pointer:ty $(, $bound:ident)?) => {
        impl<M: Model + ?Sized $(+ $bound)?> Model for $pointer {
            fn shape(&self) -> &[usize] {
                (**self).shape()
            }
            fn inputs(&self) -> usize {
                (**self).inputs()
            }
            fn classes(&self) -> usize {
                (**self).classes()
            }
            fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
                (**self).scores(inputs, scores)
            }
            fn preferred_rows(&self) -> usize {
                (**self).preferred_rows()
            }
        }
    };
}

model_behind!(&M);
model_behind!(Box<M>);
model_behind!(Arc<M>, Send);

/// A model that could not answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The inputs do not have the model's shape.
    #[error(
        "the model takes inputs of {expected} numbers, it was given {numbers} numbers in rows of {dim}: bring the input to the model's shape"
    )]
    WrongInput {
        /// Numbers per input of the model.
        expected: usize,
        /// Numbers per input as given.
        dim: usize,
        /// Numbers given in all.
        numbers: usize,
    },
    /// The scores do not fit where they should be written.
    #[error("the answer has {expected} scores, there is room for {found}")]
    WrongRoom {
        /// Scores to be written.
        expected: usize,
        /// Room for them.
        found: usize,
    },
    /// A score is NaN or infinite.
    #[error("score {class} of input {row} of the batch is {value}: the model cannot be asked there")]
    NotFinite {
        /// Which input of the batch.
        row: usize,
        /// Which class.
        class: usize,
        /// What the model said.
        value: f64,
    },
    /// Answering would take more inputs than are allowed.
    #[error(
        "{asked} more inputs would exceed the cap of {cap}: {used} have been sent. Raise the cap to go on"
    )]
    Capped {
        /// Inputs allowed.
        cap: u64,
        /// Inputs sent so far.
        used: u64,
        /// Inputs of the batch that was refused.
        asked: u64,
    },
    /// These inputs could not be answered, others may.
    #[error("{0}")]
    Inputs(String),
    /// Nothing will be answered any more.
    #[error("{0}")]
    Gone(String),
}

impl ModelError {
    /// Whether other inputs may still be answered.
    pub fn recovery(&self) -> Recovery {
        match self {
            Self::NotFinite { .. } | Self::Inputs(_) => Recovery::Possible,
            Self::WrongInput { .. } | Self::WrongRoom { .. } | Self::Capped { .. } | Self::Gone(_) => {
                Recovery::Impossible
            }
        }
    }
}

impl From<ModelError> for OracleError {
    fn from(error: ModelError) -> Self {
        Self { message: error.to_string(), recovery: error.recovery() }
    }
}

/// A black box made of a model and a loss: $l(x) = \text{loss}(\text{scores}(x))$.
///
/// One buffer of scores per batch is all it allocates; the points go to the model as they are.
///
/// ```
/// # use gradless::model::{Inputs, Model, ModelError};
/// # struct Sign;
/// # impl Model for Sign {
/// #     fn shape(&self) -> &[usize] { &[2] }
/// #     fn classes(&self) -> usize { 2 }
/// #     fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
/// #         for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
/// #             scores.copy_from_slice(&[x[0] + x[1], -x[0] - x[1]]);
/// #         }
/// #         Ok(())
/// #     }
/// # }
/// use gradless::{Config, Problem, Regulariser, Scored, minimize};
///
/// // The smallest input whose first score is one above its second.
/// let black_box = Scored { model: Sign, loss: |scores: &[f64]| (scores[1] - scores[0] + 1.0).max(0.0) };
/// let problem = Problem::builder(2).regulariser(Regulariser::l2(0.1)).build()?;
/// let outcome = minimize(problem, &black_box, Config::default())?;
/// assert!(outcome.x().iter().sum::<f64>() > 0.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scored<M, L> {
    /// The classifier.
    pub model: M,
    /// What the scores of one input cost.
    pub loss: L,
}

impl<M: Model, L: Fn(&[f64]) -> f64 + Sync> Oracle for Scored<M, L> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let classes = self.model.classes();
        let mut scores = vec![0.0; values.len() * classes];
        self.model.scores(Inputs { points: batch.points, dim: batch.dim }, &mut scores)?;
        for (value, scores) in values.iter_mut().zip(scores.chunks_exact(classes.max(1))) {
            *value = (self.loss)(scores);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums;

    impl Model for Sums {
        fn shape(&self) -> &[usize] {
            &[1, 2]
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            self.check(inputs, scores)?;
            for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
                scores.copy_from_slice(&[x[0] + x[1], x[0] - x[1]]);
            }
            Ok(())
        }
        fn preferred_rows(&self) -> usize {
            7
        }
    }

    #[test]
    fn a_scored_model_is_an_oracle_that_likes_the_same_batches() {
        let boxed: Box<dyn Model> = Box::new(Sums);
        let oracle = Scored { model: boxed, loss: |scores: &[f64]| scores[0] * scores[1] };
        let batch = Batch { points: &[3.0, 2.0, 1.0, 0.0], dim: 2, samples: &[0, 0] };
        let mut values = [0.0; 2];
        oracle.evaluate(batch, &mut values).unwrap();
        assert_eq!((values, oracle.preferred_rows()), ([5.0, 1.0], 7));
    }

    #[test]
    fn wrong_lengths_are_refused_and_end_a_run() {
        let inputs = |points, dim| Inputs { points, dim };
        for (inputs, room) in
            [(inputs(&[1.0; 3][..], 3), 2), (inputs(&[1.0; 3], 2), 2), (inputs(&[1.0; 4], 2), 5)]
        {
            let error = Sums.scores(inputs, &mut vec![0.0; room]).unwrap_err();
            assert_eq!(OracleError::from(error).recovery, Recovery::Impossible);
        }
    }

    #[test]
    fn an_answer_that_is_not_finite_concerns_its_batch_only() {
        let error = ModelError::NotFinite { row: 3, class: 1, value: f64::NAN };
        assert_eq!(error.recovery(), Recovery::Possible);
        assert!(error.to_string().contains("input 3"), "{error}");
    }
}
