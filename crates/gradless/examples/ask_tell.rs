//! The loop by hand: ask, evaluate, tell, with a snapshot in the middle that continues to the same bits.
//!
//! `cargo run --example ask_tell`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use gradless::{Answers, Ask, Budget, Config, Outcome, Problem, Regulariser, Solver};

const DIM: usize = 300;
const BUDGET: u64 = 3_000;

/// The black box; it could as well be a program, a service or a person.
fn black_box(x: &[f64]) -> f64 {
    (x[5] - 1.0).powi(2) + (x[5] * x[250] + 0.5).powi(2) + 0.5 * x.iter().map(|x| x * x).sum::<f64>()
}

/// Answers one batch; `false` when there is nothing left to ask.
fn one_round(solver: &mut Solver) -> Result<bool, Box<dyn Error>> {
    let mut point = vec![0.0; DIM];
    let values: Vec<f64> = match solver.ask() {
        Ask::Evaluate(queries) => (0..queries.len())
            .map(|row| {
                queries.write(row, &mut point);
                black_box(&point)
            })
            .collect(),
        Ask::Gradient(_) => return Err("this method works on values".into()),
        Ask::Stop(_) => return Ok(false),
    };
    solver.tell(Answers::Values(&values))?;
    Ok(true)
}

fn to_the_end(mut solver: Solver) -> Result<Outcome, Box<dyn Error>> {
    while one_round(&mut solver)? {}
    Ok(solver.finish())
}

/// Runs halfway, writes the run down, and ends it twice: from memory and from the bytes.
pub fn main() -> Result<(), Box<dyn Error>> {
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(0.01)).build()?;
    let config = Config { budget: Budget::queries(BUDGET), seed: 1, ..Config::default() };
    let mut solver = Solver::new(problem, config)?;

    // Halfway the run is written down. The bytes are all it takes: configuration, problem and state.
    while solver.counts().queries < BUDGET / 2 && one_round(&mut solver)? {}
    let bytes = solver.snapshot();
    println!("snapshot after {} queries: {} bytes", solver.counts().queries, bytes.len());

    let uninterrupted = to_the_end(solver)?;
    let resumed = to_the_end(Solver::restore(&bytes)?)?;
    for (name, outcome) in [("uninterrupted", &uninterrupted), ("resumed", &resumed)] {
        let objective = outcome.objective().ok_or("the answer was not evaluated")?;
        println!("{name:>13}: {objective:.15} after {} queries", outcome.counts.queries);
    }

    assert_eq!(uninterrupted, resumed, "the same points, records and counters, bit for bit");
    assert!(resumed.counts.queries <= BUDGET, "the budget is exact across the snapshot");
    assert!(resumed.objective() < Some(1.0), "it started at {}", black_box(&[0.0; DIM]));
    Ok(())
}
