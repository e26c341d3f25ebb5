//! Kills runs at random moments, lets them go on and compares the bytes: `cargo run --release -p bench --bin kill`.
//!
//! `-- --kills N` kills each kind of black box at least N times (70 by default, 280 in all), `-- --seed S` at other moments,
//! `-- --write` puts the table into `docs/reliability.md`. The same program is also the black box that counts.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod kinds;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use kinds::Kind;
use testkit::killing::{Chance, Survived};
use testkit::program::{Fault, Orders, serve};

const BEGIN: &str = "<!-- kills: written by `cargo run --release -p bench --bin kill -- --write` -->\n";
const END: &str = "<!-- end of kills -->";
/// Kills of one run before it is left alone.
const PER_RUN: u64 = 7;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "black-box") {
        let pause = words.get(1).and_then(|pause| pause.parse().ok()).unwrap_or(0);
        let log = words.get(2).map(PathBuf::from);
        let pause = Duration::from_millis(pause);
        serve(Orders { fault: Fault::None, every: 1, pause, log: log.as_deref() });
        return ExitCode::SUCCESS;
    }
    match report(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn report(words: &[String]) -> Result<(), String> {
    let number = |flag: &str, otherwise: u64| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse().ok().or(Some(otherwise))
    };
    let kills = number("--kills", 70).unwrap_or(70);
    let seed = number("--seed", 1).unwrap_or(1);
    let gradless = gradless()?;
    let home = std::env::temp_dir().join(format!("gradless-kill-{}", std::process::id()));
    std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    let mut rows = String::new();
    for kind in kinds::all(&gradless, &home)? {
        let row = many(&kind, &home, kills, seed)?;
        println!("{row}");
        rows.push_str(&row);
        rows.push('\n');
    }
    let _ = std::fs::remove_dir_all(&home);
    let head = "| black box | runs | kills | same bits | sent without kills, per run | sent more, per kill | asked twice, per kill | at most in flight |\n|---|---|---|---|---|---|---|---|\n";
    if words.iter().any(|word| word == "--write") {
        write(&format!("{head}{rows}"))?;
    }
    Ok(())
}

/// Kills runs of a kind until there are enough kills; a row of the table.
fn many(kind: &Kind, home: &Path, kills: u64, seed: u64) -> Result<String, String> {
    let wrong = |why: String| format!("{}: {why}", kind.name);
    let (undisturbed, killed) = (home.join("undisturbed"), home.join("killed"));
    let _ = std::fs::remove_dir_all(&undisturbed);
    let (took, calm) = kind.trial.undisturbed(&undisturbed).map_err(wrong)?;
    let mut chance = Chance(seed);
    let mut total = Survived::default();
    let mut runs = 0;
    while total.kills < kills {
        let survived =
            kind.trial.killed(&killed, &undisturbed, (took, calm), PER_RUN, &mut chance).map_err(wrong)?;
        runs += 1;
        total.kills += survived.kills;
        total.sent += survived.sent;
        total.asked += survived.asked;
        total.twice += survived.twice;
        eprintln!("{}: {} kills, all as without them", kind.name, total.kills);
    }
    let per_kill = |count: u64| format!("{:.2}", count as f64 / total.kills as f64);
    let more = total.sent.saturating_sub(runs * calm.sent);
    let twice =
        if kind.trial.log.is_some() { per_kill(total.twice) } else { "not counted outside".to_owned() };
    Ok(format!(
        "| {} | {runs} | {} | {runs} of {runs} | {} | {} | {twice} | {} |",
        kind.name,
        total.kills,
        calm.sent,
        per_kill(more),
        kind.trial.in_flight
    ))
}

/// The command, built as this program is.
fn gradless() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = this.with_file_name(format!("gradless{}", std::env::consts::EXE_SUFFIX));
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "-p", "gradless-cli", "--features", "http"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let built = build.status().map_err(|error| error.to_string())?;
        if !built.success() {
            return Err("the command `gradless` cannot be built".to_owned());
        }
    }
    if path.exists() { Ok(path) } else { Err(format!("{} is missing: build gradless-cli", path.display())) }
}

fn write(table: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reliability.md");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let (before, rest) = text.split_once(BEGIN).ok_or("docs/reliability.md lacks its first mark")?;
    let (_, after) = rest.split_once(END).ok_or("docs/reliability.md lacks its last mark")?;
    std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).map_err(|error| error.to_string())
}
