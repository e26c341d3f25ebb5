//! Who looks on while an explanation is searched: a Python function.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gradless_explain::Progress;
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::explain::Attendance;

/// The function is called ten times a second at most.
const DISTANCE: Duration = Duration::from_millis(100);

/// A function that is told what the search holds so far.
pub(crate) struct Audience<'a> {
    call: &'a Py<PyAny>,
    attendance: &'a Attendance<'a>,
    /// When it was told last, and about which question.
    last: Mutex<Option<(Instant, &'static str)>>,
}

impl<'a> Audience<'a> {
    pub(crate) fn new(call: &'a Py<PyAny>, attendance: &'a Attendance<'a>) -> Self {
        Self { call, attendance, last: Mutex::default() }
    }

    /// Tells it, if it is time. Its exception ends the search, as one of the model does.
    pub(crate) fn tell(&self, progress: &Progress<'_>) {
        let question = progress.question.name();
        if !self.is_due(question) {
            return;
        }
        let shown = progress.so_far.map(|best| best.input());
        let told = Python::attach(|py| {
            let shown = shown.map(|input| input.into_pyarray(py));
            self.call.call1(py, (question, progress.queries, progress.budget, progress.best, shown))
        });
        if let Err(error) = told {
            self.attendance.failure.keep(error, self.attendance.cancel);
        }
    }

    fn is_due(&self, question: &'static str) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|(time, other)| other != question || time.elapsed() >= DISTANCE);
        if is_due {
            *last = Some((Instant::now(), question));
        }
        is_due
    }
}
