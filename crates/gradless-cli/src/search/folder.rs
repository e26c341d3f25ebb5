//! The folder of a run: made before the first query is paid for, filled when there is something to write.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gradless_explain::answer::Files;
use gradless_explain::{Answer, Step};
use gradless_report::Page;
use serde::Serialize;
use serde_json::Value;

use super::inputs::Item;
use super::job::{Explained, Job};
use super::{SCHEMA, page, regions};
use crate::npy;
use crate::run::folder::{self, CONFIG, HOME, ITEMS, JOURNAL, NEXT, PROGRESS, RESULT, pretty, put};
use crate::run::trace::{self, Row};

/// The keys of the configuration that do not change the result.
const CALLED: [&str; 3] = ["command", "arguments", "directory"];
/// Below it lie other answers to the same question.
const OTHERS: &str = "others";
/// What a run leaves behind, and another may replace.
const LEAVINGS: [&str; 23] = [
    CONFIG,
    JOURNAL,
    PROGRESS,
    RESULT,
    "report.json",
    "report.html",
    "index.html",
    "original.png",
    "x.npy",
    "image.png",
    "overlay.png",
    "answer.csv",
    "answer.txt",
    "trace.csv",
    "pp",
    "pn",
    OTHERS,
    ITEMS,
    regions::LABELS,
    regions::HEAT,
    regions::ERROR,
    regions::PICTURE,
    regions::FRAMES,
];

/// A folder that can be written to.
pub(super) struct Prepared {
    pub(super) path: PathBuf,
    /// Whether an earlier run is still in it, to be replaced by [`begin`].
    pub(super) pending: bool,
}

impl Prepared {
    /// The folder of a run that is to go on.
    pub(super) fn again(path: PathBuf) -> Self {
        let pending = path.join(format!("{CONFIG}{NEXT}")).exists();
        Self { path, pending }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(if self.pending { format!("{name}{NEXT}") } else { name.to_owned() })
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.file(JOURNAL)
    }

    /// Takes the place of the earlier run, if there is one.
    pub(super) fn settle(&self, config: &Value) -> anyhow::Result<()> {
        if self.pending {
            begin(&self.path, config, true)?;
            fs::rename(self.journal(), self.path.join(JOURNAL))
                .with_context(|| format!("{} cannot be renamed", self.journal().display()))?;
            let _ = fs::remove_file(self.file(CONFIG));
        }
        Ok(())
    }
}

/// Makes the folder of a run and writes its configuration. A run over many inputs may go on in its own folder; then what
/// is there already is kept.
pub(super) fn prepare(
    kind: &str,
    out: Option<&Path>,
    force: bool,
    config: &Value,
    may_go_on: bool,
) -> anyhow::Result<Prepared> {
    let Some(path) = out else {
        let path = folder::fresh(kind)?;
        begin(&path, config, false)?;
        return Ok(Prepared { path, pending: false });
    };
    let cannot_write = || format!("nothing can be written to {}: choose another --out", path.display());
    let goes_on = may_go_on && !force && same_run(path, config);
    let empty = folder::is_empty(path)?;
    if !empty && !force && !goes_on {
        let hint = if may_go_on { " It holds another run, or other settings." } else { "" };
        bail!(
            "{} exists already.{hint} Choose another --out, or replace what is there with --force",
            path.display()
        );
    }
    folder::make(path)?;
    // What a run has left is replaced when there is something to replace it with.
    let replaces = !goes_on && is_ours(path);
    let pending = replaces && !may_go_on;
    let prepared = Prepared { path: path.to_owned(), pending };
    if pending {
        let _ = fs::remove_file(prepared.journal());
        put(&prepared.file(CONFIG), &pretty(config)?).with_context(cannot_write)?;
    } else {
        begin(path, config, replaces)?;
    }
    Ok(prepared)
}

/// Begins to write: away with what an earlier run has left, if anything is to be replaced. What somebody else keeps under the
/// same names is overwritten at most, never removed.
pub(super) fn begin(path: &Path, config: &Value, replaces: bool) -> anyhow::Result<()> {
    if replaces {
        folder::clear(path, &LEAVINGS)?;
    }
    put(&path.join(CONFIG), &pretty(config)?)
}

/// Whether a run has made the folder.
fn is_ours(path: &Path) -> bool {
    let text = fs::read_to_string(path.join(CONFIG)).unwrap_or_default();
    serde_json::from_str::<Value>(&text).is_ok_and(|found| found["schema"] == SCHEMA)
}

/// Leaves out of a configuration how the run was called.
pub(super) fn forget_call(config: &mut Value) {
    if let Some(object) = config.as_object_mut() {
        for key in CALLED {
            object.remove(key);
        }
    }
}

/// Whether the folder holds the same run, apart from how it was called.
fn same_run(path: &Path, config: &Value) -> bool {
    let without = |mut value: Value| {
        forget_call(&mut value);
        value
    };
    let text = fs::read_to_string(path.join(CONFIG)).unwrap_or_default();
    serde_json::from_str::<Value>(&text).is_ok_and(|found| without(found) == without(config.clone()))
}

/// Takes away what [`prepare`] has made for a run that came to nothing: the same words may be tried again.
pub(super) fn abandon(prepared: &Prepared) {
    let Prepared { path, pending } = prepared;
    let _ = fs::remove_file(prepared.journal());
    if *pending {
        let _ = fs::remove_file(prepared.file(CONFIG));
    } else if !path.join(RESULT).exists() {
        let _ = fs::remove_file(path.join(CONFIG));
        // Only empty folders go.
        let _ = fs::remove_dir(path);
        if path.parent() == Some(Path::new(HOME)) {
            let _ = fs::remove_dir(HOME);
        }
    }
}

/// Writes all that was found about an input, and says where in its answers. The record comes last: where it is, all is.
pub(super) fn write(
    folder: &Path,
    job: &Job,
    explained: &mut Explained,
    command: &str,
) -> anyhow::Result<Page> {
    let cannot_make = |place: &Path| format!("the folder {} cannot be made", place.display());
    fs::create_dir_all(folder).with_context(|| cannot_make(folder))?;
    let frame = explained.item.frame(job.loaded.onnx.description().range);
    let input = explained.item.features().input().to_vec();
    let is_array = matches!(explained.item, Item::Array { .. });
    if is_array {
        put(&folder.join("original.png"), &frame.picture(&input)?.to_png())?;
    }
    let single = job.settings.options.questions.len() == 1;
    for answer in &mut explained.answers {
        let place = match (single, answer.alternative) {
            (true, 0) => folder.to_owned(),
            (true, other) => folder.join(OTHERS).join(other.to_string()),
            (false, 0) => folder.join(answer.question.abbreviation()),
            (false, other) => {
                folder.join(answer.question.abbreviation()).join(OTHERS).join(other.to_string())
            }
        };
        fs::create_dir_all(&place).with_context(|| cannot_make(&place))?;
        let path = |name: &str| place.join(name);
        let shown = |path: PathBuf| path.display().to_string();
        let mut files = Files {
            report: shown(folder.join("report.html")),
            trace: shown(path("trace.csv")),
            ..Files::default()
        };
        if is_array {
            npy::write(&path("x.npy"), &explained.item.shape(), &answer.x)?;
            put(&path("image.png"), &frame.picture(&answer.after)?.to_png())?;
            put(&path("overlay.png"), &frame.overlay(&input, answer)?.to_png())?;
            [files.x, files.image, files.overlay] =
                ["x.npy", "image.png", "overlay.png"].map(|name| Some(shown(path(name))));
        }
        if let Some(located) = &answer.located {
            regions::write(&place, frame, &input, answer, located, job.frames)?;
        }
        if let Some((name, bytes)) = explained.item.file(answer)? {
            put(&path(name), &bytes)?;
            files.answer = Some(shown(path(name)));
        }
        put(&path("trace.csv"), trace::csv((1..).zip(&answer.steps).map(row)).as_bytes())?;
        answer.files = Some(files);
    }
    let page = page::page(job, explained, command);
    put(&folder.join("report.json"), &serde_json::to_vec(&page)?)?;
    put(&folder.join("report.html"), page.to_html().as_bytes())?;
    put(&folder.join(RESULT), &pretty(&told(job, &explained.answers))?)?;
    Ok(page)
}

/// The result as programs read it: one object for one question, a list for two.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Told {
    One(Box<Answer>),
    Several(Vec<Answer>),
}

/// The answers without their arrays, which are in files beside.
pub(super) fn told(job: &Job, answers: &[Answer]) -> Told {
    match answers {
        [answer] if job.settings.options.questions.len() == 1 => Told::One(Box::new(answer.without_arrays())),
        answers => Told::Several(answers.iter().map(Answer::without_arrays).collect()),
    }
}

/// A step as a row of the trace.
fn row((iteration, step): (u64, &Step)) -> Row {
    let Step { queries, objective, loss, norm_l1, norm_l2, nonzeros, step_size, .. } = *step;
    Row { iteration, queries, objective, loss, norm_l1, norm_l2, nonzeros, step_size }
}
