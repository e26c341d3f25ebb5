//! Everything an experiment leaves behind, as files.

use super::choice::Chosen;
use super::experiment::{Experiment, ModelFacts};
use super::figures::figures;
use super::page::page;
use super::summary::Summary;
use super::tables::{curves_csv, pairs_csv, table_csv};

/// What an experiment was and what came of it. Its files depend on nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What was asked.
    pub experiment: Experiment,
    /// Of which network.
    pub model: ModelFacts,
    /// About which images.
    pub images: Vec<Chosen>,
    /// What came of it.
    pub summary: Summary,
    /// The command that repeats it.
    pub command: String,
}

impl Results {
    /// The names and contents of all files, the page last.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let Self { experiment, summary, .. } = self;
        let mut files = vec![
            ("curves.csv".to_owned(), curves_csv(experiment, summary).into_bytes()),
            ("table.csv".to_owned(), table_csv(experiment, summary).into_bytes()),
            ("pairs.csv".to_owned(), pairs_csv(experiment, summary).into_bytes()),
        ];
        for figure in figures(experiment, summary) {
            files.push((format!("{}.svg", figure.name), figure.plot.to_svg().into_bytes()));
            files.extend(figure.plot.to_png().map(|png| (format!("{}.png", figure.name), png)));
        }
        files.push(("index.html".to_owned(), page(self).into_bytes()));
        files
    }
}
