//! The same ONNX files through both engines of gradless and through Python's onnxruntime, in turns.
//!
//! `cargo run --release -p bench --bin engines [-- --rounds N --seconds S --out FILE] [M.onnx ...]`
//!
//! Models are asked as they are in a run: points in `f64` to losses, through `Scored`. Every round visits all combinations
//! in another order, so that whatever else the machine does meets all of them. Python's package is installed into
//! `target/engines-venv` if it is not there; its library also serves the engine `ort`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use gradless::{Batch, Model, Oracle, Scored};
use gradless_models::{Engine, Onnx, OnnxOptions};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contestant {
    Python,
    Ours(Engine),
}

/// One cell of the table.
struct Cell {
    file: PathBuf,
    batch: usize,
    threads: usize,
    contestant: Contestant,
    /// Images per wall second and per second of processor time, one pair per round.
    speeds: Vec<(f64, f64)>,
}

/// Set for the program that finds Python's package by its search path.
const READY: &str = "GRADLESS_ENGINES_READY";

fn main() -> Fallible<()> {
    let venv = Venv::ready()?;
    if std::env::var_os(READY).is_none() {
        // The engine `ort` looks for its library in the Python package of the first `python3` there is.
        let path = std::env::join_paths(
            std::iter::once(venv.folder.canonicalize()?.join("bin"))
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        )?;
        return run(Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env("PATH", path)
            .env(READY, "1")
            .env_remove("ORT_DYLIB_PATH"));
    }
    measure_all(&venv, &Asked::read()?)
}

fn measure_all(venv: &Venv, asked: &Asked) -> Fallible<()> {
    let mut python = Python::start(venv)?;
    let engines = [Contestant::Python, Contestant::Ours(Engine::Rten), Contestant::Ours(Engine::Ort)];
    let mut cells = Vec::new();
    for file in &asked.files {
        for (batch, threads) in [(201, 1), (201, 2), (1, 1), (1, 2)] {
            for contestant in engines {
                cells.push(Cell { file: file.clone(), batch, threads, contestant, speeds: Vec::new() });
            }
        }
    }
    for round in 0..asked.rounds {
        for (done, index) in shuffled(cells.len(), round).into_iter().enumerate() {
            let cell = &mut cells[index];
            let speed = match cell.contestant {
                Contestant::Python => python.measure(&cell.file, cell.batch, cell.threads, asked.seconds)?,
                Contestant::Ours(engine) => {
                    measure(engine, &cell.file, cell.batch, cell.threads, asked.seconds)?
                }
            };
            cell.speeds.push(speed);
            eprint!(
                "\rround {} of {}: {:>3} of {} measured   ",
                round + 1,
                asked.rounds,
                done + 1,
                cells.len()
            );
        }
    }
    eprintln!();
    let table = table(&cells, &python.version, asked);
    println!("{table}");
    if let Some(out) = &asked.out {
        std::fs::write(out, table)?;
    }
    Ok(())
}

struct Asked {
    rounds: usize,
    seconds: f64,
    out: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Asked {
    fn read() -> Fallible<Self> {
        let mut asked = Self { rounds: 5, seconds: 1.0, out: None, files: Vec::new() };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--rounds" => asked.rounds = value()?.parse()?,
                "--seconds" => asked.seconds = value()?.parse()?,
                "--out" => asked.out = Some(value()?.into()),
                file => asked.files.push(file.into()),
            }
        }
        if asked.rounds == 0 || !(asked.seconds > 0.0 && asked.seconds < 1e6) {
            return Err("--rounds and --seconds must be positive".into());
        }
        if asked.files.is_empty() {
            asked.files = ["assets/lenet.onnx", "assets/resnet20.onnx"].map(PathBuf::from).to_vec();
        }
        Ok(asked)
    }
}

/// One measurement through gradless: a batch of points to losses, again and again.
fn measure(engine: Engine, file: &Path, batch: usize, threads: usize, seconds: f64) -> Fallible<(f64, f64)> {
    let model = Onnx::load_with(file, &OnnxOptions { engine, threads, ..OnnxOptions::default() })?;
    let dim = model.inputs();
    let points: Vec<f64> = (0..batch * dim).map(|i| (i * 7919 % 1009) as f64 / 1009.0).collect();
    let samples = vec![0; batch];
    let oracle = Scored { model: &model, loss: |scores: &[f64]| scores[0] - scores[1] };
    let mut values = vec![0.0; batch];
    let mut evaluate = || oracle.evaluate(Batch { points: &points, dim, samples: &samples }, &mut values);
    for _ in 0..3 {
        evaluate()?;
    }
    let (mut images, cpu, began) = (0, cpu_seconds()?, Instant::now());
    while began.elapsed() < Duration::from_secs_f64(seconds) {
        evaluate()?;
        images += batch;
    }
    Ok((images as f64 / began.elapsed().as_secs_f64(), images as f64 / (cpu_seconds()? - cpu)))
}

/// Processor time of this program so far, all threads, in steps of a hundredth of a second (Linux).
fn cpu_seconds() -> Fallible<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may contain anything, times in user and system mode are the 12th and 13th numbers.
    let numbers = stat.rsplit(')').next().ok_or("/proc/self/stat is not as expected")?;
    let times = numbers.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(times.sum::<Result<f64, _>>()? / 100.0)
}

/// A Python with onnxruntime.
struct Venv {
    folder: PathBuf,
    python: PathBuf,
}

impl Venv {
    fn ready() -> Fallible<Self> {
        let folder = PathBuf::from("target/engines-venv");
        let python = folder.join("bin/python");
        if !python.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        let has =
            Command::new(&python).args(["-c", "import onnxruntime, numpy"]).stderr(Stdio::null()).status()?;
        if !has.success() {
            run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "onnxruntime", "numpy"]))?;
        }
        Ok(Self { folder, python })
    }
}

fn run(command: &mut Command) -> Fallible<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// Python, waiting for files to run.
struct Python {
    version: String,
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Python {
    fn start(venv: &Venv) -> Fallible<Self> {
        let mut child = Command::new(&venv.python)
            .arg("bench/engines.py")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let questions = child.stdin.take().ok_or("no way to ask Python")?;
        let mut answers = BufReader::new(child.stdout.take().ok_or("no way to hear Python")?);
        let mut version = String::new();
        answers.read_line(&mut version)?;
        Ok(Self { version: version.trim().to_owned(), child, questions, answers })
    }

    fn measure(&mut self, file: &Path, batch: usize, threads: usize, seconds: f64) -> Fallible<(f64, f64)> {
        writeln!(self.questions, "{} {batch} {threads} {seconds}", file.display())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let numbers: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        match numbers[..] {
            [images, cpu, wall] => Ok((images / wall, images / cpu)),
            _ => Err(format!("Python answered {line:?}").into()),
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It is of no use any more; that it is gone already is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The numbers below `count` in an order that depends on the round only.
fn shuffled(count: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = round as u64 + 1;
    order.sort_by_cached_key(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    });
    order
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(cells: &[Cell], version: &str, asked: &Asked) -> String {
    let mut out = String::new();
    let middle = |cell: &Cell, pick: fn(&(f64, f64)) -> f64| median(cell.speeds.iter().map(pick).collect());
    let mut line = |text: String| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{text}");
    };
    line(format!("# Engines\n\nCommit {}, `cargo run --release -p bench --bin engines`.", bench::commit()));
    line(format!(
        "Python's onnxruntime {version}; {} rounds of {} s each in changing order, medians. Ratios are of images per second\nof processor time, against Python's onnxruntime in the same run. Images/s is wall time.\n",
        asked.rounds, asked.seconds
    ));
    line("| network | batch | threads | onnxruntime (Python) | rten | ratio | ort | ratio |\n|---|---|---|---|---|---|---|---|".to_owned());
    for group in cells.chunks(3) {
        let [python, rten, ort] = group else { continue };
        let name = python.file.file_stem().unwrap_or_default().to_string_lossy();
        let ratio = |cell: &Cell| middle(cell, |speed| speed.1) / middle(python, |speed| speed.1);
        line(format!(
            "| {name} | {} | {} | {:.0} | {:.0} | {:.2} | {:.0} | {:.2} |",
            python.batch,
            python.threads,
            middle(python, |speed| speed.0),
            middle(rten, |speed| speed.0),
            ratio(rten),
            middle(ort, |speed| speed.0),
            ratio(ort),
        ));
    }
    out
}
