//! One question about one image: the set, the start, the objective, and whether a point answers it.

use gradless::{
    Batch, Inputs, Model, ModelError, Oracle, OracleError, Problem, ProblemError, Regulariser, Set,
};
use gradless_explain::condition::Condition;
use gradless_explain::features::Coordinates;
use gradless_explain::{Features, Pixels, QuestionError, Start};
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
///
/// Its unknown is the paper's: the part itself, or what is added to the image. Together with [`problem`](Self::problem) it is what every method of the experiments minimises; other programs may ask it too.
pub struct Question<'a> {
    model: &'a dyn Model,
    space: Space,
    /// The input that the unknown 0 stands for: nothing for a part, the image for a change.
    origin: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    start: Vec<f64>,
    condition: Condition,
    weight: f64,
}

impl<'a> Question<'a> {
    /// The question about one image, in the numbers of the experiment: pixels for digits, normalised ones for photographs.
    pub fn new(
        model: &'a dyn Model,
        set: DataSet,
        (images, index): (&Images, usize),
        mode: Mode,
        conventions: Conventions,
    ) -> Result<Self, Unasked> {
        let space = Space::of(set);
        let input = space.input(images, index);
        let dim = input.len();
        let (question, start) = match mode {
            Mode::Pn => {
                let change =
                    gradless_explain::Question::Change { moves: conventions.moves(set), target: None };
                (change, conventions.pn_start(set))
            }
            Mode::Pp => (gradless_explain::Question::Part, Start::Input),
        };
        let features = Pixels {
            lower: space.level(0.0, dim),
            upper: space.level(1.0, dim),
            ..Pixels::new(input, vec![dim], 0.0, 1.0)
        };
        let mut pixels = features.input.clone();
        space.to_pixels(&mut pixels);
        let mut scores = vec![0.0; model.classes()];
        model.scores(Inputs { points: &pixels, dim }, &mut scores)?;
        let condition = question.condition(&scores)?;
        let Coordinates { origin, whole, bounds, .. } = features.coordinates(question)?;
        // From inputs to unknowns.
        let bounds: Vec<(f64, f64)> =
            bounds.iter().zip(&origin).map(|((lower, upper), o)| (lower - o, upper - o)).collect();
        let start = match start {
            Start::Auto | Start::Input => whole.iter().zip(&origin).map(|(whole, o)| whole - o).collect(),
            Start::Zero => vec![0.0; dim],
            Start::Centre => bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2.0).collect(),
        };
        Ok(Self { model, space, origin, bounds, start, condition, weight: weight(set) })
    }

    /// $r$, $K$ and $x_1$.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.bounds.iter().copied().unzip();
        Problem::builder(self.origin.len())
            .regulariser(Regulariser::elastic_net(self.weight, self.weight))
            .set(Set::bounds(lower, upper))
            .centre(vec![0.0; self.origin.len()])
            .start(self.start.clone())
            .build()
    }

    /// By how much the class condition holds at a point; negative: by how much it does not.
    pub fn margin(&self, x: &[f64]) -> Result<f64, ModelError> {
        Ok(self.margins(x)?[0])
    }

    fn margins(&self, points: &[f64]) -> Result<Vec<f64>, ModelError> {
        let dim = self.origin.len();
        let mut points = points.to_vec();
        for row in points.chunks_exact_mut(dim) {
            row.iter_mut().zip(&self.origin).for_each(|(x, origin)| *x += origin);
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
pub fn loss(margin: f64) -> f64 {
    (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
}

/// A question that cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences are those of the causes")]
pub enum Unasked {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Question(#[from] QuestionError),
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Config(#[from] gradless::ConfigError),
    #[error("the network does not answer any more: {message}")]
    Gone { message: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class 0 if the first number is the largest pixel, else class 1.
    struct First(&'static [usize]);

    impl Model for First {
        fn shape(&self) -> &[usize] {
            self.0
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
            for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
                scores.copy_from_slice(&[x[0], x[1..].iter().copied().fold(0.0, f64::max)]);
            }
            Ok(())
        }
    }

    /// Bounds, start and weight of a question about one image.
    fn built(set: DataSet, mode: Mode, conventions: Conventions) -> (Vec<(f64, f64)>, Vec<f64>, f64) {
        let channels = if set == DataSet::Mnist { 1 } else { 3 };
        let model = if channels == 1 { First(&[1, 1, 3]) } else { First(&[3, 1, 1]) };
        let images = Images { channels, height: 1, width: 3 / channels, pixels: vec![255, 51, 0] };
        let question = Question::new(&model, set, (&images, 0), mode, conventions).unwrap();
        let problem = question.problem().unwrap();
        // At (1, 0, 0) the elastic net is l1 + l2/2.
        (question.bounds, question.start, problem.penalty(&[1.0, 0.0, 0.0]) / 1.5)
    }

    #[track_caller]
    fn near(found: &[f64], wanted: &[f64]) {
        let close = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12);
        assert!(found.len() == wanted.len() && close, "{found:?} instead of {wanted:?}");
    }

    #[test]
    fn digits_have_the_sets_starts_and_weights_of_text_and_scripts() {
        let (text, scripts) = (Conventions::SEED, Conventions::AUTHORS);
        let cases = [
            // Pixels 1, 0.2, 0: added to from half way, or moved either way from grey.
            (Mode::Pn, text, [(0.0, 0.0), (0.0, 0.8), (0.0, 1.0)], [0.0, 0.4, 0.5]),
            (Mode::Pn, scripts, [(-1.0, 0.0), (-0.2, 0.8), (0.0, 1.0)], [-0.5, 0.3, 0.5]),
            (Mode::Pp, text, [(0.0, 1.0), (0.0, 0.2), (0.0, 0.0)], [1.0, 0.2, 0.0]),
            (Mode::Pp, scripts, [(0.0, 1.0), (0.0, 0.2), (0.0, 0.0)], [1.0, 0.2, 0.0]),
        ];
        for (mode, conventions, bounds, start) in cases {
            let (found, from, weight) = built(DataSet::Mnist, mode, conventions);
            near(
                &found.iter().flat_map(|&(a, b)| [a, b]).collect::<Vec<_>>(),
                bounds.map(|(a, b)| [a, b]).as_flattened(),
            );
            near(&from, &start);
            near(&[weight], &[0.0625]);
        }
    }

    #[test]
    fn photographs_are_asked_about_in_normalised_numbers() {
        let channels = [(0.4914, 0.2023, 1.0), (0.4822, 0.1994, 0.2), (0.4465, 0.2010, 0.0)];
        let x0 = channels.map(|(mean, std, pixel)| (pixel - mean) / std);
        let low = channels.map(|(_, std, pixel)| -pixel / std);
        let high = channels.map(|(_, std, pixel)| (1.0 - pixel) / std);
        for (conventions, centre) in [(Conventions::SEED, 0.5), (Conventions::AUTHORS, 0.0)] {
            let (bounds, start, weight) = built(DataSet::Cifar10, Mode::Pn, conventions);
            near(&bounds.iter().map(|b| b.0).collect::<Vec<_>>(), &low);
            near(&bounds.iter().map(|b| b.1).collect::<Vec<_>>(), &high);
            near(&start, &[0, 1, 2].map(|i| centre * (low[i] + high[i])));
            near(&[weight], &[0.5]);
            let (bounds, start, _) = built(DataSet::Cifar10, Mode::Pp, conventions);
            near(&bounds.iter().map(|b| b.0).collect::<Vec<_>>(), &x0.map(|x| x.min(0.0)));
            near(&bounds.iter().map(|b| b.1).collect::<Vec<_>>(), &x0.map(|x| x.max(0.0)));
            near(&start, &x0);
        }
    }

    #[test]
    fn the_loss_does_not_overflow_and_tells_validity() {
        assert_eq!((loss(1e4), loss(-1e4)), (0.0, 1e4));
        assert_eq!(loss(0.0), std::f64::consts::LN_2);
        assert!(loss(1e-9) < std::f64::consts::LN_2 && loss(-1e-9) > std::f64::consts::LN_2);
        assert!((loss(0.3) - (1.0 + (-0.3_f64).exp()).ln()).abs() < 1e-15);
    }
}
