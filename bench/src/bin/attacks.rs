//! How small the changes of our own attacks are, on the pictures that constants are chosen on: a table to look at while a search is written.
//!
//! `cargo run --release -p bench --bin attacks -- --network assets/lenet.onnx --norm pixels [--pictures 20] [--queries 5000] [--labels]`
//!
//! Beside other attacks they are measured by `bench/strangers/attacks`.

#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use bench::Fallible;
use bench::side_by_side::side_by_side;
use gradless::{Config, Inputs, Model};
use gradless_explain::condition::largest;
use gradless_explain::{Beside, Declared, Grid, Labels, Norm, Options, Pixels, Session, Watch};
use gradless_models::{Description, Engine, Onnx, OnnxOptions};
use gradless_paper::data::{Images, Labelled, Split, cifar10, mnist};

/// Constants are chosen on test pictures before this one.
const TUNING_ENDS: usize = 3_000;
/// Numbers of queries that are told.
const AT: [u64; 7] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000];

struct Asked {
    data: PathBuf,
    network: PathBuf,
    norms: Vec<Norm>,
    pictures: usize,
    skip: usize,
    queries: u64,
    seeds: u64,
    threads: usize,
    labels: bool,
    targeted: bool,
    verbose: bool,
}

fn main() -> Fallible<()> {
    let asked = read()?;
    let colour = asked.network.to_string_lossy().contains("resnet");
    let description = colour.then(|| Description {
        mean: vec![0.4914, 0.4822, 0.4465],
        std: vec![0.2023, 0.1994, 0.2010],
        ..Description::default()
    });
    let model = Onnx::load_with(
        &asked.network,
        &OnnxOptions { engine: Engine::Ort, description, ..OnnxOptions::default() },
    )?;
    let Labelled { images, labels } = if colour {
        cifar10(&asked.data.join("cifar10"), Split::Test)?
    } else {
        mnist(&asked.data.join("mnist"), Split::Test)?
    };
    let chosen = choose(&model, &images, &labels, asked.skip + asked.pictures)?;
    let jobs: Vec<(usize, u64)> =
        (0..asked.seeds).flat_map(|seed| chosen.iter().skip(asked.skip).map(move |&at| (at, seed))).collect();
    for &norm in &asked.norms {
        let began = std::time::Instant::now();
        let found = side_by_side(&jobs, asked.threads, |&(at, seed)| {
            let label = usize::from(labels[at]);
            attack(&asked, &model, &images, norm, (at, label, seed))
        })?;
        let seconds = began.elapsed().as_secs_f64() / found.len() as f64;
        if asked.verbose {
            for ((at, seed), sizes) in jobs.iter().zip(&found) {
                println!("{at:5} {seed} {sizes:.3?}");
            }
        }
        let cells: Vec<String> =
            (0..AT.len()).map(|at| cell(found.iter().map(|sizes| sizes[at]).collect())).collect();
        println!("{:8} {seconds:5.2}s {}", norm.name(), cells.join("  "));
    }
    Ok(())
}

/// The median and the geometric mean, and the share where there is something.
fn cell(mut sizes: Vec<f64>) -> String {
    sizes.sort_by(f64::total_cmp);
    let median = f64::midpoint(sizes[(sizes.len() - 1) / 2], sizes[sizes.len() / 2]);
    let found: Vec<f64> = sizes.iter().copied().filter(|size| size.is_finite()).collect();
    let mean = (found.iter().map(|size| size.ln()).sum::<f64>() / found.len() as f64).exp();
    let share = if found.len() < sizes.len() {
        format!("({}%)", 100 * found.len() / sizes.len())
    } else {
        String::new()
    };
    format!("{median:6.3} {mean:6.3}{share}")
}

fn read() -> Fallible<Asked> {
    let mut asked = Asked {
        data: std::env::var_os("GRADLESS_DATA").unwrap_or_else(|| "data".into()).into(),
        network: "assets/lenet.onnx".into(),
        norms: vec![Norm::Pixels],
        pictures: 20,
        skip: 0,
        queries: 5_000,
        seeds: 1,
        threads: 1,
        labels: false,
        targeted: false,
        verbose: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--network" => asked.network = value()?.into(),
            "--norm" => {
                let named = |name: &str| Norm::named(name).ok_or_else(|| format!("there is no norm {name}"));
                asked.norms = value()?.split(',').map(named).collect::<Result<_, _>>()?;
            }
            "--pictures" => asked.pictures = value()?.parse()?,
            "--skip" => asked.skip = value()?.parse()?,
            "--queries" => asked.queries = value()?.parse()?,
            "--seeds" => asked.seeds = value()?.parse()?,
            "--threads" => asked.threads = value()?.parse()?,
            "--labels" => asked.labels = true,
            "--targeted" => asked.targeted = true,
            "--verbose" => asked.verbose = true,
            other => return Err(format!("{other} is not understood").into()),
        }
    }
    Ok(asked)
}

/// Pictures of every class in turns, the first that the network gets right.
fn choose(model: &Onnx, images: &Images, labels: &[u8], count: usize) -> Fallible<Vec<usize>> {
    let each = count.div_ceil(10);
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); 10];
    let mut scores = vec![0.0; model.classes()];
    for (at, &label) in labels.iter().enumerate().take(TUNING_ENDS) {
        let label = usize::from(label);
        let input = numbers(images, at);
        if chosen[label].len() < each {
            model.scores(Inputs { points: &input, dim: input.len() }, &mut scores)?;
            if largest(&scores) == label {
                chosen[label].push(at);
            }
        }
    }
    let turn = |turn: usize| chosen.iter().filter_map(move |numbers| numbers.get(turn).copied());
    Ok((0..each).flat_map(turn).take(count).collect())
}

fn numbers(images: &Images, index: usize) -> Vec<f64> {
    images.image(index).iter().map(|&byte| f64::from(byte) / 255.0).collect()
}

/// The sizes after so many queries.
fn attack(
    asked: &Asked,
    model: &Onnx,
    images: &Images,
    norm: Norm,
    (at, label, seed): (usize, usize, u64),
) -> Fallible<Vec<f64>> {
    let target = asked.targeted.then_some((label + 1) % 10);
    let ours = Options::attack(norm, target);
    let options = Options {
        config: Config { seed, ..ours.config },
        max_queries: asked.queries,
        declared: if asked.labels { Declared::Labels } else { Declared::Nothing },
        ..ours
    };
    let grid = Some(Grid { low: 0.0, high: 1.0, steps: 255 });
    let features = Pixels { grid, ..Pixels::new(numbers(images, at), model.shape().to_vec(), 0.0, 1.0) };
    let never = AtomicBool::new(false);
    let session = Session {
        model,
        features: &features,
        options: &options,
        beside: Beside::default(),
        labels: Labels::default(),
        watch: Watch::new(&never),
        deadline: None,
        sent: None,
    };
    let answer = session.explain(session.look()?)?.remove(0);
    let told = answer.attack.ok_or("an attack tells its size")?;
    Ok(AT.iter().map(|&at| told.size_after(at).unwrap_or(f64::INFINITY)).collect())
}
