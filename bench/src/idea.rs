//! Estimates that were tried in the paper's method and left: what is remembered or recovered of the gradient as a control variate.
//!
//! Both are unbiased for $\nabla l$, whatever $h$ is, as long as it does not depend on the directions it is compared with:
//!
//! $$ \hat g = h + \frac1m\sum_j (y_j - \langle h, u_j\rangle)\thinspace u_j $$
//!
//! The step is the solver's own: it asks for gradients and is told these estimates.

use gradless::direction::{Direction, Directions};
use gradless::{
    Answers, Ask, Batch, BatchSize, Budget, Config, Estimator, Method, Oracle, Outcome, Problem, Solver,
    StopRule, vector,
};

use crate::Fallible;
use crate::descent::Descent;

/// Measurements that a sparse gradient takes, over $s \ln(d/s)$.
const MEASUREMENTS: f64 = 2.0;
/// A column that is this small beside those before it is one of them.
const NO_COLUMN: f64 = 1e-9;

/// Where $h$ comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idea {
    /// From all batches before (Hanzely, Mishchenko & Richtárik 2018), left out where it explained nothing of the last one.
    Variate,
    /// From the other half of the batch: a sparse gradient that explains it (orthogonal matching pursuit), as far as such
    /// gradients explained the halves they were not made of before.
    Recovery,
}

impl Idea {
    /// All, with their names.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Variate, "variate"), (Self::Recovery, "recovery")];
}

/// A batch of slopes along directions in the free coordinates.
struct Slopes {
    directions: Vec<Vec<f64>>,
    y: Vec<f64>,
}

impl Slopes {
    /// $\frac1m\sum_j (y_j - c\langle h, u_j\rangle) u_j$ over these rows, added to $c h$ with a weight.
    fn around(&self, rows: std::ops::Range<usize>, h: &[f64], c: f64, weight: f64, g: &mut [f64]) {
        let share = weight / rows.len() as f64;
        add(weight * c, h, g);
        for j in rows {
            let left = self.y[j] - c * vector::dot(h, &self.directions[j]);
            add(share * left, &self.directions[j], g);
        }
    }

    /// $\sum_j y_j \langle h, u_j\rangle$ and $\sum_j \langle h, u_j\rangle^2$.
    fn explained(&self, rows: std::ops::Range<usize>, h: &[f64]) -> (f64, f64) {
        rows.map(|j| (self.y[j], vector::dot(h, &self.directions[j])))
            .fold((0.0, 0.0), |(cross, square), (y, told)| (cross + y * told, square + told * told))
    }

    /// The gradient with few entries that explains these rows, entry by entry (orthogonal matching pursuit).
    fn recover(&self, rows: std::ops::Range<usize>, sparsity: usize, h: &mut [f64]) {
        h.fill(0.0);
        let mut left: Vec<f64> = rows.clone().map(|j| self.y[j]).collect();
        // The columns of chosen coordinates, and the same made orthonormal.
        let (mut basis, mut chosen): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        let column = |i: usize| rows.clone().map(|j| self.directions[j][i]).collect::<Vec<f64>>();
        let mut correlation = vec![0.0; h.len()];
        for _ in 0..sparsity {
            correlation.fill(0.0);
            for (j, left) in rows.clone().zip(&left) {
                add(*left, &self.directions[j], &mut correlation);
            }
            let free = (0..h.len()).filter(|i| !chosen.contains(i));
            let Some(best) = free.max_by(|&i, &j| correlation[i].abs().total_cmp(&correlation[j].abs()))
            else {
                break;
            };
            let mut new = column(best);
            for old in &basis {
                let along = vector::dot(old, &new);
                add(-along, old, &mut new);
            }
            let size = vector::dot(&new, &new).sqrt();
            if size < NO_COLUMN {
                break;
            }
            for x in &mut new {
                *x /= size;
            }
            let along = vector::dot(&new, &left);
            add(-along, &new, &mut left);
            basis.push(new);
            chosen.push(best);
        }
        // Back from the basis to the columns: the basis is their QR decomposition.
        let y: Vec<f64> = rows.clone().map(|j| self.y[j]).collect();
        let mut told: Vec<f64> = basis.iter().map(|q| vector::dot(q, &y)).collect();
        for k in (0..chosen.len()).rev() {
            let column = column(chosen[k]);
            let entry = told[k] / vector::dot(&basis[k], &column);
            for (told, q) in told.iter_mut().zip(&basis).take(k) {
                *told -= entry * vector::dot(q, &column);
            }
            h[chosen[k]] = entry;
        }
    }
}

/// What is kept from batch to batch.
struct Estimate {
    idea: Idea,
    h: Vec<f64>,
    /// Whether the memory explained something of the last batch.
    useful: bool,
    /// Sums over batches, the newest counting most: how far recovered gradients explain other halves.
    explained: (f64, f64),
}

impl Estimate {
    fn take(&mut self, slopes: &Slopes) -> Vec<f64> {
        let (m, dim) = (slopes.y.len(), self.h.len());
        let mut g = vec![0.0; dim];
        match self.idea {
            Idea::Variate => {
                slopes.around(0..m, &self.h, if self.useful { 1.0 } else { 0.0 }, 1.0, &mut g);
                let (cross, square) = slopes.explained(0..m, &self.h);
                self.useful = square <= 2.0 * cross;
                let mut news = vec![0.0; dim];
                slopes.around(0..m, &self.h, 1.0, 1.0, &mut news);
                let share = m as f64 / (m + dim - 1) as f64;
                self.h.iter_mut().zip(news).for_each(|(h, new)| *h += share * (new - *h));
            }
            Idea::Recovery => {
                let halves = [0..m / 2, m / 2..m];
                let (cross, square) = self.explained;
                let c = if square > 0.0 { (cross / square).clamp(0.0, 1.0) } else { 0.0 };
                self.explained = (0.5 * cross, 0.5 * square);
                for (made, other) in [(0, 1), (1, 0)] {
                    slopes.recover(halves[made].clone(), sparsity(m / 2, dim), &mut self.h);
                    slopes.around(halves[other].clone(), &self.h, c, 0.5, &mut g);
                    let (cross, square) = slopes.explained(halves[other].clone(), &self.h);
                    self.explained.0 += cross;
                    self.explained.1 += square;
                }
            }
        }
        g
    }
}

/// The largest $s$ with $2 s \ln(d/s) \le m$, at least 1.
fn sparsity(m: usize, dim: usize) -> usize {
    let needs = |s: usize| MEASUREMENTS * s as f64 * (dim as f64 / s as f64).ln();
    (1..=m.min(dim)).take_while(|&s| needs(s) <= m as f64).last().unwrap_or(1)
}

/// Runs the paper's method with such estimates of the gradient until a target is met or the budget is spent.
///
/// `config` is that of the method on values: its batch, radius, weight, seed and budget are taken over.
pub fn descend_by(
    idea: Idea,
    problem: &Problem,
    oracle: &dyn Oracle,
    config: Config,
) -> Fallible<(Descent, Outcome)> {
    let values = Solver::new(problem.clone(), config.clone())?;
    let (m, radius) = (values.batch(), values.radius());
    let budget = config.budget.queries.unwrap_or(u64::MAX);
    let target = match config.stop {
        StopRule::Target(target) => target,
        _ => f64::NEG_INFINITY,
    };
    let mut recipe = Config::new(Method::named("fo-ada-exp-grad+")?, gradless::Preset::Paper).recipe;
    recipe.update = config.recipe.update;
    recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
    let config = Config { recipe, budget: Budget::default(), ..config };
    let free = free_coordinates(problem);
    let mut solver = Solver::new(problem.clone(), config.clone())?;
    let mut directions = Directions::new(Direction::Rademacher, free.len(), config.seed);
    let mut estimate = Estimate { idea, h: vec![0.0; free.len()], useful: false, explained: (0.0, 0.0) };
    let mut descent = Descent::default();
    for iteration in 0.. {
        let x = match solver.ask() {
            Ask::Gradient(queries) => queries.to_matrix(),
            Ask::Stop(_) => break,
            Ask::Evaluate(_) => return Err("a method on gradients asked for values".into()),
        };
        if descent.queries + 1 + m as u64 > budget {
            break;
        }
        directions.draw(iteration, m);
        let zero = vec![0.0; free.len()];
        let mut points = x.clone();
        let mut drawn = Vec::new();
        for j in 0..m {
            let mut u = zero.clone();
            directions.write(j, &zero, 1.0, &mut u);
            let mut point = x.clone();
            free.iter().zip(&u).for_each(|(&i, u)| point[i] += radius * u);
            points.extend(point);
            drawn.push(u);
        }
        let mut values = vec![f64::NAN; m + 1];
        let samples = vec![0; m + 1];
        oracle.evaluate(Batch { points: &points, dim: x.len(), samples: &samples }, &mut values)?;
        let here = values[0];
        let y = values[1..].iter().map(|value| (value - here) / radius).collect();
        descent.note(descent.queries + 1, here + problem.penalty(&x));
        descent.queries += 1 + m as u64;
        let mut gradient = vec![0.0; x.len()];
        let slopes = Slopes { directions: drawn, y };
        free.iter().zip(estimate.take(&slopes)).for_each(|(&i, g)| gradient[i] = g);
        solver.tell(Answers::Gradients { gradients: &gradient, values: Some(&[here]) })?;
        if descent.best() <= target {
            break;
        }
    }
    Ok((descent, solver.finish()))
}

/// $y \mathrel{+}= c x$.
fn add(c: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += c * x);
}

/// The coordinates that can move.
fn free_coordinates(problem: &Problem) -> Vec<usize> {
    let bounds = problem.set().box_bounds();
    let moves = |i: &usize| bounds.is_none_or(|b| b.lower.at(*i) < b.upper.at(*i));
    (0..problem.dim()).filter(moves).collect()
}

#[cfg(test)]
mod tests {
    use gradless::{Regulariser, Set};

    use super::*;

    /// Slopes of a linear function along signs.
    fn slopes(gradient: &[f64], m: usize, seed: u64) -> Slopes {
        let zero = vec![0.0; gradient.len()];
        let mut drawn = Directions::new(Direction::Rademacher, gradient.len(), seed);
        drawn.draw(0, m);
        let direction = |j| {
            let mut u = zero.clone();
            drawn.write(j, &zero, 1.0, &mut u);
            u
        };
        let directions: Vec<Vec<f64>> = (0..m).map(direction).collect();
        let y = directions.iter().map(|u| vector::dot(u, gradient)).collect();
        Slopes { directions, y }
    }

    #[test]
    fn a_sparse_gradient_is_recovered_from_fewer_slopes_than_coordinates() {
        let mut gradient = vec![0.0; 200];
        (gradient[3], gradient[70], gradient[199]) = (2.0, -1.0, 0.5);
        let mut h = vec![1.0; 200];
        slopes(&gradient, 40, 1).recover(0..40, 3, &mut h);
        assert!(h.iter().zip(&gradient).all(|(h, g)| (h - g).abs() < 1e-9), "{h:?}");
    }

    #[test]
    fn estimates_are_unbiased_and_less_noisy_where_something_is_known() {
        let mut gradient = vec![0.0; 100];
        (gradient[3], gradient[70]) = (2.0, -1.0);
        for (idea, _) in Idea::ALL {
            let mut estimate = Estimate { idea, h: vec![0.0; 100], useful: false, explained: (0.0, 0.0) };
            let mut errors = Vec::new();
            let mut mean = vec![0.0; 100];
            for seed in 0..200 {
                let g = estimate.take(&slopes(&gradient, 40, seed));
                add(1.0 / 200.0, &g, &mut mean);
                errors.push(g.iter().zip(&gradient).map(|(g, wanted)| (g - wanted).powi(2)).sum::<f64>());
            }
            // One estimate without a memory has an error of 99 times 5 over 40 directions.
            assert!((errors[0] - 99.0 * 5.0 / 40.0).abs() < 6.0, "{idea:?}: {}", errors[0]);
            assert!(errors[199] < 1e-3 * errors[0], "{idea:?}: {} and {}", errors[0], errors[199]);
            assert!(mean.iter().zip(&gradient).all(|(mean, wanted)| (mean - wanted).abs() < 0.1));
        }
    }

    #[test]
    fn a_run_keeps_to_its_budget_and_ends_at_its_target() {
        let oracle = |x: &[f64]| (x[3] - 1.0).powi(2) + (x[7] + 0.5).powi(2);
        let problem = Problem::builder(30).regulariser(Regulariser::l1(0.05)).set(Set::bounds(-1.0, 1.0));
        let problem = problem.build().unwrap();
        for (idea, name) in Idea::ALL {
            let method: crate::contender::Contender =
                format!("zo-ada-exp-grad+:m=20:{name}").parse().unwrap();
            let (whole, _) = descend_by(idea, &problem, &oracle, method.config(2_000, 1)).unwrap();
            assert!(whole.queries <= 2_000 && whole.queries > 1_900, "{name}: {}", whole.queries);
            assert!(whole.best() < 0.1, "{name}: {}", whole.best());
            let config = Config { stop: StopRule::Target(0.5), ..method.config(2_000, 1) };
            let (stopped, _) = descend_by(idea, &problem, &oracle, config).unwrap();
            assert!(stopped.best() <= 0.5 && stopped.queries < whole.queries);
        }
    }
}
