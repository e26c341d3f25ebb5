//! Ends a piece of work when its time is up, or when somebody asks for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the clock is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    ByItself,
    Interrupted,
    TimeIsUp,
}

/// What a search that was cut off says.
const INTERRUPTED: &str = "interrupted";
const TIME_IS_UP: &str = "the time is up";

impl Ended {
    /// In words, where it did not end by itself.
    pub(super) fn reason(self) -> Option<&'static str> {
        match self {
            Self::ByItself => None,
            Self::Interrupted => Some(INTERRUPTED),
            Self::TimeIsUp => Some(TIME_IS_UP),
        }
    }
}

/// Whether a search that ended for this reason would have gone on.
pub fn was_cut_off(stop_reason: &str) -> bool {
    [INTERRUPTED, TIME_IS_UP].contains(&stop_reason)
}

/// Does a piece of work on this thread, with a flag that is set when somebody interrupts or the deadline has come.
pub(super) fn watched<T, E>(
    interrupted: &AtomicBool,
    deadline: Option<Instant>,
    work: impl FnOnce(&AtomicBool) -> Result<T, E>,
) -> Result<(T, Ended), E> {
    let Some(deadline) = deadline else {
        let done = work(interrupted)?;
        let cut = interrupted.load(Ordering::Relaxed);
        return Ok((done, if cut { Ended::Interrupted } else { Ended::ByItself }));
    };
    let (cancel, over, late) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
    let done = thread::scope(|scope| {
        let guard = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let is_late = Instant::now() >= deadline;
                late.fetch_or(is_late, Ordering::Relaxed);
                if is_late || interrupted.load(Ordering::Relaxed) {
                    cancel.store(true, Ordering::Relaxed);
                }
                thread::park_timeout(GLANCE);
            }
        });
        let done = work(&cancel);
        over.store(true, Ordering::Relaxed);
        guard.thread().unpark();
        done
    })?;
    let ended = match () {
        () if interrupted.load(Ordering::Relaxed) => Ended::Interrupted,
        () if late.load(Ordering::Relaxed) => Ended::TimeIsUp,
        () => Ended::ByItself,
    };
    Ok((done, ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_itself_by_the_clock_or_because_somebody_asks() {
        let never = AtomicBool::new(false);
        let until_cancelled = |cancel: &AtomicBool| {
            while !cancel.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok::<(), ()>(())
        };
        assert_eq!(watched(&never, None, |_| Ok::<(), ()>(())), Ok(((), Ended::ByItself)));
        let soon = Some(Instant::now() + Duration::from_millis(1));
        assert_eq!(watched(&never, soon, until_cancelled), Ok(((), Ended::TimeIsUp)));
        let late = Some(Instant::now() + Duration::from_hours(1));
        assert_eq!(watched(&AtomicBool::new(true), late, until_cancelled), Ok(((), Ended::Interrupted)));
        assert!(was_cut_off("the time is up") && !was_cut_off("the search was over"));
    }
}
