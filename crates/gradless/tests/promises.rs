//! What every run promises, over random problems, recipes, settings and black boxes with moods.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use gradless::estimator::Difference;
use gradless::method::UpdateRule;
use gradless::policy::{FixedCoordinates, Outside, Placement, PreviousValue};
use gradless::{
    Answers, Ask, BatchSize, Budget, Config, Direction, Geometry, METHODS, Noise, Outcome, PerCoordinate,
    Preset, Problem, Radius, Regulariser, Set, Solver,
};
use proptest::prelude::*;
use testkit::noise;

const DIMS: [usize; 8] = [1, 2, 3, 4, 7, 33, 65, 100];

/// Choices made one after the other from a seed: a problem has too many parts that depend on each other for strategies.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        usize::try_from(noise::word(noise::word(self.0)) % n as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        noise::uniform(noise::word(self.0))
    }

    fn weights(&mut self, dim: usize) -> PerCoordinate {
        let weights = [0.0, 0.01, 0.1, 1.0, 1e6, 1e-9];
        if self.below(2) == 0 {
            self.pick(&weights).into()
        } else {
            (0..dim).map(|_| self.pick(&weights)).collect::<Vec<f64>>().into()
        }
    }

    /// Sides that are infinite, equal, close together or far apart, with and without 0 between them.
    fn bounds(&mut self, dim: usize) -> (Vec<f64>, Vec<f64>) {
        (0..dim)
            .map(|_| {
                let lower: f64 = self.pick(&[f64::NEG_INFINITY, -1.0, 0.0, -0.5, 0.1, -1e-3]);
                let width = self.pick(&[f64::INFINITY, 0.0, 1e-3, 1.5]);
                (if width == 0.0 { lower.max(-1.0) } else { lower }, lower.max(-1.0) + width)
            })
            .unzip()
    }

    fn problem(&mut self) -> Option<Problem> {
        let dim = self.pick(&DIMS);
        let regulariser = match self.below(4) {
            0 => Regulariser::none(),
            1 => Regulariser::group_l2(0.1, (0..dim).map(|i| i / 2).collect()),
            _ => Regulariser::elastic_net(self.weights(dim), self.weights(dim)),
        };
        let (lower, upper) = self.bounds(dim);
        let set = match self.below(7) {
            0 => Set::Free,
            1 => Set::bounds(-1.0, 1.0),
            2 => Set::l1_ball(0.01 + 3.0 * self.uniform()),
            3 => Set::l1_ball_in_box(0.2 * dim as f64 + self.uniform(), lower, upper),
            4 => Set::l2_ball(0.01 + self.uniform()),
            5 => Set::simplex(),
            _ => Set::bounds(lower, upper),
        };
        let mut builder = Problem::builder(dim).regulariser(regulariser).set(set);
        if self.below(2) == 0 {
            let start: Vec<f64> = (0..dim).map(|_| 4.0 * self.uniform() - 2.0).collect();
            builder = builder.start(start).outside(Outside::Project);
        }
        if self.below(3) == 0 {
            builder = builder.centre((0..dim).map(|_| 0.5 * self.uniform()).collect::<Vec<f64>>());
        }
        builder.build().ok()
    }

    fn config(&mut self) -> Config {
        let method = self.pick(METHODS);
        let preset = self.pick(&[Preset::Practical, Preset::Practical, Preset::Paper, Preset::Authors]);
        let mut config = Config::new(method, preset);
        let mut recipe = config.recipe.with_batch(BatchSize::Fixed(self.pick(&[1, 2, 5, 40, 130])));
        // Watched steps go with blocks alone.
        if self.below(2) == 0 && !matches!(recipe.update, UpdateRule::Auto { .. }) {
            recipe = recipe.with_direction(self.pick(&[
                Direction::Rademacher,
                Direction::Hadamard,
                Direction::Gaussian,
                Direction::Sphere,
                Direction::Coordinate,
                Direction::Block,
            ]));
        }
        if self.below(2) == 0 {
            recipe = recipe.with_difference(self.pick(&[Difference::Forward, Difference::Central]));
        }
        if self.below(2) == 0 {
            recipe = recipe.with_radius(self.pick(&[
                Radius::NoiseAware { largest: None },
                Radius::Fixed(1e-3),
                Radius::Fixed(1e-12),
                Radius::Storm,
            ]));
        }
        if self.below(3) == 0 {
            recipe.geometry = self.pick(&[Geometry::Entropy, Geometry::Euclidean, Geometry::PNorm]);
        }
        config.recipe = recipe;
        config.noise = self.pick(&[Noise::Detect, Noise::None, Noise::Common, Noise::Independent]);
        config.placement = self.pick(&[Placement::Anywhere, Placement::Inside]);
        config.previous_value = self.pick(&[PreviousValue::Reuse, PreviousValue::AskAgain]);
        config.fixed =
            self.pick(&[FixedCoordinates::Remove, FixedCoordinates::Remove, FixedCoordinates::Keep]);
        config.budget = Budget::queries(self.below(1_500) as u64);
        config.seed = self.below(1_000) as u64;
        config
    }
}

/// Repeatable, failing, noisy in both ways, flat in steps, huge: call is the number of the question, not of the asking.
fn moody(mood: usize, x: &[f64], call: u64, sample: u64) -> f64 {
    let smooth: f64 = x.iter().enumerate().map(|(i, x)| (x - 0.3).powi(2) / (1.0 + i as f64)).sum();
    match mood {
        1 if call % 3 == 1 => f64::NAN,
        2 => smooth + 0.1 * noise::normal(call),
        3 => smooth * (1.0 + 0.1 * noise::normal(sample)),
        4 if noise::word(call).is_multiple_of(23) => f64::INFINITY,
        4 | 5 => (20.0 * smooth).floor(),
        6 => 1e200 * smooth,
        7 if noise::word(call).is_multiple_of(9) => f64::NAN,
        7 => smooth + 0.01 * noise::normal(call),
        _ => smooth,
    }
}

/// What was seen from outside during a run.
struct Seen {
    outcome: Outcome,
    asked: u64,
    failed: u64,
    furthest_outside: f64,
}

fn drive(mut solver: Solver, mood: usize, set: &Set, resumed: bool) -> Seen {
    let (mut asked, mut failed, mut furthest_outside) = (0, 0, 0.0_f64);
    let mut x = vec![0.0; solver.dim()];
    loop {
        if resumed {
            if asked % 2 == 0 {
                let _ = solver.ask();
            }
            solver = Solver::restore(&solver.snapshot()).unwrap();
        }
        let mut values = Vec::new();
        let mut gradients = Vec::new();
        match solver.ask() {
            Ask::Stop(_) => return Seen { outcome: solver.finish(), asked, failed, furthest_outside },
            Ask::Evaluate(queries) => {
                for row in 0..queries.len() {
                    queries.write(row, &mut x);
                    furthest_outside = furthest_outside.max(set.violation(&x));
                    values.push(moody(mood, &x, asked, queries.sample(row)));
                    asked += 1;
                }
                failed += values.iter().filter(|value| !value.is_finite()).count() as u64;
            }
            Ask::Gradient(queries) => {
                for row in 0..queries.len() {
                    queries.write(row, &mut x);
                    let fails = mood == 1 && asked % 3 == 1;
                    let slope = |(i, x): (usize, &f64)| 2.0 * (x - 0.3) / (1.0 + i as f64);
                    let gradient: Vec<f64> =
                        x.iter().enumerate().map(|x| if fails { f64::NAN } else { slope(x) }).collect();
                    failed += u64::from(gradient.iter().any(|slope| !slope.is_finite()));
                    gradients.extend(gradient);
                    asked += 1;
                }
            }
        }
        let answers = if gradients.is_empty() {
            Answers::Values(&values)
        } else {
            Answers::Gradients { gradients: &gradients, values: None }
        };
        solver.tell(answers).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn every_run_keeps_its_promises(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (problem, config, mood) = (dice.problem(), dice.config(), dice.below(9));
        // About half of what is rolled is refused at the door, as it should be.
        let Some(problem) = problem else { return Ok(()) };
        let Ok(solver) = Solver::new(problem.clone(), config.clone()) else { return Ok(()) };
        let Seen { mut outcome, asked, failed, furthest_outside } = drive(solver.clone(), mood, problem.set(), false);
        prop_assert!(asked <= config.budget.queries.unwrap(), "the budget is exact");
        prop_assert_eq!((asked, failed), (outcome.counts.queries, outcome.counts.failed));
        if config.placement == Placement::Inside {
            prop_assert_eq!(furthest_outside, 0.0, "a query lies outside");
        }
        for (name, point) in [
            ("best", &outcome.best),
            ("last", &outcome.last),
            ("random", &outcome.random),
            ("sparse", &outcome.sparse),
        ] {
            prop_assert_eq!(problem.set().violation(&point.x), 0.0, "{} lies in K", name);
            let penalty = problem.penalty(&point.x);
            let same = penalty == point.regulariser || (penalty - point.regulariser).abs() <= 1e-9 * (1.0 + penalty);
            prop_assert!(same, "{}: {} is {}", name, point.regulariser, penalty);
            if let Some(loss) = point.loss.filter(|_| mood == 0) {
                let truth = moody(0, &point.x, 0, 0);
                prop_assert!((loss - truth).abs() <= 1e-12 * (1.0 + truth), "{}: {} is {}", name, loss, truth);
            }
        }
        if let (0, Some(best)) = (mood, outcome.best.objective()) {
            let numbers = outcome.history.windows(2).all(|pair| pair[0].iteration < pair[1].iteration);
            assert!(numbers, "an iteration is recorded once: {:?}", outcome.history);
            let lower = outcome.history.iter().filter_map(|record| record.objective).find(|other| *other < best);
            prop_assert_eq!(lower, None, "the best is {}", best);
        }
        let mut resumed = drive(solver, mood, problem.set(), true).outcome;
        (outcome.counts.sent, resumed.counts.sent) = (0, 0);
        // Compared as text: a loss that overflowed is not equal to itself.
        prop_assert_eq!(format!("{outcome:?}"), format!("{resumed:?}"), "resuming changes nothing");
    }
}
