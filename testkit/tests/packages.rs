//! What a published crate embeds is part of its package: the rest of the repository is not there when others build it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The folders of the crates that are meant for others.
fn crates() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The files of a crate's package, relative to its folder.
fn packaged(folder: &Path) -> BTreeSet<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap());
    cargo.args(["package", "--list", "--allow-dirty", "--offline", "--quiet"]).current_dir(folder);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(PathBuf::from).collect()
}

/// What the code of a file embeds, relative to the folder of the crate; its tests, which are last, are not built by others.
fn embedded(folder: &Path, file: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let code = ["#[cfg(test)]", "#[cfg(doctest)]"]
        .iter()
        .fold(&text[..], |code, tests| code.split(tests).next().unwrap_or_default());
    let calls =
        ["include_str!(\"", "include_bytes!(\""].into_iter().flat_map(|call| code.split(call).skip(1));
    calls.map(|rest| resolved(&file.with_file_name(rest.split('"').next().unwrap_or_default()))).collect()
}

/// The path without `..`, where that is possible.
fn resolved(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        if part == Component::ParentDir && path.file_name().is_some() {
            path.pop();
        } else {
            path.push(part);
        }
        path
    })
}

#[test]
fn everything_that_is_embedded_is_in_the_package() {
    let mut seen = 0;
    for folder in crates() {
        let files = packaged(&folder);
        let is_code =
            |file: &&PathBuf| file.starts_with("src") && file.extension().is_some_and(|end| end == "rs");
        for file in files.iter().filter(is_code).filter(|file| !file.ends_with("tests.rs")) {
            for embedded in embedded(&folder, file) {
                assert!(
                    files.contains(&embedded),
                    "{}: {} is not in the package",
                    folder.join(file).display(),
                    embedded.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen >= 7, "the networks, a digit, two style sheets and a table: {seen}");
}

#[test]
fn every_package_has_its_licences_and_a_readme() {
    for folder in crates() {
        let files = packaged(&folder);
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(files.contains(Path::new(name)), "{}: no {name} in the package", folder.display());
        }
    }
}

#[test]
fn a_path_that_leaves_the_crate_is_noticed() {
    assert_eq!(resolved(Path::new("src/input/../assets/5.png")), Path::new("src/assets/5.png"));
    assert_eq!(resolved(Path::new("src/../../../assets/5.png")), Path::new("../../assets/5.png"));
}
