//! What is kept of an answer: a row of numbers, and on request the answer itself.

use std::io::Write;
use std::path::Path;

use gradless_explain::{Answer, Minimal};
use gradless_report::picture::Picture;

use crate::Fallible;
use crate::asked::{Asked, Question};
use crate::images::Subject;

/// The numbers of one answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) index: usize,
    pub(crate) label: usize,
    pub(crate) valid: bool,
    pub(crate) minimal: bool,
    pub(crate) class: usize,
    pub(crate) norm_l1: f64,
    pub(crate) norm_l2: f64,
    /// Places of the picture, whatever their channels.
    pub(crate) pixels: usize,
    pub(crate) margin: f64,
    pub(crate) queries: u64,
}

impl Found {
    pub(crate) fn new(subject: &Subject, answer: &Answer) -> Self {
        Self {
            index: subject.index,
            label: subject.label,
            valid: answer.valid,
            minimal: answer.minimal == Minimal::Checked,
            class: answer.explanation.class,
            norm_l1: answer.norm_l1,
            norm_l2: answer.norm_l2,
            pixels: answer.pixels,
            margin: answer.margin,
            queries: answer.queries,
        }
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "image {} of {} -> {}: {}{} l1 {:.2} l2 {:.2} pixels {} margin {:.5} queries {}",
            self.index,
            self.label,
            self.class,
            if self.valid { "valid" } else { "NOT valid" },
            if self.minimal { "" } else { " not minimal" },
            self.norm_l1,
            self.norm_l2,
            self.pixels,
            self.margin,
            self.queries
        )
    }
}

/// Writes what the model sees: exactly (64-bit, little-endian), and as an 8-bit picture; and a line about it.
pub(crate) fn save(
    folder: &Path,
    asked: &Asked,
    question: Question,
    subject: &Subject,
    answer: &Answer,
) -> Fallible<()> {
    std::fs::create_dir_all(folder)?;
    let name = format!("{}-{}-{:05}", asked.network.name(), question.name(), subject.index);
    let bytes: Vec<u8> = answer.after.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join(format!("{name}.f64")), bytes)?;
    let [channels, height, width] = subject.shape;
    std::fs::write(
        folder.join(format!("{name}.png")),
        Picture::new(channels, height, width, answer.after.clone())?.to_png(),
    )?;
    let line = format!(
        "{} {} {} {} {}\n",
        name,
        asked.network.name(),
        if question == Question::Part { "keeps" } else { "leaves" },
        answer.original.class,
        if answer.valid { "valid" } else { "invalid" }
    );
    // One file per answer, so that threads need not agree on an order.
    std::fs::File::create(folder.join(format!("{name}.txt")))?.write_all(line.as_bytes())?;
    Ok(())
}
