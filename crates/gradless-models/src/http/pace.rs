//! When a request may go: so many a second, and not while the service asked to wait.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often someone who waits looks whether to go on waiting.
pub(super) const GLANCE: Duration = Duration::from_millis(50);

/// A clock that is not set by anyone. It should never go backwards; if it does, nobody waits longer for it.
pub(super) trait Clock: Send + Sync {
    /// Time since some moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The machine's monotonic clock.
pub(super) struct Monotonic(Instant);

impl Monotonic {
    pub(super) fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Whether to stop waiting.
pub(super) type Stop = Box<dyn Fn() -> bool + Send + Sync>;

/// Lets requests go in time.
pub(super) struct Pace {
    clock: Box<dyn Clock>,
    /// Time between two requests.
    interval: Duration,
    times: Mutex<Times>,
    pub(super) stop: Option<Stop>,
}

#[derive(Default)]
struct Times {
    last: Duration,
    /// When the next request may go by the rate.
    next: Duration,
    /// Before this the service wants to hear nothing.
    quiet_until: Duration,
}

/// Whoever waited was told to stop.
#[derive(Debug, PartialEq)]
pub(super) struct Stopped;

impl Pace {
    pub(super) fn new(clock: Box<dyn Clock>, per_second: Option<f64>) -> Self {
        let interval = per_second.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self { clock, interval, times: Mutex::default(), stop: None }
    }

    /// Waits for the time to send.
    pub(super) fn ready(&self) -> Result<(), Stopped> {
        self.wait(self.turn())
    }

    /// How long to wait for one's turn; the turn is taken.
    fn turn(&self) -> Duration {
        let mut times = self.times();
        let at = times.next.max(times.quiet_until).max(times.last);
        times.next = at + self.interval;
        at.saturating_sub(times.last)
    }

    /// Nobody sends for so long.
    pub(super) fn hush(&self, time: Duration) {
        let mut times = self.times();
        times.quiet_until = times.quiet_until.max(times.last.saturating_add(time));
    }

    /// Waits, unless someone says stop.
    pub(super) fn wait(&self, time: Duration) -> Result<(), Stopped> {
        let mut left = time;
        while !left.is_zero() {
            if self.is_stopped() {
                return Err(Stopped);
            }
            let slice = left.min(GLANCE);
            self.clock.sleep(slice);
            left -= slice;
        }
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Whether whoever waits should stop waiting.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// The times with the clock read. What lies ahead stays as far ahead when the clock jumps back.
    fn times(&self) -> MutexGuard<'_, Times> {
        let mut times = locked(&self.times);
        let now = self.clock.now();
        let back = times.last.saturating_sub(now);
        times.next = times.next.saturating_sub(back);
        times.quiet_until = times.quiet_until.saturating_sub(back);
        times.last = now;
        times
    }
}

/// What is inside is whole after every step, so a panic elsewhere does not spoil it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Time passes only by sleeping, or by hand.
    #[derive(Clone, Default)]
    struct Wound(Arc<AtomicU64>);

    impl Wound {
        fn set(&self, millis: u64) {
            self.0.store(millis, Ordering::Relaxed);
        }
        fn millis(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    impl Clock for Wound {
        fn now(&self) -> Duration {
            Duration::from_millis(self.millis())
        }
        fn sleep(&self, time: Duration) {
            self.0.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
        }
    }

    fn pace(per_second: Option<f64>) -> (Wound, Pace) {
        let clock = Wound::default();
        (clock.clone(), Pace::new(Box::new(clock), per_second))
    }

    #[test]
    fn requests_keep_their_distance() {
        let (clock, pace) = pace(Some(10.0));
        let moments: Vec<u64> = (0..4)
            .map(|_| {
                pace.ready().unwrap();
                clock.millis()
            })
            .collect();
        assert_eq!(moments, [0, 100, 200, 300]);
        // A pause earns nothing.
        clock.set(5_000);
        pace.ready().unwrap();
        pace.ready().unwrap();
        assert_eq!(clock.millis(), 5_100);
    }

    #[test]
    fn nobody_sends_while_the_service_wants_quiet() {
        let (clock, pace) = pace(None);
        pace.hush(Duration::from_secs(3));
        pace.hush(Duration::from_secs(1));
        pace.ready().unwrap();
        assert_eq!(clock.millis(), 3_000);
    }

    #[test]
    fn a_clock_that_goes_backwards_makes_nobody_wait_longer() {
        let (clock, pace) = pace(Some(10.0));
        clock.set(3_600_000);
        pace.ready().unwrap();
        clock.set(5);
        pace.ready().unwrap();
        assert_eq!(clock.millis(), 105, "one interval, not an hour");
        pace.hush(Duration::from_secs(1));
        clock.set(0);
        pace.ready().unwrap();
        assert_eq!(clock.millis(), 1_000);
    }

    #[test]
    fn a_wait_ends_when_someone_says_stop() {
        let (clock, mut pace) = pace(None);
        let seen = clock.clone();
        pace.stop = Some(Box::new(move || seen.millis() >= 200));
        assert_eq!(pace.wait(Duration::from_hours(1)), Err(Stopped));
        assert!(clock.millis() <= 250);
    }
}
