//! The operator tests of the Python package `onnx` through both engines of gradless.
//!
//! `bench/operators/run` writes the cases, runs this and so rewrites `docs/benchmarks/onnx-operators.md`.
//!
//! `cargo run -p bench --bin operators -- CASES [--out PAGE] [--verbose]`
//!
//! With `--out` the tables between the markers of the page are replaced, otherwise they are printed. With `--verbose` every
//! case that fails is printed with what the engine said.

#![expect(clippy::print_stdout, reason = "a program that reports")]

mod case;
mod page;

use std::path::PathBuf;

use bench::Fallible;
use case::{Listing, Outcome};
use gradless_models::{Engine, Problem};

/// The engines in the order of the columns.
const ENGINES: [Engine; 2] = [Engine::Rten, Engine::Ort];

fn main() -> Fallible<()> {
    let mut words = std::env::args().skip(1);
    let (mut folder, mut out, mut verbose) = (None, None, false);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => out = Some(PathBuf::from(words.next().ok_or("--out needs a page")?)),
            "--verbose" => verbose = true,
            path => folder = Some(PathBuf::from(path)),
        }
    }
    let folder = folder.ok_or("which folder? `bench/operators/run` makes one")?;
    // A panic inside an engine is an outcome like any other, and told in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let listing = Listing::read(&folder)?;
    let mut results = Vec::new();
    for (index, case) in listing.cases.iter().enumerate() {
        let (graph, tensors) = case.read(&folder, index)?;
        let outcomes = ENGINES.map(|engine| case.run(engine, &graph, &tensors));
        if verbose {
            for (engine, outcome) in ENGINES.iter().zip(&outcomes) {
                if !matches!(outcome, Outcome::Passed) {
                    println!("{} {} {}: {outcome}", engine.name(), case.operator, case.name);
                }
            }
        }
        for outcome in &outcomes {
            if let Outcome::Refused(missing @ (Problem::Library(_) | Problem::NoEngine { .. })) = outcome {
                return Err(missing.to_string().into());
            }
        }
        results.push(outcomes);
    }
    let tables = page::tables(&listing, &results);
    match out {
        None => println!("{tables}"),
        Some(page) => page::replace(&page, &tables)?,
    }
    Ok(())
}
