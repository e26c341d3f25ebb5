//! What was found as pictures and as the data of a page.

use gradless::Model;
use gradless_explain::picture::{Marks, Picture, overlay};
use gradless_explain::report::{Case, Report, TracePoint};
use gradless_explain::{Kappa, Mode};

use super::subject::{Explained, Found, Job};
use super::words;

/// An input as a picture: black to white over the model's range. What is not a grey or colour picture is shown as a grey
/// one, its planes below each other.
pub(super) fn picture(job: &Job, values: &[f64]) -> anyhow::Result<Picture> {
    let [low, high] = job.loaded.onnx.description().range;
    let (channels, rows, columns) = planes(job.loaded.onnx.shape());
    let shades = values.iter().map(|value| (value - low) / (high - low)).collect();
    Ok(Picture::clamped(channels, rows, columns, shades)?)
}

fn planes(shape: &[usize]) -> (usize, usize, usize) {
    match *shape {
        [channels @ (1 | 3), rows, columns] => (channels, rows, columns),
        [.., columns] if shape.len() > 1 => (1, shape.iter().product::<usize>() / columns.max(1), columns),
        _ => (1, 1, shape.iter().product()),
    }
}

/// The answer drawn on the input.
pub(super) fn overlaid(job: &Job, explained: &Explained, found: &Found) -> anyhow::Result<Picture> {
    let marks = match found.mode {
        Mode::PertinentPositive => Marks::Kept,
        Mode::PertinentNegative => Marks::Change,
    };
    Ok(overlay(&picture(job, &explained.input)?, &change(job, found), marks)?)
}

/// How far the answer is from nothing, in shades.
fn change(job: &Job, found: &Found) -> Vec<f64> {
    let [low, high] = job.loaded.onnx.description().range;
    let nothing = found.task.nothing();
    found.answer.unknown.iter().zip(nothing).map(|(x, o)| (x - o) / (high - low)).collect()
}

/// All that the page shows.
pub(super) fn report(job: &Job, explained: &Explained, command: &str) -> anyhow::Result<Report> {
    let first = explained.cases.first().map(|found| &found.answer);
    let cases: anyhow::Result<Vec<Case>> =
        explained.cases.iter().map(|found| case(job, explained, found)).collect();
    Ok(Report {
        title: explained.name.clone(),
        original: picture(job, &explained.input)?,
        original_class: first.map_or(0, |answer| answer.original_class),
        original_scores: first
            .map_or_else(Vec::new, |answer| explained.answers.told(&answer.original_scores)),
        class_names: job.loaded.onnx.description().classes.clone(),
        cases: cases?,
        settings: settings(job, explained),
        model: model(job, explained),
        command: command.to_owned(),
        seed: job.settings.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds: explained.seconds,
    })
}

fn case(job: &Job, explained: &Explained, found: &Found) -> anyhow::Result<Case> {
    let answer = &found.answer;
    Ok(Case {
        mode: found.mode,
        valid: answer.valid,
        explanation: words::sentence(job, explained, found),
        picture: picture(job, &answer.seen)?,
        change: change(job, found),
        class: answer.class,
        scores: explained.answers.told(&answer.scores),
        margin: answer.margin,
        noise: explained.floor.margin,
        kappa: answer.kappa,
        norm_l1: answer.norm_l1,
        norm_l2: answer.norm_l2,
        nonzeros: answer.nonzeros,
        queries: answer.queries,
        sent: answer.queries,
        first_valid: answer.first_valid,
        best_valid: answer.best_valid,
        minimal: answer.minimal,
        stop_reason: found.stop_reason.clone(),
        seconds: found.seconds,
        trace: answer
            .steps
            .iter()
            .map(|step| TracePoint {
                queries: step.queries,
                objective: step.objective.unwrap_or(f64::NAN),
                norm_l1: step.norm_l1,
                valid: step.best.is_some(),
            })
            .collect(),
        agreement: found.agreement.as_ref().map(super::agreement::Agreement::sentence),
    })
}

fn settings(job: &Job, explained: &Explained) -> Vec<(String, String)> {
    let settings = &job.settings;
    let on = |yes: bool| if yes { "on" } else { "off" }.to_owned();
    let kappa = match settings.kappa {
        None => "none".to_owned(),
        Some(Kappa::Absolute(kappa)) => kappa.to_string(),
        Some(Kappa::Share(share)) => format!("{} % of the input's margin", 100.0 * share),
    };
    let pairs = [
        ("method", settings.method.to_owned()),
        ("preset", settings.preset.to_owned()),
        ("queries allowed per question", settings.max_queries.to_string()),
        ("weights l1, l2 at the start", format!("{}, {}", settings.l1, settings.l2)),
        ("kappa", kappa),
        ("search", format!("{:?}", settings.search).to_lowercase()),
        ("prune", on(settings.prune)),
        ("changes", format!("{:?}", settings.set).to_lowercase()),
        ("noise floor", format!("{:.2e} ({})", explained.floor.margin, explained.floor.source)),
        ("seed", settings.seed.to_string()),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// Facts about the model, its preprocessing included.
pub(super) fn model(job: &Job, explained: &Explained) -> Vec<(String, String)> {
    let onnx = &job.loaded.onnx;
    let description = onnx.description();
    let list = |values: &[f64], none: &str| {
        if values.is_empty() { none.to_owned() } else { format!("{values:?}") }
    };
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
        ("scores", explained.answers.name().to_owned()),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
