//! The steps of `auto`, one by one: which are kept and which are taken back.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::auto::Component;
use gradless::method::UpdateRule;
use gradless::{Answers, Ask, Problem, Regulariser, Set, Solver};
use support::quiet_config;

/// A point that was asked, and what became of the step to it.
#[derive(Debug)]
struct Tried {
    loss: f64,
    objective: f64,
    kept: bool,
}

/// The steps of the first descent, read off the weights: shorter steps follow one that was taken back, longer ones follow one
/// that was kept. Left out is what is learned of the curvature, which is added to the weights.
fn first_descent(problem: Problem, f: impl Fn(&[f64]) -> f64) -> Vec<Tried> {
    let mut config = quiet_config("auto", 3_000);
    config.recipe.update = UpdateRule::Auto { without: Some(Component::Curvature) };
    let mut solver = Solver::new(problem, config).unwrap();
    let mut points: Vec<Vec<f64>> = Vec::new();
    while let Ask::Evaluate(queries) = solver.ask() {
        let rows = queries.to_matrix();
        let values: Vec<f64> = rows.chunks(rows.len() / queries.len()).map(&f).collect();
        let before = solver.history().len();
        solver.tell(Answers::Values(&values)).unwrap();
        if solver.history().len() > before {
            points.push(rows[..solver.dim()].to_vec());
        }
    }
    let records = solver.history();
    let tried = |t: usize| Tried {
        loss: records[t].loss.unwrap(),
        objective: records[t].objective.unwrap(),
        // The start is.
        kept: t == 0 || records[t].step_size < records[t - 1].step_size,
    };
    // Without a step a descent has ended.
    let length = records.iter().take_while(|record| record.step_size > 0.0).count();
    (0..length).filter(|&t| t == 0 || points[t] != points[t - 1]).map(tried).collect()
}

/// The highest of the last five objectives that were kept before each step, and the loss of the last.
fn before(tried: &[Tried], step: usize) -> (f64, f64) {
    let kept: Vec<&Tried> = tried[..step].iter().filter(|tried| tried.kept).collect();
    let recent = kept.iter().rev().take(5).map(|tried| tried.objective);
    (recent.fold(f64::NEG_INFINITY, f64::max), kept.last().unwrap().loss)
}

#[test]
fn a_step_is_taken_back_where_it_ends_above_the_last_five_and_only_there() {
    // Curved up to 400 times as much along one coordinate as along another, and with nothing to lose elsewhere.
    let f = |x: &[f64]| {
        let bowl = |(i, x): (usize, &f64)| (1.0 + i as f64).powi(2) * (x - 0.4).powi(2);
        x.iter().enumerate().map(bowl).sum::<f64>()
    };
    let problem = Problem::builder(20).set(Set::bounds(-1.0, 1.0)).build().unwrap();
    let tried = first_descent(problem, f);
    for step in 1..tried.len() {
        let (highest, _) = before(&tried, step);
        assert_eq!(tried[step].kept, tried[step].objective < highest, "{step}: {:?}, {highest}", tried[step]);
    }
    let taken_back = tried.iter().filter(|tried| !tried.kept).count();
    assert!(taken_back >= 20 && tried.len() >= 200, "{taken_back} of {}", tried.len());
}

#[test]
fn no_step_is_kept_that_loses_a_twentieth_of_what_there_is_to_lose() {
    // Where the regulariser is smallest, at 0, the loss is 2.
    let ditch = |x: &[f64]| 2.0 / (1.0 + (8.0 * (x[..5].iter().sum::<f64>() - 2.0)).exp());
    let there = ditch(&[0.0; 5]);
    let problem = Problem::builder(60)
        .regulariser(Regulariser::l1(0.3))
        .set(Set::bounds(0.0, 1.0))
        .start(vec![0.5; 60])
        .build()
        .unwrap();
    let tried = first_descent(problem, ditch);
    let mut losing = 0;
    for step in 1..tried.len() {
        let (highest, loss) = before(&tried, step);
        let loses = tried[step].loss - loss > 0.05 * (there - loss);
        assert!(!(tried[step].kept && loses), "{step}: {:?} after {loss}", tried[step]);
        // Others are taken back because the objective is too high.
        losing += usize::from(loses && tried[step].objective < highest);
    }
    assert!(losing >= 2, "{losing}");
}
