//! Which features matter, when only the loss of a model can be asked: the lasso without gradients.
//!
//! `cargo run --example lasso`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use gradless::{Budget, Config, Problem, Regulariser, minimize};

const ROWS: usize = 80;
const FEATURES: usize = 200;
const TRUTH: [(usize, f64); 4] = [(17, 1.5), (60, -1.0), (111, 0.8), (180, -0.6)];

/// +1 or -1, a function of `i` alone (the last bit of splitmix64).
fn sign(i: usize) -> f64 {
    let mut z = (i as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    if (z ^ (z >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
}

/// Makes data, hides them behind a loss, and compares what is found with what was put in.
pub fn main() -> Result<(), Box<dyn Error>> {
    // Data: y = A w + a little noise, with four weights that are not zero and fewer rows than features.
    let a: Vec<f64> = (0..ROWS * FEATURES).map(sign).collect();
    let y: Vec<f64> = (0..ROWS)
        .map(|row| {
            let signal: f64 = TRUTH.iter().map(|&(i, w)| w * a[row * FEATURES + i]).sum();
            signal + 0.05 * sign(ROWS * FEATURES + row)
        })
        .collect();

    // The black box returns the mean squared residual and nothing else.
    let loss = |w: &[f64]| {
        let residual = |row: usize| gradless::vector::dot(&a[row * FEATURES..][..FEATURES], w) - y[row];
        (0..ROWS).map(|row| residual(row).powi(2)).sum::<f64>() / (2 * ROWS) as f64
    };

    let problem = Problem::builder(FEATURES).regulariser(Regulariser::l1(0.05)).build()?;
    let config = Config { budget: Budget::queries(10_000), ..Config::default() };
    let outcome = minimize(problem, &loss, config)?;

    // Noise of the estimates leaves a dust of tiny weights; a feature counts if its weight can be seen.
    let w = outcome.x();
    let found: Vec<usize> = (0..FEATURES).filter(|&i| w[i].abs() > 0.1).collect();
    println!("feature   found    true");
    for &(i, truth) in &TRUTH {
        println!("{i:>7}  {:>6.3}  {truth:>6.3}", w[i]);
    }
    let dust = (0..FEATURES).filter(|i| !found.contains(i)).map(|i| w[i].abs()).fold(0.0, f64::max);
    println!("the largest of the other {}: {dust:.4}", FEATURES - found.len());
    println!("{} queries; loss {:.4}, {:.4} at 0", outcome.counts.queries, loss(w), loss(&[0.0; FEATURES]));

    // The l1 weight shrinks what it keeps; the support and the signs are those of the truth.
    assert_eq!(found, TRUTH.map(|(i, _)| i), "the true support, nothing else");
    assert!(TRUTH.iter().all(|&(i, truth)| (w[i] - truth).abs() < 0.15), "shrunk, but in place");
    Ok(())
}
