//! Several features together: the strongest, pairs, larger sets, and what known inputs have.

use gradless::random::{Key, Purpose, below};

use super::{Lever, Selection};
use crate::error::ExplainError;
use crate::question::Origin;

/// Orders in which features are tried together, each by what they do where the one before came closest.
const ORDERS: usize = 3;
/// Numbers of features that are tried together grow by one part in so many.
const GROWTH: usize = 3;
/// The strongest levers that pairs are made of, and how many of each feature.
const PAIRED: usize = 32;
const OF_A_FEATURE: usize = 3;
/// Pairs that are asked at once, and at most.
const PAIRS: usize = 64;
const ROUNDS: usize = 3;
/// Pairs at their ends that are asked where nothing else is valid.
const ENDS: usize = 512;
/// Combinations by chance that are asked where nothing else is valid.
const CHANCES: usize = 512;
/// Sets are asked about where their features alone gain this share of what is needed: together they may gain more.
const NEAR: f64 = 0.6;
/// The same where features can be switched only: what a word does hardly depends on which others are there.
const NEAR_OF_SWITCHES: f64 = 0.9;
/// Sets that are made larger, levers that are added to each, and questions for each size.
const BEAM: usize = 8;
const ADDED: usize = 24;
const EXTENDED: usize = 64;
/// Larger sets than this are not put together one by one.
const LARGEST: usize = 6;
/// Known inputs that are asked at once, how often, and how much further apart they lie each time; and how many of those that answer the
/// question are followed.
const AT_ONCE: usize = 16;
const ROUNDS_OF_KNOWN: u32 = 6;
const FURTHER_APART: usize = 3;
const FOLLOWED: usize = 3;

impl Selection<'_, '_, '_> {
    /// The strongest features together, as few of them as suffice. What a feature does depends on which others have moved: where nothing is
    /// valid, all are asked again from the best that is there.
    pub(super) fn together(&mut self) -> Result<(), ExplainError> {
        // The weakest too: what speaks for another class is all that is left in the end.
        let mut order = self.strongest();
        for _ in 0..ORDERS {
            let best = self.fewest(&order)?;
            let Some(best) = best.filter(|_| self.best.is_none()) else { return Ok(()) };
            order = self.ordered_at(&order, best)?;
        }
        Ok(())
    }

    /// The levers by what they do where the first `count` of them have moved.
    fn ordered_at(&mut self, order: &[Lever], count: usize) -> Result<Vec<Lever>, ExplainError> {
        let chosen =
            |k: usize| (0..order.len()).filter(move |&i| if i == k { i >= count } else { i < count });
        let others: Vec<Option<Vec<f64>>> =
            (0..order.len()).map(|k| self.point(chosen(k).map(|i| &order[i]))).collect();
        let here = self.point(&order[..count]);
        let answered = self.ask(others.iter().chain([&here]).flatten().cloned().collect())?;
        let margin = |point: &Option<Vec<f64>>| {
            let point = point.as_ref()?;
            answered.iter().find(|(asked, _)| asked == point).map(|(_, margin)| *margin)
        };
        let here = margin(&here).unwrap_or(self.base);
        let mut levers: Vec<Lever> = order.to_vec();
        for (k, (lever, other)) in levers.iter_mut().zip(&others).enumerate() {
            // What it adds, or what would be lost without it.
            let apart = margin(other).map_or(0.0, |margin| margin - here);
            lever.gain = if k < count { -apart } else { apart };
        }
        levers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.feature.cmp(&b.feature)));
        Ok(levers)
    }

    /// The fewest of these levers, from the first on, that answer the question together; gives the number that came closest where none do.
    fn fewest(&mut self, order: &[Lever]) -> Result<Option<usize>, ExplainError> {
        let mut counts = Vec::new();
        let mut count = 2;
        while count < order.len() {
            counts.push(count);
            count += (count / GROWTH).max(1);
        }
        if order.len() > 1 {
            counts.push(order.len());
        }
        let mut fails = 1;
        let mut margins: Vec<(usize, f64)> = Vec::new();
        // In growing numbers, a few at a time: what works needs no more.
        for few in counts.chunks(4) {
            if let Some(works) = self.first_that_works(order, few, &mut margins)? {
                fails = margins
                    .iter()
                    .map(|&(count, _)| count)
                    .filter(|&count| count < works)
                    .max()
                    .unwrap_or(fails);
                return self.bisect(order, fails, works).map(|()| None);
            }
        }
        // Too few and too many both fail where a few speak against: what lies between is asked closer and closer to the best.
        loop {
            let best = margins.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|&(count, _)| count);
            let Some(best) = best else { return Ok(None) };
            let below =
                margins.iter().map(|&(count, _)| count).filter(|&count| count < best).max().unwrap_or(1);
            let above =
                margins.iter().map(|&(count, _)| count).filter(|&count| count > best).min().unwrap_or(best);
            let between: Vec<usize> = [below.midpoint(best), best.midpoint(above)]
                .into_iter()
                .filter(|count| ![below, best, above].contains(count))
                .collect();
            if between.is_empty() {
                return Ok(Some(best));
            }
            let known = margins.len();
            if let Some(works) = self.first_that_works(order, &between, &mut margins)? {
                let fails = if works < best { below } else { best };
                return self.bisect(order, fails, works).map(|()| None);
            }
            if margins.len() == known {
                return Ok(Some(best));
            }
        }
    }

    /// Asks about the first so many levers together, for each of these numbers; the first that answers the question, and the margins of the
    /// others.
    fn first_that_works(
        &mut self,
        order: &[Lever],
        counts: &[usize],
        margins: &mut Vec<(usize, f64)>,
    ) -> Result<Option<usize>, ExplainError> {
        let points: Vec<(usize, Vec<f64>)> =
            counts.iter().filter_map(|&count| Some((count, self.point(&order[..count])?))).collect();
        let answered = self.ask(points.iter().map(|(_, point)| point.clone()).collect())?;
        for (count, point) in points {
            if self.holds(&point)? {
                return Ok(Some(count));
            }
            let margin = answered.iter().find(|(asked, _)| *asked == point).map(|(_, margin)| *margin);
            margins.extend(margin.map(|margin| (count, margin)));
        }
        Ok(None)
    }

    /// Between a number of levers that fails and one that works, the least that works.
    fn bisect(&mut self, order: &[Lever], mut fails: usize, mut works: usize) -> Result<(), ExplainError> {
        while works - fails > 1 {
            let middle = fails.midpoint(works);
            let Some(point) = self.point(&order[..middle]) else { break };
            if self.holds(&point)? {
                works = middle;
            } else {
                fails = middle;
            }
        }
        Ok(())
    }

    /// Whether a point answers the question, disturbed too.
    fn holds(&mut self, point: &[f64]) -> Result<bool, ExplainError> {
        let known = self.best.as_ref().is_some_and(|best| best.held.point == point);
        Ok(known || self.take(point.to_vec())?)
    }

    /// Pairs of levers that promise most, if what is there is larger.
    pub(super) fn pairs(&mut self) -> Result<(), ExplainError> {
        if self.features().is_some_and(|features| features <= 1) {
            return Ok(());
        }
        let levers = self.promising(PAIRED);
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for a in 0..levers.len() {
            for b in a + 1..levers.len() {
                if levers[a].feature != levers[b].feature {
                    pairs.push((levers[a].gain + levers[b].gain, a, b));
                }
            }
        }
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for round in pairs.chunks(PAIRS).take(ROUNDS) {
            // What promises nothing near enough is not asked where more than two are needed in any case.
            let near: Vec<Vec<f64>> = round
                .iter()
                .filter(|(gain, ..)| self.is_near(*gain))
                .filter_map(|&(_, a, b)| self.point([&levers[a], &levers[b]]))
                .collect();
            if near.is_empty() {
                break;
            }
            self.ask(near)?;
            if self.features() == Some(2) {
                break;
            }
        }
        Ok(())
    }

    /// Whether a gain comes near what is needed: as far as is known, what the best so far gains by its features alone.
    fn is_near(&self, gain: f64) -> bool {
        let around = self.search.ledger.around.coordinates;
        let strongest = self.strongest();
        let of_best = |best: &super::Best| -> f64 {
            let used = around.used(&best.held.point);
            strongest.iter().filter(|lever| used.contains(&lever.feature)).map(|lever| lever.gain).sum()
        };
        let needed = self.best.as_ref().map_or(-self.base, of_best).min(-self.base);
        let several = self.moves.iter().any(|moves| moves.len() > 1);
        gain > if several { NEAR } else { NEAR_OF_SWITCHES } * needed
    }

    /// Pairs of features at their ends, whatever these do alone, where nothing else is valid.
    pub(super) fn ends(&mut self) -> Result<(), ExplainError> {
        let order: Vec<usize> = self.strongest().iter().map(|lever| lever.feature).collect();
        let mut ends: Vec<Lever> = Vec::new();
        for feature in order {
            // The furthest move, and the furthest the other way.
            let side = |to: &[(usize, f64)]| {
                let origin = self.search.ledger.origin();
                to.first().is_some_and(|&(i, value)| value > origin[i])
            };
            let mut far = self.moves[feature].iter().rev().map(|one| &one.to);
            let Some(first) = far.next() else { continue };
            let second = far.find(|to| side(to) != side(first));
            let lever = |to: &Vec<(usize, f64)>| Lever { feature, to: to.clone(), gain: 0.0 };
            ends.extend([Some(first), second].into_iter().flatten().map(lever));
        }
        let mut points = Vec::new();
        for b in 1..ends.len() {
            for a in 0..b {
                if ends[a].feature != ends[b].feature {
                    points.extend(self.point([&ends[a], &ends[b]]));
                }
            }
        }
        points.truncate(ENDS);
        for some in points.chunks(PAIRS) {
            self.ask(some.to_vec())?;
            if self.best.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Combinations by chance, whatever their features do alone, where nothing else is valid; of one that is, the fewest features that
    /// suffice.
    pub(super) fn by_chance(&mut self) -> Result<(), ExplainError> {
        let key = Key { seed: self.search.options.config.seed, purpose: Purpose::Directions };
        let free: Vec<usize> = (0..self.moves.len()).filter(|&f| !self.moves[f].is_empty()).collect();
        if free.len() < 2 {
            return Ok(());
        }
        for round in 0..(CHANCES / PAIRS) as u64 {
            let mut points: Vec<Vec<f64>> = Vec::new();
            for draw in 0..PAIRS as u64 {
                let mut rng = key.stream(round, draw);
                let mut levers = Vec::new();
                for &feature in &free {
                    // Half of the features, each moved anywhere.
                    let moves = &self.moves[feature];
                    if below(&mut rng, 2) == 0 {
                        let to = moves[below(&mut rng, moves.len())].to.clone();
                        levers.push(Lever { feature, to, gain: 0.0 });
                    }
                }
                points.extend(self.point(&levers));
            }
            let scores = self.trials.scores(&points)?;
            let ledger = &self.search.ledger;
            let margin = |scores: &[f64]| ledger.around.condition.margin(scores);
            let valid = points
                .into_iter()
                .zip(scores)
                .filter(|(_, scores)| !scores.is_empty() && ledger.is_valid(margin(scores)));
            // The one with the fewest features.
            let around = ledger.around.coordinates;
            let fewest =
                valid.map(|(point, _)| (around.used(&point).len(), point)).min_by_key(|(used, _)| *used);
            if let Some((_, point)) = fewest {
                return self.follow(&point);
            }
        }
        Ok(())
    }

    /// The strongest levers, a few of each feature.
    fn promising(&self, most: usize) -> Vec<Lever> {
        let mut levers: Vec<Lever> = self.levers.iter().filter(|lever| lever.gain > 0.0).cloned().collect();
        levers.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let mut of_feature = vec![0; self.moves.len()];
        levers.retain(|lever| {
            of_feature[lever.feature] += 1;
            of_feature[lever.feature] <= OF_A_FEATURE
        });
        levers.truncate(most);
        levers
    }

    /// Sets of three and more, each made of a smaller one that came close, if what is there is larger.
    pub(super) fn larger(&mut self) -> Result<(), ExplainError> {
        let levers = self.promising(ADDED);
        let mut sets: Vec<(f64, Vec<usize>)> =
            levers.iter().enumerate().map(|(k, lever)| (lever.gain, vec![k])).collect();
        for size in 2..=LARGEST {
            if self.features().is_some_and(|features| features <= size) {
                break;
            }
            sets.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            sets.truncate(BEAM);
            let mut next: Vec<(f64, Vec<usize>)> = Vec::new();
            for (gain, set) in &sets {
                for (k, lever) in levers.iter().enumerate() {
                    if set.iter().all(|&other| levers[other].feature != lever.feature) {
                        let mut larger = set.clone();
                        larger.push(k);
                        larger.sort_unstable();
                        next.push((gain + lever.gain, larger));
                    }
                }
            }
            next.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            next.dedup_by(|a, b| a.1 == b.1);
            next.truncate(EXTENDED);
            // Sets that promise too little are made larger without a question.
            if next.first().is_none_or(|(gain, _)| !self.is_near(*gain)) {
                sets = next;
                continue;
            }
            let mut asked: Vec<(Vec<usize>, Vec<f64>)> = Vec::new();
            for (_, set) in next {
                if let Some(point) = self.point(set.iter().map(|&k| &levers[k])) {
                    asked.push((set, point));
                }
            }
            let answered = self.ask(asked.iter().map(|(_, point)| point.clone()).collect())?;
            let mut answers = answered.into_iter().peekable();
            sets.clear();
            for (set, point) in asked {
                if let Some((_, margin)) = answers.next_if(|(answered, _)| *answered == point) {
                    sets.push((margin - self.base, set));
                }
            }
        }
        Ok(())
    }

    /// Known inputs that answer the question, the nearest first: of what differs, the fewest features that suffice.
    pub(super) fn neighbours(&mut self) -> Result<(), ExplainError> {
        if self.search.question.origin() == Origin::Absent
            || self.features().is_some_and(|features| features <= 2)
        {
            return Ok(());
        }
        let around = self.search.ledger.around.coordinates;
        let known = around.known_inputs(usize::MAX);
        // The nearest first, then further and further apart.
        let ranks = (0..ROUNDS_OF_KNOWN).flat_map(|round| {
            let apart = FURTHER_APART.pow(round);
            (0..AT_ONCE).map(move |k| (apart - 1) * AT_ONCE / (FURTHER_APART - 1) + k * apart)
        });
        let known: Vec<Vec<f64>> =
            ranks.filter_map(|rank| known.get(rank)).map(|input| around.point_of(input)).collect();
        let mut followed = 0;
        for near in known.chunks(AT_ONCE) {
            let points: Vec<Vec<f64>> = near.iter().filter(|point| self.is_allowed(point)).cloned().collect();
            let scores = self.trials.scores(&points)?;
            for (point, scores) in points.into_iter().zip(scores) {
                let ledger = &self.search.ledger;
                let holds = !scores.is_empty() && ledger.is_valid(ledger.around.condition.margin(&scores));
                if holds && followed < FOLLOWED && self.features().is_none_or(|features| features > 2) {
                    followed += 1;
                    self.follow(&point)?;
                }
            }
            if followed == FOLLOWED {
                break;
            }
        }
        Ok(())
    }

    /// Of the features of a point, the fewest that suffice.
    fn follow(&mut self, point: &[f64]) -> Result<(), ExplainError> {
        let around = self.search.ledger.around.coordinates;
        let mut levers: Vec<Lever> = Vec::new();
        for feature in around.used(point) {
            let to =
                (0..point.len()).filter(|&i| around.feature[i] == feature).map(|i| (i, point[i])).collect();
            levers.push(Lever { feature, to, gain: 0.0 });
        }
        let alone: Vec<Option<Vec<f64>>> = levers.iter().map(|lever| self.point([lever])).collect();
        let answered = self.ask(alone.iter().flatten().cloned().collect())?;
        for (lever, alone) in levers.iter_mut().zip(alone) {
            let found = answered.iter().find(|(point, _)| Some(point) == alone.as_ref());
            lever.gain = found.map_or(0.0, |(_, margin)| margin - self.base);
        }
        levers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.feature.cmp(&b.feature)));
        self.fewest(&levers).map(drop)
    }
}
