//! Ours and other people's optimisers on the same problems with the same number of queries.
//!
//! Three steps, all in one folder; `bench/peers/run` does them in order:
//!
//! - `suite --dump DIR [--dims 100,1000,10000,100000] [--data DATA]` writes every problem as JSON, with all its numbers. With
//!   `--data` also questions about MNIST images; `bench/peers/logistic.py DIR` adds logistic regressions.
//! - `suite --run DIR [--methods LIST] [--seeds 10] [--budget 40000] [--threads N] [--problems LIST] [--dims LIST]` runs ours on
//!   what is there and adds to `ours.csv`; what it already holds is not run again. `bench/peers/peers.py DIR` does the same
//!   with the others and `peers.csv`.
//! - `suite --report DIR --out docs/benchmarks [--problems LIST] [--dims LIST]` merges both into `peers.md` and data profiles.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod asked;
mod instance;
mod black_box;
mod catalogue;
mod measured;
mod contest;
mod merged;
mod report;

use std::path::Path;

use bench::Fallible;

use asked::{Asked, Step};
use instance::Instance;
use merged::Merged;

fn main() -> Fallible<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    match &asked.step {
        Step::Dump(folder) => dump(folder, &asked),
        Step::Run(folder) => contest::run(folder, &asked),
        Step::Report(folder) => tell(folder, &asked),
    }
}

fn dump(folder: &Path, asked: &Asked) -> Fallible<()> {
    std::fs::create_dir_all(folder)?;
    let mut instances = catalogue::families(asked.dims.as_deref().unwrap_or(&catalogue::DIMS));
    match &asked.data {
        Some(data) => instances.extend(catalogue::digits(data)?),
        None => eprintln!("no questions about images: --data DIR says where MNIST is"),
    }
    for instance in &instances {
        instance.write(folder)?;
        println!("{}", instance.name);
    }
    Ok(())
}

fn tell(folder: &Path, asked: &Asked) -> Fallible<()> {
    // Before anything is written, so that the results themselves do not count as changes.
    let commit = bench::commit();
    let mut rows = Vec::new();
    for name in [measured::OURS, measured::PEERS] {
        rows.extend(measured::read(&folder.join(name))?);
    }
    rows.retain(|row| {
        asked.dims.as_ref().is_none_or(|dims| dims.contains(&row.dim))
            && asked.problems.as_ref().is_none_or(|problems| problems.contains(&row.problem))
    });
    let minima =
        Instance::all(folder)?.into_iter().filter_map(|instance| Some((instance.name, instance.minimum?)));
    let merged = Merged::new(rows, minima.collect());
    println!("{}", report::never_lose(&merged).trim_end());
    if let Some(out) = &asked.out {
        report::write(out, &merged, &commit)?;
    }
    Ok(())
}
