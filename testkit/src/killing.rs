//! Kills a command at random moments, lets it go on, and compares the end with that of a command nobody killed.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// No start of a command takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A command that can be killed and resumed.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The command itself.
    pub program: PathBuf,
    /// Its words for a new run, without `--out` and the folder.
    pub begin: Vec<String>,
    /// What comes after `--out` and the folder: the black box, for instance.
    pub black_box: Vec<String>,
    /// Files of the folder that must come out the same.
    pub same: Vec<&'static str>,
    /// Where the black box writes the points it is asked, one per line, if it does.
    pub log: Option<PathBuf>,
    /// Points that can be on their way at one moment.
    pub in_flight: u64,
    /// Points that a new run sends before there is a folder to write that into.
    pub first: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survived {
    /// Kills that hit a running command.
    pub kills: u64,
    /// Points sent by the command's own count, over every start.
    pub sent: u64,
    /// Points the black box was asked, by its own count; 0 if it does not count.
    pub asked: u64,
    /// Of those, the ones it had been asked before.
    pub twice: u64,
}

impl Trial {
    /// The run nobody kills: its folder, and the time it takes.
    pub fn undisturbed(&self, folder: &Path) -> Result<(Duration, Survived), String> {
        let begun = Instant::now();
        self.forget();
        wait_for(self.start(folder, Start::New)?)?;
        let survived = self.counts(folder, 0)?;
        if survived.twice > 0 {
            return Err(format!("{} points were asked twice without any kill", survived.twice));
        }
        Ok((begun.elapsed(), survived))
    }

    /// A run that is killed so often and then left alone; an error if it does not end as the undisturbed one did.
    pub fn killed(
        &self,
        folder: &Path,
        undisturbed: &Path,
        (took, calm): (Duration, Survived),
        kills: u64,
        chance: &mut Chance,
    ) -> Result<Survived, String> {
        let _ = fs::remove_dir_all(folder);
        self.forget();
        let (mut hit, mut unwritten) = (0, 0);
        while hit < kills {
            let begins = matches!(next(folder), Start::New);
            let started = self.start(folder, next(folder))?;
            // Short enough that the run is not over before it has been killed so often.
            let wait = took.mul_f64(2.0 * chance.share() / (kills + 1) as f64);
            if !kill_after(started, wait)? {
                break;
            }
            hit += 1;
            unwritten += if begins { self.first } else { 0 };
        }
        wait_for(self.start(folder, next(folder))?)?;
        for name in &self.same {
            let read = |folder: &Path| -> Result<Vec<u8>, String> {
                let path = folder.join(name);
                let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                Ok(without_what_may_differ(name, bytes, folder))
            };
            if read(folder)? != read(undisturbed)? {
                return Err(format!("{name} differs after {hit} kills in {}", folder.display()));
            }
        }
        let survived = self.counts(folder, hit)?;
        let most = hit * self.in_flight;
        if survived.sent < calm.sent || survived.sent > calm.sent + most {
            return Err(format!(
                "{} points were sent, {} without kills, at most {most} were in flight",
                survived.sent, calm.sent
            ));
        }
        if survived.twice > most + unwritten {
            return Err(format!("{} points were asked twice, at most {most} were in flight", survived.twice));
        }
        let asked = survived.asked;
        if self.log.is_some() && (survived.sent + unwritten < asked || survived.sent > asked + most) {
            return Err(format!(
                "{} points were sent by the journal, {} were asked",
                survived.sent, survived.asked
            ));
        }
        Ok(survived)
    }

    fn start(&self, folder: &Path, start: Start) -> Result<Child, String> {
        let mut command = Command::new(&self.program);
        match start {
            Start::New => {
                command.args(&self.begin).arg("--force").arg("--out").arg(folder).args(&self.black_box)
            }
            Start::Again => command.arg("resume").arg(folder),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|error| format!("{}: {error}", self.program.display()))
    }

    fn forget(&self) {
        if let Some(log) = &self.log {
            let _ = fs::remove_file(log);
        }
    }

    fn counts(&self, folder: &Path, kills: u64) -> Result<Survived, String> {
        let path = folder.join("result.json");
        let result = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let number =
            |line: &str| line.trim().strip_prefix("\"sent\": ")?.trim_end_matches(',').parse::<u64>().ok();
        let sent = result.lines().filter_map(number).sum::<u64>();
        let log =
            self.log.as_ref().map(|log| fs::read_to_string(log).unwrap_or_default()).unwrap_or_default();
        let mut times: HashMap<&str, u64> = HashMap::new();
        log.lines().for_each(|point| *times.entry(point).or_default() += 1);
        let asked = times.values().sum();
        Ok(Survived { kills, sent, asked, twice: asked - times.len() as u64 })
    }
}

/// A model that writes down every input it is asked about, as [`Trial::log`] wants it.
pub fn logged(
    log: &Path,
    model: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
) -> impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static {
    let log = log.to_owned();
    move |x| {
        // A log that cannot be written shows as inputs that were never asked.
        if let Ok(mut file) = fs::OpenOptions::new().create(true).append(true).open(&log) {
            let _ = file.write_all(format!("{x:?}\n").as_bytes());
        }
        model(x)
    }
}

/// A new run if the folder is not yet one.
fn next(folder: &Path) -> Start {
    if folder.join("config.json").exists() { Start::Again } else { Start::New }
}

/// Waits until a command has ended well, and not for ever.
fn wait_for(mut child: Child) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.code().is_some_and(|code| code < 2) => return Ok(()),
            Ok(Some(status)) => {
                let output = child.wait_with_output().map_err(|error| error.to_string())?;
                return Err(format!("{status}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            _ if begun.elapsed() > PATIENCE => {
                let _ = child.kill();
                return Err("the command hangs".to_owned());
            }
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Kills a command after a while; `false` if it had ended by itself.
fn kill_after(mut child: Child, wait: Duration) -> Result<bool, String> {
    std::thread::sleep(wait);
    if let Ok(Some(status)) = child.try_wait() {
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let ended = status.code().is_some_and(|code| code < 2);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return if ended { Ok(false) } else { Err(format!("{status}: {told}")) };
    }
    child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
    Ok(true)
}

#[derive(Clone, Copy)]
enum Start {
    New,
    Again,
}

/// A result without what depends on how often it was begun, how long it took and where it is.
fn without_what_may_differ(name: &str, bytes: Vec<u8>, folder: &Path) -> Vec<u8> {
    if Path::new(name).extension().is_none_or(|end| end != "json") {
        return bytes;
    }
    let text = String::from_utf8_lossy(&bytes).replace(&folder.display().to_string(), "DIR");
    let differs = |line: &&str| ["\"sent\":", "\"seconds\":"].iter().any(|key| line.trim().starts_with(key));
    text.lines().filter(|line| !differs(line)).collect::<Vec<_>>().join("\n").into_bytes()
}

/// Chance that can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Chance(pub u64);

impl Chance {
    /// Between 0 and 1 (splitmix64).
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
