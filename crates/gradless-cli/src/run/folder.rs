//! Folders of runs: made before anything is paid for, and written so that nobody sees half a file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

/// Where runs go that were not told where.
pub(crate) const HOME: &str = "gradless-out";
/// All that is needed to repeat a run.
pub(crate) const CONFIG: &str = "config.json";
/// Every answer a run has paid for.
pub(crate) const JOURNAL: &str = "journal";
/// How far a run is, as long as it goes on.
pub(crate) const PROGRESS: &str = "progress";
/// The result, written last: where it is, all is.
pub(crate) const RESULT: &str = "result.json";
/// Inputs of a run over many are in folders of their own below this one.
pub(crate) const ITEMS: &str = "items";
/// What stands behind the names of files of a run that will replace another when it is done.
pub(crate) const NEXT: &str = ".next";

/// The configuration of the run in a folder that would go on.
pub(crate) fn configuration(folder: &Path) -> PathBuf {
    let next = folder.join(format!("{CONFIG}{NEXT}"));
    if next.exists() { next } else { folder.join(CONFIG) }
}

/// A folder that was not there before.
pub(crate) fn fresh(kind: &str) -> anyhow::Result<PathBuf> {
    let home = Path::new(HOME);
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

/// Whether nothing is in a folder yet, or the folder is not there.
pub(crate) fn is_empty(path: &Path) -> anyhow::Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| {
            format!("{} cannot be the folder of a run: choose another --out", path.display())
        }),
    }
}

/// Makes the folder that `--out` names.
pub(crate) fn make(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path)
        .with_context(|| format!("the folder {} cannot be made: choose another --out", path.display()))
}

/// Removes what an earlier run has left under these names, files and folders. What somebody else keeps there stays.
pub(crate) fn clear(path: &Path, leavings: &[&str]) -> anyhow::Result<()> {
    for name in leavings {
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

/// Writes a file as a whole: nobody sees half of one.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut half = path.as_os_str().to_owned();
    half.push(".part");
    let half = PathBuf::from(half);
    fs::write(&half, bytes)
        .and_then(|()| fs::rename(&half, path))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// JSON for programs and people.
pub(crate) fn pretty(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).context("the result is not JSON")?;
    text.push(b'\n');
    Ok(text)
}
