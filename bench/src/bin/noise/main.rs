//! How far the default method comes where answers are noisy, rounded or missing.
//!
//! `cargo run --release -p bench --bin noise [-- --dims 100,1000] [--seeds 10] [--first 3000] [--out docs/benchmarks]`
//!
//! Every problem is solved without disturbance first. Then the method gets three times the queries and disturbed answers, and
//! its answer is judged by the true objective.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its progress and its result"
)]

mod black_box;
mod measured;
mod page;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use bench::Fallible;
use black_box::{Disturbance, Family};
use measured::{Allowance, Case, Reference, Run};

/// Where results are written unless said otherwise.
const OUT: &str = "docs/benchmarks";
/// Shares of the range that the standard deviation of one value is.
pub(crate) const LEVELS: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
/// Noise beside failed answers.
const BESIDE_FAILURES: [f64; 2] = [0.0, 1e-3];

/// What the program was asked for.
struct Asked {
    dims: Vec<usize>,
    seeds: Range<u64>,
    out: PathBuf,
}

impl Asked {
    fn from_words(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let (mut dims, mut count, mut first) = (vec![100, 1_000], 10, 3_000);
        let mut out = PathBuf::from(OUT);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--dims" => dims = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--seeds" => count = value.parse()?,
                "--first" => first = value.parse()?,
                "--out" => out = value.into(),
                _ => {
                    return Err(format!(
                        "unknown argument '{word}'; there are --dims, --seeds, --first and --out"
                    )
                    .into());
                }
            }
        }
        Ok(Self { dims, seeds: first..first + count, out })
    }
}

/// All ways in which answers are disturbed, each with both budgets.
fn cases() -> Vec<Case> {
    let noisy = |disturbance| LEVELS.map(|noise| (disturbance, noise));
    let mut kinds: Vec<(Disturbance, f64)> = Vec::new();
    kinds.extend(noisy(Disturbance::Independent));
    kinds.extend(noisy(Disturbance::Offset));
    kinds.extend(noisy(Disturbance::Tilt));
    kinds.push((Disturbance::Rounded, 0.0));
    kinds.extend(BESIDE_FAILURES.map(|noise| (Disturbance::Failing, noise)));
    let with = |allowance| {
        kinds
            .iter()
            .map(move |&(disturbance, noise)| Case { disturbance, noise, allowance })
            .collect::<Vec<_>>()
    };
    Allowance::ALL.into_iter().flat_map(with).collect()
}

fn main() -> Fallible<()> {
    let asked = Asked::from_words(std::env::args().skip(1))?;
    // Before anything is written, so that the results themselves do not count as changes.
    let commit = bench::commit();
    let mut runs: Vec<Run> = Vec::new();
    let mut references = Vec::new();
    for family in Family::ALL {
        for &dim in &asked.dims {
            let began = Instant::now();
            for seed in asked.seeds.clone() {
                let reference = Reference::new(family, dim, seed)?;
                for case in cases() {
                    runs.push(reference.disturbed(case)?);
                }
                references.push(reference);
            }
            eprintln!("{family}, d = {dim}: {:.0} s", began.elapsed().as_secs_f64());
        }
    }
    let text = page::page(&references, &runs, &commit);
    println!("{text}");
    std::fs::create_dir_all(&asked.out)?;
    std::fs::write(asked.out.join("noise.csv"), page::csv(&runs))?;
    std::fs::write(asked.out.join("noise.md"), text)?;
    Ok(())
}
