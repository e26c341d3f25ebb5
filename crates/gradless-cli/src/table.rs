//! Rows of tables: read from CSV, turned into numbers that can be searched, and back.

mod column;
mod day;
mod sheet;
mod wishes;

pub(crate) use sheet::Sheet;
pub(crate) use wishes::{TableArguments, Wishes};

use anyhow::{Context, bail};
use gradless_explain::features::{Column, Table};
use gradless_explain::{Answer, Columns};
use gradless_models::{Record, Wording};
use gradless_report::Lever;

use column::Coded;

/// Rows of the data that are looked at for what occurs, at most; evenly taken from all.
const MOST_ROWS: usize = 5_000;

/// A row of a table that is to be explained.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    coded: Vec<Coded>,
    /// Its numbers, and what is said of them.
    pub(crate) columns: Columns,
}

impl Row {
    /// Row `index` of a sheet; `data` tells which values occur.
    pub(crate) fn new(sheet: &Sheet, index: usize, data: &Sheet, wishes: &Wishes) -> anyhow::Result<Self> {
        let names = &sheet.names;
        if let Some(column) = names.iter().find(|name| !data.names.contains(name)) {
            bail!("--data lacks the column '{column}' of the table that is explained");
        }
        let mut coded = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let known = data.column(name).with_context(|| format!("--data lacks the column '{name}'"))?;
            let is_name = wishes.categories.contains(name);
            coded.push(Coded::new(name, &known, sheet.cell(index, i), is_name));
        }
        let encode = |cells: &dyn Fn(usize) -> Option<String>| -> anyhow::Result<Vec<f64>> {
            coded.iter().enumerate().map(|(i, column)| column.encode(cells(i).as_deref())).collect()
        };
        let input = encode(&|i| sheet.cell(index, i).map(str::to_owned))?;
        let step = data.len().div_ceil(MOST_ROWS).max(1);
        let mut rows = Vec::new();
        for row in (0..data.len()).step_by(step) {
            rows.extend(encode(&|i| data.named_cell(row, &names[i]).map(str::to_owned))?);
        }
        let kinds = coded.iter().enumerate().map(|(i, column)| match column.levels() {
            Some(levels) => Column::Category { at: i, levels },
            None => Column::Number(i),
        });
        let [lower, upper, typical] =
            [Coded::lower, Coded::upper, Coded::typical].map(|of| coded.iter().map(of).collect::<Vec<f64>>());
        let mut columns = Columns::new(input, kinds.collect(), [lower.into(), upper.into()], typical.into());
        columns.names.clone_from(names);
        columns.steps = coded.iter().map(Coded::step).collect();
        columns.frozen = coded.iter().map(Coded::is_unknown).collect();
        columns.table = Some(Table::new(rows, names.len()).context("--data")?);
        wishes.apply(&mut columns, &coded)?;
        Ok(Self { coded, columns })
    }

    /// A value as people write it.
    pub(crate) fn show(&self, i: usize, number: f64) -> String {
        self.coded[i].show(number)
    }

    /// Names and values of the row.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        let shown = |(i, column): (usize, &Coded)| (column.name.clone(), self.show(i, self.columns.input[i]));
        self.coded.iter().enumerate().map(shown).collect()
    }

    /// The changed row, name by name.
    pub(crate) fn after(&self, answer: &Answer) -> Vec<String> {
        answer.after.iter().enumerate().map(|(i, &number)| self.show(i, number)).collect()
    }

    /// What an answer keeps or changes, the furthest first.
    pub(crate) fn levers(&self, answer: &Answer) -> Vec<Lever> {
        let is_part = answer.is_part();
        let units = &self.columns.units;
        let cost = |i: usize| match self.coded[i].levels() {
            Some(_) => 1.0,
            None => answer.change[i].abs() / units.get(i).copied().filter(|unit| *unit > 0.0).unwrap_or(1.0),
        };
        let mut moved: Vec<usize> =
            (0..self.coded.len()).filter(|&i| answer.change.get(i).is_some_and(|x| *x != 0.0)).collect();
        moved.sort_by(|&a, &b| cost(b).total_cmp(&cost(a)));
        let lever = |i: usize| Lever {
            column: self.coded[i].name.clone(),
            before: self.show(i, if is_part { self.columns.absent.at(i) } else { self.columns.input[i] }),
            after: self.show(i, answer.after[i]),
            cost: (!is_part).then(|| cost(i)),
        };
        moved.into_iter().map(lever).collect()
    }
}

impl Wording for Row {
    fn record(&self, numbers: &[f64]) -> Record {
        Record::Row(self.coded.iter().zip(numbers).map(|(column, &number)| column.cell(number)).collect())
    }
}
