//! What the optimiser itself costs per query: directions, points, aggregation, prox and bookkeeping, the black box free.
//!
//! Next to it, in the same run and into the same memory, a plain copy of the batch: the least anyone pays who hands
//! out the points. `cargo bench -p bench --bench overhead` prints the table; with `-- --write` it goes into
//! `docs/benchmarks/overhead.md`, and what it says about the default method into the README.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::hint::black_box;
use std::time::Instant;

use bench::{Fallible, page};
use gradless::estimator::Difference;
use gradless::policy::Finish;
use gradless::{
    Answers, Ask, BatchSize, Budget, Config, Direction, Estimator, Method, Noise, Preset, Problem, Radius,
    Regulariser, Set, Solver,
};
use testkit::families::{Shape, SparseTarget};

/// Directions of the paper's methods.
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

impl Work {
    fn weights(self) -> (f64, f64) {
        let (Self::TenPulled { l1, l2 } | Self::Dense { l1, l2 }) = self;
        (l1, l2)
    }
}

/// Who is measured: the default method as it is, or one of the paper's with these directions.
#[derive(Clone, Copy)]
enum Who {
    Auto,
    Paper(Direction),
}

impl Who {
    fn name(self) -> String {
        match self {
            Self::Auto => "`auto`".to_owned(),
            Self::Paper(direction) => format!("{direction:?}"),
        }
    }
}

const WORK: [(&str, Work); 5] = [
    ("ten pulled, l1", Work::TenPulled { l1: 0.5, l2: 0.0 }),
    ("ten pulled, elastic net", Work::TenPulled { l1: 0.5, l2: 0.05 }),
    ("dense, none", Work::Dense { l1: 0.0, l2: 0.0 }),
    ("dense, l1", Work::Dense { l1: 0.001, l2: 0.0 }),
    ("dense, elastic net", Work::Dense { l1: 0.001, l2: 0.05 }),
];

fn main() -> Fallible<()> {
    let write = std::env::args().any(|word| word == "--write");
    let mut table = "| d | method or directions | coordinates and regulariser | ns per query | copy, ns | ratio |\n|---|---|---|---|---|---|\n".to_owned();
    let mut defaults = Vec::new();
    for dim in [1_000, 10_000, 100_000, 1_000_000] {
        for who in [Who::Auto, Who::Paper(Direction::Rademacher), Who::Paper(Direction::Hadamard)] {
            for (name, work) in WORK {
                let (ours, copy) = measure(dim, who, work);
                let row = format!(
                    "| {dim} | {} | {name} | {ours:.0} | {copy:.0} | {:.2} |",
                    who.name(),
                    ours / copy
                );
                println!("{row}");
                table.push_str(&row);
                table.push('\n');
                if matches!(who, Who::Auto) && dim <= 10_000 {
                    defaults.push((dim, ours));
                }
            }
        }
    }
    if write {
        let page = page::of_repository("docs/benchmarks/overhead.md");
        page::put(&page, "table", &format!("\n{table}"))?;
        page::put(&page, "commit", &bench::commit())?;
        page::put(&page::of_repository("README.md"), "overhead", &told(&defaults))?;
    }
    Ok(())
}

/// What the default method costs, in words.
fn told(defaults: &[(usize, f64)]) -> String {
    let range = |dim: usize| {
        let costs = || defaults.iter().filter(|(d, _)| *d == dim).map(|(_, cost)| cost / 1e3);
        let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
        format!("{least:.1} to {most:.1} microseconds")
    };
    format!("{} per query at 1,000 coordinates and {} at 10,000", range(1_000), range(10_000))
}

/// Medians over rounds of our time and of the copy's, in nanoseconds per query; the two alternate.
fn measure(dim: usize, who: Who, work: Work) -> (f64, f64) {
    let mut run = solver(dim, who, work);
    let family = SparseTarget::new(dim, 10, 3.0, 0.0, 0.0, Shape::Active, 1);
    let base = vec![0.25; dim];
    let mut rows = vec![0.0; (M + 1) * dim];
    let nu = run.radius();
    let mut values = Vec::new();
    let mut asked = 0_u64;
    // Answers the next batch, and says how many points it had. A run that has ended by itself begins anew.
    let mut iteration = |rows: &mut [f64]| {
        let Ask::Evaluate(queries) = run.ask() else {
            run = solver(dim, who, work);
            return 0;
        };
        values.clear();
        // Each point is looked at right after it is written, as a driver does.
        for j in 0..queries.len() {
            let x = &mut rows[j % M * dim..][..dim];
            queries.write(j, x);
            asked += 1;
            values.push(match work {
                Work::TenPulled { .. } => family.loss(x),
                // Falling, so that no step is taken back and the run goes on.
                Work::Dense { .. } => 1.0 - 1e-3 * asked as f64 + nu * testkit::noise::normal(asked),
            });
        }
        run.tell(Answers::Values(black_box(&values))).expect("as many answers as questions");
        values.len()
    };
    let copy = |rows: &mut [f64]| {
        for row in rows.chunks_exact_mut(dim).take(M) {
            row.copy_from_slice(black_box(&base));
        }
        black_box(rows);
        M
    };
    // Long enough that what the other side left in the caches does not matter.
    let points = (20_000_000 / dim).max(M);
    let (mut ours, mut copies) = (Vec::new(), Vec::new());
    time(points.max(WARM_UP * M), || iteration(&mut rows));
    for _ in 0..ROUNDS {
        ours.push(time(points, || iteration(&mut rows)));
        copies.push(time(points, || copy(&mut rows)));
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    (median(ours), median(copies))
}

/// Nanoseconds per point over at least so many points.
fn time(points: usize, mut work: impl FnMut() -> usize) -> f64 {
    let (began, mut done) = (Instant::now(), 0);
    while done < points {
        done += work();
    }
    began.elapsed().as_secs_f64() * 1e9 / done as f64
}

fn solver(dim: usize, who: Who, work: Work) -> Solver {
    let (l1, l2) = work.weights();
    let problem = Problem::builder(dim)
        .regulariser(Regulariser::elastic_net(l1, l2))
        .set(Set::bounds(-3.0, 3.0))
        .build()
        .expect("a valid problem");
    let method = match (who, work) {
        (Who::Auto, _) => Method::default(),
        (_, Work::TenPulled { .. }) => Method::named("zo-ada-exp-grad").expect("a named method"),
        (_, Work::Dense { .. }) => Method::of_the_paper(),
    };
    let mut config = Config::new(method, Preset::Practical);
    if let Who::Paper(direction) = who {
        config.recipe.estimator = Estimator::Differences {
            direction,
            difference: Difference::Forward,
            batch: BatchSize::Fixed(M),
            radius: Radius::MiniBatch,
        };
    }
    let config = Config { budget: Budget::default(), noise: Noise::None, finish: Finish::Skip, ..config };
    Solver::new(problem, config).expect("a valid configuration")
}
