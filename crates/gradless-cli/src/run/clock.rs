//! Ctrl-C and the clock: work that either of them stops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt;

/// How often the clock and Ctrl-C are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// When a run must end, of so many seconds from now.
pub(crate) fn deadline(seconds: Option<f64>) -> anyhow::Result<Option<Instant>> {
    let after = |seconds: f64| {
        anyhow::ensure!(seconds > 0.0 && seconds < 1e9, "--max-seconds must be a positive number");
        Ok(Instant::now() + Duration::from_secs_f64(seconds))
    };
    seconds.map(after).transpose()
}

/// Whether a deadline has come.
pub(crate) fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Does a piece of work and sets `stop` on Ctrl-C or when the time is up; says whether it was the clock.
pub(crate) fn watched<T: Send>(
    stop: &AtomicBool,
    deadline: Option<Instant>,
    work: impl FnOnce() -> T + Send,
) -> (T, bool) {
    let (over, late) = (AtomicBool::new(false), AtomicBool::new(false));
    let done = thread::scope(|scope| {
        let guard = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let is_late = is_past(deadline);
                if is_late || interrupt::flag().load(Ordering::Relaxed) {
                    late.fetch_or(is_late, Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                }
                thread::park_timeout(GLANCE);
            }
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        guard.thread().unpark();
        done
    });
    (done, late.into_inner())
}
