//! Valid points to begin with: the places that do most to nothing, one choice for each class that could win; patterns of
//! the whole set; and the removal of whole blocks.

use gradless::random::{Key, Purpose};

use super::{Held, Refiner};
use crate::condition::Contest;
use crate::error::ExplainError;

/// A valid point, and the places that looked worth most when it was made.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) held: Held,
    pub(crate) order: Vec<usize>,
}

/// Of all queries, one in so many may go into finding out which places matter.
pub(super) const FOR_SCREENING: usize = 5;
/// How many more places are then looked at one by one, of those queries.
const FOR_SINGLES: usize = 3;
/// How far a place moves when many are asked at once, as a share of its way.
const TOGETHER: f64 = 0.1;
/// Points with more than this share of their places in common are one.
const ALIKE: f64 = 0.5;
/// Random points that are tried where nothing else is valid.
const SCATTERED: usize = 256;
/// Of many classes only so many are rivals: those with the highest scores.
const RIVALS: usize = 10;
/// Points that are made and asked at once.
const AT_ONCE: usize = 128;
/// Numbers of places that are tried grow by one part in so many.
const GROWTH: usize = 3;

/// What each place does to each score at its furthest, from nothing.
struct Effects {
    places: Vec<usize>,
    /// For every place the change of every score for a step to the end it was asked at.
    changes: Vec<Vec<f64>>,
    ends: Vec<f64>,
}

impl Refiner<'_, '_> {
    /// Points made of the places that do most, the cheapest first. None if places do nothing, or not enough.
    pub(crate) fn greedy(&self, base: &[f64], seed: u64) -> Result<Vec<Begun>, ExplainError> {
        let free = self.ledger.around.coordinates.free();
        let allowed = self.left() / FOR_SCREENING;
        let effects = if free.len() <= allowed {
            self.singles(base, free)?
        } else {
            let screened = self.screened(base, &free, allowed, seed)?;
            self.singles(base, screened)?
        };
        let mut begun: Vec<Begun> = Vec::new();
        let enough = self.left() / 2;
        for contest in self.contests(base) {
            if self.left() < enough && !begun.is_empty() {
                break;
            }
            let (order, ends) = self.ranked(&effects, contest);
            if let Some(held) = self.fewest(&order, &ends)? {
                begun.push(Begun { held, order });
            }
        }
        begun.sort_by(|a, b| self.penalty(&a.held).total_cmp(&self.penalty(&b.held)));
        let mut different: Vec<Begun> = Vec::new();
        for one in begun {
            if !different.iter().any(|other| self.are_alike(&one.held, &other.held)) {
                different.push(one);
            }
        }
        Ok(different)
    }

    /// Every place at its furthest, one query each.
    fn singles(&self, base: &[f64], places: Vec<usize>) -> Result<Effects, ExplainError> {
        let origin = self.ledger.origin();
        let ends: Vec<f64> = places.iter().map(|&i| self.furthest(i)).collect();
        let scores = self.scores_of(places.len(), |at| self.with(origin, places[at], ends[at]))?;
        let changes = scores.into_iter().map(|s| s.iter().zip(base).map(|(s, b)| s - b).collect()).collect();
        Ok(Effects { places, changes, ends })
    }

    /// The scores of many points, made a few at a time: inputs may be large.
    fn scores_of(
        &self,
        count: usize,
        point: impl Fn(usize) -> Vec<f64>,
    ) -> Result<Vec<Vec<f64>>, ExplainError> {
        let mut scores = Vec::with_capacity(count);
        for start in (0..count).step_by(AT_ONCE) {
            let points: Vec<Vec<f64>> = (start..count.min(start + AT_ONCE)).map(&point).collect();
            scores.append(&mut self.ledger.ask_scores(&points)?);
            self.ledger.report();
        }
        Ok(scores)
    }

    /// The places that look most worth asking one by one, by random signs on all of them at once.
    fn screened(
        &self,
        base: &[f64],
        free: &[usize],
        queries: usize,
        seed: u64,
    ) -> Result<Vec<usize>, ExplainError> {
        let key = Key { seed, purpose: Purpose::Directions };
        let origin = self.ledger.origin();
        let singles = queries / FOR_SINGLES;
        let words = free.len().div_ceil(64);
        let signs: Vec<Vec<u64>> = (0..queries - singles)
            .map(|row| {
                let mut bits = vec![0; words];
                key.fill(u64::MAX, row as u64, &mut bits);
                bits
            })
            .collect();
        let sign = |bits: &[u64], at: usize| if bits[at / 64] >> (at % 64) & 1 == 1 { 1.0 } else { -1.0 };
        let scores = self.scores_of(signs.len(), |row| {
            let mut point = origin.to_vec();
            for (_, &i) in free.iter().enumerate().filter(|&(at, _)| sign(&signs[row], at) > 0.0) {
                point[i] += TOGETHER * (self.furthest(i) - origin[i]);
            }
            point
        })?;
        let answered: Vec<(&Vec<u64>, &Vec<f64>)> = signs
            .iter()
            .zip(&scores)
            .filter(|(_, scores)| scores.iter().all(|score| score.is_finite()))
            .collect();
        let contests = self.contests(base);
        let mut worths = vec![vec![0.0; free.len()]; contests.len()];
        for (contest, worths) in contests.iter().zip(&mut worths) {
            let values: Vec<f64> = answered.iter().map(|(_, scores)| contest.of(scores)).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            for ((bits, _), value) in answered.iter().zip(values) {
                for (at, worth) in worths.iter_mut().enumerate() {
                    *worth += sign(bits, at) * (value - mean);
                }
            }
        }
        let mut chosen: Vec<usize> = Vec::new();
        let orders: Vec<Vec<usize>> = worths
            .iter()
            .map(|worths| {
                let mut order: Vec<usize> = (0..free.len()).collect();
                let worth = |at: usize| worths[at].abs();
                order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
                order
            })
            .collect();
        // In turns, so that every class has its share.
        let mut taken = vec![false; free.len()];
        for rank in 0..free.len() {
            for order in &orders {
                let at = order[rank];
                if !taken[at] && chosen.len() < singles {
                    taken[at] = true;
                    chosen.push(free[at]);
                }
            }
        }
        Ok(chosen)
    }

    /// Differences of scores that could close the gap.
    fn contests(&self, base: &[f64]) -> Vec<Contest> {
        let condition = self.ledger.around.condition;
        condition.contests(&rivals(base, condition.class))
    }

    /// The places that help, those that do most first, and where each would go.
    fn ranked(&self, effects: &Effects, contest: Contest) -> (Vec<usize>, Vec<f64>) {
        let origin = self.ledger.origin();
        let mut ends = origin.to_vec();
        let mut order: Vec<(usize, f64)> = Vec::new();
        for ((&i, changes), end) in effects.places.iter().zip(&effects.changes).zip(&effects.ends) {
            let slope = contest.of(changes) / (end - origin[i]);
            let (lower, upper) = self.bounds(i);
            ends[i] = if slope > 0.0 { upper } else { lower };
            let gain = slope * (ends[i] - origin[i]);
            if gain > 0.0 {
                order.push((i, gain));
            }
        }
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        (order.into_iter().map(|(i, _)| i).collect(), ends)
    }

    /// The fewest of these places, from the first on, that at their ends make a valid point.
    fn fewest(&self, order: &[usize], ends: &[f64]) -> Result<Option<Held>, ExplainError> {
        let first = |count: usize| {
            let mut point = self.ledger.origin().to_vec();
            for &i in &order[..count] {
                point[i] = ends[i];
            }
            self.on_grid(point)
        };
        let mut counts: Vec<usize> = Vec::new();
        let mut count = 1;
        while count < order.len() {
            counts.push(count);
            count += (count / GROWTH).max(1);
        }
        counts.push(order.len());
        if order.is_empty() || self.left() < counts.len() + 16 {
            return Ok(None);
        }
        let points: Vec<Vec<f64>> = counts.iter().map(|&count| first(count)).collect();
        let margins = self.ledger.ask(&points)?;
        let Some(at) = margins.iter().position(|&margin| self.ledger.reaches(margin)) else {
            return Ok(None);
        };
        let known = self.ledger.queries();
        let mut held = Held { point: points[at].clone(), margin: margins[at], known };
        let (mut fails, mut works) = (if at == 0 { 0 } else { counts[at - 1] }, counts[at]);
        while works - fails > 1 && self.left() > 0 {
            let middle = fails + (works - fails) / 2;
            match self.held(first(middle))? {
                Some(found) => (held, works) = (found, middle),
                None => fails = middle,
            }
        }
        Ok(Some(held))
    }

    fn are_alike(&self, a: &Held, b: &Held) -> bool {
        let (a, b) = (self.ledger.moved(&a.point), self.ledger.moved(&b.point));
        let shared = a.iter().filter(|i| b.contains(i)).count();
        shared as f64 > ALIKE * (a.len() + b.len() - shared) as f64
    }

    /// Valid points among halves, quarters and stripes of the whole set at its furthest, and half as far.
    pub(crate) fn patterns(&self) -> Result<Option<Held>, ExplainError> {
        let dim = self.ledger.origin().len();
        let (height, width) = self.ledger.around.coordinates.layout;
        let masks: [&dyn Fn(usize, usize) -> bool; 13] = [
            &|_, _| true,
            &|_, column| 2 * column < width,
            &|_, column| 2 * column >= width,
            &|row, _| 2 * row < height,
            &|row, _| 2 * row >= height,
            &|row, column| 2 * row < height && 2 * column < width,
            &|row, column| 2 * row < height && 2 * column >= width,
            &|row, column| 2 * row >= height && 2 * column < width,
            &|row, column| 2 * row >= height && 2 * column >= width,
            &|_, column| column % 4 < 2,
            &|row, _| row % 4 < 2,
            &|row, column| (row / 2 + column / 2) % 2 == 0,
            &|row, column| 4 * row.abs_diff(height / 2) < height && 4 * column.abs_diff(width / 2) < width,
        ];
        let ends: [&dyn Fn(usize) -> f64; 3] =
            [&|i| self.furthest(i), &|i| self.bounds(i).1, &|i| self.bounds(i).0];
        let mut points: Vec<Vec<f64>> = Vec::new();
        for end in ends {
            for mask in masks {
                for share in [1.0, 0.5] {
                    let origin = self.ledger.origin();
                    let at = |i: usize| {
                        let inside = mask(i / width % height, i % width);
                        if inside { origin[i] + share * (end(i) - origin[i]) } else { origin[i] }
                    };
                    let point = self.on_grid((0..dim).map(at).collect());
                    if point != origin && !points.contains(&point) {
                        points.push(point);
                    }
                }
            }
        }
        points.truncate(self.left());
        self.cheapest_of(points)
    }

    /// The cheapest of points with a random half of their places at a random bound, for what has no pattern.
    pub(crate) fn scattered(&self, seed: u64) -> Result<Option<Held>, ExplainError> {
        let key = Key { seed, purpose: Purpose::Directions };
        let origin = self.ledger.origin();
        let words = origin.len().div_ceil(64);
        let point = |row: usize| {
            let mut bits = vec![0; 2 * words];
            key.fill(u64::MAX - 1, row as u64, &mut bits);
            let bit = |at: usize| bits[at / 64] >> (at % 64) & 1 == 1;
            let at = |i: usize| {
                let (lower, upper) = self.bounds(i);
                let end = if bit(64 * words + i) { upper } else { lower };
                if bit(i) { end } else { origin[i] }
            };
            self.on_grid((0..origin.len()).map(at).collect())
        };
        self.cheapest_of((0..self.left().min(SCATTERED)).map(point).collect())
    }

    /// Puts whole blocks of places back to nothing where the point stays valid, smaller and smaller ones, down to single
    /// places (delta debugging, Zeller & Hildebrandt 2002). Needs no more than decisions.
    pub(crate) fn reduced(&self, mut held: Held, order: &[usize]) -> Result<Held, ExplainError> {
        let origin = self.ledger.origin();
        let mut size = order.len().div_ceil(2);
        while size > 0 {
            self.ledger.report();
            for block in order.chunks(size) {
                if block.iter().all(|&i| held.point[i] == origin[i]) {
                    continue;
                }
                if self.left() == 0 {
                    return Ok(held);
                }
                let mut point = held.point.clone();
                for &i in block {
                    point[i] = origin[i];
                }
                if let Some(found) = self.held(point)? {
                    held = found;
                }
            }
            if size == 1 {
                break;
            }
            size = size.div_ceil(2);
        }
        Ok(held)
    }
}

/// The classes that could win instead, in their own order.
fn rivals(base: &[f64], class: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..base.len()).filter(|&other| other != class).collect();
    others.sort_by(|&a, &b| base[b].total_cmp(&base[a]).then(a.cmp(&b)));
    others.truncate(RIVALS);
    others.sort_unstable();
    others
}
