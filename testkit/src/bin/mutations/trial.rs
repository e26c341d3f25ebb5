//! Builds and runs one test.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::fault::Test;
use crate::tree::Tree;

/// A test that takes longer than this has been caught in an endless loop.
const LONGEST: Duration = Duration::from_secs(900);

/// What became of a fault.
pub(crate) enum Outcome {
    /// By these tests.
    Caught(Vec<String>),
    /// The test did not end.
    Endless,
    Survived,
    DoesNotBuild(String),
    DoesNotApply(String),
}

impl Outcome {
    pub(crate) fn is_caught(&self) -> bool {
        matches!(self, Self::Caught(_) | Self::Endless)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught(tests) => write!(f, "caught by {}", tests.join(", ")),
            Self::Endless => f.write_str("caught (the test does not end)"),
            Self::Survived => f.write_str("SURVIVED"),
            Self::DoesNotBuild(why) => write!(f, "DOES NOT BUILD ({why})"),
            Self::DoesNotApply(why) => write!(f, "DOES NOT APPLY ({why})"),
        }
    }
}

/// Builds and runs a test as the tree is now. An error if it cannot be run at all.
pub(crate) fn run(tree: &Tree, test: Test) -> Result<Outcome, String> {
    let program = match build(tree, test)? {
        Ok(program) => program,
        Err(why) => return Ok(Outcome::DoesNotBuild(why)),
    };
    let said = tree.build.join("said.txt");
    let file = File::create(&said).map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .arg(test.name)
        .current_dir(tree.root.join(test.folder()))
        .env("PROPTEST_RNG_SEED", "1")
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let began = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if began.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(20)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Outcome::Endless);
            }
        }
    };
    let said = std::fs::read_to_string(said).map_err(|error| error.to_string())?;
    if said.contains("running 0 tests") {
        return Err(format!("{test} is no test"));
    }
    if status.success() {
        return Ok(Outcome::Survived);
    }
    let failed = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned);
    Ok(Outcome::Caught(said.lines().filter_map(failed).collect()))
}

/// The program of a test, or the first error of the compiler.
fn build(tree: &Tree, test: Test) -> Result<Result<PathBuf, String>, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["test", "--no-run", "--message-format=json", "--package", test.package])
        .args(test.target())
        .args(test.features().map(|features| format!("--features={features}")))
        .current_dir(&tree.root)
        .env("CARGO_TARGET_DIR", &tree.build)
        // Nobody will look at a backtrace.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stderr(Stdio::null());
    let built = cargo.output().map_err(|error| format!("cargo cannot be run: {error}"))?;
    let messages: Vec<serde_json::Value> = String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let program = messages
        .iter()
        .filter(|message| message["profile"]["test"] == true)
        .find_map(|message| message["executable"].as_str());
    match program {
        Some(program) if built.status.success() => Ok(Ok(PathBuf::from(program))),
        _ => {
            let mut errors = messages.iter().filter(|message| message["message"]["level"] == "error");
            let first = errors.find_map(|message| message["message"]["message"].as_str());
            Ok(Err(first.unwrap_or("cargo test --no-run fails").to_owned()))
        }
    }
}
