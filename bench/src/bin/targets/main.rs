//! Queries until a method has found what the paper's method finds in 40,200.
//!
//! `cargo run --release -p bench --bin targets -- --data DIR [--set mnist|cifar10] [--network FILE] [--part tuning|held-out] [--images N]
//! [--at-most N] [--tasks pn,pn-add,pp] [--methods NAME[:PRESET][:lr=STEP],...] [--budget 40200] [--whole] [--seed S] [--engine rten|ort]
//! [--threads N] [--references FILE] [--out DIR]`
//!
//! For every image and task the reference is $F$ at the last iterate of ZO-AdaExpGrad+ with the paper's settings
//! ($m = T = 200$, all coordinates kept); it is computed once and kept in a file. The target is 1.05 times that. A run ends at
//! its target, so that what is told of later queries is an upper bound; with `--whole` it goes on to its budget.
//!
//! `--images` is a number per class, `--at-most` limits it in all. `--part tuning` takes them from the training set, `held-out` from the test set; both in
//! the order of a keyed hash, and only such that the network gets right.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod asked;
mod page;
mod references;
mod run;
mod table;
mod task;

use bench::side_by_side::side_by_side;
use bench::{Fallible, network};
use gradless_paper::reproduce::{Order, choose};

use asked::Asked;
use references::References;
use run::{Runner, Subject};

fn main() -> Fallible<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    // Before anything is written, so that the results themselves do not count as changes.
    let commit = bench::commit();
    let model = network::load_file(asked.network(), asked.engine)?;
    let labelled = network::images(&asked.data, asked.set, asked.part.split())?;
    let mut chosen =
        choose(&model, asked.set, &labelled, &Order::Hashed, asked.per_class, asked.seed)?.images;
    chosen.truncate(asked.at_most.unwrap_or(usize::MAX));
    let subjects: Vec<Subject> = chosen
        .iter()
        .flat_map(|&image| asked.tasks.iter().map(move |&task| Subject { task, image }))
        .collect();

    let runner = Runner { asked: &asked, model: &model, images: &labelled.images };
    let references = References::open(&asked.references, asked.circumstances()?)?;
    eprintln!("reference values, {} of {} known", references.known(&subjects)?, subjects.len());
    let values = side_by_side(&subjects, asked.threads, |subject| {
        references.value(subject, || runner.reference(subject))
    })?;

    let jobs: Vec<_> = subjects
        .iter()
        .zip(&values)
        .flat_map(|(&subject, &reference)| asked.methods.iter().map(move |&by| (subject, reference, by)))
        .collect();
    eprintln!("runs to the target");
    let rows =
        side_by_side(&jobs, asked.threads, |&(subject, reference, by)| runner.run(&subject, reference, by))?;
    println!("{}", table::tables(&asked, &rows).trim_end());
    if let Some(out) = &asked.out {
        page::write(out, &asked, &rows, &commit)?;
    }
    Ok(())
}
