//! The problem as the user states it: checked once, valid for ever.

use crate::error::ProblemError;
use crate::policy::Outside;
use crate::regulariser::Regulariser;
use crate::set::Set;
use crate::vector;

/// $\min_{x\in K} l(x) + r(x)$ without the black box $l$: dimension, $r$, $K$ and where to start.
///
/// ```
/// use gradless::{Problem, Regulariser, Set};
/// let problem = Problem::builder(3)
///     .regulariser(Regulariser::l1(0.1))
///     .set(Set::bounds(0.0, vec![1.0, 2.0, f64::INFINITY]))
///     .start(vec![0.5, 0.5, 0.5])
///     .build()?;
/// assert_eq!(problem.dim(), 3);
/// # Ok::<(), gradless::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub(crate) dim: usize,
    pub(crate) regulariser: Regulariser,
    pub(crate) set: Set,
    pub(crate) start: Option<Vec<f64>>,
    pub(crate) centre: Option<Vec<f64>>,
    pub(crate) outside: Outside,
}

impl Problem {
    /// Starts the description of a problem in $\mathbb R^{dim}$; what is not said is free and unregularised.
    pub fn builder(dim: usize) -> ProblemBuilder {
        ProblemBuilder {
            problem: Self {
                dim,
                regulariser: Regulariser::none(),
                set: Set::Free,
                start: None,
                centre: None,
                outside: Outside::default(),
            },
        }
    }

    /// The number of coordinates, fixed ones included.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// $r$, centred at 0.
    pub fn regulariser(&self) -> &Regulariser {
        &self.regulariser
    }

    /// $K$.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// $r(x - b)$, $b$ being the centre.
    pub fn penalty(&self, x: &[f64]) -> f64 {
        match &self.centre {
            None => self.regulariser.value(x),
            Some(centre) => {
                let shifted: Vec<f64> = x.iter().zip(centre).map(|(x, b)| x - b).collect();
                self.regulariser.value(&shifted)
            }
        }
    }
}

/// Collects the parts of a [`Problem`]; [`build`](Self::build) checks them together.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ProblemBuilder {
    problem: Problem,
}

impl ProblemBuilder {
    /// $r$; none unless said.
    pub fn regulariser(mut self, regulariser: Regulariser) -> Self {
        self.problem.regulariser = regulariser;
        self
    }

    /// $K$; everything unless said.
    pub fn set(mut self, set: Set) -> Self {
        self.problem.set = set;
        self
    }

    /// $x_1$; the point of $K$ nearest to the centre unless said.
    pub fn start(mut self, start: impl Into<Vec<f64>>) -> Self {
        self.problem.start = Some(start.into());
        self
    }

    /// $b$: the point the regulariser pulls to, $r(x - b)$; 0 unless said.
    ///
    /// The whole geometry moves with it: the method then works on $x - b$, so "sparse" means few coordinates
    /// that differ from $b$. Sets of their own centre (balls, simplex) do not move and are refused.
    pub fn centre(mut self, centre: impl Into<Vec<f64>>) -> Self {
        self.problem.centre = Some(centre.into());
        self
    }

    /// What to do with a start outside $K$; refused unless said.
    pub fn outside(mut self, outside: Outside) -> Self {
        self.problem.outside = outside;
        self
    }

    /// The problem, or the first thing that is wrong with it.
    pub fn build(self) -> Result<Problem, ProblemError> {
        let problem = self.problem;
        let dim = problem.dim;
        if dim == 0 {
            return Err(ProblemError::ZeroDimension);
        }
        problem.regulariser.check(dim)?;
        problem.set.check(dim)?;
        if let Some(centre) = &problem.centre {
            check_point("centre", centre, dim)?;
            if !matches!(problem.set, Set::Free | Set::Box(_)) {
                return Err(ProblemError::CentredBall);
            }
        }
        if let Some(start) = &problem.start {
            check_point("start", start, dim)?;
            let violation = problem.set.violation(start);
            if violation > 0.0 && problem.outside == Outside::Refuse {
                return Err(ProblemError::StartOutside { violation });
            }
        }
        Ok(problem)
    }
}

fn check_point(what: &'static str, point: &[f64], dim: usize) -> Result<(), ProblemError> {
    if point.len() != dim {
        return Err(ProblemError::WrongLength { what, expected: dim, found: point.len() });
    }
    match vector::first_not_finite(point) {
        Some((index, value)) => Err(ProblemError::NotFinite { what, index, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_problem_is_refused_with_what_is_wrong() {
        let cases = [
            (Problem::builder(0), ProblemError::ZeroDimension),
            (
                Problem::builder(2).start(vec![0.0]),
                ProblemError::WrongLength { what: "start", expected: 2, found: 1 },
            ),
            (
                Problem::builder(2).start(vec![0.0, f64::INFINITY]),
                ProblemError::NotFinite { what: "start", index: 1, value: f64::INFINITY },
            ),
            (
                Problem::builder(2).regulariser(Regulariser::l1(-1.0)),
                ProblemError::BadWeight { what: "l1 weight", index: 0, value: -1.0 },
            ),
            (
                Problem::builder(2).regulariser(Regulariser::l2(vec![1.0])),
                ProblemError::WrongLength { what: "l2 weight", expected: 2, found: 1 },
            ),
            (Problem::builder(2).set(Set::l2_ball(0.0)), ProblemError::BadSize { value: 0.0 }),
            (
                Problem::builder(2).set(Set::bounds(1.0, 0.0)),
                ProblemError::CrossedBounds { index: 0, lower: 1.0, upper: 0.0 },
            ),
            (
                Problem::builder(2).set(Set::bounds(0.0, 1.0)).start(vec![0.5, 1.25]),
                ProblemError::StartOutside { violation: 0.25 },
            ),
            (Problem::builder(2).set(Set::simplex()).centre(vec![0.5, 0.5]), ProblemError::CentredBall),
        ];
        for (builder, expected) in cases {
            assert_eq!(builder.build(), Err(expected));
        }
    }

    #[test]
    fn nan_in_the_start_is_refused() {
        let error = Problem::builder(2).start(vec![f64::NAN, 0.0]).build().unwrap_err();
        assert!(matches!(error, ProblemError::NotFinite { what: "start", index: 0, .. }));
    }

    #[test]
    fn the_penalty_is_measured_from_the_centre() {
        let problem =
            Problem::builder(2).regulariser(Regulariser::l1(2.0)).centre(vec![1.0, 1.0]).build().unwrap();
        assert_eq!(problem.penalty(&[1.0, 0.0]), 2.0);
    }
}
