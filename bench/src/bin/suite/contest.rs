//! Runs ours on every instance in a folder.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use bench::contender::Contender;
use bench::descent::{Room, descend};
use bench::side_by_side::side_by_side;
use bench::{Fallible, network};
use gradless::{Answers, Ask, Config, Model, Solver, StopReason};
use gradless_models::Engine;
use gradless_paper::data::DataSet;

use crate::asked::Asked;
use crate::black_box::BlackBox;
use crate::instance::Instance;
use crate::measured::{self, LOOKS, Measured, OURS};

/// One method on one instance.
#[derive(Clone, Copy)]
struct Job<'a> {
    instance: &'a Instance,
    method: Contender,
    seed: u64,
}

/// Runs what the table does not hold yet.
pub(crate) fn run(folder: &Path, asked: &Asked) -> Fallible<()> {
    let instances = Instance::all(folder)?;
    let path = folder.join(OURS);
    let done: HashSet<_> = measured::read(&path)?
        .into_iter()
        .map(|run| (run.instance, run.method, run.seed, run.budget))
        .collect();
    let wanted = |instance: &&Instance| {
        asked.problems.as_ref().is_none_or(|problems| problems.contains(&instance.problem))
            && asked.dims.as_ref().is_none_or(|dims| dims.contains(&instance.dim))
    };
    let mut jobs = Vec::new();
    for instance in instances.iter().filter(wanted) {
        for seed in 0..asked.seeds {
            for &method in &asked.methods {
                if !done.contains(&(instance.name.clone(), method.to_string(), seed, asked.budget)) {
                    jobs.push(Job { instance, method, seed });
                }
            }
        }
    }
    let mut table = OpenOptions::new().create(true).append(true).open(&path)?;
    if table.metadata()?.len() == 0 {
        table.write_all(measured::header().as_bytes())?;
    }
    let table = Mutex::new(table);
    let lenet = network::load(DataSet::Mnist, Engine::default())?;
    side_by_side(&jobs, asked.threads, |job| {
        let line = measure(job, &lenet, asked.budget)?.line();
        Ok(table.lock().map_err(|_| "a thread panicked")?.write_all(line.as_bytes())?)
    })?;
    Ok(())
}

fn measure(job: &Job<'_>, network: &dyn Model, budget: u64) -> Fallible<Measured> {
    let Job { instance, method, seed } = *job;
    let began = Instant::now();
    let black_box = BlackBox::new(instance, network, seed)?;
    let config = method.config(budget, seed);
    let (queries, stop, mut best) = if instance.is_noisy() {
        returned(instance, &black_box, config)?
    } else {
        let (descent, outcome) = descend(&instance.problem()?, &black_box, config)?;
        (descent.queries, outcome.stop, LOOKS.map(|queries| descent.at(queries)))
    };
    for (look, best) in LOOKS.into_iter().zip(&mut best) {
        if look > budget {
            *best = f64::INFINITY;
        }
    }
    let start: Vec<f64> = (0..instance.dim).map(|i| instance.start.at(i)).collect();
    Ok(Measured {
        problem: instance.problem.clone(),
        dim: instance.dim,
        instance: instance.name.clone(),
        method: method.to_string(),
        seed,
        budget,
        queries,
        seconds: began.elapsed().as_secs_f64(),
        note: match stop {
            None | Some(StopReason::Queries) => String::new(),
            Some(other) => other.to_string().replace(',', ";"),
        },
        start: black_box.truth(&start)?,
        best,
    })
}

/// The true objective of the point that would be returned after so many queries: the best of noisy values is no measure.
fn returned(
    instance: &Instance,
    black_box: &BlackBox<'_>,
    config: Config,
) -> Fallible<(u64, Option<StopReason>, [f64; LOOKS.len()])> {
    let mut solver = Solver::new(instance.problem()?, config)?;
    let (mut told, mut room) = (Vec::new(), Room::default());
    loop {
        let before = solver.counts().queries;
        let asked = match solver.ask() {
            Ask::Evaluate(queries) => queries.len() as u64,
            Ask::Gradient(_) => return Err("methods that work on gradients cannot take part".into()),
            Ask::Stop(_) => {
                let outcome = solver.finish();
                told.resize(LOOKS.len(), black_box.truth(outcome.x())?);
                let best = told.try_into().map_err(|_| "as many values as looks")?;
                return Ok((outcome.counts.queries, outcome.stop, best));
            }
        };
        // Looks that the next batch would pass: what is returned if the run is ended here.
        let passed = LOOKS.iter().filter(|&&look| look < before + asked).count();
        if passed > told.len() {
            told.resize(passed, black_box.truth(solver.clone().finish().x())?);
        }
        if let Ask::Evaluate(queries) = solver.ask() {
            room.answer(&queries, black_box, |_, _| ())?;
        }
        solver.tell(Answers::Values(&room.values))?;
    }
}
