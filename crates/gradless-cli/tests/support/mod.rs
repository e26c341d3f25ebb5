//! Runs the real command and says what it did.
#![allow(dead_code, reason = "every test file uses another part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the command did.
pub(crate) struct Ran {
    /// Its exit code.
    pub(crate) code: Option<i32>,
    /// What it wrote as its result.
    pub(crate) out: String,
    /// What it told people.
    pub(crate) err: String,
}

/// The command with these words, not yet running.
pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradless"));
    command.args(words).stdin(Stdio::null());
    // No request may leave the machine in a test: every proxy is a closed port.
    for name in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "https_proxy", "http_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    // The same engine on every machine; tests of others name them.
    command.env("GRADLESS_ENGINE", "rten");
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    command
}

/// Runs the command with these words.
pub(crate) fn gradless(words: &[&str]) -> Ran {
    run(&mut command(words))
}

/// Runs a prepared command.
pub(crate) fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

impl Ran {
    /// Its exit code was this.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// Nothing was told to people.
    #[track_caller]
    pub(crate) fn silent(self) -> Self {
        assert_eq!(self.err, "");
        self
    }

    /// It failed with exit code 2, an empty stdout, and a message with all these words.
    #[track_caller]
    pub(crate) fn fails_saying(self, words: &[&str]) {
        let ran = self.ends(2);
        assert_eq!(ran.out, "");
        for word in words {
            assert!(ran.err.contains(word), "'{word}' is not in: {}", ran.err);
        }
    }

    /// Its result as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// A folder that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// An empty one.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A file in it.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> &Self {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The real data, where they are: `GRADLESS_DATA`, or `data` at the root of the workspace.
pub(crate) fn real_data() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    std::env::var_os("GRADLESS_DATA").map_or(root, PathBuf::from)
}
