//! The folder of the studio. Nothing outside it is read or written, and every name in it is checked before it becomes a path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

/// What is explained: drawings, masks and what was dropped on the page.
const INPUTS: &str = "inputs";
/// Models that were dropped on the page.
const MODELS: &str = "models";
/// What the studio itself remembers of runs.
const NOTES: &str = ".studio";
/// The longest name.
const LONGEST: usize = 100;

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// The name of a file or a run: no separators, no dots in front, nothing that a file system or a shell takes for something else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(String);

impl Name {
    /// A name as it came from outside; `None` for what is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_name = !text.is_empty()
            && text.len() <= LONGEST
            && text.chars().all(is_plain)
            && !text.starts_with(['.', '-'])
            && !text.ends_with('.');
        is_name.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Folder {
    /// Makes the folder, and what is always in it.
    pub(crate) fn make(root: &Path) -> io::Result<Self> {
        for below in [INPUTS, MODELS, NOTES] {
            fs::create_dir_all(root.join(below))?;
        }
        Ok(Self { root: root.to_owned() })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn run(&self, name: &Name) -> PathBuf {
        self.root.join(name.as_str())
    }

    pub(crate) fn input(&self, name: &Name) -> PathBuf {
        self.root.join(INPUTS).join(name.as_str())
    }

    pub(crate) fn model(&self, name: &Name) -> PathBuf {
        self.root.join(MODELS).join(name.as_str())
    }

    /// A file that the studio keeps beside a run: its progress, what it said, how it was begun.
    pub(crate) fn note(&self, name: &Name, ending: &str) -> PathBuf {
        self.root.join(NOTES).join(format!("{}.{ending}", name.as_str()))
    }

    /// Keeps an input under a name that tells what is in it, and says which.
    pub(crate) fn keep_input(&self, stem: &str, ending: &str, bytes: &[u8]) -> io::Result<Name> {
        let name = Name(format!("{stem}-{}.{ending}", short_hash(bytes)));
        put(&self.input(&name), bytes)?;
        Ok(name)
    }

    /// Keeps a model under a name that tells what is in it, and says which. Its description, if it has one, lies beside it.
    pub(crate) fn keep_model(&self, stem: &str, bytes: &[u8], description: Option<&str>) -> io::Result<Name> {
        let hash = match description {
            None => short_hash(bytes),
            Some(text) => short_hash(&[bytes, text.as_bytes()].concat()),
        };
        let name = Name(format!("{stem}-{hash}.onnx"));
        if let Some(text) = description {
            put(&self.description(&name), text.as_bytes())?;
        }
        put(&self.model(&name), bytes)?;
        Ok(name)
    }

    /// Forgets a model that turned out to be none.
    pub(crate) fn drop_model(&self, name: &Name) {
        for path in [self.model(name), self.description(name)] {
            let _ = fs::remove_file(path);
        }
    }

    fn description(&self, model: &Name) -> PathBuf {
        self.model(model).with_extension("toml")
    }

    /// A run that was not there before; its folder is made.
    pub(crate) fn fresh_run(&self) -> io::Result<Name> {
        for number in 1_u64.. {
            let name = Name(format!("explain-{number}"));
            if self.note(&name, "json").exists() {
                continue;
            }
            match fs::create_dir(self.run(&name)) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    /// The folders of runs, and runs that came to nothing but are remembered.
    pub(crate) fn runs(&self) -> Vec<Name> {
        let listed = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        let is_run =
            |path: &Path| ["config.json", "config.json.next"].iter().any(|file| path.join(file).is_file());
        let mut names: Vec<Name> = listed(&self.root)
            .filter(|entry| is_run(&entry.path()))
            .filter_map(|entry| Name::parse(entry.file_name().to_str()?))
            .collect();
        let noted = listed(&self.root.join(NOTES)).filter_map(|entry| {
            let file = entry.file_name();
            Name::parse(file.to_str()?.strip_suffix(".json")?)
        });
        names.extend(noted);
        names.sort();
        names.dedup();
        names
    }
}

/// The stem of a file's name from outside, of plain letters; `input` if nothing is left of it.
pub(crate) fn stem(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let plain: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    let plain = plain.trim_start_matches('-');
    if plain.is_empty() { "input".to_owned() } else { plain.to_owned() }
}

/// Writes a file as a whole: nobody sees half of one. Several may write the same file at once; each has a half of its own.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let mut half = path.as_os_str().to_owned();
    half.push(format!(".{}-{}.part", std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed)));
    let half = PathBuf::from(half);
    fs::write(&half, bytes).and_then(|()| fs::rename(&half, path))
}

fn short_hash(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('?');
    Sha256::digest(bytes).iter().take(5).flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_may_write_the_same_file_at_once() {
        let path = std::env::temp_dir().join(format!("gradless-studio-put-{}", std::process::id()));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..200).for_each(|_| put(&path, b"the same").unwrap()));
            }
        });
        assert_eq!(fs::read(&path).unwrap(), b"the same");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_name_never_leaves_its_folder() {
        for good in ["explain-1", "digit-0a1b.png", "a", "A_b.c-d"] {
            assert!(Name::parse(good).is_some(), "{good}");
        }
        let long = "a".repeat(LONGEST + 1);
        for bad in [
            "", ".", "..", "../x", "a/b", "a\\b", "/etc", ".studio", "-rf", "a\0", "a b", "ä", "a.", "C:",
            &long,
        ] {
            assert_eq!(Name::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_stem_of_any_file_makes_a_name() {
        for (file, expected) in [
            ("cat.jpeg", "cat"),
            ("../../etc/passwd", "passwd"),
            ("C:\\x\\my cat.png", "mycat"),
            ("--out=x.csv", "outx"),
            ("größe.txt", "gre"),
            ("", "input"),
            ("...", "input"),
        ] {
            assert_eq!(stem(file), expected, "{file}");
            assert!(Name::parse(&format!("{}-00.png", stem(file))).is_some());
        }
    }
}
