//! How many oracle calls a method makes until it has come close to a minimiser that only the benchmark knows.

use std::error::Error;

use gradless::policy::Finish;
use gradless::{Answers, Ask, Config, Noise, Problem, ProblemError, Regulariser, Set, Solver};
use testkit::families::SparseTarget;

/// What is left of the way when a race is won: a tenth.
const SHARE: f64 = 0.1;

/// Where a race ends. Both are measured at the iterates by the benchmark itself; nothing is charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// $f(x) - f^* \le 0.1\,(f(x_1) - f^*)$.
    Objective,
    /// $\lVert G(x)\rVert_1^2 \le 0.1\,\lVert G(x_1)\rVert_1^2$ with the gradient map of [`gradient_map_l1`], the same for every method.
    GradientMap,
}

impl Goal {
    /// How far a point is from the goal's zero, as a function of the point.
    fn distance(self, target: &SparseTarget) -> impl Fn(&[f64]) -> f64 + '_ {
        // Found once: the nonconvex family searches for it.
        let minimum = target.minimum();
        move |x| match self {
            Self::Objective => target.objective(x) - minimum,
            Self::GradientMap => gradient_map_l1(target, x).powi(2),
        }
    }
}

/// $\lVert G(x)\rVert_1$ with $G(x) = L(x - P(x))$, $P$ the Euclidean proximal step of weight $L$ along the true gradient.
pub fn gradient_map_l1(target: &SparseTarget, x: &[f64]) -> f64 {
    let smoothness = target.smoothness();
    let mut gradient = vec![0.0; x.len()];
    target.gradient(x, &mut gradient);
    let entry = |(x, g): (&f64, &f64)| {
        let z = x - g / smoothness;
        let s = (z.abs() - target.l1 / smoothness).max(0.0) / (1.0 + target.l2 / smoothness);
        smoothness * (x - s.copysign(z).clamp(-1.0, 1.0)).abs()
    };
    x.iter().zip(&gradient).map(entry).sum()
}

/// Runs until the goal is reached and says how many calls led there; `None` if the budget did not suffice.
///
/// The black box is told to repeat itself and no last look is taken, so that an iteration costs its
/// differences and nothing else. Points are written one at a time: the memory is a few vectors in any dimension.
pub fn calls_to(
    goal: Goal,
    target: &SparseTarget,
    config: Config,
) -> Result<Option<u64>, Box<dyn Error + Send + Sync>> {
    let config = Config { noise: Noise::None, finish: Finish::Skip, ..config };
    let mut solver = Solver::new(problem(target)?, config)?;
    let distance = goal.distance(target);
    let wanted = SHARE * distance(&solver.point());
    let mut x = vec![0.0; target.dim];
    let mut values = Vec::new();
    loop {
        match solver.ask() {
            Ask::Stop(_) => return Ok(None),
            Ask::Gradient(_) => return Err("the race is for methods that work on values".into()),
            Ask::Evaluate(queries) => {
                values.clear();
                for row in 0..queries.len() {
                    queries.write(row, &mut x);
                    values.push(target.loss(&x));
                }
            }
        }
        solver.tell(Answers::Values(&values))?;
        if distance(&solver.point()) <= wanted {
            return Ok(Some(solver.counts().queries));
        }
    }
}

/// The problem as the solver sees it: elastic net on $[-1, 1]^d$, from 0.
fn problem(target: &SparseTarget) -> Result<Problem, ProblemError> {
    Problem::builder(target.dim)
        .regulariser(Regulariser::elastic_net(target.l1, target.l2))
        .set(Set::bounds(-1.0, 1.0))
        .build()
}

#[cfg(test)]
mod tests {
    use gradless::{Budget, Method, Preset};

    use super::*;

    #[test]
    fn the_gradient_map_at_the_start_is_known_in_closed_form() {
        // Family A from 0: each of 10 coordinates moves by (0.5 - gamma)/(1 + gamma).
        let gamma = 0.01;
        let target = SparseTarget::quadratic(50, gamma, 1);
        let expected = 10.0 * (0.5 - gamma) / (1.0 + gamma);
        assert!((gradient_map_l1(&target, &[0.0; 50]) - expected).abs() < 1e-12);
    }

    #[test]
    fn calls_are_whole_iterations_and_the_budget_is_kept() {
        let target = SparseTarget::quadratic(100, 0.0, 1);
        // 100 coordinates: 37 directions and one base point per iteration; `auto` looks along 8 and surveys along 37.
        let of_directions = |calls: u64| calls.is_multiple_of(38);
        let of_looks = |calls: u64| (0..=calls / 38).any(|surveys| (calls - 38 * surveys).is_multiple_of(9));
        for method in [Method::of_the_paper(), Method::default()] {
            let config = Config::new(method, Preset::Practical);
            let calls = calls_to(Goal::Objective, &target, config.clone()).unwrap().expect("reached");
            let is_whole = if method.name == "auto" { of_looks(calls) } else { of_directions(calls) };
            assert!(is_whole && calls < 1_000, "{}: {calls}", method.name);
            let too_few = Config { budget: Budget::queries(calls - 1), ..config };
            assert_eq!(calls_to(Goal::Objective, &target, too_few).unwrap(), None);
        }
    }
}
