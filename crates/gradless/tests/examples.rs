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
fn quadratic_gets_within_a_hundredth_of_the_minimum_and_says_what_the_readme_shows() {
    quadratic::main().unwrap();
    let told = quadratic::told().unwrap();
    assert!(include_str!("../../../README.md").contains(&told), "README.md does not show this:\n{told}");
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

/// The snippets of `docs/how-to-choose.md`, word for word; `the_page_shows_what_is_compiled` compares.
mod how_to_choose {
    use std::error::Error;

    use gradless::momentum::StormRate;
    use gradless::{
        BatchSize, Budget, Config, Direction, Geometry, Method, Momentum, Preset, Problem, Radius,
        Regulariser, Solver, StopRule, minimize,
    };

    fn runs(config: Config) -> Result<(), Box<dyn Error>> {
        let outcome = minimize(Problem::builder(20).build()?, &|x: &[f64]| (x[3] - 1.0).powi(2), config)?;
        assert!(outcome.stop.is_some_and(|reason| reason.is_planned()));
        Ok(())
    }

    #[test]
    fn storm_is_given_a_rate() -> Result<(), Box<dyn Error>> {
        let mut config = Config::new(Method::named("zo-exp-storm")?, Preset::Practical);
        config.recipe.momentum = Momentum::Storm(StormRate { rate: Some(1.0) });
        runs(config)
    }

    #[test]
    fn groups_take_the_euclidean_geometry() -> Result<(), Box<dyn Error>> {
        let problem =
            Problem::builder(6).regulariser(Regulariser::group_l2(0.1, vec![0, 0, 1, 1, 2, 2])).build()?;
        let mut config = Config::new(Method::of_the_paper(), Preset::Practical);
        config.recipe.geometry = Geometry::Euclidean;
        let outcome = minimize(problem, &|x: &[f64]| (x[0] - 1.0).powi(2) + (x[1] - 1.0).powi(2), config)?;
        // Both coordinates of the group shrink together: 1 - 0.1/(2 sqrt 2).
        assert!(outcome.x()[..2].iter().all(|x| (x - 0.965).abs() < 0.02), "{:?}", outcome.x());
        Ok(())
    }

    #[test]
    fn the_estimator_is_changed_in_place() -> Result<(), Box<dyn Error>> {
        let mut config = Config::new(Method::of_the_paper(), Preset::Practical);
        config.recipe = config.recipe.with_direction(Direction::Hadamard).with_batch(BatchSize::Fixed(64));
        assert_eq!(Solver::new(Problem::builder(50).build()?, config.clone())?.batch(), 64);
        runs(config)
    }

    #[test]
    fn the_radius_is_measured_up_to_a_largest_one() -> Result<(), Box<dyn Error>> {
        let mut config = Config::new(Method::of_the_paper(), Preset::Practical);
        config.recipe = config.recipe.with_radius(Radius::NoiseAware { largest: Some(0.05) });
        runs(config)
    }

    #[test]
    fn rules_to_stop_combine() -> Result<(), Box<dyn Error>> {
        let stop = StopRule::any([
            StopRule::Target(0.1),
            StopRule::Seconds(60.0),
            StopRule::Stagnation { window: 50, tolerance: 1e-3 },
        ]);
        let config = Config { budget: Budget::queries(20_000), stop, ..Config::default() };
        runs(config)
    }

    #[test]
    fn the_page_shows_what_is_compiled() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let compiled = words(include_str!("examples.rs"));
        let page = include_str!("../../../docs/how-to-choose.md");
        let snippets: Vec<&str> =
            page.split("```rust").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!snippets.is_empty());
        for snippet in snippets {
            assert!(compiled.contains(&words(snippet)), "not compiled:{snippet}");
        }
    }
}
