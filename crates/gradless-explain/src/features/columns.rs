//! Columns of a table: numbers in their own units, whole numbers, and categories of which exactly one holds.
//!
//! A search moves numbers. Every number is measured in its own unit, and a category has switches that are on above one half; what
//! the model is shown is always decoded first, exactly one per category, whatever the switches say.

mod decode;
mod moves;
mod rules;
mod survey;
mod table;

use gradless::PerCoordinate;

use super::{Coordinates, Features, Kind, check};
use crate::question::{Origin, Place, Question, QuestionError};
use decode::{Code, Decoder, Standing};

pub use rules::{Rule, RuleError};
pub use survey::{LevelSurvey, NumberSurvey, step};
pub use table::Table;

/// A switch is on above this.
const ON: f64 = 0.5;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The row.
    pub input: Vec<f64>,
    /// What its numbers are; one entry may cover several of them.
    pub columns: Vec<Column>,
    /// Names of the columns, for what is said of them; those without one are called by their number.
    pub names: Vec<String>,
    /// The least and the largest value of each number; finite.
    pub lower: PerCoordinate,
    /// See `lower`.
    pub upper: PerCoordinate,
    /// Typical values: what is there where a column of a part is not.
    pub absent: PerCoordinate,
    /// Numbers that stay as they are; empty for none.
    pub frozen: Vec<bool>,
    /// Which way numbers may change; empty for any.
    pub ways: Vec<Way>,
    /// By how much a number changes for a cost of 1; empty for the width of its bounds.
    pub units: Vec<f64>,
    /// How far apart values of a number are, 0 where they are any; empty for any. Whole numbers are 1 apart in any case.
    pub steps: Vec<f64>,
    /// Rows like this one.
    pub table: Option<Table>,
    /// What must hold between numbers of the row.
    pub rules: Vec<Rule>,
    /// How close to known rows a changed one stays.
    pub plausible: Plausible,
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
    /// A category: the number of one of so many, counted from 0.
    Category {
        /// Where its number stands.
        at: usize,
        /// How many there are.
        levels: usize,
    },
}

/// Which way a number may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Up and down.
    #[default]
    Any,
    /// It may only grow.
    Up,
    /// It may only shrink.
    Down,
}

/// How close to known rows a changed one stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plausible {
    /// Of changes with as many columns, one that is close to a known row is preferred.
    #[default]
    Prefer,
    /// A changed row is no further from the nearest known row than most known rows are from theirs.
    Require,
}

impl Column {
    /// Where its numbers stand.
    pub fn numbers(&self) -> &[usize] {
        match self {
            Self::Number(i) | Self::Whole(i) | Self::Category { at: i, .. } => std::slice::from_ref(i),
            Self::OneHot(group) => group,
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Whole(_))
    }
}

impl Columns {
    /// A row with bounds and typical values, and nothing else said.
    pub fn new(
        input: Vec<f64>,
        columns: Vec<Column>,
        [lower, upper]: [PerCoordinate; 2],
        absent: PerCoordinate,
    ) -> Self {
        Self {
            input,
            columns,
            names: Vec::new(),
            lower,
            upper,
            absent,
            frozen: Vec::new(),
            ways: Vec::new(),
            units: Vec::new(),
            steps: Vec::new(),
            table: None,
            rules: Vec::new(),
            plausible: Plausible::default(),
        }
    }

    /// The width of the bounds of every number; 1 where there is none.
    pub fn widths(&self) -> Vec<f64> {
        let width = |i: usize| self.upper.at(i) - self.lower.at(i);
        (0..self.input.len()).map(|i| if width(i) > 0.0 { width(i) } else { 1.0 }).collect()
    }

    /// The median absolute deviation of every number in the table; the width of its bounds where that is 0, or where there is no table.
    pub fn deviations(&self) -> Vec<f64> {
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
        };
        let mut units = self.widths();
        let Some(table) = &self.table else { return units };
        for (i, unit) in units.iter_mut().enumerate() {
            let mut values = table.values(i);
            let middle = median(&mut values);
            let spread = median(&mut values.iter().map(|value| (value - middle).abs()).collect());
            if spread > 0.0 {
                *unit = spread;
            }
        }
        units
    }

    /// Whether every number belongs to one column, categories hold one of theirs, and the row keeps its own rules.
    fn check(&self) -> Result<(), QuestionError> {
        let Self { input, lower, upper, absent, frozen, columns, .. } = self;
        check(input, [lower, upper], absent, frozen)?;
        for (what, bound) in [("the lower bound", lower), ("the upper bound", upper)] {
            if bound.values().iter().any(|value| value.is_infinite()) {
                return Err(QuestionError::ListInfinite { what });
            }
        }
        self.check_lists()?;
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
            match column {
                Column::OneHot(group) => {
                    let values: Vec<f64> = group.iter().map(|&i| input[i]).collect();
                    let ones = values.iter().filter(|&&value| value == 1.0).count();
                    if ones != 1 || values.iter().filter(|&&value| value == 0.0).count() + 1 != values.len() {
                        return Err(QuestionError::NotOneHot { columns: group.clone(), values });
                    }
                }
                &Column::Category { at, levels } => {
                    let known = (0..levels).any(|level| level as f64 == input[at]);
                    if !known {
                        return Err(QuestionError::NotALevel { column: at, value: input[at], levels });
                    }
                }
                Column::Number(_) | Column::Whole(_) => {}
            }
        }
        match self.rules.iter().find(|rule| !rule.holds(input)) {
            Some(rule) => Err(QuestionError::RuleBroken { rule: rule.name.clone() }),
            None => Ok(()),
        }
    }

    /// Lists have one entry for each number, or none at all.
    fn check_lists(&self) -> Result<(), QuestionError> {
        let expected = self.input.len();
        for (what, found) in [
            ("the list of ways", self.ways.len()),
            ("the list of units", self.units.len()),
            ("the list of steps", self.steps.len()),
        ] {
            if found != 0 && found != expected {
                return Err(QuestionError::ListLength { what, found, expected });
            }
        }
        for (what, list) in [("the list of units", &self.units), ("the list of steps", &self.steps)] {
            if list.iter().any(|value| !value.is_finite() || *value < 0.0) {
                return Err(QuestionError::ListNan { what });
            }
        }
        for rule in &self.rules {
            if let Some(&(column, _)) = rule.terms.iter().find(|(i, _)| *i >= expected) {
                return Err(QuestionError::Columns { column });
            }
        }
        match &self.table {
            Some(table) if table.dim() != expected => {
                Err(QuestionError::ListLength { what: "a row of the table", found: table.dim(), expected })
            }
            _ => Ok(()),
        }
    }

    fn is_frozen(&self, i: usize) -> bool {
        self.frozen.get(i).copied().unwrap_or(false)
    }

    /// What a feature is called.
    fn name(&self, column: usize) -> String {
        self.names.get(column).cloned().unwrap_or_else(|| format!("column {column}"))
    }

    /// The least and the largest value that a change may give a number.
    fn range(&self, i: usize) -> [f64; 2] {
        let (lower, upper, current) = (self.lower.at(i), self.upper.at(i), self.input[i]);
        match self.ways.get(i).copied().unwrap_or_default() {
            Way::Any => [lower, upper],
            Way::Up => [lower.max(current), upper.max(current)],
            Way::Down => [lower.min(current), upper.min(current)],
        }
    }

    /// By how much a number changes for a cost of 1.
    fn unit(&self, i: usize) -> f64 {
        let width = self.upper.at(i) - self.lower.at(i);
        let unit = self.units.get(i).copied().filter(|&unit| unit > 0.0).unwrap_or(width);
        if unit > 0.0 { unit } else { 1.0 }
    }

    /// A number in its unit, from its lower bound.
    fn share(&self, i: usize, value: f64) -> f64 {
        (value - self.lower.at(i)) / self.unit(i)
    }

    /// The nearest value a number can have.
    fn on_step(&self, i: usize, value: f64) -> f64 {
        let step = self.steps.get(i).copied().unwrap_or(0.0);
        let per_unit = (1.0 / step).round();
        if step <= 0.0 {
            value
        } else if (per_unit * step - 1.0).abs() < 1e-9 {
            // 0.01 is no number of a computer, 100 is: cents come out as they are written.
            (value * per_unit).round_ties_even() / per_unit
        } else {
            (value / step).round_ties_even() * step
        }
    }

    /// The category that stands where no switch is on: for a part the typical one, for a change its own. And those that a switch
    /// turns on. Categories of a one-hot group are counted from 0 too.
    fn choices(&self, column: &Column, question: Question) -> (usize, Vec<usize>) {
        let (own, typical, levels) = match column {
            Column::OneHot(group) => {
                let highest = |value: &dyn Fn(usize) -> f64| {
                    (1..group.len())
                        .fold(0, |best, k| if value(group[k]) > value(group[best]) { k } else { best })
                };
                (highest(&|i| self.input[i]), highest(&|i| self.absent.at(i)), group.len())
            }
            &Column::Category { at, levels } => {
                let nearest =
                    |value: f64| (0..levels).find(|&level| level as f64 >= value.round()).unwrap_or(0);
                (nearest(self.input[at]), nearest(self.absent.at(at)), levels)
            }
            Column::Number(_) | Column::Whole(_) => (0, 0, 0),
        };
        match question.origin() {
            Origin::Absent => (typical, vec![own]),
            Origin::Input => (own, (0..levels).filter(|&level| level != own).collect()),
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
            let frozen = column.numbers().iter().any(|&i| self.is_frozen(i));
            match column {
                Column::Number(i) | Column::Whole(i) => {
                    let [least, most] = self.range(*i).map(|value| self.share(*i, value));
                    places.push(Place {
                        current: self.share(*i, self.input[*i]),
                        absent: self.share(*i, self.absent.at(*i)),
                        bounds: [least, most],
                        frozen,
                    });
                    feature.push(number);
                    codes.push(Code::Share { at: *i, whole: matches!(column, Column::Whole(_)) });
                }
                Column::OneHot(_) | Column::Category { .. } => {
                    let (base, others) = self.choices(column, question);
                    let stands = standing.len();
                    let kept = self.choices(column, Question::CHANGE).0;
                    standing.push(Standing { column, base: if frozen { kept } else { base } });
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
        let decoder = Decoder::new(self, question, codes, feature.clone(), standing);
        let mut coordinates = Coordinates::new(question, places.into_iter(), feature, layout, decoder);
        coordinates.features = features;
        Ok(coordinates)
    }

    /// All at their lower bounds, categories at their first; and all typical.
    fn samples(&self) -> [Vec<f64>; 2] {
        let mut low: Vec<f64> = (0..self.input.len()).map(|i| self.lower.at(i)).collect();
        let mut typical: Vec<f64> = (0..self.input.len()).map(|i| self.absent.at(i)).collect();
        for column in &self.columns {
            let (base, _) = self.choices(column, Question::Part);
            match column {
                Column::OneHot(group) => {
                    for (level, &i) in group.iter().enumerate() {
                        low[i] = f64::from(u8::from(level == 0));
                        typical[i] = f64::from(u8::from(level == base));
                    }
                }
                &Column::Category { at, .. } => (low[at], typical[at]) = (0.0, base as f64),
                Column::Number(_) | Column::Whole(_) => {}
            }
        }
        [low, typical]
    }

    fn name_of(&self, feature: usize) -> Option<String> {
        self.names.get(feature).cloned()
    }

    fn relaxed(&self) -> Vec<(String, Box<dyn Features + '_>)> {
        let mut relaxed: Vec<(String, Box<dyn Features + '_>)> = Vec::new();
        let mut offer = |words: String, columns: Self| relaxed.push((words, Box::new(columns)));
        for (number, column) in self.columns.iter().enumerate() {
            let name = self.name(number);
            let i = column.numbers()[0];
            if column.numbers().iter().any(|&i| self.is_frozen(i)) {
                let mut frozen = self.frozen.clone();
                column.numbers().iter().for_each(|&i| frozen[i] = false);
                offer(format!("{name} may change"), Self { frozen, ..self.clone() });
            }
            if self.ways.get(i).is_some_and(|&way| way != Way::Any) {
                let mut ways = self.ways.clone();
                let way = if ways[i] == Way::Up { "fall" } else { "rise" };
                ways[i] = Way::Any;
                offer(format!("{name} may {way}"), Self { ways, ..self.clone() });
            }
        }
        for dropped in 0..self.rules.len() {
            let mut rules = self.rules.clone();
            let rule = rules.remove(dropped);
            offer(format!("the rule {} need not hold", rule.name), Self { rules, ..self.clone() });
        }
        if self.plausible == Plausible::Require {
            let words = "rows need not be plausible".to_owned();
            offer(words, Self { plausible: Plausible::Prefer, ..self.clone() });
        }
        relaxed
    }
}

#[cfg(test)]
mod tests;
