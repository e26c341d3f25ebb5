//! Brings the files of a data set into a folder: from a folder, plain or zipped, or from the published archive.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::catalogue::{DataSet, Expected};
use super::error::{DataError, Problem};
use super::source::{open, plain_or_gz};

/// What was done for each file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Where the files are.
    pub folder: PathBuf,
    /// Files that had to be brought.
    pub brought: Vec<&'static str>,
    /// Files that were there already, with the right contents.
    pub present: Vec<&'static str>,
}

/// Puts the files of `set` into `to`, each checked against its published SHA-256 before it gets its name.
///
/// `from` is a folder that holds them (plain or `.gz`, perhaps in the subfolder the archive unpacks to) or the published
/// archive itself. Files that are already there with the right contents are left alone, so an interrupted call can simply
/// be made again.
pub fn install(set: DataSet, from: &Path, to: &Path) -> Result<Installed, DataError> {
    install_files(set.files(), from, to)
}

fn install_files(files: &'static [Expected], from: &Path, to: &Path) -> Result<Installed, DataError> {
    fs::create_dir_all(to).map_err(|error| Problem::from(error).at(to))?;
    let mut installed = Installed { folder: to.to_owned(), brought: Vec::new(), present: Vec::new() };
    let mut missing = Vec::new();
    for expected in files {
        if is_right(&to.join(expected.name), expected) {
            installed.present.push(expected.name);
        } else {
            missing.push(*expected);
        }
    }
    if missing.is_empty() {
        return Ok(installed);
    }
    if from.is_dir() {
        for expected in &missing {
            let path = find(from, expected.name);
            let mut reader = open(&path).map_err(|problem| problem.at(&path))?;
            bring(&mut reader, &path, expected, to)?;
        }
    } else {
        unpack(&missing, from, to)?;
    }
    installed.brought = missing.iter().map(|expected| expected.name).collect();
    Ok(installed)
}

/// The file in the folder or in one of its subfolders, plain or zipped; where it should be if it is nowhere.
fn find(folder: &Path, name: &str) -> PathBuf {
    let subfolders = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let here = std::iter::once(folder.to_owned());
    let mut candidates =
        here.chain(subfolders.filter(|path| path.is_dir())).map(|folder| plain_or_gz(&folder.join(name)));
    candidates.find(|path| path.is_file()).unwrap_or_else(|| folder.join(name))
}

fn unpack(missing: &[Expected], archive: &Path, to: &Path) -> Result<(), DataError> {
    let at = |error: std::io::Error| Problem::from(error).at(archive);
    let mut left: Vec<Expected> = missing.to_vec();
    let mut archive_reader = tar::Archive::new(GzDecoder::new(File::open(archive).map_err(at)?));
    for entry in archive_reader.entries().map_err(at)? {
        let mut entry = entry.map_err(at)?;
        // Only the name counts: nothing is written where a path in the archive says.
        let name = entry.path().ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
        let found = left.iter().position(|expected| name.as_deref() == Some(expected.name.as_ref()));
        if let Some(index) = found {
            let expected = left.remove(index);
            bring(&mut entry, archive, &expected, to)?;
        }
        if left.is_empty() {
            return Ok(());
        }
    }
    Err(left
        .first()
        .map_or(Problem::IsFolder, |expected| Problem::NotInArchive { name: expected.name })
        .at(archive))
}

/// Copies to a file beside the final one, checks it, and only then gives it its name.
fn bring(reader: &mut dyn Read, source: &Path, expected: &Expected, to: &Path) -> Result<(), DataError> {
    let part = to.join(format!("{}.part", expected.name));
    let copied = copy_checked(reader, &part, expected);
    match copied {
        Ok(()) => {
            let done = to.join(expected.name);
            fs::rename(&part, &done).map_err(|error| Problem::from(error).at(&done))
        }
        Err(problem) => {
            // The reason matters more than whether the rest could be cleaned up.
            let _ = fs::remove_file(&part);
            Err(problem.at(source))
        }
    }
}

fn copy_checked(reader: &mut dyn Read, part: &Path, expected: &Expected) -> Result<(), Problem> {
    let mut file = File::create(part)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut left = expected.bytes;
    loop {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        left = left.checked_sub(count as u64).ok_or(Problem::TooLong { expected: expected.bytes })?;
        hasher.update(&buffer[..count]);
        file.write_all(&buffer[..count])?;
    }
    if left > 0 {
        return Err(Problem::Truncated { expected: expected.bytes, found: expected.bytes - left });
    }
    file.sync_all()?;
    check(expected, &hex(&hasher.finalize()))
}

fn is_right(path: &Path, expected: &Expected) -> bool {
    let right_size = fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == expected.bytes);
    right_size && sha256(path).is_ok_and(|found| found == expected.sha256)
}

fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn check(expected: &Expected, found: &str) -> Result<(), Problem> {
    if found == expected.sha256 {
        Ok(())
    } else {
        Err(Problem::Checksum { expected: expected.sha256.to_owned(), found: found.to_owned() })
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// "abc" and "hello" with their well-known sums.
    const FILES: [Expected; 2] = [
        Expected {
            name: "abc",
            bytes: 3,
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        },
        Expected {
            name: "hello",
            bytes: 5,
            sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        },
    ];

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("gradless-install-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("from/sub")).unwrap();
            Self(path)
        }

        fn put(&self, name: &str, bytes: &[u8]) -> &Self {
            fs::write(self.0.join("from").join(name), bytes).unwrap();
            self
        }

        fn install(&self, from: &str) -> Result<Installed, DataError> {
            install_files(&FILES, &self.0.join(from), &self.0.join("to"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        zipped(&builder.into_inner().unwrap())
    }

    #[test]
    fn files_come_plain_zipped_or_from_a_subfolder_and_only_once() {
        let folder = Folder::new("plain");
        folder.put("abc.gz", &zipped(b"abc")).put("sub/hello", b"hello");
        assert_eq!(folder.install("from").unwrap().brought, ["abc", "hello"]);
        assert_eq!(fs::read(folder.0.join("to/abc")).unwrap(), b"abc");
        let again = folder.install("nowhere").unwrap();
        assert_eq!((again.brought.len(), again.present), (0, vec!["abc", "hello"]));
    }

    #[test]
    fn the_published_archive_is_unpacked_by_name_only() {
        let folder = Folder::new("archive");
        folder.put(
            "set.tar.gz",
            &archive(&[("set/readme", b"x"), ("set/abc", b"abc"), ("a/b/hello", b"hello")]),
        );
        assert_eq!(folder.install("from/set.tar.gz").unwrap().brought, ["abc", "hello"]);
        assert!(!folder.0.join("to/set").exists());
        let folder = Folder::new("incomplete");
        folder.put("set.tar.gz", &archive(&[("abc", b"abc")]));
        let error = folder.install("from/set.tar.gz").unwrap_err();
        assert!(matches!(error.problem, Problem::NotInArchive { name: "hello" }), "{error}");
    }

    #[test]
    fn wrong_contents_are_refused_and_leave_nothing_behind() {
        for (bytes, what) in [(&b"abd"[..], "SHA-256"), (b"ab", "cut"), (b"abcd", "goes on")] {
            let folder = Folder::new("wrong");
            folder.put("abc", bytes).put("hello", b"hello");
            let error = folder.install("from").unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
            assert_eq!(fs::read_dir(folder.0.join("to")).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = Folder::new("missing");
        folder.put("abc", b"abc");
        let error = folder.install("from").unwrap_err();
        assert!(error.path.ends_with("from/hello") && matches!(error.problem, Problem::Io(_)), "{error}");
    }
}
