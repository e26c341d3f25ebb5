//! How low a method came after how many queries, to the query.

use gradless::query::Queries;
use gradless::{Answers, Ask, Batch, Config, Oracle, Outcome, Problem, Solver};

use crate::Fallible;

/// A value and the solver's best are the same number up to the order of their sums.
const SAME: f64 = 1e-9;

/// The smallest objective seen, as a falling staircase over queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descent {
    /// After so many queries so low; both strictly monotone.
    steps: Vec<(u64, f64)>,
    /// Queries made in all.
    pub queries: u64,
}

impl Descent {
    /// Notes what is the smallest objective after so many queries, if it is.
    pub fn note(&mut self, queries: u64, objective: f64) {
        if objective < self.best() {
            self.steps.push((queries, objective));
        }
    }

    /// The smallest objective seen within so many queries; infinite before the first.
    pub fn at(&self, queries: u64) -> f64 {
        let seen = self.steps.iter().take_while(|step| step.0 <= queries);
        seen.last().map_or(f64::INFINITY, |step| step.1)
    }

    /// The smallest objective seen.
    pub fn best(&self) -> f64 {
        self.at(u64::MAX)
    }

    /// After how many queries an objective of at most `target` was first seen.
    pub fn reaches(&self, target: f64) -> Option<u64> {
        self.steps.iter().find(|step| step.1 <= target).map(|step| step.0)
    }
}

/// Runs a method to its end and keeps what the solver itself calls its best, beside its result.
///
/// Exact within a batch: the query that counts is the row whose objective the solver's best is. Points that a method only
/// uses for differences, perhaps outside $K$, do not count, whatever their values.
pub fn descend(problem: &Problem, oracle: &dyn Oracle, config: Config) -> Fallible<(Descent, Outcome)> {
    let mut solver = Solver::new(problem.clone(), config)?;
    let mut descent = Descent::default();
    let mut room = Room::default();
    let mut objectives = Vec::new();
    loop {
        match solver.ask() {
            Ask::Stop(_) => {
                descent.queries = solver.counts().queries;
                return Ok((descent, solver.finish()));
            }
            Ask::Gradient(_) => return Err("methods that work on gradients cannot take part".into()),
            Ask::Evaluate(queries) => {
                objectives.clear();
                room.answer(&queries, oracle, |x, value| objectives.push(value + problem.penalty(x)))?;
            }
        }
        let before = solver.counts().queries;
        solver.tell(Answers::Values(&room.values))?;
        if let Some(best) = solver.best_objective() {
            let is_best = |objective: &f64| (objective - best).abs() <= SAME * best.abs().max(SAME);
            let row = objectives.iter().position(is_best).unwrap_or(objectives.len() - 1);
            descent.note(before + row as u64 + 1, best);
        }
    }
}

/// Where points and values of a batch are written.
#[derive(Debug, Default)]
pub struct Room {
    points: Vec<f64>,
    samples: Vec<u64>,
    /// One value per row of the batch answered last.
    pub values: Vec<f64>,
}

impl Room {
    /// Asks the black box about a batch, in chunks of the size it likes; every point and its value are shown once.
    pub fn answer(
        &mut self,
        queries: &Queries<'_>,
        oracle: &dyn Oracle,
        mut shown: impl FnMut(&[f64], f64),
    ) -> Fallible<()> {
        let dim = queries.dim();
        self.values.clear();
        self.values.resize(queries.len(), f64::NAN);
        let rows = oracle.preferred_rows().clamp(1, queries.len().max(1));
        for (chunk, values) in self.values.chunks_mut(rows).enumerate() {
            let range = chunk * rows..chunk * rows + values.len();
            self.points.resize(values.len() * dim, 0.0);
            queries.write_rows(range.clone(), &mut self.points);
            self.samples.clear();
            self.samples.extend(range.map(|row| queries.sample(row)));
            oracle.evaluate(Batch { points: &self.points, dim, samples: &self.samples }, values)?;
            self.points.chunks_exact(dim).zip(&*values).for_each(|(x, &value)| shown(x, value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use gradless::{Budget, Regulariser, Set, StopRule};

    use super::*;

    #[test]
    fn a_staircase_tells_values_and_queries() {
        let mut descent = Descent::default();
        for (queries, objective) in [(1, 4.0), (10, 3.0), (20, 3.5), (30, 1.0)] {
            descent.note(queries, objective);
        }
        assert_eq!(
            [0, 1, 9, 10, 25, 30, 99].map(|q| descent.at(q)),
            [f64::INFINITY, 4.0, 4.0, 3.0, 3.0, 1.0, 1.0]
        );
        assert_eq!(
            [5.0, 3.0, 2.0, 0.5].map(|target| descent.reaches(target)),
            [Some(1), Some(10), Some(30), None]
        );
    }

    #[test]
    fn the_target_is_counted_at_the_very_query_that_met_it() {
        // Every value is kept in the order it was asked for; the first that meets the target is counted by hand.
        let (seen, l1, target) = (Mutex::new(Vec::new()), 0.05, 0.5);
        let oracle = |x: &[f64]| {
            let value = (x[3] - 1.0).powi(2) + (x[7] + 0.5).powi(2);
            let norm: f64 = x.iter().map(|x| x.abs()).sum();
            let inside = x.iter().all(|x| x.abs() <= 1.0);
            seen.lock().unwrap().push((value + l1 * norm, inside));
            value
        };
        let problem = Problem::builder(30).regulariser(Regulariser::l1(l1)).set(Set::bounds(-1.0, 1.0));
        let problem = problem.build().unwrap();
        let config = Config { budget: Budget::queries(3_000), ..Config::default() };
        let (whole, outcome) = descend(&problem, &oracle, config.clone()).unwrap();
        let queries = whole.reaches(target).expect("easy");
        let values = std::mem::take(&mut *seen.lock().unwrap());
        let (value, inside) = values[usize::try_from(queries).unwrap() - 1];
        assert!(value <= target && inside, "query {queries} is the one that met it: {value}");
        assert!((whole.at(queries) - value).abs() < 1e-12 && whole.at(queries - 1) > target);
        assert!(whole.queries <= 3_000 && values.len() as u64 == whole.queries);
        assert_eq!(outcome.best.objective(), Some(whole.best()));

        let config = Config { stop: StopRule::Target(target), ..config };
        let (stopped, _) = descend(&problem, &oracle, config).unwrap();
        assert_eq!(stopped.reaches(target), Some(queries), "stopping changes nothing before");
        assert!(stopped.queries < whole.queries);
    }
}
