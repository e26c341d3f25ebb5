//! From a copy of the authors' repository to a folder with their networks as ONNX files.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::network::{Network, NetworkError};
use super::parameters::{Parameters, ParametersError};

/// No such file is read beyond this; the larger of the two has 1.7 million bytes.
const MOST: u64 = 1 << 26;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The folder.
    pub folder: PathBuf,
    /// The ONNX file of each network, in the order of [`Network::ALL`].
    pub networks: Vec<PathBuf>,
}

/// Reads both parameter files of a folder, or of one of its subfolders, and writes each as `NAME.onnx` with `NAME.toml` beside it.
///
/// Nothing is written unless both are right.
pub fn convert(from: &Path, to: &Path) -> Result<Converted, AuthorsError> {
    let mut files = Vec::new();
    for network in Network::ALL {
        let path = find(from, network.file())?;
        let at = |problem: AuthorsProblem| AuthorsError { path: path.clone(), problem };
        let bytes = read(&path).map_err(at)?;
        let parameters = Parameters::read(&bytes).map_err(|error| at(error.into()))?;
        let onnx = network.to_onnx(parameters).map_err(|error| at(error.into()))?;
        files.push((to.join(format!("{}.onnx", network.name())), onnx));
        files.push((to.join(format!("{}.toml", network.name())), network.description().into()));
    }
    let wrote = |path: &Path, result: std::io::Result<()>| {
        result.map_err(|error| AuthorsError { path: path.to_owned(), problem: error.into() })
    };
    wrote(to, fs::create_dir_all(to))?;
    for (path, bytes) in &files {
        let part = path.with_extension("part");
        wrote(path, fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)))?;
    }
    let networks = files.into_iter().map(|(path, _)| path).step_by(2).collect();
    Ok(Converted { folder: to.to_owned(), networks })
}

/// The file in the folder or in one of its subfolders.
fn find(folder: &Path, name: &'static str) -> Result<PathBuf, AuthorsError> {
    let here = AuthorsError { path: folder.to_owned(), problem: AuthorsProblem::Without { name } };
    let entries = fs::read_dir(folder)
        .map_err(|error| AuthorsError { path: folder.to_owned(), problem: error.into() })?;
    let subfolders = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    let mut paths = std::iter::once(folder.to_owned()).chain(subfolders).map(|folder| folder.join(name));
    paths.find(|path| path.is_file()).ok_or(here)
}

fn read(path: &Path) -> Result<Vec<u8>, AuthorsProblem> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST { Err(AuthorsProblem::Long) } else { Ok(bytes) }
}

/// A folder that is no copy of the authors' repository, or cannot be written to.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct AuthorsError {
    /// Which file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: AuthorsProblem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum AuthorsProblem {
    #[error("cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    #[error("does not hold \"{name}\", which the authors' repository has")]
    Without { name: &'static str },
    #[error("has more than {MOST} bytes: it is another file")]
    Long,
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    #[error(transparent)]
    Network(#[from] NetworkError),
}
