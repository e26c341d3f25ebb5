//! Whether a point answers the question undisturbed and disturbed: a race that a bad point loses after two queries.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::direct::Held;
use super::{Search, Strategy};
use crate::condition::{Condition, Copy, Survival, certified_radius, largest, least_share, says};
use crate::error::ExplainError;
use crate::features::{Disturbed, Strength};
use crate::ledger::{Ledger, Surroundings};

/// Copies of the input itself that tell how much it survives.
const OWN_COPIES: usize = 40;
/// Noise is halved until this share of them survives.
const SURVIVES: f64 = 0.5;
/// It is halved so often at most.
const HALVINGS: i32 = 3;
/// Of copies that fail, so much more than the input's own share is a failure too many.
const SLACK: f64 = 0.4;
/// Copies that a selection must pass: few candidates pass the first, and of many that are tried some pass twelve by luck.
const SELECTED: usize = 36;
/// Copies of an answer that are kept to look at.
const SHOWN: usize = 8;

/// How points are tried.
pub(super) struct Trials<'a, 'b> {
    ledger: &'a Ledger<'b>,
    seed: u64,
    /// Queries sent after which nothing is tried.
    end: u64,
    /// Draws of the last check.
    draws: usize,
    /// Disturbed copies that a point must pass.
    copies: usize,
    own: Option<Own>,
    /// By how much more than asked the condition must hold.
    more: Cell<f64>,
    /// The next draw: none is used twice.
    next: Cell<u64>,
    /// What the model said of undisturbed points, by a hash of them: none is asked twice.
    known: RefCell<HashMap<[u64; 2], Vec<f64>>>,
}

/// What the input itself survives.
struct Own {
    disturbed: Disturbed,
    strength: f64,
    /// The share of its copies that keep its class.
    share: f64,
    /// Copies that may fail.
    allowed: usize,
}

impl<'a, 'b> Trials<'a, 'b> {
    /// Measures what the input survives, where answers should survive anything at all.
    pub(super) fn new(search: &'a Search<'b>) -> Result<Self, ExplainError> {
        let seed = search.options.config.seed;
        let end = search.queries.saturating_sub(search.ledger.around.reserve);
        let copies = match search.strategy {
            Strategy::Select => SELECTED,
            _ => search.options.elimination.copies,
        };
        let draws = search.options.draws();
        let mut trials = Self {
            ledger: &search.ledger,
            seed,
            end,
            draws,
            copies,
            own: None,
            more: Cell::new(0.0),
            next: Cell::new(0),
            known: RefCell::default(),
        };
        if let Some(disturbed) = search.disturbed() {
            trials.own = Some(trials.measured(disturbed)?);
        }
        Ok(trials)
    }

    fn measured(&self, disturbed: Disturbed) -> Result<Own, ExplainError> {
        let around = &self.ledger.around;
        let input = self.ledger.input(&around.coordinates.whole);
        let copies = OWN_COPIES.min(self.left() / 10);
        if copies == 0 {
            return Ok(Own { disturbed, strength: 1.0, share: 1.0, allowed: 0 });
        }
        let mut own = Own { disturbed, strength: 1.0, share: 0.0, allowed: self.copies };
        for halvings in 0..=HALVINGS {
            own.strength = 0.5_f64.powi(halvings);
            let point = &around.coordinates.whole;
            let scores = self.ask_copies((point, &input), Strength::Times(own.strength), copies)?;
            let held = scores.iter().filter(|scores| says(scores) == Some(around.condition.class)).count();
            own.share = held as f64 / copies as f64;
            if own.share >= SURVIVES {
                break;
            }
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most all copies")]
        let allowed = ((1.0 - own.share) * self.copies as f64 + SLACK) as usize;
        own.allowed = allowed;
        Ok(own)
    }

    /// How inputs are disturbed while a method minimises.
    pub(super) fn disturbed(&self) -> Option<(Strength, u64)> {
        self.own.as_ref().map(|own| (Strength::Times(own.strength), self.seed))
    }

    /// Queries left for trials; none if the search was cancelled.
    pub(super) fn left(&self) -> usize {
        if self.ledger.is_cancelled() {
            return 0;
        }
        usize::try_from(self.end.saturating_sub(self.ledger.sent())).unwrap_or(usize::MAX)
    }

    /// Scores of fresh disturbed copies of a point's input.
    fn ask_copies(
        &self,
        of: (&[f64], &[f64]),
        strength: Strength,
        count: usize,
    ) -> Result<Vec<Vec<f64>>, ExplainError> {
        let inputs: Vec<Vec<f64>> = (0..count).map(|_| self.copy(of, strength)).collect();
        Ok(self.ledger.look_at_inputs(&inputs)?)
    }

    fn copy(&self, (point, input): (&[f64], &[f64]), strength: Strength) -> Vec<f64> {
        let draw = self.next.replace(self.next.get() + 1);
        self.ledger.around.coordinates.disturbed(point, input, strength, (self.seed, draw))
    }

    /// The scores of undisturbed points; those that are known are not asked again. Empty where the queries do not suffice.
    pub(super) fn scores(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ExplainError> {
        let known = |point: &Vec<f64>| self.known.borrow().get(&hashed(point)).cloned();
        let mut unknown: Vec<&Vec<f64>> = points.iter().filter(|point| known(point).is_none()).collect();
        unknown.truncate(self.left());
        let Surroundings { model, threads, condition, .. } = self.ledger.around;
        // A few at a time: a model that fails then takes nothing away from what it has answered.
        for some in unknown.chunks(model.preferred_rows().max(1) * threads.max(1)) {
            let inputs: Vec<Vec<f64>> = some.iter().map(|point| self.ledger.input(point)).collect();
            for (point, scores) in some.iter().zip(self.ledger.look_at_inputs(&inputs)?) {
                self.ledger.miss(point, &scores, condition.margin(&scores));
                self.remember(point, &scores);
            }
        }
        Ok(points.iter().map(|point| known(point).unwrap_or_default()).collect())
    }

    /// The point, if it answers the question: undisturbed with the confidence asked for, and disturbed in as many copies as the
    /// input itself survives. Copies are asked in growing numbers, and no more once too many have failed. `None` also where the
    /// queries do not suffice.
    pub(super) fn passed(&self, point: Vec<f64>) -> Result<Option<Held>, ExplainError> {
        let ledger = self.ledger;
        let condition = ledger.around.condition;
        let holds = |margin: f64| ledger.is_valid(margin - self.more.get());
        let most = 1 + self.own.as_ref().map_or(0, |_| self.copies);
        if self.left() < most {
            return Ok(None);
        }
        let input = ledger.input(&point);
        let strength = self.own.as_ref().map(|own| Strength::Times(own.strength));
        let known = self.known.borrow().get(&hashed(&point)).cloned();
        let is_new = known.is_none();
        let mut asked: Vec<Vec<f64>> = is_new.then(|| input.clone()).into_iter().collect();
        let fails_anyway = known.as_ref().is_some_and(|scores| !holds(condition.margin(scores)));
        if fails_anyway {
            return Ok(None);
        }
        asked.extend(strength.map(|strength| self.copy((&point, &input), strength)));
        let mut answered = ledger.look_at_inputs(&asked)?.into_iter();
        let scores = known.or_else(|| answered.next()).unwrap_or_default();
        let copies: Vec<Vec<f64>> = answered.collect();
        let margin = condition.margin(&scores);
        self.remember(&point, &scores);
        if !holds(margin) {
            return Ok(None);
        }
        let favoured = condition.favoured(&scores);
        if let Some(own) = &self.own {
            let fails =
                |scores: &[Vec<f64>]| scores.iter().filter(|scores| says(scores) != Some(favoured)).count();
            let mut failed = fails(&copies);
            let (mut left, mut next) = (self.copies.saturating_sub(1), 2);
            while failed <= own.allowed && failed + left > own.allowed {
                let count = left.min(next);
                failed += fails(&self.ask_copies((&point, &input), Strength::Times(own.strength), count)?);
                (left, next) = (left - count, 2 * next);
            }
            if failed > own.allowed {
                return Ok(None);
            }
        }
        ledger.keep(&point, &scores, margin);
        ledger.settle();
        Ok(Some(Held { point, margin, known: ledger.queries() }))
    }

    /// How many variants of its input a point must withstand; `None` if it need not.
    pub(super) fn variants(&self) -> Option<usize> {
        Some(self.ledger.around.coordinates.variants()).filter(|&count| count > 0 && self.own.is_some())
    }

    /// Whether the class condition holds for all variants of a point's input, whatever the confidence: asked one after the other until one has
    /// not; `None` where the queries do not suffice.
    pub(super) fn withstands(
        &self,
        point: &[f64],
        variants: usize,
        condition: Condition,
    ) -> Result<Option<bool>, ExplainError> {
        let Surroundings { model, coordinates, .. } = self.ledger.around;
        for which in 0..variants {
            if self.left() == 0 {
                return Ok(None);
            }
            let input = coordinates.variant(which, point, model.inputs());
            let scores = self.ledger.look_at_inputs(&[input])?.concat();
            if says(&scores).is_none() {
                return Ok(None);
            }
            if condition.class_margin(&scores) <= 0.0 {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// Lets points pass only where the condition holds by so much more than asked.
    pub(super) fn ask_more(&self, more: f64) {
        self.more.set(more.max(0.0));
    }

    /// Whether a disturbed copy still answers the question: with the class of the answer. What is left without some regions looks like
    /// one thing over one background and like another over another, so there any class counts that the question allows.
    fn holds_disturbed(&self, scores: &[f64], favoured: usize) -> bool {
        let Surroundings { coordinates, condition, .. } = self.ledger.around;
        match coordinates.map() {
            Some(_) => condition.class_margin(scores) > 0.0,
            None => says(scores) == Some(favoured),
        }
    }

    /// Keeps what the model said of an undisturbed point.
    pub(super) fn remember(&self, point: &[f64], scores: &[f64]) {
        self.known.borrow_mut().insert(hashed(point), scores.to_vec());
    }

    /// The last check of an answer, on fresh draws.
    pub(super) fn check(&self, point: &[f64], favoured: usize) -> Result<Option<Survival>, ExplainError> {
        let Some(own) = &self.own else { return Ok(None) };
        let input = &self.ledger.input(point);
        let draws = self.draws;
        let holds = |scores: &Vec<f64>| self.holds_disturbed(scores, favoured);
        let count = |scores: &[Vec<f64>]| scores.iter().filter(|scores| holds(scores)).count();
        let inputs: Vec<Vec<f64>> =
            (0..draws).map(|_| self.copy((point, input), Strength::Times(own.strength))).collect();
        let scores = self.ledger.look_at_inputs(&inputs)?;
        let held = count(&scores);
        let radius = match own.disturbed.noise {
            Some(noise) => {
                let strength = Strength::NoiseTimes(own.strength);
                let noisy = count(&self.ask_copies((point, input), strength, draws)?);
                certified_radius(least_share(noisy, draws), own.strength * noise)
            }
            None => None,
        };
        let copies = inputs.into_iter().zip(&scores).take(SHOWN).map(|(input, scores)| Copy {
            class: largest(scores),
            holds: holds(scores),
            input,
        });
        Ok(Some(Survival {
            disturbance: own.disturbed.words.clone(),
            strength: own.strength,
            draws,
            held,
            lower_bound: least_share(held, draws),
            input_held: own.share,
            radius,
            copies: copies.collect(),
        }))
    }
}

/// Two independent hashes of a point.
fn hashed(point: &[f64]) -> [u64; 2] {
    [0_u8, 1].map(|which| {
        let mut hasher = DefaultHasher::new();
        which.hash(&mut hasher);
        for x in point {
            x.to_bits().hash(&mut hasher);
        }
        hasher.finish()
    })
}
