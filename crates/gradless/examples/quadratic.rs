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

/// Minimises, and says how far it got.
pub fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", told()?);
    Ok(())
}

/// What the defaults reach, beside the minimum that is known.
pub fn told() -> Result<String, Box<dyn Error>> {
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(L1)).build()?;
    let outcome = minimize(problem, &loss, Config::default())?;

    // The minimum is known: soft thresholding moves each of the ten from 1 to 1 - L1.
    let minimum = 10.0 * (L1 * (1.0 - L1) + 0.5 * L1 * L1);
    let start = loss(&[0.0; DIM]);
    let reached = outcome.objective().ok_or("the answer was not evaluated")?;
    let gap = ((reached - minimum) / (start - minimum)).max(0.0);
    if gap > 0.01 || outcome.counts.queries > 5_000 {
        return Err(format!("{gap} of the way are left after {} queries", outcome.counts.queries).into());
    }
    Ok(format!(
        "objective: {start} at the start, {reached:.4} reached, {minimum:.4} possible\n\
         queries:   {} in {} steps\n\
         left:      {:.2} % of the way, after {:.1} queries per coordinate\n",
        outcome.counts.queries,
        outcome.counts.iterations,
        100.0 * gap,
        outcome.counts.queries as f64 / DIM as f64,
    ))
}
