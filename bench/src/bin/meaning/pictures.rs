//! What there is to look at: the same ten pictures, before and after; and everything for other programs.

use std::fs;
use std::path::Path;

use bench::{Fallible, page};
use gradless_report::Frame;
use gradless_report::picture::Picture;
use serde::Serialize;

use crate::asked::{Asked, Set};
use crate::judged::Judged;
use crate::kinds::Kind;
use crate::subjects::Subjects;

/// Pixels between pictures of a sheet.
const GAP: usize = 2;

/// A sheet: a column for each of ten pictures (one per class), the picture above, below it what each kind shows.
pub(crate) fn sheet(asked: &Asked, subjects: &Subjects, rows: &[(Kind, Vec<Judged>)]) -> Fallible<()> {
    if asked.set != Set::Mnist {
        return Ok(());
    }
    let classes = subjects.judges.first().map_or(0, gradless::Model::classes);
    let first = |class: usize| subjects.pictures.iter().position(|picture| picture.label == class);
    let columns: Vec<usize> = (0..classes).filter_map(first).collect();
    let frame = Frame::of(&subjects.shape, [0.0, 1.0]);
    let (height, width) = (frame.rows + GAP, frame.columns + GAP);
    let lines = 1 + rows.len();
    let (across, down) = (columns.len() * width + GAP, lines * height + GAP);
    let mut shades = vec![0.35; across * down];
    for (column, &at) in columns.iter().enumerate() {
        let shown = std::iter::once(&subjects.pictures[at].input)
            .chain(rows.iter().map(|(_, judged)| &judged[at].answer.after));
        for (line, values) in shown.enumerate() {
            for (i, &value) in values.iter().enumerate() {
                let (row, place) = (i / frame.columns, i % frame.columns);
                shades[(GAP + line * height + row) * across + GAP + column * width + place] = value;
            }
        }
    }
    let sheet = Picture::clamped(1, down, across, shades)?;
    Ok(fs::write(page::of_repository("docs/benchmarks/meaning.png"), enlarged(&sheet, 2)?.to_png())?)
}

/// Every pixel as a square of so many.
fn enlarged(picture: &Picture, times: usize) -> Fallible<Picture> {
    let (height, width) = (picture.height(), picture.width());
    let shade =
        |i: usize| picture.values()[i / (width * times) / times * width + i % (width * times) / times];
    Ok(Picture::clamped(
        1,
        height * times,
        width * times,
        (0..height * width * times * times).map(shade).collect(),
    )?)
}

#[derive(Serialize)]
struct Saved<'a> {
    kind: &'static str,
    index: usize,
    class: usize,
    valid: bool,
    queries: u64,
    after: &'a [f64],
}

/// Answers with their pictures, a line each.
pub(crate) fn save(folder: &Path, subjects: &Subjects, rows: &[(Kind, Vec<Judged>)]) -> Fallible<()> {
    fs::create_dir_all(folder)?;
    let mut text = String::new();
    for (kind, judged) in rows {
        for (picture, one) in subjects.pictures.iter().zip(judged) {
            let saved = Saved {
                kind: kind.word(),
                index: picture.index,
                class: one.answer.explanation.class,
                valid: one.answer.valid,
                queries: one.answer.queries,
                after: &one.answer.after,
            };
            text += &serde_json::to_string(&saved)?;
            text.push('\n');
        }
    }
    Ok(fs::write(folder.join("answers.jsonl"), text)?)
}
