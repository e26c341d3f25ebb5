//! All jobs that are not done yet, several at a time, each on a thread of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use gradless::Model;

use super::experiment::{Experiment, Job};
use super::journal::{Journal, JournalError};
use super::question::Unasked;
use super::run::{Run, run};
use crate::data::Images;

/// Is told what happens.
pub trait Watch {
    /// A result is on the disk; so many oracle calls of the work that was left are done.
    fn done(&mut self, run: &Run, calls: u64);
}

/// How a sweep has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything is done.
    Finished,
    /// It was asked to stop.
    Interrupted,
}

/// The jobs that no run belongs to.
pub fn missing(jobs: &[Job], runs: &[Run]) -> Vec<Job> {
    let done: std::collections::HashSet<_> = runs.iter().map(|run| (run.mode, run.arm, run.image)).collect();
    jobs.iter().filter(|job| !done.contains(&(job.mode, job.arm, job.image.index))).copied().collect()
}

/// Runs the jobs and adds their results to the journal and to `runs`. A job that is interrupted leaves nothing.
#[expect(clippy::too_many_arguments, reason = "what is run, on what, where results go, and who looks on")]
pub fn sweep(
    experiment: &Experiment,
    jobs: &[Job],
    model: &dyn Model,
    images: &Images,
    threads: usize,
    journal: &mut Journal,
    runs: &mut Vec<Run>,
    watch: &mut dyn Watch,
    cancel: &AtomicBool,
) -> Result<Ending, SweepError> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let worker = |sender: mpsc::Sender<Result<(Job, Run), Unasked>>| {
        while !cancel.load(Ordering::Relaxed) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let result = match run(experiment, job, model, images, cancel) {
                Ok(None) => return,
                Ok(Some(run)) => Ok((*job, run)),
                Err(error) => Err(error),
            };
            // Nobody listens any more once the journal has failed.
            if sender.send(result).is_err() {
                return;
            }
        }
    };
    let mut left = jobs.len();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        let mut calls = 0;
        for result in results {
            let (job, run) = result?;
            journal.append(&run)?;
            calls += experiment.cost(&job);
            watch.done(&run, calls);
            runs.push(run);
            left -= 1;
        }
        Ok(if left == 0 { Ending::Finished } else { Ending::Interrupted })
    })
}

/// A sweep that cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences are those of the causes")]
pub enum SweepError {
    #[error(transparent)]
    Job(#[from] Unasked),
    #[error(transparent)]
    Journal(#[from] JournalError),
}
