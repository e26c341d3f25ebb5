//! Jobs on several threads, each on a thread of its own.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Fallible;

/// Does the work on so many threads; results in the order of the jobs. The first failure ends it.
#[expect(clippy::print_stderr, reason = "the programs' progress")]
pub fn side_by_side<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> Fallible<R> + Sync,
) -> Fallible<Vec<R>> {
    let shows_progress = std::io::stderr().is_terminal();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let hand = || -> Fallible<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { return Ok(()) };
            let result = work(job)?;
            let mut done = done.lock().map_err(|_| "a thread panicked")?;
            done.push((index, result));
            if shows_progress {
                eprint!("\r{:>4} of {} ", done.len(), jobs.len());
            }
        }
    };
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(hand)).collect();
        hands.into_iter().try_for_each(|hand| hand.join().map_err(|_| "a thread panicked")?)
    })?;
    if shows_progress {
        eprintln!();
    }
    let mut done = done.into_inner().map_err(|_| "a thread panicked")?;
    done.sort_by_key(|&(index, _)| index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_jobs() {
        let squares = side_by_side(&[3, 1, 2], 2, |&job: &i32| Ok(job * job)).unwrap();
        assert_eq!(squares, [9, 1, 4]);
    }

    #[test]
    fn a_failure_is_told() {
        let failed = side_by_side(&[1, 2], 2, |&job: &i32| if job == 2 { Err("two".into()) } else { Ok(()) });
        assert_eq!(failed.unwrap_err().to_string(), "two");
    }
}
