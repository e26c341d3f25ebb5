//! What the optimiser itself costs per query: directions, points, aggregation, prox and bookkeeping, the black box free.
//!
//! Next to it, in the same run and into the same memory, a plain copy of the batch: the least anyone pays who hands
//! out 64 points. `cargo bench -p bench --bench overhead` prints the table of `docs/benchmarks/overhead.md`.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use gradless::{
    Answers, Ask, BatchSize, Budget, Config, Difference, Direction, Estimator, Finale, Method, Noise, Preset,
    Problem, Radius, Regulariser, Set, Solver,
};

const M: usize = 64;
const ROUNDS: usize = 15;

/// What the step has to do for every coordinate.
const REGULARISERS: [(&str, f64, f64); 3] =
    [("none: exp and log", 0.0, 0.0), ("l1", 0.05, 0.0), ("elastic net: Lambert W", 0.05, 0.05)];

fn main() {
    println!("| d | directions | regulariser | ns per query | copy, ns | ratio |");
    println!("|---|---|---|---|---|---|");
    for dim in [1_000, 10_000, 100_000, 1_000_000] {
        for direction in [Direction::Rademacher, Direction::Hadamard] {
            for (name, l1, l2) in REGULARISERS {
                let (ours, copy) = measure(dim, direction, Regulariser::elastic_net(l1, l2));
                let ratio = ours / copy;
                println!("| {dim} | {direction:?} | {name} | {ours:.0} | {copy:.0} | {ratio:.2} |");
            }
        }
    }
}

/// Medians over rounds of our time and of the copy's, in nanoseconds per query; the two alternate.
fn measure(dim: usize, direction: Direction, regulariser: Regulariser) -> (f64, f64) {
    let mut solver = solver(dim, direction, regulariser);
    let base = vec![0.25; dim];
    let mut rows = vec![0.0; (M + 1) * dim];
    // Answers that make a dense gradient of order one: every coordinate is moved.
    let nu = solver.radius();
    let values: Vec<f64> = (0..=M).map(|j| 1.0 + nu * testkit::noise::normal(j as u64)).collect();
    let repeats = (2_000_000 / (dim * M)).max(1);
    let (mut ours, mut copies) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(time(repeats, || {
            if let Ask::Evaluate(queries) = solver.ask() {
                queries.write_rows(0..queries.len(), &mut rows);
            }
            black_box(&mut rows);
            solver.tell(Answers::Values(&values)).expect("as many answers as questions");
        }));
        copies.push(time(repeats, || {
            for row in rows.chunks_exact_mut(dim) {
                row.copy_from_slice(black_box(&base));
            }
            black_box(&mut rows);
        }));
    }
    let per_query = |mut times: Vec<Duration>| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64() * 1e9 / (repeats * (M + 1)) as f64
    };
    (per_query(ours), per_query(copies))
}

fn time(repeats: usize, mut work: impl FnMut()) -> Duration {
    let began = Instant::now();
    for _ in 0..repeats {
        work();
    }
    began.elapsed()
}

fn solver(dim: usize, direction: Direction, regulariser: Regulariser) -> Solver {
    let problem = Problem::builder(dim)
        .regulariser(regulariser)
        .set(Set::bounds(-1.0, 1.0))
        .build()
        .expect("a valid problem");
    let mut config = Config::new(Method::default(), Preset::Practical);
    config.recipe.estimator = Estimator::Differences {
        direction,
        difference: Difference::Forward,
        batch: BatchSize::Fixed(M),
        radius: Radius::MiniBatch,
    };
    let config = Config { budget: Budget::default(), noise: Noise::None, finale: Finale::Skip, ..config };
    Solver::new(problem, config).expect("a valid configuration")
}
