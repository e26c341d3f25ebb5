//! Whether explanations mean something: what another network says of them, and what they survive.
//!
//! `cargo run --release -p bench --bin meaning -- --model lenet.onnx --judge convnet.onnx [--judge resnet8.onnx] [--write]`
//!
//! Explains pictures that nothing was chosen on (`--set tuning` those that constants were chosen on), asks judges that the search
//! does not know, and disturbs the answers. `--write` puts the tables into `docs/benchmarks/meaning.md`. `--bounds N` checks the
//! lower bounds of N answers on 10,000 new draws each. `--ablation` leaves one thing out at a time. `--save DIR` keeps the pictures and answers for `bench/strangers/meaning.py`.

#![expect(clippy::print_stdout, reason = "a program that reports")]

mod ablation;
mod asked;
mod bounds;
mod judged;
mod kinds;
mod page;
mod pictures;
mod subjects;

use bench::Fallible;
use bench::side_by_side::side_by_side;

use asked::Asked;
use judged::Judged;
use kinds::Kind;
use subjects::Subjects;

fn main() -> Fallible<()> {
    let mut asked = Asked::read()?;
    let subjects = Subjects::chosen(&asked)?;
    if let Some(answers) = asked.bounds {
        return bounds::run(&asked, &subjects, answers);
    }
    if asked.ablation {
        return ablation::run(&mut asked, &subjects);
    }
    let mut rows: Vec<(Kind, Vec<Judged>)> = Vec::new();
    for &kind in &asked.kinds {
        let judged = side_by_side(&subjects.pictures, asked.threads, |picture| {
            Judged::of(&asked, &subjects, kind, picture)
        })?;
        println!("{}", page::row(kind, &judged, &subjects));
        rows.push((kind, judged));
    }
    if let Some(folder) = &asked.save {
        pictures::save(folder, &subjects, &rows)?;
    }
    if asked.write {
        page::write(&asked, &subjects, &rows)?;
        pictures::sheet(&asked, &subjects, &rows)?;
    }
    Ok(())
}
