//! Runs that are killed at random moments and go on to the same bits: a short form of `cargo run -p bench --bin kill`.

use std::path::PathBuf;

use testkit::killing::{Chance, Survived, Trial};

use crate::cell::{Folder, PROBLEM};

/// Kills per kind of black box.
const KILLS: u64 = 6;

pub(crate) fn run() -> Result<String, String> {
    let mut told = Vec::new();
    let kinds = kinds()?;
    #[cfg(feature = "http")]
    let files = Folder::new("kill-service");
    #[cfg(feature = "http")]
    let (trial, _server) = service(&files.0)?;
    #[cfg(feature = "http")]
    let kinds = [kinds, vec![("http", trial)]].concat();
    for (name, trial) in kinds {
        let folder = Folder::new(&format!("kill-{name}"));
        let (undisturbed, killed) = (folder.0.join("undisturbed"), folder.0.join("killed"));
        let mut trial = trial;
        if let Some(log) = trial.log.as_mut().filter(|log| log.as_os_str().is_empty()) {
            let path = folder.0.join("log");
            for word in &mut trial.black_box {
                if word == "LOG" {
                    *word = path.display().to_string();
                }
            }
            *log = path;
        }
        let problem = folder.0.join("P.toml");
        std::fs::write(&problem, PROBLEM).map_err(|error| error.to_string())?;
        for word in &mut trial.begin {
            if word == "PROBLEM" {
                *word = problem.display().to_string();
            }
        }
        let calm = trial.undisturbed(&undisturbed).map_err(|why| format!("{name}: {why}"))?;
        let survived = trial
            .killed(&killed, &undisturbed, calm, KILLS, &mut Chance(7))
            .map_err(|why| format!("{name}: {why}"))?;
        let Survived { kills, sent, asked, twice } = survived;
        told.push(format!("{name}: {kills} kills, {sent} sent, {asked} asked, {twice} twice"));
    }
    Ok(told.join("; "))
}

/// The kinds of black boxes; one more is one more row.
fn kinds() -> Result<Vec<(&'static str, Trial)>, String> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_gradless"));
    let this = std::env::current_exe().map_err(|error| error.to_string())?.display().to_string();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let process = Trial {
        program: program.clone(),
        begin: words("minimize --problem PROBLEM --processes 3 --max-queries 150"),
        black_box: [words("--"), vec![this], words("black-box none 1 2 LOG")].concat(),
        same: vec!["x.npy", "trace.csv", "result.json"],
        log: Some(PathBuf::new()),
        in_flight: 3,
        first: 0,
    };
    let onnx = Trial {
        program,
        begin: words("explain --max-queries 700 --threads 2"),
        black_box: Vec::new(),
        same: vec!["pp/x.npy", "pn/x.npy", "pp/trace.csv", "pn/trace.csv", "result.json"],
        log: None,
        // Two threads with a block of the engine each.
        in_flight: 2 * 32,
        first: 0,
    };
    Ok(vec![("process", process), ("onnx", onnx)])
}

/// A service, and its server, which ends when it is dropped.
#[cfg(feature = "http")]
fn service(files: &std::path::Path) -> Result<(Trial, testkit::http::Server), String> {
    use testkit::{halves, http, killing};
    let failed = |error: std::io::Error| error.to_string();
    let (input, log) = (files.join("x.npy"), files.join("log"));
    std::fs::write(&input, halves::picture()).map_err(failed)?;
    let answer = http::scores(killing::logged(&log, halves::scores));
    let pause = std::time::Duration::from_millis(1);
    let server = http::Server::steady("127.0.0.1:0", answer, |_| http::Fault::None, pause).map_err(failed)?;
    let begin =
        format!("explain --shape 1,4,4 --max-queries 400 --threads 2 --model {} --input", server.address);
    let begin = begin.split(' ').map(str::to_owned).chain([input.display().to_string()]).collect();
    let trial = Trial {
        program: PathBuf::from(env!("CARGO_BIN_EXE_gradless")),
        begin,
        black_box: Vec::new(),
        same: vec!["pp/x.npy", "pn/x.npy", "pp/trace.csv", "pn/trace.csv", "result.json"],
        log: Some(log),
        // Two requests of so many inputs.
        in_flight: 2 * 64,
        first: 2,
    };
    Ok((trial, server))
}
