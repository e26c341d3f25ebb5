//! Who sends: callers while there is room, couriers for those who wait.
//!
//! An answer that comes in makes room for another request. If it had to wake a caller first, the service would wait with
//! it; a courier has just received an answer, is awake, and sends the next body at once. Whoever is woken then, to be given
//! an answer, keeps nobody waiting.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::error::Failure;
use super::pace::{GLANCE, Pace, Stopped, locked};

/// What came of a request: an answer or a failure, unless it was never sent.
pub(super) type Outcome = Result<Result<Vec<u8>, Failure>, Stopped>;

/// One request over the network.
pub(super) trait Post: Send + Sync + 'static {
    /// Sends a body and receives all of the answer's.
    fn post(&self, body: &[u8]) -> Result<Vec<u8>, Failure>;
}

/// Sends requests, so many at once.
pub(super) struct Dispatch<P: Post> {
    office: Arc<Office<P>>,
}

struct Office<P> {
    post: P,
    pace: Pace,
    desk: Mutex<Desk>,
    handed: Condvar,
}

struct Desk {
    /// Requests that may still go.
    room: usize,
    waiting: VecDeque<Arc<Parcel>>,
    /// Places handed to couriers that have not taken them up yet.
    handed: usize,
    /// Couriers without a parcel.
    idle: usize,
    couriers: Vec<JoinHandle<()>>,
    is_closed: bool,
}

/// A body that waits for room, and what came of it.
struct Parcel {
    body: Arc<Vec<u8>>,
    outcome: Mutex<Option<Outcome>>,
    delivered: Condvar,
}

impl<P: Post> Dispatch<P> {
    pub(super) fn new(post: P, pace: Pace, in_flight: usize) -> Self {
        let desk = Desk {
            room: in_flight.max(1),
            waiting: VecDeque::new(),
            handed: 0,
            idle: 0,
            couriers: Vec::new(),
            is_closed: false,
        };
        Self { office: Arc::new(Office { post, pace, desk: Mutex::new(desk), handed: Condvar::new() }) }
    }

    /// When requests may go.
    pub(super) fn pace(&self) -> &Pace {
        &self.office.pace
    }

    /// Waits for room among the requests on their way, then for the time to send, then for the answer.
    pub(super) fn send(&self, body: &Arc<Vec<u8>>) -> Outcome {
        let mut desk = locked(&self.office.desk);
        if desk.room > 0 {
            desk.room -= 1;
            drop(desk);
            return self.send_in_person(body);
        }
        let parcel =
            Arc::new(Parcel { body: Arc::clone(body), outcome: Mutex::default(), delivered: Condvar::new() });
        desk.waiting.push_back(Arc::clone(&parcel));
        drop(desk);
        self.wait_for(&parcel)
    }

    /// Sends in a place that was taken.
    fn send_in_person(&self, body: &[u8]) -> Outcome {
        let _place = Place(&self.office);
        self.office.deliver(body)
    }

    fn wait_for(&self, parcel: &Arc<Parcel>) -> Outcome {
        let mut outcome = locked(&parcel.outcome);
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            let (guard, wait) =
                parcel.delivered.wait_timeout(outcome, GLANCE).unwrap_or_else(PoisonError::into_inner);
            outcome = guard;
            if !wait.timed_out() || outcome.is_some() {
                continue;
            }
            drop(outcome);
            let mut desk = locked(&self.office.desk);
            let is_stopped = self.office.pace.is_stopped();
            // There is room and nobody took the parcel: no courier could be had.
            if (is_stopped || desk.room > 0) && desk.take_back(parcel) {
                if is_stopped {
                    return Err(Stopped);
                }
                desk.room -= 1;
                drop(desk);
                return self.send_in_person(&parcel.body);
            }
            drop(desk);
            outcome = locked(&parcel.outcome);
        }
    }
}

impl<P: Post> Drop for Dispatch<P> {
    fn drop(&mut self) {
        let mut desk = locked(&self.office.desk);
        desk.is_closed = true;
        let couriers = std::mem::take(&mut desk.couriers);
        drop(desk);
        self.office.handed.notify_all();
        for courier in couriers {
            // None has a parcel: nobody waits for one.
            let _ = courier.join();
        }
    }
}

impl Desk {
    /// Whether a parcel was still waiting; it is not any more.
    fn take_back(&mut self, parcel: &Arc<Parcel>) -> bool {
        let at = self.waiting.iter().position(|waiting| Arc::ptr_eq(waiting, parcel));
        at.is_some_and(|at| self.waiting.remove(at).is_some())
    }

    /// One more courier; false if no thread can be had.
    fn hire<P: Post>(&mut self, office: &Arc<Office<P>>) -> bool {
        let own = Arc::clone(office);
        let thread = thread::Builder::new().name("gradless-courier".to_owned());
        let courier = thread.spawn(move || own.carry());
        let is_there = courier.is_ok();
        self.couriers.extend(courier);
        self.idle += usize::from(is_there);
        is_there
    }
}

impl<P: Post> Office<P> {
    fn deliver(&self, body: &[u8]) -> Outcome {
        self.pace.ready()?;
        Ok(self.post.post(body))
    }

    /// What a courier does until the dispatch is over.
    fn carry(&self) {
        let mut desk = locked(&self.desk);
        loop {
            while desk.handed == 0 {
                if desk.is_closed {
                    return;
                }
                desk = self.handed.wait(desk).unwrap_or_else(PoisonError::into_inner);
            }
            desk.handed -= 1;
            desk.idle -= 1;
            while let Some(parcel) = desk.waiting.pop_front() {
                drop(desk);
                let delivered = catch_unwind(AssertUnwindSafe(|| self.deliver(&parcel.body)));
                let outcome = delivered.unwrap_or_else(|_| {
                    Ok(Err(Failure::Protocol("the answer could not be dealt with".to_owned())))
                });
                *locked(&parcel.outcome) = Some(outcome);
                parcel.delivered.notify_one();
                desk = locked(&self.desk);
            }
            desk.idle += 1;
            desk.room += 1;
        }
    }
}

/// A place among the requests on their way, of a caller who sends in person.
struct Place<'a, P: Post>(&'a Arc<Office<P>>);

impl<P: Post> Drop for Place<'_, P> {
    fn drop(&mut self) {
        let office = self.0;
        let mut desk = locked(&office.desk);
        let is_wanted = !desk.waiting.is_empty();
        if is_wanted && (desk.idle > desk.handed || desk.hire(office)) {
            desk.handed += 1;
            drop(desk);
            office.handed.notify_one();
        } else {
            // Whoever waits looks now and then whether there is room.
            desk.room += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::super::pace::Monotonic;
    use super::*;

    /// Answers with what it was sent, once it is opened; notes how many are on their way.
    #[derive(Default)]
    struct Echo {
        is_open: AtomicBool,
        out: AtomicUsize,
        most: AtomicUsize,
        posts: AtomicUsize,
    }

    impl Post for Arc<Echo> {
        fn post(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
            let out = self.out.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(out, Ordering::SeqCst);
            self.posts.fetch_add(1, Ordering::SeqCst);
            while !self.is_open.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            thread::yield_now();
            self.out.fetch_sub(1, Ordering::SeqCst);
            assert!(body != b"panic", "as asked");
            Ok(body.to_vec())
        }
    }

    fn dispatch(in_flight: usize, stop: Option<Arc<AtomicBool>>) -> (Arc<Echo>, Dispatch<Arc<Echo>>) {
        let echo = Arc::new(Echo::default());
        let mut pace = Pace::new(Box::new(Monotonic::new()), None);
        pace.stop =
            stop.map(|stop| Box::new(move || stop.load(Ordering::SeqCst)) as super::super::pace::Stop);
        (Arc::clone(&echo), Dispatch::new(echo, pace, in_flight))
    }

    fn body(text: &str) -> Arc<Vec<u8>> {
        Arc::new(text.as_bytes().to_vec())
    }

    /// Until it is so; a test that waits for ever fails by its own time limit.
    fn until(mut is_so: impl FnMut() -> bool) {
        while !is_so() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn everyone_gets_the_own_answer_and_no_more_are_out_than_allowed() {
        let (echo, dispatch) = dispatch(3, None);
        thread::scope(|scope| {
            for caller in 0..10 {
                let dispatch = &dispatch;
                scope.spawn(move || {
                    for turn in 0..200 {
                        let text = format!("{caller} {turn}");
                        let answer = dispatch.send(&body(&text)).unwrap().unwrap();
                        assert_eq!(answer, text.as_bytes());
                    }
                });
            }
            until(|| echo.out.load(Ordering::SeqCst) == 3);
            echo.is_open.store(true, Ordering::SeqCst);
        });
        assert_eq!(echo.posts.load(Ordering::SeqCst), 2_000, "each is sent once");
        assert_eq!(echo.most.load(Ordering::SeqCst), 3);
        until(|| locked(&dispatch.office.desk).room == 3);
        let desk = locked(&dispatch.office.desk);
        assert!(desk.couriers.len() <= 3 && desk.idle == desk.couriers.len() && desk.handed == 0);
    }

    #[test]
    fn whoever_is_told_to_stop_while_waiting_sends_nothing() {
        let stop = Arc::new(AtomicBool::new(false));
        let (echo, dispatch) = dispatch(1, Some(Arc::clone(&stop)));
        thread::scope(|scope| {
            let first = scope.spawn(|| dispatch.send(&body("first")));
            until(|| echo.out.load(Ordering::SeqCst) == 1);
            let second = scope.spawn(|| dispatch.send(&body("second")));
            until(|| locked(&dispatch.office.desk).waiting.len() == 1);
            stop.store(true, Ordering::SeqCst);
            assert!(matches!(second.join().unwrap(), Err(Stopped)));
            echo.is_open.store(true, Ordering::SeqCst);
            assert_eq!(first.join().unwrap().unwrap().unwrap(), b"first", "what is out is waited for");
        });
        assert!(matches!(dispatch.send(&body("third")), Err(Stopped)));
        assert_eq!(echo.posts.load(Ordering::SeqCst), 1);
        assert_eq!(locked(&dispatch.office.desk).room, 1, "and takes no room");
    }

    #[test]
    fn without_couriers_those_who_wait_send_themselves() {
        let (echo, dispatch) = dispatch(1, None);
        echo.is_open.store(true, Ordering::SeqCst);
        // As it is when no thread could be started: room is made, and nobody is told.
        locked(&dispatch.office.desk).room = 0;
        thread::scope(|scope| {
            let waiting = scope.spawn(|| dispatch.send(&body("late")));
            until(|| locked(&dispatch.office.desk).waiting.len() == 1);
            locked(&dispatch.office.desk).room = 1;
            assert_eq!(waiting.join().unwrap().unwrap().unwrap(), b"late");
        });
        assert_eq!(locked(&dispatch.office.desk).room, 1);
    }

    #[test]
    fn a_panic_costs_one_request_and_no_place() {
        let (echo, dispatch) = dispatch(1, None);
        thread::scope(|scope| {
            let first = scope.spawn(|| dispatch.send(&body("first")));
            until(|| echo.out.load(Ordering::SeqCst) == 1);
            let second = scope.spawn(|| dispatch.send(&body("panic")));
            until(|| locked(&dispatch.office.desk).waiting.len() == 1);
            echo.is_open.store(true, Ordering::SeqCst);
            assert!(first.join().unwrap().unwrap().is_ok());
            assert!(matches!(second.join().unwrap(), Ok(Err(Failure::Protocol(_)))));
        });
        assert_eq!(dispatch.send(&body("after")).unwrap().unwrap(), b"after");
    }
}
