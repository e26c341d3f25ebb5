//! How oracle calls grow with the number of coordinates: `auto` and the exponentiated-gradient family against ZO-PSGD.
//!
//! `cargo run --release -p bench --bin dimension [-- --quick | --radius | --auto] [--out docs/benchmarks]`
//!
//! Every point of every run is evaluated; nothing is simulated. The program fails if the growth is not what the methods
//! promise, see [`results::Results::complaints`]. `--quick` covers $d \le 10^4$ in half a minute and writes nothing;
//! `--radius` compares radii of zo-ada-exp-grad+ instead, in two minutes; `--auto` runs `auto` alone and takes the other
//! methods' runs from the `dimension.csv` that is there.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its progress and its result"
)]

mod contest;
mod earlier;
mod report;
mod results;

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use bench::fit;
use bench::race::{Goal, calls_to};
use contest::{AUTO, Family, PSGD, Tuning};
use results::{Results, Run};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Where results are written unless said otherwise.
const OUT: &str = "docs/benchmarks";
/// Weight of both norms where the goal is the gradient map; without it the $\ell_1$ metric never loses its dust.
const GAMMA: f64 = 0.01;
const TUNING_SEEDS: Range<u64> = 100..103;
/// Not used for tuning. The exponentiated-gradient family takes them all up to $10^5$ coordinates: its runs are cheap and
/// scatter by a fifth, and with three seeds the slope up to $10^4$ has a standard error of 0.03.
const SEEDS: Range<u64> = 200..225;
/// ZO-PSGD, whose runs are long and scatter by a few per cent, and everybody in $10^6$ coordinates.
const FEW_SEEDS: Range<u64> = 200..205;
/// `auto`, up to $10^5$ coordinates and in $10^6$.
const AUTO_SEEDS: [Range<u64>; 2] = [200..205, 200..203];
const DIMS: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

fn main() -> ExitCode {
    match run() {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            for complaint in complaints {
                eprintln!("error: {complaint}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Which comparison is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contest {
    Full,
    Quick,
    Radius,
    Auto,
}

/// What the results leave to be desired.
fn run() -> Outcome<Vec<String>> {
    let mut out = PathBuf::from(OUT);
    let mut contest = Contest::Full;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => contest = Contest::Quick,
            "--radius" => contest = Contest::Radius,
            "--auto" => contest = Contest::Auto,
            "--out" => out = arguments.next().ok_or("--out needs a directory")?.into(),
            other => {
                return Err(format!(
                    "unknown argument '{other}'; there are --quick, --radius, --auto and --out DIR"
                )
                .into());
            }
        }
    }
    // Before anything is written, so that the results themselves do not count as changes.
    let mut commit = bench::commit();
    let began = Instant::now();
    let results = match contest {
        Contest::Full => full_contest()?,
        Contest::Quick => quick_contest()?,
        Contest::Radius => radius_contest()?,
        Contest::Auto => {
            let (mut results, before) = earlier::read(&out)?;
            commit = format!("{commit} (the other methods at {before})");
            auto_contest(&mut results)?;
            results
        }
    };
    eprintln!("{:.0} s in all\n", began.elapsed().as_secs_f64());
    println!("{}", report::tables(&results).trim_end());
    match contest {
        Contest::Full | Contest::Auto => report::write(&out, &results, &commit)?,
        Contest::Radius => report::write_radius(&out, &results, &commit)?,
        Contest::Quick => {}
    }
    Ok(if contest == Contest::Radius { Vec::new() } else { results.complaints() })
}

/// ZO-AdaExpGrad+ and `auto` against ZO-PSGD with the setting that tuning finds, up to $10^4$ coordinates.
fn quick_contest() -> Outcome<Results> {
    let mut results = Results::default();
    for family in Family::ALL {
        for dim in [100, 1_000, 10_000] {
            for seed in SEEDS {
                untuned(&mut results, family, Goal::Objective, "zo-ada-exp-grad+", dim, seed)?;
            }
            for seed in FEW_SEEDS {
                untuned(&mut results, family, Goal::Objective, AUTO, dim, seed)?;
            }
            for seed in FEW_SEEDS.take(3) {
                psgd(&mut results, family, Tuning::USUAL, dim, seed)?;
            }
        }
    }
    Ok(results)
}

/// ZO-AdaExpGrad+ to both goals, with its own radius and with shares of it.
fn radius_contest() -> Outcome<Results> {
    let mut results = Results::default();
    for family in Family::ALL {
        for (share, name) in contest::RADII {
            for dim in [100, 1_000, 10_000, 100_000] {
                for seed in if dim <= 10_000 { SEEDS } else { FEW_SEEDS } {
                    for (goal, gamma) in [(Goal::Objective, 0.0), (Goal::GradientMap, GAMMA)] {
                        let config = contest::exp_config_with_radius("zo-ada-exp-grad+", dim, share, seed)?;
                        let began = Instant::now();
                        let calls = calls_to(goal, &family.target(dim, gamma, seed), config)?;
                        take(&mut results, Run { family, goal, method: name, dim, seed, calls }, began);
                    }
                }
            }
        }
    }
    Ok(results)
}

fn full_contest() -> Outcome<Results> {
    let mut results = Results::default();
    for family in Family::ALL {
        for dim in DIMS {
            for seed in if dim <= 100_000 { SEEDS } else { FEW_SEEDS } {
                for method in contest::EXP_FAMILY {
                    untuned(&mut results, family, Goal::Objective, method, dim, seed)?;
                }
                if dim <= 100_000 {
                    untuned(&mut results, family, Goal::GradientMap, "zo-ada-exp-grad+", dim, seed)?;
                }
            }
        }
    }
    auto_contest(&mut results)?;
    for family in Family::ALL {
        for dim in [100, 1_000, 10_000] {
            let tuning = tune(family, dim)?;
            results.tunings.push((family, dim, tuning));
            for seed in FEW_SEEDS {
                psgd(&mut results, family, tuning, dim, seed)?;
            }
        }
    }
    // Minutes each: one seed, with the tuning of the dimension below.
    for family in Family::ALL {
        let below = results.tunings.iter().rfind(|entry| entry.0 == family).ok_or("nothing was tuned")?.2;
        psgd(&mut results, family, below, 100_000, FEW_SEEDS.start)?;
    }
    Ok(results)
}

fn auto_contest(results: &mut Results) -> Outcome<()> {
    let [many, few] = AUTO_SEEDS;
    for family in Family::ALL {
        for dim in DIMS {
            for seed in if dim <= 100_000 { many.clone() } else { few.clone() } {
                untuned(results, family, Goal::Objective, AUTO, dim, seed)?;
            }
        }
    }
    Ok(())
}

fn untuned(
    results: &mut Results,
    family: Family,
    goal: Goal,
    method: &'static str,
    dim: usize,
    seed: u64,
) -> Outcome<()> {
    let gamma = if goal == Goal::Objective { 0.0 } else { GAMMA };
    let began = Instant::now();
    let calls = calls_to(goal, &family.target(dim, gamma, seed), contest::untuned_config(method, seed)?)?;
    take(results, Run { family, goal, method, dim, seed, calls }, began);
    Ok(())
}

fn psgd(results: &mut Results, family: Family, tuning: Tuning, dim: usize, seed: u64) -> Outcome<()> {
    let target = family.target(dim, 0.0, seed);
    let began = Instant::now();
    let calls = calls_to(Goal::Objective, &target, contest::psgd_config(tuning, &target, seed)?)?;
    take(results, Run { family, goal: Goal::Objective, method: PSGD, dim, seed, calls }, began);
    Ok(())
}

fn take(results: &mut Results, run: Run, began: Instant) {
    eprintln!("{run} ({:.1} s)", began.elapsed().as_secs_f64());
    results.runs.push(run);
}

/// The setting with the smallest median on the tuning seeds; the first of equals.
fn tune(family: Family, dim: usize) -> Outcome<Tuning> {
    let mut best = (u64::MAX, Tuning::USUAL);
    for tuning in Tuning::GRID {
        let mut calls = Vec::new();
        for seed in TUNING_SEEDS {
            let target = family.target(dim, 0.0, seed);
            calls.push(calls_to(Goal::Objective, &target, contest::psgd_config(tuning, &target, seed)?)?);
        }
        let median = fit::median(calls);
        let told = median.map_or("not reached".to_owned(), |calls| calls.to_string());
        eprintln!("tuning {PSGD}, family {family}, d = {dim}, {tuning}: {told}");
        if let Some(calls) = median.filter(|&calls| calls < best.0) {
            best = (calls, tuning);
        }
    }
    Ok(best.1)
}
