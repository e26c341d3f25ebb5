//! Texts, one file each.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use gradless_explain::features::{Text, Unit};
use gradless_explain::{Answer, Switches};
use gradless_models::{Record, Wording};
use gradless_report::{Subject, Text as Shown};

use super::super::Call;
use super::file_name;
use crate::input::Source;
use crate::model;

/// The endings of texts, and of what is taken from a folder.
const ENDINGS: [&str; 4] = ["txt", "md", "eml", "text"];
/// Longer texts are not read.
const MOST_BYTES: u64 = 16 << 20;
/// Words that are shown in the terminal.
const WORDS: usize = 30;

/// What is said of a text.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TextArguments {
    /// What a text is cut into; says that --input is a text, whatever its name
    #[arg(long, value_enum, value_name = "UNIT", help_heading = "A text")]
    pub(crate) unit: Option<UnitName>,

    /// What stands in the place of a word that is gone, such as [MASK] [default: nothing]
    #[arg(long, value_name = "TOKEN", help_heading = "A text")]
    pub(crate) mask: Option<String>,

    /// Words that may replace others in a change: a file with one per line
    #[arg(long, value_name = "FILE", help_heading = "A text")]
    pub(crate) candidates: Option<PathBuf>,
}

/// What a text is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnitName {
    /// All occurrences of a word together
    Words,
    /// Sentences and lines
    Sentences,
}

/// Whether a path names a text, or a folder of them.
pub(super) fn is_text(path: &Path, words: &TextArguments) -> anyhow::Result<bool> {
    if words.unit.is_some() {
        return Ok(true);
    }
    // A note beside pictures makes no folder of texts.
    Ok(if path.is_dir() {
        !listed(path)?.is_empty() && !Source::is_of_arrays(path)
    } else {
        has_ending(path)
    })
}

fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// The texts in a folder, by name.
fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = read.with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| has_ending(path)).collect();
    paths.sort();
    Ok(paths)
}

/// Texts that are explained.
pub(in crate::search) struct Texts {
    paths: Vec<PathBuf>,
    is_folder: bool,
    unit: Unit,
    mask: Option<String>,
    candidates: Vec<String>,
    /// Words that stay.
    frozen: Vec<String>,
}

/// A text in pieces.
pub(in crate::search) struct Cut {
    pub(super) text: Text,
    pub(super) switches: Switches,
}

impl Texts {
    pub(super) fn open(path: &Path, call: &Call<'_>) -> anyhow::Result<Self> {
        call.refuse_for_records("a text")?;
        let is_folder = path.is_dir();
        let paths = if is_folder { listed(path)? } else { vec![path.to_owned()] };
        ensure!(
            !paths.is_empty(),
            "{} holds no texts ({})",
            path.display(),
            ENDINGS.map(|e| format!(".{e}")).join(", ")
        );
        let lines = |path: &PathBuf| -> anyhow::Result<Vec<String>> {
            let text =
                fs::read_to_string(path).with_context(|| format!("--candidates {}", path.display()))?;
            Ok(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
        };
        let words = call.text;
        let frozen =
            call.freeze.iter().flat_map(|words| words.split(',')).map(|word| word.trim().to_lowercase());
        Ok(Self {
            paths,
            is_folder,
            unit: match words.unit {
                Some(UnitName::Sentences) => Unit::Sentences,
                Some(UnitName::Words) | None => Unit::Words,
            },
            mask: words.mask.clone(),
            candidates: words.candidates.as_ref().map(lines).transpose()?.unwrap_or_default(),
            frozen: frozen.filter(|word| !word.is_empty()).collect(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn is_many(&self) -> bool {
        self.is_folder
    }

    pub(super) fn name(&self, index: usize) -> String {
        self.paths.get(index).map_or_else(String::new, |path| file_name(path))
    }

    pub(super) fn read(&self, index: usize) -> anyhow::Result<Cut> {
        let path = &self.paths[index];
        let read = || {
            let length = fs::metadata(path).context("cannot be read")?.len();
            ensure!(length <= MOST_BYTES, "has {length} bytes: texts of up to {MOST_BYTES} are read");
            let whole = fs::read_to_string(path).context("is no text")?;
            let text = Text::new(whole.trim_end(), &self.unit, true)?.masked(self.mask.clone());
            let text = text.with_candidates(|_| self.candidates.clone());
            let frozen: Vec<bool> =
                text.names().iter().map(|name| self.frozen.contains(&name.to_lowercase())).collect();
            let switches = text.switches(frozen)?;
            Ok::<_, anyhow::Error>(Cut { text, switches })
        };
        read().with_context(|| path.display().to_string())
    }

    pub(super) fn sha256(&self) -> String {
        let Self { unit, mask, candidates, frozen, .. } = self;
        model::hash(format!("{unit:?}{mask:?}{candidates:?}{frozen:?}").as_bytes())
    }
}

impl Wording for Cut {
    fn record(&self, numbers: &[f64]) -> Record {
        Record::Text(self.text.built(&states(numbers)))
    }
}

fn states(numbers: &[f64]) -> Vec<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "states are small whole numbers"
    )]
    numbers.iter().map(|number| number.round().max(0.0) as usize).collect()
}

/// The text of an answer.
pub(super) fn built(cut: &Cut, answer: &Answer) -> String {
    let mut text = cut.text.built(&states(&answer.after));
    text.push('\n');
    text
}

/// What the page shows.
pub(super) fn subject(cut: &Cut) -> Subject {
    let pieces = cut.text.pieces().into_iter().map(|(piece, switch)| (piece.to_owned(), switch)).collect();
    Subject::Text(Shown { pieces, candidates: cut.text.candidates().to_vec() })
}

/// The words that are kept, or gone, or replaced.
pub(super) fn lines(cut: &Cut, answer: &Answer) -> Vec<String> {
    let states = states(&answer.after);
    let word = |&switch: &usize| {
        let name = &cut.text.names()[switch];
        match states[switch].checked_sub(2).and_then(|other| cut.text.candidates()[switch].get(other)) {
            Some(other) => format!("{name} -> {other}"),
            None => name.clone(),
        }
    };
    let mut words: Vec<String> = answer.used.iter().take(WORDS).map(word).collect();
    if words.is_empty() {
        return Vec::new();
    }
    if answer.used.len() > WORDS {
        words.push(format!("and {} more", answer.used.len() - WORDS));
    }
    vec![format!("    {}", words.join(", "))]
}
