//! Cuts batches into blocks of the sizes an engine sees, and works them off.

use std::sync::Mutex;

use gradless::ModelError;

/// The batch sizes an engine sees: from the largest down, all with the same digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    sizes: Vec<usize>,
}

impl Blocks {
    /// A block, a quarter of it, a quarter of that, down to the smallest that may have the same digits.
    pub(super) fn new(large: usize, smallest: usize) -> Self {
        let quarters = std::iter::successors(Some(large), |size| Some((size / 4).max(smallest)));
        let mut sizes: Vec<usize> = quarters.take_while(|size| *size > smallest).collect();
        sizes.push(smallest.min(large));
        Self { sizes }
    }

    /// One size and no other.
    pub(super) fn only(size: usize) -> Self {
        Self { sizes: vec![size] }
    }

    pub(super) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    pub(super) fn largest(&self) -> usize {
        self.sizes.first().copied().unwrap_or(1)
    }

    pub(super) fn smallest(&self) -> usize {
        self.sizes.last().copied().unwrap_or(1)
    }

    /// Keeps the largest size, and those below it that `keep` likes.
    pub(super) fn retain<E>(&mut self, mut keep: impl FnMut(usize) -> Result<bool, E>) -> Result<(), E> {
        let below = self.sizes.split_off(1.min(self.sizes.len()));
        for size in below {
            if keep(size)? {
                self.sizes.push(size);
            }
        }
        Ok(())
    }

    /// The size of the next call when so many rows are left: the largest of which more than three quarters are used.
    pub(super) fn next(&self, left: usize) -> usize {
        let used = |size: &&usize| 4 * left > 3 * **size;
        self.sizes.iter().find(used).copied().unwrap_or_else(|| self.smallest())
    }
}

/// Does `work` on every job, on so many threads; the error is that of the earliest job that failed.
pub(super) fn work_off<J: Send>(
    jobs: impl ExactSizeIterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(usize, J) -> Result<(), ModelError> + Sync,
) -> Result<(), ModelError> {
    let threads = threads.min(jobs.len());
    let mut jobs = jobs.enumerate();
    if threads <= 1 {
        return jobs.try_for_each(|(index, job)| work(index, job));
    }
    let jobs = Mutex::new(jobs);
    let first_error: Mutex<Option<(usize, ModelError)>> = Mutex::new(None);
    let worker = || {
        loop {
            // Jobs are taken in order, so every job before one that failed has been taken too.
            let job = jobs.lock().ok().and_then(|mut jobs| jobs.next());
            let Some((index, job)) = job else { return };
            let Err(error) = work(index, job) else { continue };
            if let Ok(mut first) = first_error.lock()
                && first.as_ref().is_none_or(|(before, _)| index < *before)
            {
                *first = Some((index, error));
            }
            return;
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    match first_error.into_inner() {
        Ok(Some((_, error))) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls for so many rows.
    fn calls(blocks: &Blocks, rows: usize) -> Vec<usize> {
        let mut left = rows;
        let mut calls = Vec::new();
        while left > 0 {
            calls.push(blocks.next(left));
            left = left.saturating_sub(blocks.next(left));
        }
        calls
    }

    #[test]
    fn sizes_go_down_by_quarters_to_the_smallest() {
        assert_eq!(Blocks::new(32, 2).sizes(), [32, 8, 2]);
        assert_eq!(Blocks::new(16, 1).sizes(), [16, 4, 1]);
        assert_eq!(Blocks::new(5, 2).sizes(), [5, 2]);
        assert_eq!(Blocks::new(2, 2).sizes(), [2]);
        assert_eq!(Blocks::new(1, 2).sizes(), [1]);
    }

    #[test]
    fn rests_take_the_largest_block_they_nearly_fill() {
        let blocks = Blocks::new(32, 2);
        assert_eq!(calls(&blocks, 1), [2]);
        assert_eq!(calls(&blocks, 5), [2, 2, 2]);
        assert_eq!(calls(&blocks, 7), [8]);
        assert_eq!(calls(&blocks, 22), [8, 8, 2, 2, 2]);
        assert_eq!(calls(&blocks, 25), [32]);
        assert_eq!(calls(&blocks, 73), [32, 32, 8, 2]);
        assert_eq!(calls(&Blocks::only(8), 9), [8, 8]);
    }

    #[test]
    fn the_earliest_error_is_told_whatever_the_threads() {
        for threads in [1, 2, 5] {
            let mut out = [0; 40];
            let result = work_off(out.iter_mut(), threads, |index, out| {
                *out = 1;
                if index % 10 == 7 { Err(ModelError::Gone(index.to_string())) } else { Ok(()) }
            });
            assert_eq!(result, Err(ModelError::Gone("7".into())));
        }
    }
}
