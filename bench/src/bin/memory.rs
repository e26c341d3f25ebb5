//! Peak memory of a run in ten million dimensions.
//!
//! `cargo run --release -p bench --bin memory [-- --out docs/benchmarks]`
//!
//! Each case runs in a process of its own, so that peaks do not mix. The program fails if one needs more than its limit of vectors
//! of $d$ numbers and the $md$ bits of the directions. Linux only: the peak is `VmHWM` of `/proc/self/status`. With `--out` the page
//! is written, and into the README what the default method needs.

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

const VECTOR: u64 = 8 * DIM as u64;
const BITS: u64 = (DIRECTIONS * DIM / 8) as u64;

/// A method, and what it is known to keep.
struct Case {
    method: &'static str,
    /// Its directions; its own where it has a law for itself.
    direction: Option<Direction>,
    vectors: &'static str,
    /// Vectors that must do.
    limit: u64,
}

const CASES: [Case; 4] = [
    Case {
        method: "auto",
        direction: None,
        vectors: "xₜ, dₜ, vₜ, best and random iterate, the point being evaluated; the start, the point steps are taken from, and of \
                  every coordinate its slope, where and when it was seen, the slopes beside it, with how many others, and a hint",
        limit: 17,
    },
    Case {
        method: "zo-ada-exp-grad+",
        direction: Some(Direction::Rademacher),
        vectors: "xₜ, dₜ, vₜ, best and random iterate, the point being evaluated",
        limit: 12,
    },
    Case { method: "zo-ada-exp-grad+", direction: Some(Direction::Hadamard), vectors: "the same", limit: 12 },
    Case {
        method: "zo-exp-storm",
        direction: Some(Direction::Rademacher),
        vectors: "the same and xₜ₋₁",
        limit: 12,
    },
];

impl Case {
    fn limit(&self) -> u64 {
        self.limit * VECTOR + BITS
    }

    fn directions(&self) -> String {
        self.direction.map_or_else(|| "its own".to_owned(), |direction| format!("{direction:?}"))
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a method needs more vectors than its limit");
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
    let mut default = 0.0;
    for (index, case) in CASES.iter().enumerate() {
        let (method, direction) = (case.method, case.directions());
        let began = Instant::now();
        let child = Command::new(std::env::current_exe()?).args(["--case", &index.to_string()]).output()?;
        if !child.status.success() {
            return Err(format!("{method}: {}", String::from_utf8_lossy(&child.stderr)).into());
        }
        let peak: u64 = String::from_utf8_lossy(&child.stdout).trim().parse()?;
        eprintln!("{method}, {direction}: {:.1} s", began.elapsed().as_secs_f64());
        kept &= peak <= case.limit();
        let in_vectors = peak as f64 / VECTOR as f64;
        if method == Method::default().name {
            default = in_vectors;
        }
        let row = format!(
            "| {method} | {direction} | {} | {in_vectors:.2} | {} | {} |\n",
            megabytes(peak),
            case.limit,
            case.vectors
        );
        rows.push_str(&row);
    }
    let table = format!(
        "| Method | Directions | Peak | Peak / 8d | Limit | Vectors it keeps |\n|---|---|---:|---:|---:|---|\n{rows}"
    );
    println!("{table}");
    if let Some(out) = out {
        std::fs::create_dir_all(out)?;
        std::fs::write(out.join("memory.md"), page(&table, &commit))?;
        let told = format!("{default:.0} vectors of memory at ten million");
        bench::page::put(&bench::page::of_repository("README.md"), "memory", &told)?;
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
The program fails above the limit, to which the bits of {DIRECTIONS} directions are added. The m query points, {matrix} as a matrix, are never in
memory together: they are written one at a time.

    cargo run --release -p bench --bin memory -- --out docs/benchmarks

at commit {commit}; Linux, `VmHWM`.
",
        vector = megabytes(VECTOR),
        bits = megabytes(BITS),
        matrix = megabytes(DIRECTIONS as u64 * VECTOR),
    )
}

/// Runs one case in this process and says what it took at most, in bytes.
fn peak_of_case(index: usize) -> Outcome<u64> {
    let &Case { method, direction: law, .. } = CASES.get(index).ok_or("there is no such case")?;
    let mut config = Config::new(Method::named(method)?, Preset::Practical);
    config.noise = Noise::None;
    config.stop = StopRule::Iterations(ITERATIONS);
    if let (Some(law), Estimator::Differences { direction, batch, .. }) = (law, &mut config.recipe.estimator)
    {
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
