//! Brings the files of a data set into a folder: from a folder, plain or zipped, or from the published archive.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::catalogue::{DataSet, Expected};
use super::checksum::copy_checked;
use super::error::{DataError, Problem};
use super::homes::{Download, Homes, Packing};
use super::source::open;

/// No archive of a data set unpacks to more than this.
const MOST_UNPACKED: u64 = 1 << 30;

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
/// `from` is a folder or a file. A folder holds the files, plain or `.gz`, or the published archive, itself or one level
/// below. A file is the archive; for one that is published on its own, the folder it lies in is taken. Files that are
/// already there with the right contents are left alone, so an interrupted call can simply be made again.
pub fn install(set: DataSet, from: &Path, to: &Path) -> Result<Installed, DataError> {
    install_from(&set.homes(), from, to)
}

fn install_from(homes: &Homes, from: &Path, to: &Path) -> Result<Installed, DataError> {
    fs::create_dir_all(to).map_err(|error| Problem::from(error).at(to))?;
    let mut installed = Installed::new(to);
    let from = if is_one_of(homes, from) { from.parent().unwrap_or(from) } else { from };
    let mut missing = Vec::new();
    for download in &homes.downloads {
        let files = installed.note_present(download);
        if from.is_dir() {
            gather(download, &files, from, to)?;
        }
        missing.extend(files);
    }
    if !missing.is_empty() && !from.is_dir() {
        unpack(&missing, from, to)?;
    }
    installed.brought = missing.iter().map(|expected| expected.name).collect();
    Ok(installed)
}

impl Installed {
    pub(super) fn new(to: &Path) -> Self {
        Self { folder: to.to_owned(), brought: Vec::new(), present: Vec::new() }
    }

    /// Notes what is there and gives back what is not.
    pub(super) fn note_present(&mut self, download: &Download) -> Vec<&'static Expected> {
        let missing = download.missing(&self.folder);
        let present = download.packing.files().iter().filter(|file| !missing.contains(file));
        self.present.extend(present.map(|file| file.name));
        missing
    }
}

/// Whether this is a file which is published on its own, so that the others lie beside it.
fn is_one_of(homes: &Homes, path: &Path) -> bool {
    let named = |name: &str| path.file_name().is_some_and(|found| found == name);
    path.is_file()
        && homes.downloads.iter().any(|download| match download.packing {
            Packing::File(file) => named(&download.name) || named(file.name),
            Packing::Archive(_) => false,
        })
}

/// Takes the files from a folder, or from the archive in it.
fn gather(
    download: &Download,
    missing: &[&'static Expected],
    from: &Path,
    to: &Path,
) -> Result<(), DataError> {
    let mut left = Vec::new();
    for &expected in missing {
        match find(from, expected.name, &to.join(expected.name)) {
            Some(path) => bring_file(&path, expected, to)?,
            None => left.push(expected),
        }
    }
    match (left.first(), find(from, &download.name, Path::new(""))) {
        (None, _) => Ok(()),
        (Some(_), Some(archive)) => unpack(&left, &archive, to),
        (Some(first), None) => {
            let looked_for = [first.name, &download.name].map(str::to_owned);
            Err(Problem::NotInFolder { looked_for }.at(from))
        }
    }
}

/// The file in the folder or in one of its subfolders, plain or zipped. One that is known to be `wrong` is the last choice.
fn find(folder: &Path, name: &str, wrong: &Path) -> Option<PathBuf> {
    let subfolders = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = std::iter::once(folder.to_owned()).chain(subfolders.filter(|path| path.is_dir()));
    let named = folders.flat_map(|folder| [folder.join(name), folder.join(format!("{name}.gz"))]);
    let mut candidates: Vec<PathBuf> = named.filter(|path| path.is_file()).collect();
    candidates.sort_by_key(|path| path == wrong);
    candidates.into_iter().next()
}

/// Takes the missing files out of the archive.
pub(super) fn unpack(missing: &[&'static Expected], archive: &Path, to: &Path) -> Result<(), DataError> {
    let at = |error: std::io::Error| Problem::from(error).at(archive);
    let mut left = missing.to_vec();
    // A few bytes can unpack to any number of them, and names are read whole.
    let unpacked = open(archive).map_err(|problem| problem.at(archive))?.take(MOST_UNPACKED);
    let mut reader = tar::Archive::new(unpacked);
    for entry in reader.entries().map_err(at)? {
        let mut entry = entry.map_err(at)?;
        // Only the name counts: nothing is written where a path in the archive says.
        let name = entry.path().ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
        let found = left.iter().position(|expected| name.as_deref() == Some(expected.name.as_ref()));
        if let Some(index) = found {
            bring(&mut entry, archive, left.remove(index), to)?;
        }
        if left.is_empty() {
            return Ok(());
        }
    }
    left.first().map_or(Ok(()), |expected| Err(Problem::NotInArchive { name: expected.name }.at(archive)))
}

/// Takes a file, plain or zipped.
pub(super) fn bring_file(path: &Path, expected: &Expected, to: &Path) -> Result<(), DataError> {
    let mut reader = open(path).map_err(|problem| problem.at(path))?;
    bring(&mut reader, path, expected, to)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
            fs::create_dir_all(path.join("to")).unwrap();
            Self(path)
        }

        fn put(&self, name: &str, bytes: &[u8]) -> &Self {
            fs::write(self.0.join("from").join(name), bytes).unwrap();
            self
        }

        fn install(&self, from: &str) -> Result<Installed, DataError> {
            self.install_as(Packing::Archive(&FILES), from)
        }

        fn install_as(&self, packing: Packing, from: &str) -> Result<Installed, DataError> {
            let downloads = match packing {
                Packing::Archive(_) => vec![Download::new("set.tar.gz", packing, &[])],
                Packing::File(_) => FILES
                    .iter()
                    .map(|file| Download::new(&format!("{}.gz", file.name), Packing::File(file), &[]))
                    .collect(),
            };
            install_from(&Homes { downloads }, &self.0.join(from), &self.0.join("to"))
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
        fs::remove_file(folder.0.join("to/abc")).unwrap();
        assert_eq!(folder.install("from").unwrap().brought, ["abc"], "it is found in its folder too");
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
    fn a_file_that_is_published_alone_brings_its_neighbours() {
        let folder = Folder::new("alone");
        folder.put("abc.gz", &zipped(b"abc")).put("hello", b"hello");
        let installed = folder.install_as(Packing::File(&FILES[0]), "from/abc.gz").unwrap();
        assert_eq!(installed.brought, ["abc", "hello"]);
    }

    #[test]
    fn a_damaged_file_is_replaced_by_a_zipped_one_beside_it() {
        let folder = Folder::new("beside");
        folder.put("../to/abc", b"abd").put("../to/hello", b"hello");
        let error = folder.install("to").unwrap_err();
        assert!(matches!(error.problem, Problem::Checksum { .. }), "{error}");
        folder.put("../to/abc.gz", &zipped(b"abc"));
        assert_eq!(folder.install("to").unwrap().brought, ["abc"]);
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = Folder::new("missing");
        folder.put("abc", b"abc");
        let error = folder.install("from").unwrap_err().to_string();
        assert!(error.ends_with("from: holds neither hello nor set.tar.gz"), "{error}");
        let error = folder.install("nowhere").unwrap_err();
        assert!(error.path.ends_with("nowhere") && matches!(error.problem, Problem::Io(_)), "{error}");
    }
}
