//! What 64 directions cost: drawing them, writing the 64 query points, adding up the gradient.
//!
//! A plain copy of the base point into the same 64 rows is the least any optimiser pays for its queries.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gradless::direction::{Direction, Directions};

const COUNT: usize = 64;
const DIMS: [usize; 3] = [1_000, 10_000, 1_000_000];
const LAWS: [Direction; 5] = [
    Direction::Rademacher,
    Direction::Hadamard,
    Direction::Gaussian,
    Direction::Sphere,
    Direction::Coordinate,
];

fn write(c: &mut Criterion) {
    let mut group = c.benchmark_group("write");
    for dim in DIMS {
        let base = vec![0.5; dim];
        let mut rows = vec![0.0; COUNT * dim];
        group.bench_function(BenchmarkId::new("copy", dim), |b| {
            b.iter(|| rows.chunks_exact_mut(dim).for_each(|row| row.copy_from_slice(black_box(&base))));
        });
        for law in LAWS {
            let mut directions = Directions::new(law, dim, 0);
            directions.draw(0, COUNT);
            group.bench_function(BenchmarkId::new(format!("{law:?}"), dim), |b| {
                b.iter(|| {
                    for (j, row) in rows.chunks_exact_mut(dim).enumerate() {
                        directions.write(j, black_box(&base), 1e-3, row);
                    }
                });
            });
        }
    }
}

fn accumulate(c: &mut Criterion) {
    let mut group = c.benchmark_group("accumulate");
    for dim in DIMS {
        let mut g = vec![0.0; dim];
        for law in LAWS {
            let mut directions = Directions::new(law, dim, 0);
            directions.draw(0, COUNT);
            let coefficients: Vec<f64> = (0..COUNT).map(|j| (j as f64).sin()).collect();
            group.bench_function(BenchmarkId::new(format!("{law:?}"), dim), |b| {
                b.iter(|| directions.accumulate(black_box(&coefficients), &mut g));
            });
        }
    }
}

fn draw(c: &mut Criterion) {
    let mut group = c.benchmark_group("draw");
    for dim in DIMS {
        for law in LAWS {
            let mut directions = Directions::new(law, dim, 0);
            let mut iteration = 0;
            group.bench_function(BenchmarkId::new(format!("{law:?}"), dim), |b| {
                b.iter(|| {
                    iteration += 1;
                    directions.draw(black_box(iteration), COUNT);
                });
            });
        }
    }
}

/// Where the table of the few gives way to the transform of the many.
fn hadamard_crossing(c: &mut Criterion) {
    let mut group = c.benchmark_group("hadamard accumulate");
    for dim in [1 << 7, 1 << 10, 1 << 14, 1 << 20] {
        let mut g = vec![0.0; dim];
        for count in [32, 64, 128, 256, 512] {
            let mut directions = Directions::new(Direction::Hadamard, dim, 0);
            directions.draw(0, count);
            let coefficients = vec![1.0; count];
            group.bench_function(BenchmarkId::new(dim.to_string(), count), |b| {
                b.iter(|| directions.accumulate(black_box(&coefficients), &mut g));
            });
        }
    }
}

criterion_group! {
    name = directions;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(300));
    targets = write, accumulate, draw, hadamard_crossing
}
criterion_main!(directions);
