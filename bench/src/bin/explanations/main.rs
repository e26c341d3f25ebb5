//! Explanations of the two networks: how many are valid, how small they are, and what they cost.
//!
//! `cargo run --release -p bench --bin explanations [-- --network lenet|resnet20 --modes pp,pn,pn-add --images N ...]`
//!
//! `--images` is a number per class, of the first images of each class that the network gets right: of the first half of
//! the test set, or with `--set tuning` of the second, on which constants were chosen. `--only I` takes one image by its
//! number. `--save DIR` keeps every answer for `bench/confirm.py`. Images run side by side on `--threads`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod asked;
mod images;
mod page;
mod reference;
mod result;

use std::error::Error;
use std::sync::atomic::AtomicBool;

use bench::side_by_side::side_by_side;
use gradless_explain::session::Look;
use gradless_explain::{Answer, ExplainError, Labels, Options, Scores, Session, Watch};
use gradless_models::Onnx;

use asked::{Asked, Question};
use images::Subject;
use result::{Found, save};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Fallible<()> {
    let asked = Asked::read()?;
    let model = asked.model()?;
    let subjects = images::choose(&asked, &model)?;
    if asked.reference {
        return reference::run(&asked, &model, &subjects);
    }
    let mut sections = Vec::new();
    for &question in &asked.modes {
        let jobs: Vec<&Subject> = subjects.iter().collect();
        let found = side_by_side(&jobs, asked.threads, |subject| {
            let answer =
                explain(&model, subject, &asked.options(question), Watch::new(&AtomicBool::new(false)))?;
            if let Some(folder) = &asked.save {
                save(folder, &asked, question, subject, &answer)?;
            }
            Ok(Found::new(subject, &answer))
        })?;
        if asked.verbose {
            for found in &found {
                eprintln!("{} {}", question.name(), found.line());
            }
        }
        sections.push((question, found));
        println!("{}", page::table(&sections[sections.len() - 1..]));
    }
    if let Some(out) = &asked.out {
        page::write(out, &asked, &sections)?;
    }
    Ok(())
}

/// The answer to the one question of the options. That the networks give logits is known and need not be looked at, so that
/// all queries are those of the search.
fn explain(
    model: &Onnx,
    subject: &Subject,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Answer, ExplainError> {
    let session = Session {
        model,
        features: &subject.features(),
        options,
        beside: gradless_explain::Beside::default(),
        labels: Labels::default(),
        watch,
        deadline: None,
        sent: None,
    };
    let mut answers = session.explain(Look { scores: Scores::Logits, queries: 0 })?;
    Ok(answers.remove(0))
}

impl Question {
    fn name(self) -> &'static str {
        match self {
            Self::Part => "pp",
            Self::Change => "pn",
            Self::Addition => "pn-add",
        }
    }
}
