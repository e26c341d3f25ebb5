//! What can be switched on and off: words of a text, regions of a recording, anything the user can take away.
//!
//! The model is shown the states of the switches; whoever asks turns them into an input. A switch is off (0), as it is (1), or replaced
//! by one of its alternatives (2 and above).

use gradless::PerCoordinate;
use gradless::random::below;
use rand_core::Rng;

use super::{Coordinates, Disturbed, Features, Kind, Move, Shown, Strength};
use crate::question::{Origin, Place, Question, QuestionError};

/// One in so many of the other switches is in the other state in a disturbed copy.
const ONE_IN: usize = 10;

/// Some switches, all of them on.
#[derive(Clone, Debug, PartialEq)]
pub struct Switches {
    kind: Kind,
    /// How many states each has: 2, and one for every alternative.
    states: Vec<usize>,
    frozen: Vec<bool>,
    /// What they are called; empty if they have no names.
    names: Vec<String>,
    input: Vec<f64>,
    lower: PerCoordinate,
    upper: PerCoordinate,
}

impl Switches {
    /// Switches of a kind, with so many alternatives each; `frozen` ones stay on (empty for none).
    pub fn new(kind: Kind, alternatives: &[usize], frozen: Vec<bool>) -> Result<Self, QuestionError> {
        let count = alternatives.len();
        if !frozen.is_empty() && frozen.len() != count {
            return Err(QuestionError::ListLength { what: "the mask", found: frozen.len(), expected: count });
        }
        let states: Vec<usize> = alternatives.iter().map(|alternatives| 2 + alternatives).collect();
        let upper: Vec<f64> = states.iter().map(|&states| (states - 1) as f64).collect();
        let (names, input) = (Vec::new(), vec![1.0; count]);
        Ok(Self { kind, names, input, lower: 0.0.into(), upper: upper.into(), states, frozen })
    }

    /// The same with names.
    #[must_use]
    pub fn named(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }
}

impl Features for Switches {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn input(&self) -> &[f64] {
        &self.input
    }

    fn bounds(&self) -> [&PerCoordinate; 2] {
        [&self.lower, &self.upper]
    }

    fn coordinates(&self, question: Question) -> Result<Coordinates<'_>, QuestionError> {
        let place = |i: usize| Place {
            current: 1.0,
            absent: 0.0,
            bounds: [0.0, (self.states[i] - 1) as f64],
            frozen: self.frozen.get(i).copied().unwrap_or(false),
        };
        let count = self.states.len();
        let shown = States { switches: self, origin: question.origin() };
        Ok(Coordinates::new(question, (0..count).map(place), (0..count).collect(), (1, count.max(1)), shown))
    }

    fn name_of(&self, feature: usize) -> Option<String> {
        self.names.get(feature).cloned()
    }

    /// All off, and every second one.
    fn samples(&self) -> [Vec<f64>; 2] {
        let count = self.states.len();
        let is_frozen = |i: usize| self.frozen.get(i).copied().unwrap_or(false);
        let all = |on: &dyn Fn(usize) -> bool| {
            (0..count).map(|i| f64::from(u8::from(is_frozen(i) || on(i)))).collect()
        };
        [all(&|_| false), all(&|i| i % 2 == 0)]
    }
}

struct States<'a> {
    switches: &'a Switches,
    origin: Origin,
}

impl Shown for States<'_> {
    fn write(&self, point: &[f64], input: &mut [f64]) {
        for (x, out) in point.iter().zip(input) {
            *out = x.round();
        }
    }

    fn read(&self, input: &[f64], point: &mut [f64]) {
        point.copy_from_slice(input);
    }

    fn snap(&self, _: usize, value: f64) -> f64 {
        value.round()
    }

    fn differs(&self, _: usize, value: f64, other: f64) -> bool {
        value.round() != other.round()
    }

    fn between(&self, _: usize, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn moves(&self) -> Option<Vec<Vec<Move>>> {
        let moves = |(i, &states): (usize, &usize)| {
            let to = |state: usize| Move { to: vec![(i, state as f64)], cost: 1.0 };
            match self.origin {
                _ if self.switches.frozen.get(i) == Some(&true) => Vec::new(),
                Origin::Absent => vec![to(1)],
                Origin::Input => (0..states).filter(|&state| state != 1).map(to).collect(),
            }
        };
        Some(self.switches.states.iter().enumerate().map(moves).collect())
    }

    fn disturbance(&self) -> Option<Disturbed> {
        let many = self.switches.kind.many();
        let words = match self.origin {
            Origin::Absent => format!("one in {ONE_IN} of the other {many} present"),
            Origin::Input => format!("one in {ONE_IN} of the other {many} missing"),
        };
        Some(Disturbed { words, noise: None })
    }

    fn disturb(&self, input: &mut [f64], moved: &[bool], strength: Strength, mut rng: &mut dyn Rng) {
        let (Strength::Times(times) | Strength::NoiseTimes(times)) = strength;
        for (i, x) in input.iter_mut().enumerate() {
            let flips = (below(&mut rng, ONE_IN << 10) as f64) < times * 1024.0;
            if flips && !moved[i] && self.switches.frozen.get(i) != Some(&true) {
                *x = 1.0 - x.min(1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_turns_on_and_a_change_turns_off_or_replaces() {
        let switches = Switches::new(Kind::Words, &[0, 2, 0], vec![false, false, true]).unwrap();
        let part = switches.coordinates(Question::Part).unwrap();
        assert_eq!(
            (part.input(&part.origin, 3), part.input(&part.whole, 3)),
            (vec![0.0, 0.0, 1.0], vec![1.0; 3])
        );
        let moves = |question| switches.coordinates(question).unwrap().moves().unwrap();
        let to = |moves: &[Move]| moves.iter().map(|one| one.to[0].1).collect::<Vec<_>>();
        assert_eq!(
            moves(Question::Part).iter().map(|m| to(m)).collect::<Vec<_>>(),
            [vec![1.0], vec![1.0], vec![]]
        );
        assert_eq!(
            moves(Question::CHANGE).iter().map(|m| to(m)).collect::<Vec<_>>(),
            [vec![0.0], vec![0.0, 2.0, 3.0], vec![]]
        );
    }

    #[test]
    fn disturbances_leave_the_answer_and_what_is_frozen_alone() {
        let switches = Switches::new(Kind::Words, &[0; 40], (0..40).map(|i| i == 7).collect()).unwrap();
        let change = switches.coordinates(Question::CHANGE).unwrap();
        let mut point = change.origin.clone();
        point[3] = 0.0;
        let mut missing = 0;
        for draw in 0..200 {
            let copy = change.disturbed(&point, &point, Strength::Times(1.0), (1, draw));
            assert_eq!((copy[3], copy[7]), (0.0, 1.0));
            missing += copy.iter().filter(|&&x| x == 0.0).count() - 1;
        }
        let rate = f64::from(u32::try_from(missing).unwrap()) / 200.0 / 38.0;
        assert!((rate - 0.1).abs() < 0.015, "{rate}");
    }
}
