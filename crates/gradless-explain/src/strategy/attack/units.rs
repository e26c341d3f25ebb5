//! What changes as one in a count: a pixel, a number, a column, a word. Each has a few values to change to.

use crate::features::{Coordinates, Move};

/// Units with what each can be changed to.
///
/// A change is told in *slots*: coordinates with how far they move, or, where a unit has a few values of its own, one slot for each value. What a
/// change does to the scores is taken to be a sum over slots.
pub(super) struct Units<'a> {
    coordinates: &'a Coordinates<'a>,
    kind: Kind,
    slots: usize,
}

enum Kind {
    /// Coordinates that each go to one of their ends, in any combination.
    Ends(Vec<Vec<End>>),
    /// A few values; the slot of the first.
    Moves(Vec<(usize, Vec<Move>)>),
}

/// A coordinate with the two ends it can go to.
struct End {
    at: usize,
    from: f64,
    ends: [f64; 2],
}

/// A unit and which of its values it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Change {
    pub(super) unit: usize,
    pub(super) choice: u64,
}

/// The features, those that are free.
pub(super) fn features<'a>(coordinates: &'a Coordinates<'a>) -> Units<'a> {
    if let Some(moves) = coordinates.moves() {
        let mut slots = 0;
        let mut units = Vec::new();
        for moves in moves.into_iter().filter(|moves| !moves.is_empty()) {
            slots += moves.len();
            units.push((slots - moves.len(), moves));
        }
        return Units { coordinates, kind: Kind::Moves(units), slots };
    }
    let mut ends: Vec<Vec<End>> = (0..coordinates.features).map(|_| Vec::new()).collect();
    for at in coordinates.free() {
        ends[coordinates.feature[at]].push(End::of(coordinates, at));
    }
    ends.retain(|ends| !ends.is_empty());
    Units { coordinates, kind: Kind::Ends(ends), slots: coordinates.dim() }
}

/// The numbers, those that are free.
pub(super) fn numbers<'a>(coordinates: &'a Coordinates<'a>) -> Units<'a> {
    let ends = coordinates.free().into_iter().map(|at| vec![End::of(coordinates, at)]).collect();
    Units { coordinates, kind: Kind::Ends(ends), slots: coordinates.dim() }
}

impl End {
    /// The ends of a coordinate; where there is none, a way beyond the input.
    fn of(coordinates: &Coordinates<'_>, at: usize) -> Self {
        let (lower, upper) = coordinates.bounds[at];
        let from = coordinates.origin[at];
        let far = 1.0 + from.abs();
        let ends = [
            if lower.is_finite() { lower } else { from - far },
            if upper.is_finite() { upper } else { from + far },
        ];
        Self { at, from, ends: ends.map(|end| coordinates.snap(at, end)) }
    }

    fn step(&self, end: usize) -> f64 {
        self.ends[end] - self.from
    }

    /// Which end is further away.
    fn far(&self) -> usize {
        usize::from(self.step(1).abs() >= self.step(0).abs())
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

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// The slots of a change, and how far it moves each.
    pub(super) fn terms(&self, change: Change) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (ends, slot) = match &self.kind {
            Kind::Ends(units) => (&units[change.unit][..], None),
            #[expect(clippy::cast_possible_truncation, reason = "the number of a value")]
            Kind::Moves(units) => (&[][..], Some((units[change.unit].0 + change.choice as usize, 1.0))),
        };
        let ends = ends.iter().enumerate();
        ends.map(move |(bit, end)| (end.at, end.step(bit_of(change.choice, bit)))).chain(slot)
    }

    /// The choice of a unit that gains most, where slots gain so much per distance; and the gain.
    pub(super) fn best(&self, unit: usize, gain: impl Fn(usize) -> f64) -> (u64, f64) {
        match &self.kind {
            Kind::Ends(units) => {
                let (mut choice, mut total) = (0, 0.0);
                for (bit, end) in units[unit].iter().enumerate() {
                    let slope = gain(end.at);
                    let up = slope * end.step(1) > slope * end.step(0);
                    choice |= u64::from(up) << bit;
                    total += slope * end.step(usize::from(up));
                }
                (choice, total)
            }
            Kind::Moves(units) => {
                let (first, moves) = &units[unit];
                let gains = (0..moves.len()).map(|choice| (choice as u64, gain(first + choice)));
                gains.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::NEG_INFINITY))
            }
        }
    }

    /// The choice that is furthest from the input.
    pub(super) fn far(&self, unit: usize) -> u64 {
        match &self.kind {
            Kind::Ends(units) => {
                units[unit].iter().enumerate().map(|(bit, end)| (end.far() as u64) << bit).sum()
            }
            Kind::Moves(units) => units[unit].1.len() as u64 - 1,
        }
    }

    /// Whether a change is none: the unit is there already.
    pub(super) fn is_none(&self, change: Change) -> bool {
        self.terms(change).all(|(_, step)| step == 0.0)
    }

    /// The point with these units changed.
    pub(super) fn point(&self, changes: &[Change]) -> Vec<f64> {
        let mut point = self.coordinates.origin.clone();
        for change in changes {
            match &self.kind {
                Kind::Ends(units) => {
                    for (bit, end) in units[change.unit].iter().enumerate() {
                        point[end.at] = end.ends[bit_of(change.choice, bit)];
                    }
                }
                Kind::Moves(units) => {
                    #[expect(clippy::cast_possible_truncation, reason = "the number of a value")]
                    let one = &units[change.unit].1[change.choice as usize];
                    for &(at, value) in &one.to {
                        point[at] = value;
                    }
                }
            }
        }
        point
    }

    /// Units that lie together: squares of a picture, so many each way; of what is none, runs.
    pub(super) fn blocks(&self, side: usize) -> Vec<Vec<usize>> {
        let (rows, columns) = self.coordinates.layout;
        let place = |unit: usize| match &self.kind {
            Kind::Ends(units) => units[unit][0].at % (rows * columns).max(1),
            Kind::Moves(_) => unit,
        };
        let across = columns.div_ceil(side);
        let block = |unit: usize| {
            let place = place(unit);
            place / columns.max(1) / side * across + place % columns.max(1) / side
        };
        let count = (0..self.len()).map(|unit| block(unit) + 1).max().unwrap_or(0);
        let mut blocks = vec![Vec::new(); count];
        for unit in 0..self.len() {
            blocks[block(unit)].push(unit);
        }
        blocks.retain(|block| !block.is_empty());
        blocks
    }
}

/// Which end a channel has: channels beyond the bits of a choice go with the last.
fn bit_of(choice: u64, bit: usize) -> usize {
    usize::from(choice >> bit.min(63) & 1 == 1)
}
