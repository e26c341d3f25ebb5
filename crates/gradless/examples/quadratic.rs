//! A thousand coordinates, ten that matter: what the defaults reach with 5,000 queries.
//!
//! `cargo run --example quadratic`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use gradless::{Config, Problem, Regulariser, minimize};

const DIM: usize = 1_000;
const L1: f64 = 0.05;

/// What the black box pulls to: every hundredth coordinate to +1 or -1, the others to 0.
fn target(i: usize) -> f64 {
    match i % 200 {
        0 => 1.0,
        100 => -1.0,
        _ => 0.0,
    }
}

/// The black box. It touches all coordinates; the optimiser is never told which ones matter.
fn loss(x: &[f64]) -> f64 {
    0.5 * x.iter().enumerate().map(|(i, x)| (x - target(i)).powi(2)).sum::<f64>()
}

/// Minimises, and compares with the minimum that is known.
pub fn main() -> Result<(), Box<dyn Error>> {
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(L1)).build()?;
    let outcome = minimize(problem, &loss, Config::default())?;

    // The minimum is known: soft thresholding moves each of the ten from 1 to 1 - L1.
    let minimum = 10.0 * (L1 * (1.0 - L1) + 0.5 * L1 * L1);
    let start = loss(&[0.0; DIM]);
    let reached = outcome.objective().ok_or("the answer was not evaluated")?;
    println!("objective: {start} at the start, {reached:.4} reached, {minimum:.4} possible");
    println!("queries:   {} in {} steps", outcome.counts.queries, outcome.counts.iterations);
    let gap = (reached - minimum) / (start - minimum);
    println!("left:      {:.2} % of the way, after fewer than five queries per coordinate", 100.0 * gap);
    assert!(gap < 0.01, "99 % of the way is gone");
    assert!(outcome.counts.queries <= 5_000, "the budget is exact");
    Ok(())
}
