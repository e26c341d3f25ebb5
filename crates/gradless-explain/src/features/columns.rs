//! Columns of a table: numbers in their own units, whole numbers, and categories of which exactly one holds.
//!
//! A search moves numbers. Every number is a share of its bounds, and a category has switches that are on above one half; what
//! the model is shown is always decoded first, exactly one 1 per category, whatever the switches say.

use gradless::PerCoordinate;

use super::{Coordinates, Features, Kind, Shown, check};
use crate::question::{Origin, Place, Question, QuestionError};

/// A switch is on above this.
const ON: f64 = 0.5;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The row.
    pub input: Vec<f64>,
    /// What its numbers are; one entry may cover several of them.
    pub columns: Vec<Column>,
    /// The least and the largest value of each number; finite.
    pub lower: PerCoordinate,
    /// See `lower`.
    pub upper: PerCoordinate,
    /// Typical values: what is there where a column of a part is not.
    pub absent: PerCoordinate,
    /// Numbers that stay as they are; empty for none.
    pub frozen: Vec<bool>,
}

/// One feature of a table, by where its numbers stand in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Any number between its bounds.
    Number(usize),
    /// Any whole number between its bounds.
    Whole(usize),
    /// A category: a single 1 among these.
    OneHot(Vec<usize>),
}

impl Column {
    fn numbers(&self) -> &[usize] {
        match self {
            Self::Number(i) | Self::Whole(i) => std::slice::from_ref(i),
            Self::OneHot(group) => group,
        }
    }
}

impl Columns {
    /// Whether every number belongs to one column, and categories hold a single 1.
    fn check(&self) -> Result<(), QuestionError> {
        let Self { input, lower, upper, absent, frozen, columns } = self;
        check(input, [lower, upper], absent, frozen)?;
        for (what, bound) in [("the lower bound", lower), ("the upper bound", upper)] {
            if bound.values().iter().any(|value| value.is_infinite()) {
                return Err(QuestionError::ListInfinite { what });
            }
        }
        let mut covered = vec![false; input.len()];
        for &i in columns.iter().flat_map(Column::numbers) {
            match covered.get_mut(i) {
                Some(covered) if !*covered => *covered = true,
                _ => return Err(QuestionError::Columns { column: i }),
            }
        }
        if let Some(column) = covered.iter().position(|covered| !covered) {
            return Err(QuestionError::Columns { column });
        }
        for column in columns {
            if let Column::OneHot(group) = column {
                let values: Vec<f64> = group.iter().map(|&i| input[i]).collect();
                let ones = values.iter().filter(|&&value| value == 1.0).count();
                if ones != 1 || values.iter().filter(|&&value| value == 0.0).count() + 1 != values.len() {
                    return Err(QuestionError::NotOneHot { columns: group.clone(), values });
                }
            }
        }
        Ok(())
    }

    fn is_frozen(&self, i: usize) -> bool {
        self.frozen.get(i).copied().unwrap_or(false)
    }

    fn width(&self, i: usize) -> f64 {
        self.upper.at(i) - self.lower.at(i)
    }

    /// A number as a share of its bounds; 0 where they are equal.
    fn share(&self, i: usize, value: f64) -> f64 {
        if self.width(i) > 0.0 { (value - self.lower.at(i)) / self.width(i) } else { 0.0 }
    }

    /// The category that stands where no switch is on: for a part the typical one, for a change its own. And those that a switch
    /// turns on.
    fn choices(&self, group: &[usize], question: Question) -> (usize, Vec<usize>) {
        let highest = |value: &dyn Fn(usize) -> f64| {
            group.iter().copied().reduce(|best, i| if value(i) > value(best) { i } else { best }).unwrap_or(0)
        };
        let own = highest(&|i| self.input[i]);
        match question.origin() {
            Origin::Absent => (highest(&|i| self.absent.at(i)), vec![own]),
            Origin::Input => (own, group.iter().copied().filter(|&i| i != own).collect()),
        }
    }
}

impl Features for Columns {
    fn kind(&self) -> Kind {
        Kind::Columns
    }

    fn input(&self) -> &[f64] {
        &self.input
    }

    fn bounds(&self) -> [&PerCoordinate; 2] {
        [&self.lower, &self.upper]
    }

    fn coordinates(&self, question: Question) -> Result<Coordinates<'_>, QuestionError> {
        self.check()?;
        let (mut places, mut feature, mut codes, mut standing) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, column) in self.columns.iter().enumerate() {
            match column {
                Column::Number(i) | Column::Whole(i) => {
                    places.push(Place {
                        current: self.share(*i, self.input[*i]),
                        absent: self.share(*i, self.absent.at(*i)),
                        bounds: [0.0, if self.width(*i) > 0.0 { 1.0 } else { 0.0 }],
                        frozen: self.is_frozen(*i),
                    });
                    feature.push(number);
                    codes.push(Code::Share { at: *i, whole: matches!(column, Column::Whole(_)) });
                }
                Column::OneHot(group) => {
                    let frozen = group.iter().any(|&i| self.is_frozen(i));
                    let (base, others) = self.choices(group, question);
                    let stands = standing.len();
                    standing.push(Standing {
                        group,
                        base: if frozen { self.choices(group, Question::CHANGE).0 } else { base },
                    });
                    for on in others.into_iter().filter(|&on| !frozen && on != base) {
                        // Present and off for a change, absent and off for a part: it is turned on either way.
                        let current = if question.origin() == Origin::Absent { 1.0 } else { 0.0 };
                        places.push(Place { current, absent: 0.0, bounds: [0.0, 1.0], frozen: false });
                        feature.push(number);
                        codes.push(Code::Switch { stands, on });
                    }
                }
            }
        }
        let layout = (1, places.len().max(1));
        let features = self.columns.len();
        let decoder = Decoder { row: self, codes, standing };
        let mut coordinates = Coordinates::new(question, places.into_iter(), feature, layout, decoder);
        coordinates.features = features;
        Ok(coordinates)
    }

    /// All at their lower bounds, categories at their first; and all typical.
    fn samples(&self) -> [Vec<f64>; 2] {
        let mut low: Vec<f64> = (0..self.input.len()).map(|i| self.lower.at(i)).collect();
        let mut typical: Vec<f64> = (0..self.input.len()).map(|i| self.absent.at(i)).collect();
        for column in &self.columns {
            if let Column::OneHot(group) = column {
                let (base, _) = self.choices(group, Question::Part);
                for &i in group {
                    low[i] = f64::from(u8::from(Some(&i) == group.first()));
                    typical[i] = f64::from(u8::from(i == base));
                }
            }
        }
        [low, typical]
    }
}

/// What one coordinate means.
enum Code {
    /// A number as a share of its bounds.
    Share { at: usize, whole: bool },
    /// Turns on one of a category.
    Switch { stands: usize, on: usize },
}

/// A category, and which of it holds where no switch is on.
struct Standing<'a> {
    group: &'a [usize],
    base: usize,
}

struct Decoder<'a> {
    row: &'a Columns,
    codes: Vec<Code>,
    standing: Vec<Standing<'a>>,
}

impl Decoder<'_> {
    /// A share as a number. What has not moved is the input itself to the last digit, and so is what is typical.
    fn number(&self, at: usize, whole: bool, share: f64) -> f64 {
        let row = self.row;
        let (current, absent) = (row.input[at], row.absent.at(at));
        if share == row.share(at, current) {
            return current;
        }
        let value =
            if share == row.share(at, absent) { absent } else { row.lower.at(at) + share * row.width(at) };
        if whole { value.round_ties_even() } else { value }
    }
}

impl Shown for Decoder<'_> {
    fn write(&self, point: &[f64], input: &mut [f64]) {
        input.copy_from_slice(&self.row.input);
        let mut chosen: Vec<(usize, f64)> = self.standing.iter().map(|stands| (stands.base, ON)).collect();
        for (code, &value) in self.codes.iter().zip(point) {
            match *code {
                Code::Share { at, whole } => input[at] = self.number(at, whole, value),
                // Of several that are on the strongest holds.
                Code::Switch { stands, on } if value > chosen[stands].1 => chosen[stands] = (on, value),
                Code::Switch { .. } => {}
            }
        }
        for (stands, (on, _)) in self.standing.iter().zip(chosen) {
            for &i in stands.group {
                input[i] = f64::from(u8::from(i == on));
            }
        }
    }

    fn differs(&self, i: usize, value: f64, other: f64) -> bool {
        match self.codes[i] {
            Code::Share { at, whole } => self.number(at, whole, value) != self.number(at, whole, other),
            Code::Switch { .. } => (value > ON) != (other > ON),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Age (whole), income, and one of three jobs; typical: 40, 2,000 and the first job.
    fn person() -> Columns {
        Columns {
            input: vec![30.0, 1234.5, 0.0, 0.0, 1.0],
            columns: vec![Column::Whole(0), Column::Number(1), Column::OneHot(vec![2, 3, 4])],
            lower: vec![20.0, 0.0, 0.0, 0.0, 0.0].into(),
            upper: vec![70.0, 5000.0, 1.0, 1.0, 1.0].into(),
            absent: vec![40.0, 2000.0, 1.0, 0.0, 0.0].into(),
            frozen: Vec::new(),
        }
    }

    #[test]
    fn nothing_and_everything_are_what_they_say() {
        let person = person();
        let part = person.coordinates(Question::Part).unwrap();
        assert_eq!(part.input(&part.origin, 5), [40.0, 2000.0, 1.0, 0.0, 0.0]);
        assert_eq!(part.input(&part.whole, 5), person.input);
        let change = person.coordinates(Question::CHANGE).unwrap();
        assert_eq!(change.input(&change.origin, 5), person.input);
        assert_eq!((part.features, change.features, change.dim()), (3, 3, 4));
    }

    #[test]
    fn whole_numbers_stay_whole_and_categories_hold_one() {
        let person = person();
        let change = person.coordinates(Question::CHANGE).unwrap();
        let seen = change.input(&[0.333, 0.5, 0.7, 0.9], 5);
        assert_eq!(seen, [37.0, 2500.0, 0.0, 1.0, 0.0], "the stronger of two switches holds");
        assert_eq!(change.input(&[0.2, 0.5, 0.5, 0.1], 5)[2..], [0.0, 0.0, 1.0], "no switch is on");
        let point = [change.origin[0], 0.5, 1.0, 0.0];
        assert_eq!(change.used(&point), [1, 2]);
        let hardly = [change.origin[0] + 0.001, change.origin[1], 0.4, 0.0];
        assert_eq!(change.used(&hardly), [0; 0], "30.05 is 30, and no switch is on");
    }

    #[test]
    fn what_is_frozen_has_no_coordinate_to_move() {
        let person = Columns { frozen: vec![true, false, false, true, false], ..person() };
        for question in [Question::Part, Question::CHANGE] {
            let coordinates = person.coordinates(question).unwrap();
            assert_eq!(coordinates.free(), [1], "age and job stay");
            let far: Vec<f64> = coordinates.bounds.iter().map(|bounds| bounds.1).collect();
            let seen = coordinates.input(&far, 5);
            assert_eq!((seen[0], &seen[2..]), (30.0, &[0.0, 0.0, 1.0][..]), "{question:?}");
        }
    }

    #[test]
    fn categories_that_are_none_and_columns_counted_twice_are_refused() {
        let ask = |person: Columns| person.coordinates(Question::Part).err();
        let none = Columns { input: vec![30.0, 1.0, 0.0, 1.0, 1.0], ..person() };
        assert!(matches!(ask(none), Some(QuestionError::NotOneHot { .. })));
        let twice = Columns { columns: vec![Column::Number(0), Column::Number(0)], ..person() };
        assert_eq!(ask(twice), Some(QuestionError::Columns { column: 0 }));
        let missing = Columns { columns: vec![Column::Number(0)], ..person() };
        assert_eq!(ask(missing), Some(QuestionError::Columns { column: 1 }));
    }
}
