//! Changes of numbers by as little as needed: along the slopes of the scores, learnt a probe at a time, to the nearest point where the class alters.

mod candidate;
mod probe;

use gradless::random::{Key, Purpose};
use rand_core::Rng;

use super::Attack;
use super::sets::Begun;
use crate::error::ExplainError;
use crate::question::Norm;
use probe::Probes;

/// Probes before the slopes are followed, at first and as a share of all that came before.
const PROBES: usize = 16;
const MORE: u64 = 20;
/// Points that are tried where slopes are followed.
const TRIES: usize = 4;
/// Halvings on the way to the beginning.
const HALVINGS: usize = 5;

/// A point, and what the model says of it.
#[derive(Clone)]
struct Held {
    point: Vec<f64>,
    /// Scores that guide.
    scores: Vec<f64>,
    valid: bool,
}

struct Dense<'a, 'b, 'c, R> {
    attack: &'c Attack<'a, 'b>,
    norm: Norm,
    free: Vec<usize>,
    classes: usize,
    /// Slopes of every class at every number.
    slopes: Vec<f64>,
    probes: Probes,
    rng: R,
}

impl Attack<'_, '_> {
    /// The nearest point where the class alters, from one where it is altered, or none.
    pub(super) fn dense(&self, norm: Norm, begun: Option<Begun>) -> Result<(), ExplainError> {
        let coordinates = self.search.ledger.around.coordinates;
        let key = Key { seed: self.search.options.config.seed, purpose: Purpose::Moves };
        let classes = self.search.original_scores.len();
        let (start, slopes) = begun.map_or((None, Vec::new()), |begun| (Some(begun.point), begun.slopes));
        let known = slopes.len() == coordinates.dim() * classes;
        let mut dense = Dense {
            norm,
            free: coordinates.free(),
            classes,
            slopes: if known { slopes } else { vec![0.0; coordinates.dim() * classes] },
            probes: Probes::new(coordinates, norm),
            rng: key.stream(1, 0),
            attack: self,
        };
        dense.search(start)
    }
}

impl<R: Rng> Dense<'_, '_, '_, R> {
    fn search(&mut self, start: Option<Vec<f64>>) -> Result<(), ExplainError> {
        if self.free.is_empty() {
            return Ok(());
        }
        let scores = self.attack.guide(self.attack.search.original_scores);
        let origin = Held { point: self.origin().to_vec(), scores, valid: false };
        let mut base = match start {
            Some(start) => self.on_the_way(&start)?.unwrap_or(origin),
            None => origin,
        };
        while self.attack.left() > 0 {
            let count = PROBES.max(usize::try_from(self.probes.made() / MORE).unwrap_or(PROBES));
            if let Some(better) = self.probe(&base, count)? {
                base = better;
            }
            if let Some(better) = self.step(&base)? {
                base = better;
            }
        }
        Ok(())
    }

    fn origin(&self) -> &[f64] {
        self.attack.search.ledger.origin()
    }

    fn size(&self, point: &[f64]) -> f64 {
        self.norm.of(self.attack.search.ledger.around.coordinates, point)
    }

    /// How much a number raises one class above another.
    fn slope(&self, at: usize, [rises, falls]: [usize; 2]) -> f64 {
        self.slopes[at * self.classes + rises] - self.slopes[at * self.classes + falls]
    }

    fn ask(&self, points: Vec<Vec<f64>>) -> Result<Vec<Option<Held>>, ExplainError> {
        let answers = self.attack.ask(&points)?;
        let held = points.into_iter().zip(answers).map(|(point, (raw, margin))| {
            let valid = self.attack.search.ledger.is_valid(margin);
            let answered = raw.iter().all(|score| !score.is_nan());
            answered.then(|| Held { point, scores: self.attack.guide(&raw), valid })
        });
        Ok(held.collect())
    }

    /// The nearest point to the input on the way to another where the class is altered, to within a few queries.
    fn on_the_way(&self, end: &[f64]) -> Result<Option<Held>, ExplainError> {
        let coordinates = self.attack.search.ledger.around.coordinates;
        let point = |share: f64| -> Vec<f64> {
            let pairs = coordinates.origin.iter().zip(end).enumerate();
            pairs.map(|(at, (from, to))| coordinates.snap(at, from + share * (to - from))).collect()
        };
        let (mut low, mut high) = (0.0, 1.0);
        let mut best = None;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match self.ask(vec![point(middle)])?.pop().flatten() {
                Some(held) if held.valid => (high, best) = (middle, Some(held)),
                Some(_) => low = middle,
                None => break,
            }
        }
        if best.is_none() {
            best = self.ask(vec![end.to_vec()])?.pop().flatten().filter(|held| held.valid);
        }
        Ok(best)
    }

    /// The smallest change by the slopes as they are known, as far as it takes; `None` where nothing smaller is valid.
    fn step(&mut self, base: &Held) -> Result<Option<Held>, ExplainError> {
        let direction = self.attack.direction(&base.scores);
        let lead = |held: &Held| held.scores[direction[0]] - held.scores[direction[1]];
        let limit = if base.valid { self.size(&base.point) } else { f64::INFINITY };
        let mut best: Option<Held> = None;
        // What the slopes must reach, more or less than 0, by what was seen.
        let (mut fails, mut holds, mut wanted) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
        for _ in 0..TRIES {
            let Some((point, reached)) = self.candidate(base, direction, lead(base), wanted) else { break };
            if self.size(&point) >= limit || point == base.point {
                break;
            }
            let Some(held) = self.ask(vec![point])?.pop().flatten() else { break };
            self.learn(base, &held, direction);
            let got = lead(&held);
            if held.valid {
                holds = holds.min(reached);
                wanted = if fails == f64::NEG_INFINITY {
                    reached - 0.7 * got
                } else {
                    f64::midpoint(fails, holds)
                };
                if best.as_ref().is_none_or(|best| self.size(&held.point) < self.size(&best.point)) {
                    best = Some(held);
                }
            } else {
                fails = fails.max(reached);
                let more = reached - 1.1 * got.min(-1e-3);
                wanted = if holds == f64::INFINITY { more } else { f64::midpoint(fails, holds) };
            }
        }
        Ok(best)
    }
}
