//! Rows of a table.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use gradless_explain::Answer;
use gradless_report::{Row as Shown, Subject};

use super::super::Call;
use super::file_name;
use crate::model;
use crate::table::{Row, Sheet, Wishes};

/// The endings of tables.
const ENDINGS: [&str; 2] = ["csv", "tsv"];
/// Without data of its own, a table of fewer rows tells too little about what occurs.
const FEW: usize = 10;

/// Whether a path names a table.
pub(super) fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// The rows of a table that are explained.
pub(in crate::search) struct Rows {
    sheet: Sheet,
    /// Rows like them.
    data: Option<Sheet>,
    wishes: Wishes,
    /// The only one that is meant.
    only: Option<usize>,
    name: String,
}

impl Rows {
    pub(super) fn open(path: &Path, call: &Call<'_>) -> anyhow::Result<Self> {
        call.refuse_for_records("a table")?;
        let words = call.table;
        let sheet = Sheet::read(path, &words.drop).context("--input")?;
        let read = |path: &std::path::PathBuf| Sheet::read(path, &[]).context("--data");
        let data = words.data.as_ref().map(read).transpose()?;
        if let Some(row) = words.row {
            ensure!(row < sheet.len(), "--row {row}: the table has {} rows, counted from 0", sheet.len());
        }
        if data.is_none() && sheet.len() < FEW {
            bail!(
                "{} has {} rows, too few to tell which values occur: give rows like them with --data FILE.csv",
                path.display(),
                sheet.len()
            );
        }
        let freeze: Vec<String> = match call.freeze {
            Some(names) => {
                names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
            }
            None => Vec::new(),
        };
        Ok(Self { sheet, data, wishes: Wishes::of(words, &freeze), only: words.row, name: file_name(path) })
    }

    pub(super) fn len(&self) -> usize {
        if self.only.is_some() { 1 } else { self.sheet.len() }
    }

    pub(super) fn is_many(&self) -> bool {
        self.only.is_none()
    }

    /// Rows are counted from 0.
    pub(super) fn name(&self, index: usize) -> String {
        match self.only {
            Some(row) => format!("{}, row {row}", self.name),
            None => format!("{index:05}"),
        }
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.sheet.names
    }

    pub(super) fn read(&self, index: usize) -> anyhow::Result<Row> {
        let row = self.only.unwrap_or(index);
        Row::new(&self.sheet, row, self.data.as_ref().unwrap_or(&self.sheet), &self.wishes)
    }

    pub(super) fn sha256(&self) -> String {
        model::hash(format!("{:?}{:?}{:?}", self.sheet, self.data, self.wishes).as_bytes())
    }
}

/// What the page shows.
pub(super) fn subject(row: &Row, answers: &[Answer]) -> Subject {
    let answers = answers.iter().map(|answer| row.levers(answer)).collect();
    Subject::Table(Shown { columns: row.values(), answers })
}

/// What is kept or changed, a line each.
pub(super) fn lines(row: &Row, answer: &Answer) -> Vec<String> {
    let levers = row.levers(answer);
    let width = levers.iter().map(|lever| lever.column.chars().count()).max().unwrap_or(0);
    let line = |lever: &gradless_report::Lever| {
        let gap = " ".repeat(width - lever.column.chars().count());
        if answer.is_part() {
            format!("    {}{gap}  {} (typical: {})", lever.column, lever.after, lever.before)
        } else {
            format!("    {}{gap}  {} -> {}", lever.column, lever.before, lever.after)
        }
    };
    levers.iter().map(line).collect()
}

/// The changed row, or the part with typical values around it, as a table of one row.
pub(super) fn csv(row: &Row, answer: &Answer) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(row.values().iter().map(|(name, _)| name))?;
    writer.write_record(row.after(answer))?;
    writer.into_inner().context("a row cannot be written")
}
