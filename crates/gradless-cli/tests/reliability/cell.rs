//! One run of the real command, watched.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// No run takes longer: one that does hangs.
const WATCHDOG: Duration = Duration::from_mins(2);

/// A problem whose black box is `testkit::program::value`.
pub(crate) const PROBLEM: &str = "\
schema = 1
dim = 8
[regulariser]
l1 = 0.01
[set]
lower = -1
upper = 1
[method]
noise = \"none\"
[budget]
queries = 80
";

/// A folder that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-reliability-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run has ended.
pub(crate) struct Ran {
    /// `None` if the watchdog ended it.
    pub(crate) code: Option<i32>,
    pub(crate) told: String,
}

/// Runs a command to its end, or ends it.
pub(crate) fn watched(command: &mut Command) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command");
    let begun = Instant::now();
    // What it says is short: the pipe holds it.
    while child.try_wait().expect("its status").is_none() {
        if begun.elapsed() > WATCHDOG {
            let _ = child.kill();
            let _ = child.wait();
            return Ran { code: None, told: "hangs".to_owned() };
        }
        sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("its words");
    Ran { code: output.status.code(), told: String::from_utf8_lossy(&output.stderr).into_owned() }
}
