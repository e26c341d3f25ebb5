//! `.ci/dependencies` tells a security advisory from a database that cannot be fetched.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where databases are said to be; git is told to look into a folder of the test instead.
const ADDRESS: &str = "https://advisories.invalid/db";

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-advisories-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Puts a database here that knows one advisory, against every version of a crate.
    fn database(&self, name: &str) {
        let folder = self.0.join("origin/crates").join(name);
        fs::create_dir_all(&folder).unwrap();
        let head =
            format!("[advisory]\nid = \"RUSTSEC-2020-0001\"\npackage = \"{name}\"\ndate = \"2020-01-01\"\n");
        let text = format!(
            "```toml\n{head}\n[versions]\npatched = []\n```\n\n# Made up by a test\n\nOf every version.\n"
        );
        fs::write(folder.join("RUSTSEC-2020-0001.md"), text).unwrap();
        let git = |words: &[&str]| {
            let done = Command::new("git").args(words).current_dir(self.0.join("origin")).output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        git(&["init", "--quiet", "--initial-branch=main"]);
        git(&["add", "--all"]);
        git(&[
            "-c",
            "user.name=test",
            "-c",
            "user.email=test@test.invalid",
            "commit",
            "--quiet",
            "--message=advisory",
        ]);
    }

    /// Runs the script with the database of this folder, or with none where there is none.
    fn check(&self) -> Output {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let local = format!(
            "[advisories]\ndb-urls = [\"{ADDRESS}\"]\ndb-path = \"{}\"\n",
            self.0.join("copy").display()
        );
        let config = fs::read_to_string(root.join("deny.toml")).unwrap().replace("[advisories]\n", &local);
        fs::write(self.0.join("deny.toml"), config).unwrap();
        Command::new(root.join(".ci/dependencies"))
            .arg(self.0.join("deny.toml"))
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", format!("url.file://{}.insteadOf", self.0.join("origin").display()))
            .env("GIT_CONFIG_VALUE_0", ADDRESS)
            .output()
            .unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_advisory_fails_and_a_database_out_of_reach_is_said_to_be_skipped() {
    if !Command::new("cargo").args(["deny", "--version"]).output().unwrap().status.success() {
        testkit::skip("the check for advisories itself: cargo-deny is not installed");
        return;
    }
    let folder = Folder::new("found");
    folder.database("serde");
    let found = folder.check();
    assert!(![Some(0), Some(77)].contains(&found.status.code()), "{found:?}");
    assert!(text(&found.stderr).contains("RUSTSEC-2020-0001"), "{found:?}");

    let folder = Folder::new("none");
    folder.database("a-crate-that-nobody-here-depends-on");
    let none = folder.check();
    assert_eq!(none.status.code(), Some(0), "{none:?}");

    let away = Folder::new("away").check();
    assert_eq!(away.status.code(), Some(77), "{away:?}");
    assert_eq!(text(&away.stdout), "advisories: their database could not be fetched\n");
}
