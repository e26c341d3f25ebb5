//! How much of a service's speed a driver gets: requests a second beside those of `wrk`, in turn, at the same number in flight.
//!
//! `cargo run --release -p bench --bin http_load` prints the table in `docs/benchmarks/http.md` (`-- 4` one row of it). The service is another process and
//! answers 64 inputs after a millisecond; `wrk` (a load generator in C, to be installed) posts the same body again and again,
//! the driver makes each body from new points and reads each answer.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bench::service::Service;
use gradless::{
    BatchSize, Config, Driver, Estimator, Method, Noise, Preset, Problem, Scored, Set, Solver, StopRule,
};
use gradless_models::{Description, Http, HttpOptions};
use testkit::http::{Fault, Server};

/// Numbers per input.
const DIM: usize = 16;
/// Inputs per request.
const ROWS: usize = 64;
/// Requests of one step of the method, per request in flight: between two steps nothing is on its way.
const DEPTH: usize = 32;
/// What the service takes for an answer.
const LATENCY: Duration = Duration::from_millis(1);
/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Length of a measurement.
const SECONDS: u64 = 4;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<ExitCode, Failure> {
    if std::env::args().any(|word| word == "--serve") { serve() } else { measure() }
}

/// The service: as little work as possible, so that the client's shows.
#[expect(clippy::print_stdout, reason = "the address is what the other process waits for")]
fn serve() -> Result<ExitCode, Failure> {
    let answer = |body: &[u8]| {
        // One list around all, one around each input.
        let rows = body.split(|byte| *byte == b'[').count().saturating_sub(2);
        let mut answer = br#"{"scores":["#.to_vec();
        for row in 0..rows {
            let comma: &[u8] = if row > 0 { b"," } else { b"" };
            answer.extend_from_slice(comma);
            answer.extend_from_slice(b"[0.125,0.875]");
        }
        answer.extend_from_slice(b"]}");
        answer
    };
    let server = Server::steady("127.0.0.1:0", answer, |_| Fault::None, LATENCY)?;
    println!("{}", server.address);
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(ExitCode::SUCCESS)
}

fn options(in_flight: usize) -> HttpOptions {
    HttpOptions {
        rows: ROWS,
        in_flight,
        description: Description { shape: Some(vec![DIM]), ..Description::default() },
        ..HttpOptions::default()
    }
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn measure() -> Result<ExitCode, Failure> {
    let service = Service::start()?;
    let script = Script::write()?;
    println!(
        "| in flight | wrk (requests/s) | driver (requests/s) | driver / wrk, median (lowest to highest) |"
    );
    println!("|---:|---:|---:|---|");
    for in_flight in wanted()? {
        let mut pairs = Vec::new();
        for _ in 0..ROUNDS {
            pairs.push((wrk(&service.address, &script.0, in_flight)?, driver(&service.address, in_flight)?));
        }
        let sorted = |value: &dyn Fn(&(f64, f64)) -> f64| {
            let mut values: Vec<f64> = pairs.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let ratios = sorted(&|(wrk, driver)| driver / wrk);
        println!(
            "| {in_flight} | {:.0} | {:.0} | {:.2} ({:.2} to {:.2}) |",
            sorted(&|pair| pair.0)[ROUNDS / 2],
            sorted(&|pair| pair.1)[ROUNDS / 2],
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1]
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The numbers of requests in flight, as given.
fn wanted() -> Result<Vec<usize>, Failure> {
    let given: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    Ok(if given.is_empty() { vec![1, 2, 4, 8] } else { given })
}

/// Requests a second of a driver.
fn driver(address: &str, in_flight: usize) -> Result<f64, Failure> {
    let http = Http::connect(address, options(in_flight))?;
    let mut config = Config::new(Method::named("zo-ada-exp-grad+")?, Preset::Practical);
    config.noise = Noise::None;
    config.budget.queries = None;
    config.stop = StopRule::Iterations(u64::MAX);
    if let Estimator::Differences { batch, .. } = &mut config.recipe.estimator {
        // The point itself comes on top.
        *batch = BatchSize::Fixed(ROWS * DEPTH * in_flight - 1);
    }
    let problem = Problem::builder(DIM).set(Set::bounds(0.0, 1.0)).build()?;
    let solver = Solver::new(problem, config)?;
    let (cancel, before) = (AtomicBool::new(false), http.requests());
    let begun = Instant::now();
    let elapsed = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(SECONDS));
            cancel.store(true, Ordering::Relaxed);
        });
        let black_box = Scored { model: &http, loss: |scores: &[f64]| scores[0] };
        // Half as many threads again: while some wait for an answer, others write the next bodies.
        Driver::default()
            .threads(in_flight + in_flight.div_ceil(2))
            .cancelled_by(&cancel)
            .run(solver, &black_box);
        begun.elapsed()
    });
    let requests = http.requests() - before;
    if elapsed < Duration::from_secs(SECONDS) {
        return Err(format!("the run ended after {elapsed:?} and {requests} requests").into());
    }
    Ok(requests as f64 / elapsed.as_secs_f64())
}

/// Requests a second of `wrk`.
fn wrk(address: &str, script: &Path, in_flight: usize) -> Result<f64, Failure> {
    let output = Command::new("wrk")
        .args(["-t1", "-c", &in_flight.to_string(), "-d", &format!("{SECONDS}s"), "-s"])
        .arg(script)
        .arg(address)
        .output()
        .map_err(|error| format!("wrk cannot be run ({error}): install it (apt-get install wrk)"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let rate = told.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    Ok(rate.ok_or(format!("wrk tells no rate: {told}"))?.trim().parse()?)
}

/// What `wrk` sends.
struct Script(PathBuf);

impl Script {
    fn write() -> Result<Self, Failure> {
        let numbers: Vec<f64> = (0..ROWS * DIM).map(|i| (i as f64 * 0.618_033_988_749_895).fract()).collect();
        let body = String::from_utf8(options(1).body(&numbers, &[DIM])?)?;
        let path = std::env::temp_dir().join(format!("gradless-wrk-{}.lua", std::process::id()));
        let lua = format!(
            "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\nwrk.body = [==[{body}]==]\n"
        );
        std::fs::write(&path, lua)?;
        Ok(Self(path))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
