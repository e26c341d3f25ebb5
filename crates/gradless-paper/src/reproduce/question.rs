//! One question about one image: the set, the start, the objective, and whether a point answers it.

use gradless::{Batch, Inputs, Model, ModelError, Oracle, OracleError, Problem, ProblemError};
use gradless_explain::{Condition, Start, Task, TaskError};
use serde::{Deserialize, Serialize};

use super::conventions::Conventions;
use super::space::Space;
use crate::data::{DataSet, Images};

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A pertinent negative: a small change that alters the class.
    Pn,
    /// A pertinent positive: a small part that keeps the class.
    Pp,
}

impl Mode {
    /// `pn` or `pp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pn => "pn",
            Self::Pp => "pp",
        }
    }
}

/// $\lambda_1 = \lambda_2$ of the elastic net.
pub fn weight(set: DataSet) -> f64 {
    match set {
        DataSet::Mnist => 1.0 / 16.0,
        DataSet::Cifar10 => 0.5,
    }
}

/// A question as a black box: $l(x) = \ln(1 + e^{c(x)})$, $c$ being how far the class condition is from being met.
pub(super) struct Question<'a> {
    model: &'a dyn Model,
    space: Space,
    task: Task,
    condition: Condition,
    start: Start,
    weight: f64,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        model: &'a dyn Model,
        set: DataSet,
        (images, index): (&Images, usize),
        mode: Mode,
        conventions: &Conventions,
    ) -> Result<Self, Unasked> {
        let space = Space::of(set);
        let input = space.input(images, index);
        let dim = input.len();
        let (kind, start) = match mode {
            Mode::Pn => (gradless_explain::Mode::PertinentNegative, conventions.pn_start(set)),
            Mode::Pp => (gradless_explain::Mode::PertinentPositive, Start::Input),
        };
        let task = Task {
            lower: space.level(0.0, dim),
            upper: space.level(1.0, dim),
            change: conventions.change(set),
            ..Task::new(kind, input, 0.0, 1.0)
        };
        let mut pixels = task.input.clone();
        space.to_pixels(&mut pixels);
        let mut scores = vec![0.0; model.classes()];
        model.scores(Inputs { points: &pixels, dim }, &mut scores)?;
        let condition = Condition::new(&task, &scores)?;
        Ok(Self { model, space, task, condition, start, weight: weight(set) })
    }

    /// $r$, $K$ and $x_1$.
    pub(super) fn problem(&self) -> Result<Problem, ProblemError> {
        self.task.problem(self.weight, self.weight, self.task.start(self.start))
    }

    /// By how much the class condition holds at a point; negative: by how much it does not.
    pub(super) fn margin(&self, x: &[f64]) -> Result<f64, ModelError> {
        Ok(self.margins(x)?[0])
    }

    fn margins(&self, points: &[f64]) -> Result<Vec<f64>, ModelError> {
        let dim = self.task.dim();
        let mut points = points.to_vec();
        for row in points.chunks_exact_mut(dim) {
            if self.task.mode == gradless_explain::Mode::PertinentNegative {
                row.iter_mut().zip(&self.task.input).for_each(|(x, input)| *x += input);
            }
            self.space.to_pixels(row);
        }
        let classes = self.model.classes();
        let mut scores = vec![0.0; points.len() / dim * classes];
        self.model.scores(Inputs { points: &points, dim }, &mut scores)?;
        Ok(scores.chunks_exact(classes).map(|scores| self.condition.margin(scores)).collect())
    }
}

impl Oracle for Question<'_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for (value, margin) in values.iter_mut().zip(self.margins(batch.points)?) {
            *value = loss(margin);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

/// $\ln(1 + e^{-\text{margin}})$ without overflow: below $\ln 2$ exactly where the margin is positive.
pub(super) fn loss(margin: f64) -> f64 {
    (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
}

/// A question that cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences are those of the causes")]
pub enum Unasked {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Config(#[from] gradless::ConfigError),
    #[error("the network does not answer any more: {message}")]
    Gone { message: String },
}
