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

/// What is run, on what, and how many at a time.
pub struct Sweep<'a> {
    /// The settings.
    pub experiment: &'a Experiment,
    /// What is left to do.
    pub jobs: &'a [Job],
    /// Who answers.
    pub model: &'a dyn Model,
    /// All images of the test set.
    pub images: &'a Images,
    /// Jobs at a time.
    pub threads: usize,
    /// Set to stop.
    pub cancel: &'a AtomicBool,
}

impl Sweep<'_> {
    /// Runs the jobs and adds their results to the journal and to `runs`. A job that is interrupted leaves nothing.
    pub fn run(
        &self,
        journal: &mut Journal,
        runs: &mut Vec<Run>,
        watch: &mut dyn Watch,
    ) -> Result<Ending, SweepError> {
        let next = &AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        let mut left = self.jobs.len();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, left.max(1)) {
                let sender = sender.clone();
                scope.spawn(move || self.work(next, &sender));
            }
            drop(sender);
            let mut calls = 0;
            for result in results {
                let (job, run) = result?;
                journal.append(&run)?;
                calls += self.experiment.cost(&job);
                watch.done(&run, calls);
                runs.push(run);
                left -= 1;
            }
            Ok(if left == 0 { Ending::Finished } else { Ending::Interrupted })
        })
    }

    /// Does one job after the other until there is none left, somebody cancels, or nobody listens any more.
    fn work(&self, next: &AtomicUsize, sender: &mpsc::Sender<Result<(Job, Run), Unasked>>) {
        while !self.cancel.load(Ordering::Relaxed) {
            let Some(job) = self.jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let result = match run(self.experiment, job, self.model, self.images, self.cancel) {
                Ok(None) => return,
                Ok(Some(run)) => Ok((*job, run)),
                Err(error) => Err(error),
            };
            if sender.send(result).is_err() {
                return;
            }
        }
    }
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
