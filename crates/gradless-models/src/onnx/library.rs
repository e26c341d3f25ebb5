//! Finds onnxruntime's shared library: where the environment says, or in an installed Python package.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The variable that names the library.
const VARIABLE: &str = "ORT_DYLIB_PATH";
/// How long Python may take to say where its packages are.
const PATIENCE: Duration = Duration::from_secs(20);
/// Prints the folder of the package without importing it.
const WHERE: &str = "import importlib.util as u; s = u.find_spec('onnxruntime'); print(s.submodule_search_locations[0] if s else '')";

/// A folder of the package that somebody knows.
static PACKAGE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Looks in this folder of the package first.
pub(super) fn look_in(package: PathBuf) {
    *PACKAGE.lock().unwrap_or_else(PoisonError::into_inner) = Some(package);
}

/// The path of the library, or a sentence that says how to get it.
pub(super) fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return named(Path::new(&path));
    }
    let known = PACKAGE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let installed = ["python3", "python"].into_iter().filter_map(package_folder);
    known.into_iter().chain(installed).find_map(|folder| in_package(&folder)).ok_or_else(|| {
        format!("its library was not found: `pip install onnxruntime` (1.24 or later), or set {VARIABLE} to the path of libonnxruntime.so")
    })
}

fn named(path: &Path) -> Result<PathBuf, String> {
    // The loader would look for a relative path beside the program first.
    let found = std::fs::canonicalize(path).ok().filter(|path| path.is_file());
    found.ok_or_else(|| {
        format!(
            "{VARIABLE} is {}, which is not a file: set it to the path of libonnxruntime.so",
            path.display()
        )
    })
}

/// `libonnxruntime.so.1.24.1`, `onnxruntime.dll` or `libonnxruntime.1.24.1.dylib` in the package's folder.
fn in_package(folder: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stem = name.strip_prefix("lib").unwrap_or(name).strip_prefix("onnxruntime.");
        stem.is_some_and(|rest| rest.starts_with("so") || rest == "dll" || rest.ends_with("dylib"))
    };
    let entries = std::fs::read_dir(folder.join("capi")).ok()?;
    let mut libraries: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_library).collect();
    libraries.sort();
    libraries.pop()
}

/// Asks a Python for the folder of the package; gives up when it takes too long.
fn package_folder(python: &str) -> Option<PathBuf> {
    let mut command = Command::new(python);
    command.args(["-c", WHERE]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let began = Instant::now();
    // A path fits into the pipe, so Python never waits for us to read.
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // It may have ended meanwhile; either way it is not waited for any longer.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let output = child.wait_with_output().ok().filter(|_| status.success())?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let folder = folder.trim();
    if folder.is_empty() { None } else { Some(PathBuf::from(folder)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_told_from_its_neighbours_in_the_package() {
        let folder = std::env::temp_dir().join(format!("gradless-library-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("capi")).unwrap();
        for name in ["libonnxruntime_providers_shared.so", "onnxruntime_pybind11_state.so", "onnxruntime.py"]
        {
            std::fs::write(folder.join("capi").join(name), "").unwrap();
        }
        assert_eq!(in_package(&folder), None);
        std::fs::write(folder.join("capi/libonnxruntime.so.1.24.1"), "").unwrap();
        assert_eq!(in_package(&folder), Some(folder.join("capi/libonnxruntime.so.1.24.1")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_named_library_that_is_not_there_is_said_so() {
        assert!(named(Path::new("/nowhere/libonnxruntime.so")).unwrap_err().contains("not a file"));
        assert!(named(Path::new("/")).unwrap_err().contains(VARIABLE));
    }

    #[test]
    fn a_python_that_does_not_exist_is_no_answer() {
        assert_eq!(package_folder("no-such-python"), None);
    }
}
