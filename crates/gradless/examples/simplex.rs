//! A recipe is a point of the simplex: which of 40 pigments, in which shares, give the colour that was measured?
//!
//! `cargo run --example simplex`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use gradless::{BatchSize, Config, Direction, Method, Preset, Problem, Set, StopRule, minimize};

const PIGMENTS: usize = 40;
const BANDS: usize = 40;
const RECIPE: [(usize, f64); 3] = [(4, 0.6), (11, 0.3), (25, 0.1)];

/// How much of the light in a band a pigment reflects: a narrow peak each, in its own place.
fn reflects(pigment: usize, band: usize) -> f64 {
    let peak = ((7 * pigment) % PIGMENTS) as f64 / PIGMENTS as f64;
    let place = band as f64 / BANDS as f64;
    0.1 + 0.9 * (-(40.0 * (place - peak)).powi(2)).exp()
}

fn colour(shares: &[f64]) -> [f64; BANDS] {
    std::array::from_fn(|band| shares.iter().enumerate().map(|(i, share)| share * reflects(i, band)).sum())
}

/// How wrong a colour is: the squared distance to what was measured.
///
/// The black box must answer near the simplex too, for shares that do not quite sum to one: differences are taken there.
fn distance(shares: &[f64], measured: &[f64; BANDS]) -> f64 {
    colour(shares).iter().zip(measured).map(|(a, b)| (a - b).powi(2)).sum()
}

/// Mixes a colour, forgets the recipe and finds it again.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut truth = [0.0; PIGMENTS];
    for (i, share) in RECIPE {
        truth[i] = share;
    }
    let measured = colour(&truth);

    // Nothing is said about the start, so it is the point of the simplex nearest to 0: equal shares.
    let problem = Problem::builder(PIGMENTS).set(Set::simplex()).build()?;
    // With few coordinates a full block of Hadamard directions pays: 64 of them, the next power of two, give the
    // gradient of a linear function exactly and that of a smooth one nearly so.
    let mut config = Config::new(Method::of_the_paper(), Preset::Practical);
    config.stop = StopRule::Target(2e-3);
    let whole_block = BatchSize::Fixed(PIGMENTS.next_power_of_two());
    config.recipe = config.recipe.with_direction(Direction::Hadamard).with_batch(whole_block);
    let outcome = minimize(problem, &|x: &[f64]| distance(x, &measured), config)?;

    println!("pigment  found  recipe");
    for (i, share) in RECIPE {
        println!("{i:>7}  {:.3}  {share:.3}", outcome.x()[i]);
    }
    let rest: f64 = (0..PIGMENTS).filter(|i| truth[*i] == 0.0).map(|i| outcome.x()[i]).sum();
    println!(" others  {rest:.3}  0.000");
    let start = distance(&[1.0 / PIGMENTS as f64; PIGMENTS], &measured);
    let found = distance(outcome.x(), &measured);
    println!("squared distance: {start:.4} with equal shares, {found:.6} found");
    if let Some(reason) = &outcome.stop {
        println!("{} queries: {reason}", outcome.counts.queries);
    }

    assert!(outcome.x().iter().all(|share| *share >= 0.0), "no share is negative");
    assert!((outcome.x().iter().sum::<f64>() - 1.0).abs() < 1e-9, "the shares sum to one");
    assert!(RECIPE.iter().all(|&(i, share)| (outcome.x()[i] - share).abs() < 0.05), "the recipe is found");
    Ok(())
}
