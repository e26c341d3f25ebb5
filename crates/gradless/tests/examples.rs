//! Every example runs and keeps what it claims.
#![allow(clippy::unwrap_used, reason = "an example that returns an error has failed")]
#![allow(unreachable_pub, reason = "an example's main is public so that it can be called from here")]

#[path = "../examples/ask_tell.rs"]
mod ask_tell;
#[path = "../examples/first_order_storm.rs"]
mod first_order_storm;
#[path = "../examples/lasso.rs"]
mod lasso;
#[path = "../examples/noisy.rs"]
mod noisy;
#[path = "../examples/quadratic.rs"]
mod quadratic;
#[path = "../examples/simplex.rs"]
mod simplex;

#[test]
fn quadratic_gets_within_a_hundredth_of_the_minimum() {
    quadratic::main().unwrap();
}

#[test]
fn lasso_finds_the_true_support() {
    lasso::main().unwrap();
}

#[test]
fn simplex_finds_the_recipe() {
    simplex::main().unwrap();
}

#[test]
fn noisy_notices_the_noise_and_still_finds_the_minimum() {
    noisy::main().unwrap();
}

#[test]
fn ask_tell_continues_to_the_same_bits() {
    ask_tell::main().unwrap();
}

#[test]
fn first_order_storm_beats_plain_averaging() {
    first_order_storm::main().unwrap();
}
