//! What an exact step costs per coordinate, for the combinations of `prox`'s table, and Hadamard aggregation against m.
//!
//! `cargo bench -p bench --bench prox` prints the tables of `docs/benchmarks/prox.md`.

#![expect(clippy::print_stdout, reason = "the tables are the result")]

use std::hint::black_box;
use std::time::Instant;

use gradless::direction::{Direction, Directions};
use gradless::prox::{Step, closed_form};
use gradless::{Geometry, Regulariser, Set};

const DIM: usize = 10_000;
const ROUNDS: usize = 9;

fn main() {
    // Dense points at the size where the entropy bends, slopes of the size of a mini-batch's noise.
    let x: Vec<f64> = (0..DIM as u64).map(|i| 4.0 / DIM as f64 * testkit::noise::normal(i)).collect();
    let g: Vec<f64> = (0..DIM as u64).map(|i| 0.12 * testkit::noise::normal(77_777 + i)).collect();
    let sets = [
        ("free", Set::Free),
        ("box", Set::bounds(-1.0, 1.0)),
        ("l1 ball", Set::l1_ball(2.0)),
        ("l2 ball", Set::l2_ball(0.02)),
        ("simplex", Set::simplex()),
    ];
    println!("| geometry | l2 weight | {} |", sets.each_ref().map(|(name, _)| *name).join(" | "));
    println!("|---|---|{}", "---|".repeat(sets.len()));
    for geometry in [Geometry::Entropy, Geometry::Euclidean] {
        for l2 in [0.0, 0.05] {
            let regulariser = Regulariser::elastic_net(0.001, l2);
            let cells = sets.each_ref().map(|(_, set)| {
                let step = Step { x: &x, g: &g, eta: 0.5 };
                format!("{:.1}", per_coordinate(geometry, &regulariser, set, step))
            });
            println!("| {geometry:?} | {l2} | {} |", cells.join(" | "));
        }
    }
    one_by_one(&x, &g);
    hadamard();
}

/// The same step with a weight listed for every coordinate is taken one coordinate after the other.
fn one_by_one(x: &[f64], g: &[f64]) {
    println!("\n| entropy, box | many at once | one by one |\n|---|---|---|");
    for (name, l2) in [("no l2 weight", 0.0), ("with one", 0.05)] {
        let step = Step { x, g, eta: 0.5 };
        let set = Set::bounds(-1.0, 1.0);
        let same = per_coordinate(Geometry::Entropy, &Regulariser::elastic_net(0.001, l2), &set, step);
        let listed = Regulariser::elastic_net(vec![0.001; DIM], l2);
        let each = per_coordinate(Geometry::Entropy, &listed, &set, step);
        println!("| {name} | {same:.1} | {each:.1} |");
    }
    let zeros = vec![0.0; DIM];
    let step = Step { x: &zeros, g, eta: 0.5 };
    let rest = per_coordinate(Geometry::Entropy, &Regulariser::l1(10.0), &Set::bounds(-1.0, 1.0), step);
    println!("| is and stays zero | {rest:.1} | |");
}

/// Nanoseconds per coordinate, the least of several rounds.
fn per_coordinate(geometry: Geometry, regulariser: &Regulariser, set: &Set, step: Step<'_>) -> f64 {
    let prox = closed_form(&geometry.generator(DIM), regulariser, set).expect("a combination that exists");
    let mut out = vec![0.0; DIM];
    least(20, || {
        prox.step(regulariser, set, step, &mut out).expect("a step with an answer");
        black_box(&mut out);
    }) / DIM as f64
}

/// Adding up m Hadamard directions: O(N log N) whatever m, once m is above a few times log N.
fn hadamard() {
    println!("\n| m | Hadamard, microseconds | Rademacher, microseconds |\n|---|---|---|");
    for m in [16, 64, 256, 1_024, 4_096, 16_384] {
        let cells = [Direction::Hadamard, Direction::Rademacher].map(|law| {
            let mut directions = Directions::new(law, DIM, 0);
            directions.draw(1, m);
            let coefficients = vec![0.1; m];
            let mut sum = vec![0.0; DIM];
            let nanoseconds = least(3, || directions.accumulate(black_box(&coefficients), &mut sum));
            format!("{:.0}", nanoseconds / 1e3)
        });
        println!("| {m} | {} |", cells.join(" | "));
    }
}

fn least(repeats: u32, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..repeats {
            work();
        }
        best = best.min(began.elapsed().as_secs_f64() * 1e9 / f64::from(repeats));
    }
    best
}
