//! `gradless methods`: every method by name, what it assumes, what it costs.

use clap::Args;
use gradless::{METHODS, Method};
use serde::Serialize;

use super::Outcome;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless methods
  gradless methods --format json | jq -r '.[] | select(.tuning == \"nothing\") | .name'
";

/// Lists the methods: what each assumes, needs and costs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Methods {}

/// A method as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    default: bool,
    assumes: &'static str,
    tuning: &'static str,
    queries: &'static str,
    rate: &'static str,
    source: &'static str,
}

const HEADS: [&str; 5] = ["method", "assumes", "needs", "queries per step", "queries to accuracy eps"];

const LEGEND: &str = "\
* the default
l     the black box; xi the randomness of one answer, if it has any
m     directions per step
d     number of coordinates
zo-   asks for values; fo- asks for gradients; the others ask for values
Sources are in `gradless methods --format json`.";

impl Methods {
    #[expect(clippy::unused_self, reason = "every command is run the same way")]
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let rows: Vec<Row> = METHODS.iter().map(Row::from).collect();
        terminal.result(&table(&rows), &rows)?;
        Ok(Outcome::Done)
    }
}

impl From<&Method> for Row {
    fn from(method: &Method) -> Self {
        let &Method { name, assumes, tuning, queries, rate, source, .. } = method;
        Self { name, default: *method == Method::default(), assumes, tuning, queries, rate, source }
    }
}

fn table(rows: &[Row]) -> String {
    let marked = |row: &Row| if row.default { format!("{} *", row.name) } else { row.name.to_owned() };
    let mut lines = vec![HEADS.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        [marked(row), row.assumes.into(), row.tuning.into(), row.queries.into(), row.rate.into()]
    }));
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let padded = |line: &[String; HEADS.len()]| {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let lines: Vec<String> = lines.iter().map(padded).collect();
    format!("{}\n\n{LEGEND}", lines.join("\n"))
}
