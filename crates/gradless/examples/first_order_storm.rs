//! Stochastic gradients instead of values: sparse regression on a stream of samples, with and without STORM.
//!
//! `cargo run --example first_order_storm`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use gradless::momentum::StormRate;
use gradless::policy::Output;
use gradless::{BatchSize, Budget, Config, Driver, Estimator, Method, Momentum, Preset, Problem};
use gradless::{Regulariser, Solver};

const DIM: usize = 200;
const GRADIENTS: u64 = 10_000;

/// Uniform on [-1, 1), a function of `i` alone (splitmix64).
fn scattered(i: u64) -> f64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The weights behind the data: three of 200 are not zero.
fn truth(i: usize) -> f64 {
    match i {
        20 => 1.0,
        90 => -0.7,
        150 => 0.4,
        _ => 0.0,
    }
}

/// The gradient of one sample's squared residual. The sample number is all the randomness there is, so the two
/// points STORM compares see the same row of data.
fn gradient(x: &[f64], sample: u64, g: &mut [f64]) {
    let row = |i: usize| scattered(sample * (DIM as u64 + 1) + i as u64);
    let label: f64 = (0..DIM).map(|i| row(i) * truth(i)).sum::<f64>() + 0.5 * row(DIM);
    let residual: f64 = (0..DIM).map(|i| row(i) * x[i]).sum::<f64>() - label;
    g.iter_mut().enumerate().for_each(|(i, g)| *g = residual * row(i));
}

/// The l1 distance to the truth after a fixed number of gradients.
fn error(method: &str, momentum: Momentum) -> Result<f64, Box<dyn Error>> {
    let mut config = Config::new(Method::named(method)?, Preset::Practical);
    config.budget = Budget::queries(GRADIENTS);
    config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(10) };
    config.recipe.momentum = momentum;
    // The iterates are compared, not their averages.
    config.output = Output::Last;
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(0.01)).build()?;
    let outcome = Driver::default().run_gradient(Solver::new(problem, config)?, &gradient);
    assert!(outcome.counts.queries <= GRADIENTS, "the budget is exact");
    Ok(outcome.x().iter().enumerate().map(|(i, x)| (x - truth(i)).abs()).sum())
}

/// The same data, the same number of gradients, with and without momentum.
pub fn main() -> Result<(), Box<dyn Error>> {
    let start: f64 = (0..DIM).map(|i| truth(i).abs()).sum();
    println!("l1 distance to the truth: {start:.3} at the start");
    let plain = error("fo-ada-exp-grad+", Momentum::Plain)?;
    println!("  fo-ada-exp-grad+         {plain:.3} after {GRADIENTS} gradients");
    let storm = error("fo-exp-storm", Momentum::Storm(StormRate { rate: Some(1.0) }))?;
    println!("  fo-exp-storm, rate 1     {storm:.3}, at two gradients per sample");

    assert!(plain < 0.25 * start, "a stream of samples is enough");
    assert!(storm < 0.5 * plain, "the correction removes noise that averaging over ten samples leaves");
    Ok(())
}
