//! `gradless report DIR`: draws the pages of a finished run again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use gradless_report::{IndexEntry, Page, index_html};
use serde::Serialize;

use super::Outcome;
use crate::run::folder::{ITEMS, put};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless report gradless-out/explain-1      writes gradless-out/explain-1/report.html again

Nothing is asked of the model: everything on the page comes from what the run has saved (report.json). A run over many
inputs gets its index page and the pages of all its inputs.
";

/// Draws the pages of a finished run again, without asking the model
#[derive(Debug, Args)]
#[command(name = "report", after_help = EXAMPLES)]
pub(crate) struct Redraw {
    /// Folder of the run
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Drawn {
    page: String,
    pages: usize,
}

impl Redraw {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let folder = &self.folder;
        if !folder.is_dir() {
            bail!("{} is not a folder: name the folder of a run", folder.display());
        }
        let drawn = if folder.join(ITEMS).is_dir() { many(folder)? } else { one(folder)? };
        terminal.result(&format!("look at {}", drawn.page), &drawn)?;
        Ok(Outcome::Done)
    }
}

fn one(folder: &Path) -> anyhow::Result<Drawn> {
    let page = folder.join("report.html");
    put(&page, read(folder)?.to_html().as_bytes())?;
    Ok(Drawn { page: page.display().to_string(), pages: 1 })
}

fn many(folder: &Path) -> anyhow::Result<Drawn> {
    let items = folder.join(ITEMS);
    let listed = fs::read_dir(&items).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut names: Vec<_> = listed
        .with_context(|| items.display().to_string())?
        .into_iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut entries = Vec::new();
    for name in names {
        let place = items.join(&name);
        // An input whose run was cut off has no report yet.
        if place.join("report.json").is_file() {
            let report = read(&place)?;
            put(&place.join("report.html"), report.to_html().as_bytes())?;
            entries.push(IndexEntry::of(&report, &name, format!("{ITEMS}/{name}/report.html")));
        }
    }
    let page = folder.join("index.html");
    put(&page, index_html(&entries).as_bytes())?;
    Ok(Drawn { page: page.display().to_string(), pages: entries.len() + 1 })
}

fn read(folder: &Path) -> anyhow::Result<Page> {
    let path = folder.join("report.json");
    let bytes = fs::read(&path).with_context(|| {
        format!("{} cannot be read: is {} the folder of a finished run?", path.display(), folder.display())
    })?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is damaged: run the command in its config.json again", path.display()))
}
