//! What was found as the data of a page.

use gradless::Model;
use gradless_explain::Answer;
use gradless_report::{Frame, Page, Subject};

use super::job::{Explained, Job};

/// How inputs of the model make pictures.
pub(super) fn frame(job: &Job) -> Frame {
    Frame::of(job.loaded.onnx.shape(), job.loaded.onnx.description().range)
}

/// All that the page shows.
pub(super) fn page(job: &Job, explained: &Explained, command: &str) -> Page {
    let first = explained.answers.first();
    let mut settings = job.settings.table();
    if let Some(Answer { noise_floor, noise_floor_source, .. }) = first {
        settings.push(("noise floor".to_owned(), format!("{noise_floor:.2e} ({noise_floor_source})")));
    }
    Page {
        title: explained.name.clone(),
        subject: Subject::Picture,
        frame: frame(job),
        input: explained.input.clone(),
        classes: job.loaded.onnx.description().classes.clone(),
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
            numbers.iter_mut().for_each(|number| *number = (1e3 * *number).round() / 1e3);
        }
    }
    answer
}

/// Facts about the model, its preprocessing included.
pub(super) fn model(job: &Job, explained: &Explained) -> Vec<(String, String)> {
    let onnx = &job.loaded.onnx;
    let description = onnx.description();
    let list = |values: &[f64], none: &str| {
        if values.is_empty() { none.to_owned() } else { format!("{values:?}") }
    };
    let scores = explained.answers.first().map(|answer| answer.scores_are.clone()).unwrap_or_default();
    let resized = job.resize.map(|how| ("pictures of another size", how.words().to_owned()));
    let pairs = [
        ("model", job.loaded.name.clone()),
        ("sha-256", job.loaded.sha256.clone()),
        ("engine", onnx.engine().to_owned()),
        ("input", format!("{:?}, {:?}", onnx.shape(), description.layout).to_lowercase()),
        ("range", format!("{} to {}", description.range[0], description.range[1])),
        (
            "scale, mean, std",
            format!(
                "{}, {}, {}",
                description.scale,
                list(&description.mean, "0"),
                list(&description.std, "1")
            ),
        ),
        ("scores", scores),
    ];
    pairs.into_iter().chain(resized).map(|(name, value)| (name.to_owned(), value)).collect()
}
