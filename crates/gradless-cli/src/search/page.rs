//! What was found as the data of a page.

use gradless_explain::Answer;
use gradless_report::Page;

use super::job::{Explained, Job};

/// All that the page shows.
pub(super) fn page(job: &Job, explained: &Explained, command: &str) -> Page {
    let first = explained.answers.first();
    let mut settings = job.settings.table(explained.item.features().kind());
    if let Some(Answer { noise_floor, noise_floor_source, .. }) = first {
        settings.push(("noise floor".to_owned(), format!("{noise_floor:.2e} ({noise_floor_source})")));
    }
    Page {
        title: explained.name.clone(),
        subject: explained.item.subject(&explained.answers),
        frame: explained.item.frame(job.loaded.onnx.description().range),
        input: explained.item.features().input().to_vec(),
        classes: job.loaded.class_names(),
        // What was found is on the page as what the model is shown and as the change; and in x.npy.
        answers: explained.answers.iter().map(for_page).collect(),
        settings,
        model: model(job, explained),
        command: command.to_owned(),
        seed: job.settings.options.config.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds: explained.seconds,
    }
}

/// An answer without what the page does not show. A photograph has many numbers, of which the page needs three digits.
fn for_page(answer: &Answer) -> Answer {
    let mut answer = Answer { x: Vec::new(), ..answer.clone() };
    if answer.located.is_some() {
        answer.change.clear();
        let copies = answer.stability.iter_mut().flat_map(|survival| &mut survival.copies);
        for numbers in copies.map(|copy| &mut copy.input).chain([&mut answer.after]) {
            for number in numbers {
                *number = (1e3 * *number).round() / 1e3;
            }
        }
    }
    answer
}

/// Facts about the model, its preprocessing included.
pub(super) fn model(job: &Job, explained: &Explained) -> Vec<(String, String)> {
    let onnx = &job.loaded.onnx;
    let scores = explained.answers.first().map(|answer| answer.scores_are.clone()).unwrap_or_default();
    let pairs = [
        ("model", job.loaded.name.clone()),
        ("sha-256", job.loaded.sha256.clone()),
        ("engine", onnx.engine().to_owned()),
    ];
    let mut facts: Vec<(String, String)> = pairs.map(|(name, value)| (name.to_owned(), value)).to_vec();
    facts.extend(job.inputs.facts(onnx));
    facts.push(("scores".to_owned(), scores));
    facts
}
