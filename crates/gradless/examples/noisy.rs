//! A black box whose every answer carries fresh noise: the noise is found, measured and allowed for.
//!
//! `cargo run --example noisy`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};

use gradless::policy::Output;
use gradless::{Budget, Config, Noise, Problem, Regulariser, Set, minimize};

const DIM: usize = 100;
const NOISE: f64 = 0.05;

/// Roughly normal with standard deviation 1: twelve uniform numbers, summed.
fn gauss(i: u64) -> f64 {
    let uniform = |k: u64| {
        let mut z = (12 * i + k).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..12).map(uniform).sum::<f64>() - 6.0
}

/// The truth behind the noise: two coordinates want to be 0.8 and -0.5. The others are held at 0 by
/// a curve that is no parabola, so a radius can be too large.
fn truth(x: &[f64]) -> f64 {
    let pull = |z: f64| 2.0 * z * z;
    pull(x[3] - 0.8) + pull(x[70] + 0.5) + x.iter().map(|x| x.exp_m1() - x).sum::<f64>()
}

/// Runs with the defaults, says what was noticed and compares with the truth.
pub fn main() -> Result<(), Box<dyn Error>> {
    let calls = AtomicU64::new(0);
    let measured = |x: &[f64]| truth(x) + NOISE * gauss(calls.fetch_add(1, Ordering::Relaxed));

    let problem =
        Problem::builder(DIM).regulariser(Regulariser::l1(0.02)).set(Set::bounds(-1.0, 1.0)).build()?;
    let config = Config { budget: Budget::queries(10_000), ..Config::default() };
    let outcome = minimize(problem, &measured, config)?;

    for notice in &outcome.notices {
        println!("notice: {notice}");
    }
    println!("found:  x[3] = {:.3}, x[70] = {:.3}", outcome.x()[3], outcome.x()[70]);
    let reported = outcome.point().loss.ok_or("the last point was not evaluated")?;
    println!("loss:   {reported:.3} reported (the mean of 16 values), {:.3} true", truth(outcome.x()));

    // Where the derivative of 2(x - b)^2 + e^x - 1 - x + 0.02 |x| vanishes.
    assert!((outcome.x()[3] - 0.593).abs() < 0.1 && (outcome.x()[70] + 0.411).abs() < 0.1);
    assert_eq!(outcome.noise, Noise::Independent, "the same point gave two values");
    assert!(
        matches!(outcome.output, Output::Averaged | Output::Last),
        "the best of noisy values would be optimistic"
    );
    let standard_error = NOISE / 4.0;
    assert!((reported - truth(outcome.x())).abs() < 4.0 * standard_error);
    Ok(())
}
