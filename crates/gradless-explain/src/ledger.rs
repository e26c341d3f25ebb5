//! Everything the model is asked goes through here: counted, turned into margins, and the best answers kept.

use std::cmp::Ordering::Equal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gradless::oracle::Recovery;
use gradless::{Batch, Inputs, Model, ModelError, Oracle, OracleError};

use crate::answer::{Minimal, Step};
use crate::condition::Condition;
use crate::features::Coordinates;
use crate::question::Norm;

/// A point and what the model said there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) point: Vec<f64>,
    pub(crate) scores: Vec<f64>,
    pub(crate) margin: f64,
    /// $\gamma_1\lVert x\rVert_1 + \frac{\gamma_2}2\lVert x\rVert_2^2$ from the origin, at the weights as given; the size where the
    /// question says what is small.
    pub(crate) penalty: f64,
}

/// What a search needs to know of its surroundings.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) coordinates: &'a Coordinates<'a>,
    pub(crate) condition: Condition,
    /// What is small, if the question says so.
    pub(crate) norm: Option<Norm>,
    /// A margin must be above this to be believed.
    pub(crate) floor: f64,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) threads: usize,
    /// Ends the search early with the best so far.
    pub(crate) cancel: &'a AtomicBool,
    /// Is called with the queries so far and the best valid point.
    pub(crate) report: &'a (dyn Fn(u64, Option<&[f64]>) + Sync),
    /// Inputs the model may be given, all in all.
    pub(crate) budget: u64,
    /// Of these, what is kept for the last look.
    pub(crate) reserve: u64,
}

/// Queries of the last look at an answer, and at its picture.
pub(crate) const LOOK: u64 = 2;

/// What has been seen.
pub(crate) struct Ledger<'a> {
    pub(crate) around: Surroundings<'a>,
    pub(crate) kappa: Option<f64>,
    seen: Mutex<Seen>,
    sent: AtomicU64,
}

/// Points that are asked together, and where their scores go.
type Chunk<'a> = (&'a [Vec<f64>], &'a mut [Vec<f64>]);

/// A valid point of the smallest size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Smallest {
    pub(crate) point: Vec<f64>,
    pub(crate) margin: f64,
    /// Queries when it was known, to the batch.
    pub(crate) known: Option<u64>,
    /// Whether no single place of it can go.
    pub(crate) minimal: Minimal,
    size: f64,
}

#[derive(Debug, Default)]
struct Seen {
    best: Option<Candidate>,
    /// What is reported instead of the best.
    held: Option<Vec<f64>>,
    smallest: Option<Smallest>,
    nearest: Option<Candidate>,
    first_valid: Option<u64>,
    /// Valid points that were smaller than all before, where the question says what is small.
    curve: Vec<Step>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(around: Surroundings<'a>, kappa: Option<f64>) -> Self {
        Self { kappa, seen: Mutex::default(), sent: AtomicU64::new(0), around }
    }

    /// Inputs the model was given.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// The same with the look at the input itself, which comes first.
    pub(crate) fn queries(&self) -> u64 {
        1 + self.sent()
    }

    /// Counts inputs that are about to be sent; what the budget does not cover is refused, whoever asks.
    fn pay(&self, rows: u64) -> Result<(), ModelError> {
        let cap = self.around.budget.saturating_sub(1);
        let used = self.sent.fetch_add(rows, Ordering::Relaxed);
        if used + rows <= cap {
            return Ok(());
        }
        self.sent.fetch_sub(rows, Ordering::Relaxed);
        Err(ModelError::Capped { cap, used, asked: rows })
    }

    /// Inputs that may still be sent.
    pub(crate) fn left(&self) -> u64 {
        self.around.budget.saturating_sub(self.queries())
    }

    /// Queries when the first valid point was known, to the batch.
    pub(crate) fn first_valid(&self) -> Option<u64> {
        self.seen().first_valid
    }

    /// To be called between batches: whether there is a valid point by now.
    pub(crate) fn settle(&self) {
        let queries = self.queries();
        let mut seen = self.seen();
        if seen.first_valid.is_none() && seen.best.is_some() {
            seen.first_valid = Some(queries);
        }
        if let Some(smallest) = &mut seen.smallest {
            smallest.known.get_or_insert(queries);
        }
    }

    /// The valid point with the smallest penalty so far.
    pub(crate) fn best(&self) -> Option<Candidate> {
        self.seen().best.clone()
    }

    /// The smallest point so far that reaches the aim, or was offered.
    pub(crate) fn smallest(&self) -> Option<Smallest> {
        self.seen().smallest.clone()
    }

    /// Valid points that were smaller than all before, where the question says what is small.
    pub(crate) fn curve(&self) -> Vec<Step> {
        self.seen().curve.clone()
    }

    /// The size of the smallest valid point so far, where the question says what is small.
    pub(crate) fn least(&self) -> Option<f64> {
        self.seen().curve.last().and_then(|step| step.best)
    }

    /// Notes points that are smaller than all before them, in the order in which they were asked: the first was query `first`.
    fn note(&self, first: u64, points: &[Vec<f64>], scores: &[Vec<f64>]) {
        let Some(norm) = self.around.norm else { return };
        let coordinates = self.around.coordinates;
        for (queries, (point, scores)) in (first..).zip(points.iter().zip(scores)) {
            let margin = self.around.condition.margin(scores);
            if !self.is_valid(margin) || !self.is_inside(point) {
                continue;
            }
            let size = norm.of(coordinates, point);
            if self.least().is_some_and(|least| least <= size) {
                continue;
            }
            self.seen().curve.push(Step {
                queries,
                objective: Some(size),
                loss: Some(loss(margin, self.kappa)),
                norm_l1: Norm::L1.of(coordinates, point),
                norm_l2: Norm::L2.of(coordinates, point),
                nonzeros: coordinates.moved(point).len(),
                step_size: 1.0,
                best: Some(size),
            });
        }
    }

    /// Forgets all points: another condition must hold from now on.
    pub(crate) fn forget(&self) {
        *self.seen() = Seen::default();
    }

    /// The point that came closest to being valid.
    pub(crate) fn nearest(&self) -> Option<Candidate> {
        self.seen().nearest.clone()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.around.cancel.load(Ordering::Relaxed)
    }

    /// Reports progress.
    pub(crate) fn report(&self) {
        let held = {
            let seen = self.seen();
            seen.held.clone().or_else(|| seen.best.as_ref().map(|best| best.point.clone()))
        };
        (self.around.report)(self.queries(), held.as_deref());
    }

    /// Reports progress of a search that holds on to a point from now on: others may be smaller, but have not passed what it has
    /// passed.
    pub(crate) fn report_holding(&self, point: &[f64]) {
        self.seen().held = Some(point.to_vec());
        self.report();
    }

    pub(crate) fn is_valid(&self, margin: f64) -> bool {
        margin > self.around.floor
    }

    /// The margin a search wants: what was asked for, and no less than what counts at all.
    pub(crate) fn aim(&self) -> f64 {
        self.kappa.unwrap_or(0.0).max(self.around.floor)
    }

    pub(crate) fn reaches(&self, margin: f64) -> bool {
        margin > self.aim()
    }

    pub(crate) fn penalty(&self, point: &[f64]) -> f64 {
        let Surroundings { l1, l2, .. } = self.around;
        point.iter().zip(self.origin()).map(|(x, o)| (x - o).abs()).map(|s| l1 * s + 0.5 * l2 * s * s).sum()
    }

    /// Coordinates in which a point differs from the origin.
    pub(crate) fn moved(&self, point: &[f64]) -> Vec<usize> {
        self.around.coordinates.moved(point)
    }

    pub(crate) fn origin(&self) -> &[f64] {
        &self.around.coordinates.origin
    }

    pub(crate) fn bounds(&self) -> &[(f64, f64)] {
        &self.around.coordinates.bounds
    }

    /// The input that the model is shown for a point.
    pub(crate) fn input(&self, point: &[f64]) -> Vec<f64> {
        self.around.coordinates.input(point, self.around.model.inputs())
    }

    /// What a margin at the floor costs.
    pub(crate) fn loss_at_floor(&self) -> f64 {
        loss(self.around.floor, self.kappa)
    }

    /// Margin and scores of one point; it does not become the answer.
    pub(crate) fn look(&self, point: &[f64]) -> Result<(f64, Vec<f64>), ModelError> {
        self.look_at_input(&self.input(point))
    }

    /// Margin and scores of an input of the model.
    pub(crate) fn look_at_input(&self, seen: &[f64]) -> Result<(f64, Vec<f64>), ModelError> {
        let mut scores = vec![0.0; self.around.model.classes()];
        self.pay(1)?;
        self.around.model.scores(Inputs { points: seen, dim: seen.len() }, &mut scores)?;
        Ok((self.around.condition.margin(&scores), scores))
    }

    /// Asks about points, all of which may become the answer; gives their margins.
    pub(crate) fn ask(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, ModelError> {
        let scores = self.ask_scores(points)?;
        Ok(scores.iter().map(|scores| self.around.condition.margin(scores)).collect())
    }

    /// Asks about points, all of which may become the answer; gives their scores. NaN stands for what could not be answered, what
    /// the budget does not cover, and what was not asked any more after a cancellation.
    pub(crate) fn ask_scores(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ModelError> {
        let rows = self.around.model.preferred_rows().max(1);
        let unanswered = vec![f64::NAN; self.around.model.classes()];
        let mut all = vec![unanswered.clone(); points.len()];
        // What the budget does not cover is not asked.
        let covered = self.around.budget.saturating_sub(self.around.reserve + self.queries());
        let points = &points[..points.len().min(usize::try_from(covered).unwrap_or(usize::MAX))];
        let first = self.queries() + 1;
        let chunks: Vec<Chunk<'_>> = points.chunks(rows).zip(all.chunks_mut(rows)).collect();
        let work = |(points, out): Chunk<'_>| {
            if self.is_cancelled() {
                return Ok(());
            }
            let asked = self.evaluate_rows(&points.concat(), |row, scores, _| out[row] = scores.to_vec());
            match asked {
                // A batch that could not be answered costs its own answers: NaN is neither valid nor steep.
                Err(error) if error.recovery() == Recovery::Possible => {
                    out.fill(unanswered.clone());
                    Ok(())
                }
                asked => asked,
            }
        };
        self.shared_out(chunks, work)?;
        self.note(first, points, &all);
        self.settle();
        Ok(all)
    }

    /// Scores of inputs of the model, none of which becomes the answer. NaN stands for what could not be answered, and for what was not
    /// asked any more after a cancellation.
    pub(crate) fn look_at_inputs(&self, inputs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ModelError> {
        let model = self.around.model;
        let (rows, classes) = (model.preferred_rows().max(1), model.classes());
        let mut all = vec![vec![f64::NAN; classes]; inputs.len()];
        let chunks: Vec<Chunk<'_>> = inputs.chunks(rows).zip(all.chunks_mut(rows)).collect();
        self.shared_out(chunks, |(inputs, out)| {
            if self.is_cancelled() {
                return Ok(());
            }
            self.pay(inputs.len() as u64)?;
            let mut scores = vec![0.0; inputs.len() * classes];
            match model.scores(Inputs { points: &inputs.concat(), dim: model.inputs() }, &mut scores) {
                Err(error) if error.recovery() == Recovery::Possible => return Ok(()),
                answered => answered?,
            }
            for (out, scores) in out.iter_mut().zip(scores.chunks_exact(classes)) {
                out.copy_from_slice(scores);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Works chunks off, on several threads where that is allowed.
    fn shared_out<C: Send>(
        &self,
        chunks: Vec<C>,
        work: impl Fn(C) -> Result<(), ModelError> + Sync,
    ) -> Result<(), ModelError> {
        let threads = self.around.threads.clamp(1, chunks.len().max(1));
        if threads == 1 {
            return chunks.into_iter().try_for_each(work);
        }
        let mut hands: Vec<Vec<C>> = (0..threads).map(|_| Vec::new()).collect();
        for (index, chunk) in chunks.into_iter().enumerate() {
            hands[index % threads].push(chunk);
        }
        let work = &work;
        let results: Vec<Result<(), ModelError>> = std::thread::scope(|scope| {
            let running: Vec<_> = hands
                .into_iter()
                .map(|hand| scope.spawn(move || hand.into_iter().try_for_each(work)))
                .collect();
            let gone = |_| Err(ModelError::Gone("a thread panicked".to_owned()));
            running.into_iter().map(|handle| handle.join().unwrap_or_else(gone)).collect()
        });
        results.into_iter().collect()
    }

    /// Margins of points, one after the other; those in the set are kept if they are better than what is there.
    fn evaluate_rows(
        &self,
        points: &[f64],
        mut take: impl FnMut(usize, &[f64], f64),
    ) -> Result<(), ModelError> {
        let Surroundings { model, coordinates, condition, .. } = self.around;
        let (dim, numbers, classes) = (coordinates.dim().max(1), model.inputs(), model.classes());
        let rows = points.len() / dim;
        let mut scores = vec![0.0; rows * classes];
        let mut inputs = vec![0.0; rows * numbers];
        for (point, input) in points.chunks_exact(dim).zip(inputs.chunks_exact_mut(numbers)) {
            coordinates.write(point, input);
        }
        self.pay(rows as u64)?;
        model.scores(Inputs { points: &inputs, dim: numbers }, &mut scores)?;
        for (row, (point, scores)) in points.chunks_exact(dim).zip(scores.chunks_exact(classes)).enumerate() {
            let margin = condition.margin(scores);
            self.consider(point, scores, margin);
            take(row, scores, margin);
        }
        Ok(())
    }

    fn consider(&self, point: &[f64], scores: &[f64], margin: f64) {
        self.miss(point, scores, margin);
        if self.is_valid(margin) {
            self.keep(point, scores, margin);
        }
    }

    fn is_inside(&self, point: &[f64]) -> bool {
        point.iter().zip(self.bounds()).all(|(x, (lower, upper))| lower <= x && x <= upper)
    }

    fn candidate(&self, point: &[f64], scores: &[f64], margin: f64) -> Candidate {
        let penalty = match self.around.norm {
            None => self.penalty(point),
            Some(norm) => norm.of(self.around.coordinates, point),
        };
        Candidate { point: point.to_vec(), scores: scores.to_vec(), margin, penalty }
    }

    /// Remembers a point that may come closest to being valid.
    pub(crate) fn miss(&self, point: &[f64], scores: &[f64], margin: f64) {
        if margin.is_nan() || !self.is_inside(point) {
            return;
        }
        let candidate = || self.candidate(point, scores, margin);
        let mut seen = self.seen();
        let nearer = |nearest: &Candidate| {
            margin > nearest.margin || margin == nearest.margin && self.precedes(&candidate(), nearest)
        };
        if seen.nearest.as_ref().is_none_or(nearer) {
            seen.nearest = Some(candidate());
        }
    }

    /// Remembers a point that is valid.
    pub(crate) fn keep(&self, point: &[f64], scores: &[f64], margin: f64) {
        if !self.is_inside(point) {
            return;
        }
        let candidate = self.candidate(point, scores, margin);
        if self.reaches(margin) {
            self.offer(point, margin, Minimal::NotAsked);
        }
        let mut seen = self.seen();
        if seen.best.as_ref().is_none_or(|best| self.precedes(&candidate, best)) {
            seen.best = Some(candidate);
        }
    }

    /// Remembers a valid point if it is the smallest, whether it reaches the aim or was pruned as far as the class allows.
    pub(crate) fn offer(&self, point: &[f64], margin: f64, minimal: Minimal) {
        if !self.is_inside(point) {
            return;
        }
        let size = self.size(point);
        let mut seen = self.seen();
        let smaller = |smallest: &Smallest| {
            let by_numbers = || {
                let pairs = point.iter().zip(&smallest.point);
                pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Equal)
            };
            size.total_cmp(&smallest.size).then_with(by_numbers).is_lt()
        };
        if seen.smallest.as_ref().is_none_or(smaller) {
            seen.smallest = Some(Smallest { point: point.to_vec(), margin, known: None, minimal, size });
        } else if let Some(smallest) = seen.smallest.as_mut().filter(|smallest| smallest.point == point) {
            smallest.minimal = minimal;
        }
    }

    /// What is compared of answers: what the question calls small, or else the number of features times the penalty. By one of them alone, more queries would now and then
    /// double the other.
    fn size(&self, point: &[f64]) -> f64 {
        match self.around.norm {
            None => self.around.coordinates.used(point).len() as f64 * self.penalty(point),
            Some(norm) => norm.of(self.around.coordinates, point),
        }
    }

    /// What reaches the aim first, then the smaller penalty; among equals an order that does not depend on which thread came
    /// first.
    fn precedes(&self, a: &Candidate, b: &Candidate) -> bool {
        let (reaches, other) = (self.reaches(a.margin), self.reaches(b.margin));
        let by_numbers =
            || a.point.iter().zip(&b.point).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        let smaller = || {
            a.penalty < b.penalty
                || (a.penalty == b.penalty && by_numbers() == Some(std::cmp::Ordering::Less))
        };
        reaches && !other || reaches == other && smaller()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // What is stored is whole at any moment, whatever became of another thread.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Oracle for Ledger<'_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        self.evaluate_rows(batch.points, |row, _, margin| values[row] = loss(margin, self.kappa))?;
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.around.model.preferred_rows()
    }
}

/// What the optimiser sees of a margin $c$: $\ln(1 + e^{-c})$, or with a margin to reach $\max(0, \kappa - c)$.
pub(crate) fn loss(c: f64, kappa: Option<f64>) -> f64 {
    match kappa {
        None => (-c).max(0.0) + (-c.abs()).exp().ln_1p(),
        Some(kappa) => (kappa - c).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_stops_at_kappa_or_never() {
        assert_eq!(loss(1.0, Some(0.5)), 0.0);
        assert_eq!(loss(1.0, Some(1.5)), 0.5);
        assert!((loss(1.0, None) - (-1.0_f64).exp().ln_1p()).abs() < 1e-15);
        assert_eq!((loss(-1e300, None), loss(1e300, None)), (1e300, 0.0));
    }
}
