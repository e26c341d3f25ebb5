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
use testkit::families::{Shape, SparseTarget};

const M: usize = 64;
const ROUNDS: usize = 15;
/// Iterations before the clock starts.
const WARM_UP: usize = 60;

/// What the coordinates do.
#[derive(Clone, Copy)]
enum Work {
    /// A black box that sees ten coordinates, an l1 weight, and full steps (ZO-AdaExpGrad): noise still moves others, but
    /// whole blocks of coordinates can be and stay zero.
    TenPulled { l1: f64, l2: f64 },
    /// Random answers and weights too small to stop anything: every coordinate moves in every step.
    Dense { l1: f64, l2: f64 },
}

const WORK: [(&str, Work); 5] = [
    ("ten pulled, l1", Work::TenPulled { l1: 0.5, l2: 0.0 }),
    ("ten pulled, elastic net", Work::TenPulled { l1: 0.5, l2: 0.05 }),
    ("dense, none", Work::Dense { l1: 0.0, l2: 0.0 }),
    ("dense, l1", Work::Dense { l1: 0.001, l2: 0.0 }),
    ("dense, elastic net", Work::Dense { l1: 0.001, l2: 0.05 }),
];

fn main() {
    println!("| d | directions | coordinates and regulariser | ns per query | copy, ns | ratio |");
    println!("|---|---|---|---|---|---|");
    for dim in [1_000, 10_000, 100_000, 1_000_000] {
        for direction in [Direction::Rademacher, Direction::Hadamard] {
            for (name, work) in WORK {
                let (ours, copy) = measure(dim, direction, work);
                let ratio = ours / copy;
                println!("| {dim} | {direction:?} | {name} | {ours:.0} | {copy:.0} | {ratio:.2} |");
            }
        }
    }
}

/// Medians over rounds of our time and of the copy's, in nanoseconds per query; the two alternate.
fn measure(dim: usize, direction: Direction, work: Work) -> (f64, f64) {
    let mut solver = solver(dim, direction, work);
    let family = SparseTarget::new(dim, 10, 3.0, 0.0, 0.0, Shape::Active, 1);
    let base = vec![0.25; dim];
    let mut rows = vec![0.0; (M + 1) * dim];
    let nu = solver.radius();
    let answers: Vec<f64> = (0..=M).map(|j| 1.0 + nu * testkit::noise::normal(j as u64)).collect();
    let mut values = vec![0.0; M + 1];
    // Long enough that what the other side left in the caches does not matter.
    let repeats = (20_000_000 / (dim * M)).max(1);
    let mut iteration = |rows: &mut [f64]| {
        let Ask::Evaluate(queries) = solver.ask() else { return };
        // Each point is looked at right after it is written, as a driver does.
        for (j, (value, x)) in values.iter_mut().zip(rows.chunks_exact_mut(dim)).enumerate() {
            queries.write(j, x);
            *value = match work {
                Work::TenPulled { .. } => family.loss(x),
                Work::Dense { .. } => answers[j],
            };
        }
        solver.tell(Answers::Values(black_box(&values))).expect("as many answers as questions");
    };
    let copy = |rows: &mut [f64]| {
        for row in rows.chunks_exact_mut(dim) {
            row.copy_from_slice(black_box(&base));
        }
        black_box(rows);
    };
    let (mut ours, mut copies) = (Vec::new(), Vec::new());
    time(repeats.max(WARM_UP), || iteration(&mut rows));
    for _ in 0..ROUNDS {
        ours.push(time(repeats, || iteration(&mut rows)));
        copies.push(time(repeats, || copy(&mut rows)));
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

fn solver(dim: usize, direction: Direction, work: Work) -> Solver {
    let (Work::TenPulled { l1, l2 } | Work::Dense { l1, l2 }) = work;
    let problem = Problem::builder(dim)
        .regulariser(Regulariser::elastic_net(l1, l2))
        .set(Set::bounds(-3.0, 3.0))
        .build()
        .expect("a valid problem");
    let method = match work {
        Work::TenPulled { .. } => Method::named("zo-ada-exp-grad").expect("a named method"),
        Work::Dense { .. } => Method::of_the_seed(),
    };
    let mut config = Config::new(method, Preset::Practical);
    config.recipe.estimator = Estimator::Differences {
        direction,
        difference: Difference::Forward,
        batch: BatchSize::Fixed(M),
        radius: Radius::MiniBatch,
    };
    let config = Config { budget: Budget::default(), noise: Noise::None, finale: Finale::Skip, ..config };
    Solver::new(problem, config).expect("a valid configuration")
}
