//! The folder of a run: made before the first query is paid for, filled when there is something to write.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gradless::Model;
use gradless_explain::Mode;
use serde::Serialize;
use serde_json::Value;

use super::drawing;
use super::record::{Files, Record, SCHEMA, trace};
use super::subject::{Explained, Job};
use crate::npy;

const HOME: &str = "gradless-out";
const CONFIG: &str = "config.json";
/// The keys of the configuration that do not change the result.
const CALLED: [&str; 3] = ["command", "arguments", "directory"];
const JOURNAL: &str = "journal";
/// What stands behind the names of files of a run that will replace another when it is done.
const NEXT: &str = ".next";
/// What a run leaves behind, and another may replace.
const LEAVINGS: [&str; 13] = [
    CONFIG,
    JOURNAL,
    "result.json",
    "report.json",
    "report.html",
    "index.html",
    "original.png",
    "x.npy",
    "image.png",
    "overlay.png",
    "trace.csv",
    "pp",
    "pn",
];
/// Inputs of a run over many are in folders of their own below this one.
pub(crate) const ITEMS: &str = "items";

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

/// The configuration of the run in a folder that would go on.
pub(crate) fn configuration(path: &Path) -> PathBuf {
    Prepared::again(path.to_owned()).file(CONFIG)
}

/// Makes the folder of a run and writes its configuration. A run over many inputs may go on in its own folder; then what
/// is there already is kept.
pub(super) fn prepare(
    out: Option<&Path>,
    force: bool,
    config: &Value,
    may_go_on: bool,
) -> anyhow::Result<Prepared> {
    let Some(path) = out else {
        let path = fresh(Path::new(HOME), "explain")?;
        begin(&path, config, false)?;
        return Ok(Prepared { path, pending: false });
    };
    let cannot_write = || format!("nothing can be written to {}: choose another --out", path.display());
    let goes_on = may_go_on && !force && same_run(path, config);
    let empty = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => {
            return Err(error).with_context(|| {
                format!("{} cannot be the folder of a run: choose another --out", path.display())
            });
        }
    };
    if !empty && !force && !goes_on {
        let hint = if may_go_on { " It holds another run, or other settings." } else { "" };
        bail!(
            "{} exists already.{hint} Choose another --out, or replace what is there with --force",
            path.display()
        );
    }
    fs::create_dir_all(path)
        .with_context(|| format!("the folder {} cannot be made: choose another --out", path.display()))?;
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
        clear(path)?;
    }
    put(&path.join(CONFIG), &pretty(config)?)
}

/// A folder that was not there before.
pub(crate) fn fresh(home: &Path, kind: &str) -> anyhow::Result<PathBuf> {
    let cannot = || format!("no folder can be made under {}: choose one with --out", home.display());
    fs::create_dir_all(home).with_context(cannot)?;
    for number in 1_u64.. {
        let path = home.join(format!("{kind}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error).with_context(cannot),
        }
    }
    bail!("{}", cannot())
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
    } else if !path.join("result.json").exists() {
        let _ = fs::remove_file(path.join(CONFIG));
        // Only empty folders go.
        let _ = fs::remove_dir(path);
        if path.parent() == Some(Path::new(HOME)) {
            let _ = fs::remove_dir(HOME);
        }
    }
}

fn clear(path: &Path) -> anyhow::Result<()> {
    for name in LEAVINGS.iter().copied().chain([ITEMS]) {
        let old = path.join(name);
        let removed = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be replaced", old.display()));
            }
            _ => (),
        }
    }
    Ok(())
}

/// Writes all that was found about an input. The record comes last: where it is, all is.
pub(super) fn write(
    folder: &Path,
    job: &Job,
    explained: &Explained,
    command: &str,
) -> anyhow::Result<Vec<Record>> {
    fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    put(&folder.join("original.png"), &drawing::picture(job, &explained.input)?.to_png())?;
    let mut records = Vec::new();
    for found in &explained.cases {
        let place = match found.mode {
            _ if job.settings.modes.len() == 1 => folder.to_owned(),
            Mode::PertinentPositive => folder.join("pp"),
            Mode::PertinentNegative => folder.join("pn"),
        };
        fs::create_dir_all(&place)
            .with_context(|| format!("the folder {} cannot be made", place.display()))?;
        let path = |name: &str| place.join(name);
        npy::write(&path("x.npy"), job.loaded.onnx.shape(), &found.answer.unknown)?;
        put(&path("image.png"), &drawing::picture(job, &found.answer.seen)?.to_png())?;
        put(&path("overlay.png"), &drawing::overlaid(job, explained, found)?.to_png())?;
        put(&path("trace.csv"), trace(&found.answer.steps).as_bytes())?;
        let shown = |path: PathBuf| path.display().to_string();
        let files = Files {
            x: shown(path("x.npy")),
            image: shown(path("image.png")),
            overlay: shown(path("overlay.png")),
            report: shown(folder.join("report.html")),
            trace: shown(path("trace.csv")),
        };
        records.push(Record::new(job, explained, found, files));
    }
    let report = drawing::report(job, explained, command)?;
    put(&folder.join("report.json"), &serde_json::to_vec(&report)?)?;
    put(&folder.join("report.html"), report.to_html().as_bytes())?;
    put(&folder.join("result.json"), &told(job, &records)?)?;
    Ok(records)
}

/// One object for one question, a list for two.
fn told(job: &Job, records: &[Record]) -> anyhow::Result<Vec<u8>> {
    match records {
        [record] if job.settings.modes.len() == 1 => pretty(record),
        records => pretty(&records),
    }
}

/// Writes a file as a whole: nobody sees half of one.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut half = path.as_os_str().to_owned();
    half.push(".part");
    let half = PathBuf::from(half);
    fs::write(&half, bytes)
        .and_then(|()| fs::rename(&half, path))
        .with_context(|| format!("{} cannot be written", path.display()))
}

pub(super) fn pretty(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).context("the result is not JSON")?;
    text.push(b'\n');
    Ok(text)
}
