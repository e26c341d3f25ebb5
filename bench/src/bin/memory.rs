//! Peak memory of a run in ten million dimensions.
//!
//! `cargo run --release -p bench --bin memory [-- --out docs/benchmarks]`
//!
//! Each case runs in a process of its own, so that peaks do not mix. The program fails if one needs more than twelve vectors
//! of $d$ numbers and the $md$ bits of the directions. Linux only: the peak is `VmHWM` of `/proc/self/status`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints its result")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use gradless::{
    BatchSize, Config, Direction, Driver, Estimator, Method, Noise, Preset, Problem, Regulariser, Solver,
    StopRule,
};
use testkit::families::SparseTarget;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const DIM: usize = 10_000_000;
const DIRECTIONS: usize = 64;
const ITERATIONS: u64 = 4;
const LIMIT_VECTORS: u64 = 12;

const VECTOR: u64 = 8 * DIM as u64;
const BITS: u64 = (DIRECTIONS * DIM / 8) as u64;
const LIMIT: u64 = LIMIT_VECTORS * VECTOR + BITS;

/// The method, its directions, and the vectors it is known to keep.
const CASES: [(&str, Direction, &str); 3] = [
    (
        "zo-ada-exp-grad+",
        Direction::Rademacher,
        "xₜ, dₜ, vₜ, best and random iterate, the point being evaluated",
    ),
    ("zo-ada-exp-grad+", Direction::Hadamard, "the same"),
    ("zo-exp-storm", Direction::Rademacher, "the same and xₜ₋₁"),
];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!(
                "error: the limit of {LIMIT_VECTORS} vectors and the bits of the directions is exceeded"
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every case keeps the limit.
fn run() -> Outcome<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(None),
        ["--out", directory] => measure(Some(Path::new(directory))),
        // Used by the program itself.
        ["--case", index] => {
            println!("{}", peak_of_case(index.parse()?)?);
            Ok(true)
        }
        _ => Err("the only argument is --out DIR".into()),
    }
}

fn measure(out: Option<&Path>) -> Outcome<bool> {
    let commit = bench::commit();
    let mut rows = String::new();
    let mut kept = true;
    for (index, (method, direction, vectors)) in CASES.into_iter().enumerate() {
        let began = Instant::now();
        let child = Command::new(std::env::current_exe()?).args(["--case", &index.to_string()]).output()?;
        if !child.status.success() {
            return Err(format!("{method}: {}", String::from_utf8_lossy(&child.stderr)).into());
        }
        let peak: u64 = String::from_utf8_lossy(&child.stdout).trim().parse()?;
        eprintln!("{method}, {direction:?}: {:.1} s", began.elapsed().as_secs_f64());
        kept &= peak <= LIMIT;
        let in_vectors = peak as f64 / VECTOR as f64;
        let row =
            format!("| {method} | {direction:?} | {} | {in_vectors:.2} | {vectors} |\n", megabytes(peak));
        rows.push_str(&row);
    }
    let table = format!(
        "| Method | Directions | Peak | Peak / 8d | Vectors it keeps |\n|---|---|---:|---:|---|\n{rows}| *limit* | | {} | {:.2} | |\n",
        megabytes(LIMIT),
        LIMIT as f64 / VECTOR as f64,
    );
    println!("{table}");
    if let Some(out) = out {
        std::fs::create_dir_all(out)?;
        std::fs::write(out.join("memory.md"), page(&table, &commit))?;
    }
    Ok(kept)
}

fn page(table: &str, commit: &str) -> String {
    format!(
        r"# Memory in ten million dimensions

Peak resident memory of a whole process: d = 10,000,000, m = {DIRECTIONS} directions, {ITERATIONS} iterations and a last look at
the final points, r = 0.01‖x‖₁, K = ℝ^d, one thread. The black box is ½‖x − b‖² with a sparse b and keeps no memory of its own. A vector
of d numbers is {vector}; {DIRECTIONS} Rademacher directions are {bits} of bits, which is one vector more. Hadamard
directions are {DIRECTIONS} indices and 3d bits.

{table}
The limit is {LIMIT_VECTORS} vectors and the bits of {DIRECTIONS} directions. The m query points, {matrix} as a matrix, are never in
memory together: they are written one at a time.

    cargo run --release -p bench --bin memory -- --out docs/benchmarks

at commit {commit}; Linux, `VmHWM`. The program fails above the limit.
",
        vector = megabytes(VECTOR),
        bits = megabytes(BITS),
        matrix = megabytes(DIRECTIONS as u64 * VECTOR),
    )
}

/// Runs one case in this process and says what it took at most, in bytes.
fn peak_of_case(index: usize) -> Outcome<u64> {
    let &(method, law, _) = CASES.get(index).ok_or("there is no such case")?;
    let mut config = Config::new(Method::named(method)?, Preset::Practical);
    config.noise = Noise::None;
    config.stop = StopRule::Iterations(ITERATIONS);
    if let Estimator::Differences { direction, batch, .. } = &mut config.recipe.estimator {
        *direction = law;
        *batch = BatchSize::Fixed(DIRECTIONS);
    }
    let target = SparseTarget::quadratic(DIM, 0.0, 0);
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(0.01)).build()?;
    let solver = Solver::new(problem, config)?;
    let outcome = Driver::default().run(solver, &|x: &[f64]| target.loss(x));
    if outcome.counts.iterations == ITERATIONS {
        peak_bytes()
    } else {
        Err(format!("{method} stopped after {} iterations: {:?}", outcome.counts.iterations, outcome.stop)
            .into())
    }
}

fn peak_bytes() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(1024 * kilobytes)
}

/// In powers of ten, so that a vector of ten million numbers is 80 MB.
fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}
