//! Runs for a long time against a service of which one answer in twenty is spoilt, and watches memory, threads and files.
//!
//! `cargo run --release -p bench --bin soak -- --minutes 30` prints a table for `docs/reliability-http.md`. The service is another
//! process; what is measured is the client alone.

use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bench::service::Service;
use gradless::{Config, Driver, Oracle, Outcome, Problem, Regulariser, Scored, Set, Solver};
use gradless_models::{Description, Http, HttpOptions};
use peak_alloc::PeakAlloc;
use testkit::http::{Fault, Server, scores};

/// Coordinates of the problem.
const DIM: usize = 16;
/// Queries of a run.
const QUERIES: u64 = 800;
/// Runs whose results are known beforehand; they are repeated in turn.
const SEEDS: u64 = 16;
/// Runs with one connection to the service.
const RUNS_PER_CLIENT: u64 = 100;
/// Part of the time that is not judged: memory finds its size.
const WARM_UP: f64 = 0.1;
/// Runs that are looked at, at most.
const SAMPLES: usize = 100_000;
/// What memory may grow by.
const TOLERANCE: f64 = 0.05;
/// How often a thread on its way out is waited for, ten milliseconds each.
const SETTLING: u32 = 20;

/// Counts what is allocated and not yet freed: a leak shows there to the byte, in resident memory only beside the
/// allocator's own habits.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<ExitCode, Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).map(|at| words.get(at + 1));
    if after("--serve").is_some() {
        return serve();
    }
    let minutes: f64 = match after("--minutes") {
        Some(minutes) => minutes.ok_or("--minutes takes a number")?.parse()?,
        None => 30.0,
    };
    soak(Duration::from_secs_f64(60.0 * minutes))
}

/// The black box: smooth, and each score another function.
fn model(x: &[f64]) -> Vec<f64> {
    let wave = |k: f64| x.iter().enumerate().map(|(i, v)| (v * k + i as f64).sin()).sum::<f64>();
    vec![wave(1.0), wave(0.5), wave(2.0)]
}

fn loss(scores: &[f64]) -> f64 {
    scores[0] + scores[1] * scores[1] - 0.5 * scores[2]
}

/// One answer in twenty goes wrong, in all ways after which it makes sense to ask again.
fn script(number: u64) -> Fault {
    let word = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 20;
    if !word.is_multiple_of(20) {
        return if word % 20 == 1 { Fault::Chunked } else { Fault::None };
    }
    let kinds = [
        Fault::Late(Duration::from_secs(5)),
        Fault::RowTooFew,
        Fault::RowTooMany,
        Fault::ScoreTooFew,
        Fault::Nan,
        Fault::Null,
        Fault::NotJson,
        Fault::Empty,
        Fault::HalfBody,
        Fault::ResetMidBody,
        Fault::HangMidBody,
        Fault::Drip(Duration::from_millis(100)),
        Fault::ShortLength,
        Fault::Garbage(10_000_000),
        Fault::Hang,
        Fault::HangUp,
        Fault::Stale,
        Fault::Status(429, "Retry-After: 0\r\n".to_owned()),
        Fault::Status(500, String::new()),
        Fault::Status(503, String::new()),
        Fault::NotHttp,
        Fault::LongHead(10_000_000),
        Fault::BadChunk,
        Fault::BadLength,
    ];
    let kind = usize::try_from(word / 20).unwrap_or(0) % kinds.len();
    kinds[kind].clone()
}

/// The service: says where it is and lives as long as its input is open.
#[expect(clippy::print_stdout, reason = "the address is what the other process waits for")]
fn serve() -> Result<ExitCode, Failure> {
    let server = Server::steady("127.0.0.1:0", scores(model), script, Duration::from_millis(1))?;
    println!("{}", server.address);
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(ExitCode::SUCCESS)
}

fn options() -> HttpOptions {
    HttpOptions {
        rows: 16,
        in_flight: 4,
        timeout: 0.5,
        pause: 0.01,
        max_answer_bytes: 1 << 20,
        description: Description { shape: Some(vec![DIM]), range: [-1.0, 1.0], ..Description::default() },
        ..HttpOptions::default()
    }
}

fn run(oracle: &dyn Oracle, seed: u64, threads: usize) -> Result<Outcome, Failure> {
    let problem =
        Problem::builder(DIM).regulariser(Regulariser::l1(0.05)).set(Set::bounds(-1.0, 1.0)).build()?;
    let mut config = Config { seed, ..Config::default() };
    config.budget.queries = Some(QUERIES);
    Ok(Driver::default().threads(threads).run(Solver::new(problem, config)?, oracle))
}

/// What a process holds.
#[derive(Clone, Copy, Default)]
struct Held {
    kilobytes: u64,
    /// Of these, what is not the program itself, mapped from its file as far as it was used.
    own: u64,
    /// Bytes in use.
    heap: usize,
    threads: u64,
    files: u64,
}

impl Held {
    fn now() -> Result<Self, Failure> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let files = std::fs::read_dir("/proc/self/fd")?.count() as u64;
        Ok(Self {
            kilobytes: number("VmRSS:"),
            own: number("RssAnon:"),
            heap: HEAP.current_usage(),
            threads: number("Threads:"),
            files,
        })
    }

    /// The same once the threads of the last run are gone: one that was waited for may still be on its way out.
    fn settled() -> Result<Self, Failure> {
        let mut held = Self::now()?;
        for _ in 0..SETTLING {
            if held.threads == 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            held = Self::now()?;
        }
        Ok(held)
    }
}

#[derive(Default)]
struct Tally {
    runs: u64,
    equal: u64,
    ended_early: u64,
    queries: u64,
    sent: u64,
    requests: u64,
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn soak(time: Duration) -> Result<ExitCode, Failure> {
    let expected: Vec<Outcome> =
        (0..SEEDS).map(|seed| run(&|x: &[f64]| loss(&model(x)), seed, 1)).collect::<Result<_, _>>()?;
    let service = Service::start()?;
    // What the measurement itself keeps has its full size from the beginning.
    let mut samples = vec![(Duration::ZERO, Held::default()); SAMPLES];
    samples.clear();
    let (begun, mut tally) = (Instant::now(), Tally::default());
    let mut next_line = Duration::ZERO;
    println!(
        "| minutes | runs | requests | memory (MB) | of it not the program's file | heap in use (kB) | threads | files |\n|---|---|---|---|---|---|---|---|"
    );
    while begun.elapsed() < time {
        let http = Http::connect(&service.address, options())?;
        for _ in 0..RUNS_PER_CLIENT {
            let seed = tally.runs % SEEDS;
            let outcome = run(&Scored { model: &http, loss }, seed, 4)?;
            let same = &expected[usize::try_from(seed)?];
            tally.runs += 1;
            tally.queries += outcome.counts.queries;
            tally.equal += u64::from(outcome.x() == same.x() && outcome.counts == same.counts);
            tally.ended_early += u64::from(outcome.stop != same.stop);
            let held = Held::settled()?;
            if samples.len() < SAMPLES {
                samples.push((begun.elapsed(), held));
            }
            if begun.elapsed() >= next_line {
                let (minutes, requests) =
                    (begun.elapsed().as_secs_f64() / 60.0, tally.requests + http.requests());
                let Held { kilobytes, own, heap, threads, files } = held;
                println!(
                    "| {minutes:.1} | {} | {requests} | {:.2} | {:.2} | {:.1} | {threads} | {files} |",
                    tally.runs,
                    kilobytes as f64 / 1024.0,
                    own as f64 / 1024.0,
                    heap as f64 / 1024.0
                );
                next_line += time / 15;
            }
            if begun.elapsed() >= time {
                break;
            }
        }
        tally.sent += http.sent();
        tally.requests += http.requests();
    }
    judge(time, &tally, &samples)
}

/// The first tenth after warming up beside the last tenth.
#[expect(clippy::print_stdout, reason = "the summary is the result")]
fn judge(time: Duration, tally: &Tally, samples: &[(Duration, Held)]) -> Result<ExitCode, Failure> {
    let Tally { runs, equal, ended_early, queries, sent, requests } = tally;
    println!(
        "\n{runs} runs, {equal} of them with the result of an undisturbed run to the last bit, {ended_early} ended for another \
         reason; {queries} queries, {sent} inputs sent in {requests} requests."
    );
    let part = |from: f64, to: f64| {
        let inside = move |at: Duration| (from..to).contains(&(at.as_secs_f64() / time.as_secs_f64()));
        samples.iter().filter(move |(at, _)| inside(*at)).map(|(_, held)| *held)
    };
    let median = |from: f64, to: f64, size: fn(&Held) -> u64| {
        let mut sizes: Vec<u64> = part(from, to).map(|held| size(&held)).collect();
        sizes.sort_unstable();
        sizes.get(sizes.len() / 2).copied().ok_or("too few samples: run longer")
    };
    let most = |from: f64, to: f64| {
        let held: Vec<Held> = part(from, to).collect();
        let threads = held.iter().map(|held| held.threads).max().unwrap_or(0);
        (threads, held.iter().map(|held| held.files).max().unwrap_or(0))
    };
    let both = |size: fn(&Held) -> u64| -> Result<(u64, u64), Failure> {
        Ok((median(WARM_UP, 2.0 * WARM_UP, size)?, median(1.0 - WARM_UP, f64::INFINITY, size)?))
    };
    let (first, last) = both(|held| held.kilobytes)?;
    let (own_first, own_last) = both(|held| held.own)?;
    let (heap_first, heap_last) = both(|held| held.heap as u64)?;
    let growth = last as f64 / first as f64 - 1.0;
    let (before, after) = (most(WARM_UP, 2.0 * WARM_UP), most(1.0 - WARM_UP, f64::INFINITY));
    println!(
        "Memory: {:.2} MB after warming up, {:.2} MB at the end ({:+.1} %); of it not the program's file {:.2} MB and {:.2} MB. \
         Heap in use: {:.1} kB and {:.1} kB. Threads {} and {}, open files {} and {}.",
        first as f64 / 1024.0,
        last as f64 / 1024.0,
        100.0 * growth,
        own_first as f64 / 1024.0,
        own_last as f64 / 1024.0,
        heap_first as f64 / 1024.0,
        heap_last as f64 / 1024.0,
        before.0,
        after.0,
        before.1,
        after.1
    );
    let flat = growth <= TOLERANCE && after.0 <= before.0 && after.1 <= before.1;
    println!("{}", if flat { "Flat." } else { "It grows." });
    Ok(if flat { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
