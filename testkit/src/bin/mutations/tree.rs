//! A copy of the workspace in which things may be broken.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy, in `target/mutations/tree`, and what is built of it, in `target/mutations/build`.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) build: PathBuf,
    /// Held while the copy is used.
    _lock: fs::File,
}

impl Tree {
    /// Copies everything git knows or would add. Files that are the same stay as they are, so that little is built again.
    pub(crate) fn copy(from: &Path) -> Result<Self, String> {
        let home = from.join("target/mutations");
        fs::create_dir_all(home.join("build")).map_err(|error| error.to_string())?;
        let lock = fs::File::create(home.join("lock")).map_err(|error| error.to_string())?;
        lock.try_lock().map_err(|_| "another run is at work in target/mutations".to_owned())?;
        let tree = Self { root: home.join("tree"), build: home.join("build"), _lock: lock };
        let listed = Command::new("git")
            .arg("-C")
            .arg(from)
            .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
            .output()
            .map_err(|error| format!("git cannot be run: {error}"))?;
        if !listed.status.success() {
            return Err("the list of files comes from git: this is no checkout".to_owned());
        }
        let names = String::from_utf8(listed.stdout).map_err(|error| error.to_string())?;
        // What is deleted and not yet committed is listed and not there.
        let files: BTreeSet<PathBuf> = names
            .split_terminator('\0')
            .map(PathBuf::from)
            .filter(|file| from.join(file).is_file())
            .collect();
        let mut there = Vec::new();
        if tree.root.is_dir() {
            walk(&tree.root, &mut there).map_err(|error| error.to_string())?;
        }
        for old in there {
            if !old.strip_prefix(&tree.root).is_ok_and(|name| files.contains(name)) {
                fs::remove_file(&old).map_err(|error| error.to_string())?;
            }
        }
        for file in &files {
            tree.take(from, file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(tree)
    }

    fn take(&self, from: &Path, file: &Path) -> std::io::Result<()> {
        let (source, target) = (from.join(file), self.root.join(file));
        let bytes = fs::read(&source)?;
        if fs::read(&target).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        // Copying keeps what may be executed executable.
        fs::copy(&source, &target)?;
        // Not the old time: the build must see that something has changed.
        fs::write(&target, bytes)
    }

    /// Does something while `old` is `new` in the one place below a folder where it occurs.
    pub(crate) fn with<T>(
        &self,
        within: &str,
        old: &str,
        new: &str,
        act: impl FnOnce() -> T,
    ) -> Result<T, String> {
        let file = only_place(&self.root.join(within), old)?;
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let write = |text: &str| fs::write(&file, text).map_err(|error| error.to_string());
        write(&text.replacen(old, new, 1))?;
        let done = act();
        write(&text)?;
        Ok(done)
    }
}

/// The Rust file below a folder in which a text occurs, once and nowhere else.
pub(crate) fn only_place(folder: &Path, text: &str) -> Result<PathBuf, String> {
    let mut files = Vec::new();
    walk(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut places = Vec::new();
    for file in files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let source = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        places.extend(source.matches(text).map(|_| file.clone()));
    }
    match &places[..] {
        [file] => Ok(file.clone()),
        [] => Err("the old text is nowhere: say in faults.rs what it is now".to_owned()),
        more => Err(format!("the old text is in {} places: quote more of it in faults.rs", more.len())),
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_changed_where_it_stands_alone_and_put_back() {
        let home = std::env::temp_dir().join(format!("gradless-mutations-{}", std::process::id()));
        fs::create_dir_all(home.join("inner")).unwrap();
        let (first, second) = (home.join("first.rs"), home.join("inner/second.rs"));
        fs::write(&first, "one two").unwrap();
        fs::write(&second, "two three").unwrap();
        fs::write(home.join("three.txt"), "three").unwrap();
        let lock = fs::File::create(home.join("lock")).unwrap();
        let tree = Tree { root: home.clone(), build: home.clone(), _lock: lock };
        let change = |old| tree.with("", old, "four", || fs::read_to_string(&second).unwrap());
        assert_eq!(change("three"), Ok("two four".to_owned()));
        assert_eq!(fs::read_to_string(&second).unwrap(), "two three");
        assert!(change("two").unwrap_err().contains("2 places"));
        assert!(change("five").unwrap_err().contains("nowhere"));
        fs::remove_dir_all(home).unwrap();
    }
}
