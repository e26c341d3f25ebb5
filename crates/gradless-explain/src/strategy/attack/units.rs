//! What changes as one in a count: a pixel, a number, a column, a word. Each has a few values to change to.

use rand_core::Rng;

use crate::features::{Coordinates, Move};

/// Units with what each can be changed to.
pub(super) struct Units<'a> {
    coordinates: &'a Coordinates<'a>,
    kind: Kind,
}

enum Kind {
    /// Coordinates that each go to one of their ends: so many choices as there are combinations of them.
    Ends(Vec<Vec<End>>),
    /// A few values.
    Moves(Vec<Vec<Move>>),
}

/// A coordinate with the two ends it can go to.
struct End {
    at: usize,
    ends: [f64; 2],
}

/// Of so many channels each is at one of its ends, in any combination; of more, all are at the same.
const COMBINED: usize = 6;

/// The features, those that are free.
pub(super) fn features<'a>(coordinates: &'a Coordinates<'a>) -> Units<'a> {
    if let Some(mut moves) = coordinates.moves() {
        moves.retain(|moves| !moves.is_empty());
        return Units { coordinates, kind: Kind::Moves(moves) };
    }
    let mut ends: Vec<Vec<End>> = (0..coordinates.features).map(|_| Vec::new()).collect();
    for at in coordinates.free() {
        ends[coordinates.feature[at]].push(End::of(coordinates, at));
    }
    ends.retain(|ends| !ends.is_empty());
    Units { coordinates, kind: Kind::Ends(ends) }
}

/// The numbers, those that are free.
pub(super) fn numbers<'a>(coordinates: &'a Coordinates<'a>) -> Units<'a> {
    let ends = coordinates.free().into_iter().map(|at| vec![End::of(coordinates, at)]).collect();
    Units { coordinates, kind: Kind::Ends(ends) }
}

impl End {
    /// The ends of a coordinate; where there is none, a way beyond the input.
    fn of(coordinates: &Coordinates<'_>, at: usize) -> Self {
        let (lower, upper) = coordinates.bounds[at];
        let origin = coordinates.origin[at];
        let far = 1.0 + origin.abs();
        let ends = [
            if lower.is_finite() { lower } else { origin - far },
            if upper.is_finite() { upper } else { origin + far },
        ];
        Self { at, ends: ends.map(|end| coordinates.snap(at, end)) }
    }
}

impl Units<'_> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match &self.kind {
            Kind::Ends(units) => units.len(),
            Kind::Moves(units) => units.len(),
        }
    }

    /// How many values a unit has.
    pub(super) fn choices(&self, unit: usize) -> usize {
        match &self.kind {
            Kind::Ends(units) if units[unit].len() > COMBINED => 2,
            Kind::Ends(units) => 1 << units[unit].len(),
            Kind::Moves(units) => units[unit].len(),
        }
    }

    /// Changes a unit of a point.
    fn change(&self, point: &mut [f64], (unit, choice): (usize, usize)) {
        match &self.kind {
            Kind::Ends(units) if units[unit].len() > COMBINED => {
                units[unit].iter().for_each(|end| point[end.at] = end.ends[choice]);
            }
            Kind::Ends(units) => {
                for (bit, end) in units[unit].iter().enumerate() {
                    point[end.at] = end.ends[choice >> bit & 1];
                }
            }
            Kind::Moves(units) => {
                units[unit][choice].to.iter().for_each(|&(at, value)| point[at] = value);
            }
        }
    }

    /// The point with these units changed.
    pub(super) fn point(&self, changes: &[(usize, usize)]) -> Vec<f64> {
        let mut point = self.coordinates.origin.clone();
        for &change in changes {
            self.change(&mut point, change);
        }
        point
    }

    /// Whether a change is none: the unit is there already.
    pub(super) fn is_none(&self, change: (usize, usize)) -> bool {
        self.point(&[change]) == self.coordinates.origin
    }

    /// A change of some unit, any as likely as another.
    pub(super) fn any(&self, rng: &mut impl Rng) -> (usize, usize) {
        let unit = gradless::random::below(rng, self.len());
        (unit, gradless::random::below(rng, self.choices(unit)))
    }
}
