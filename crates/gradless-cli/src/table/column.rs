//! One column: what its values are, and the way to numbers and back.

use anyhow::{Context, bail};
use gradless_explain::features::{LevelSurvey, NumberSurvey};
use gradless_models::Cell;

use super::day;

/// A column of the table that is explained.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    pub(super) name: String,
    code: Code,
}

#[derive(Clone, Debug)]
enum Code {
    Number { survey: NumberSurvey, kind: Number },
    Level { levels: Vec<Option<String>>, allowed: usize, is_unknown: bool, truth: bool },
}

/// What numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Any,
    /// Written without a point.
    Whole,
    /// Days, written as dates.
    Day,
}

impl Coded {
    /// Looks at the values that occur, and at that of the row; with `is_name` they are names, whatever they look like.
    pub(super) fn new(name: &str, known: &[Option<&str>], own: Option<&str>, is_name: bool) -> Self {
        let all: Vec<&str> = known.iter().copied().chain([own]).flatten().collect();
        let is_all = |is: &dyn Fn(&str) -> bool| !all.is_empty() && all.iter().all(|text| is(text));
        let code = if is_name || all.is_empty() {
            Code::levels(known, own, false)
        } else if is_all(&|text| day::number(text).is_some()) {
            Code::numbers(known, own, Number::Day)
        } else if is_all(&|text| number(text).is_some()) {
            let is_whole = is_all(&|text| text.parse::<i64>().is_ok());
            Code::numbers(known, own, if is_whole { Number::Whole } else { Number::Any })
        } else {
            let truth = is_all(&|text| truth(text).is_some());
            Code::levels(known, own, truth)
        };
        Self { name: name.to_owned(), code }
    }

    /// The number of a cell.
    pub(super) fn encode(&self, cell: Option<&str>) -> anyhow::Result<f64> {
        match &self.code {
            Code::Number { survey, kind } => match cell {
                None => Ok(survey.missing),
                Some(text) => kind.parse(text).with_context(|| {
                    format!("column '{}' holds '{text}' beside numbers: name it with --categories if its values are names", self.name)
                }),
            },
            Code::Level { levels, .. } => {
                let place = levels.iter().position(|level| level.as_deref() == cell);
                place.map(|place| place as f64).with_context(|| {
                    format!("column '{}' has a value that was not seen before: {}", self.name, cell.unwrap_or("none"))
                })
            }
        }
    }

    /// The cell that a number stands for.
    pub(super) fn cell(&self, number: f64) -> Cell {
        match &self.code {
            Code::Number { survey, .. } if number == survey.missing => Cell::Missing,
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers of a table")]
            Code::Number { kind: Number::Whole, .. } if number.fract() == 0.0 => Cell::Whole(number as i64),
            Code::Number { kind: Number::Day, .. } => Cell::Text(day::text(number)),
            Code::Number { .. } => Cell::Number(number),
            Code::Level { levels, truth: is_truth, .. } => match level(levels, number) {
                None => Cell::Missing,
                Some(text) => match truth(text) {
                    Some(truth) if *is_truth => Cell::Truth(truth),
                    _ => Cell::Text(text.to_owned()),
                },
            },
        }
    }

    /// The value that a number stands for, as people write it.
    pub(super) fn show(&self, number: f64) -> String {
        match &self.code {
            Code::Level { levels, .. } => level(levels, number).unwrap_or("missing").to_owned(),
            Code::Number { .. } => match self.cell(number) {
                Cell::Missing => "missing".to_owned(),
                Cell::Whole(number) => number.to_string(),
                Cell::Text(text) => text,
                Cell::Number(_) | Cell::Truth(_) => number.to_string(),
            },
        }
    }

    /// The number that a word of the user's stands for.
    pub(super) fn parse(&self, text: &str) -> anyhow::Result<f64> {
        match &self.code {
            Code::Number { kind, .. } => {
                kind.parse(text).with_context(|| format!("'{text}' is no value of {}", self.name))
            }
            Code::Level { .. } => bail!("{} holds names, which have no range", self.name),
        }
    }

    /// How many categories a change may lead to; `None` for numbers.
    pub(super) fn levels(&self) -> Option<usize> {
        match self.code {
            Code::Number { .. } => None,
            Code::Level { allowed, .. } => Some(allowed),
        }
    }

    pub(super) fn lower(&self) -> f64 {
        match &self.code {
            Code::Number { survey, .. } => survey.lower,
            Code::Level { .. } => 0.0,
        }
    }

    pub(super) fn upper(&self) -> f64 {
        match &self.code {
            Code::Number { survey, .. } => survey.upper,
            Code::Level { levels, .. } => levels.len().saturating_sub(1) as f64,
        }
    }

    pub(super) fn typical(&self) -> f64 {
        match &self.code {
            Code::Number { survey, .. } => survey.typical,
            Code::Level { .. } => 0.0,
        }
    }

    pub(super) fn step(&self) -> f64 {
        match &self.code {
            Code::Number { survey, .. } => survey.step,
            Code::Level { .. } => 0.0,
        }
    }

    /// Whether no value of it is known.
    pub(super) fn is_unknown(&self) -> bool {
        match &self.code {
            Code::Number { survey, .. } => survey.is_unknown,
            Code::Level { is_unknown, .. } => *is_unknown,
        }
    }
}

impl Code {
    fn numbers(known: &[Option<&str>], own: Option<&str>, kind: Number) -> Self {
        let value = |cell: Option<&str>| cell.and_then(|text| kind.parse(text)).unwrap_or(f64::NAN);
        let values: Vec<f64> = known.iter().copied().map(value).collect();
        Self::Number { survey: NumberSurvey::of(&values, value(own)), kind }
    }

    fn levels(known: &[Option<&str>], own: Option<&str>, truth: bool) -> Self {
        let mut distinct: Vec<&str> = known.iter().copied().chain([own]).flatten().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let id = |cell: Option<&str>| cell.and_then(|text| distinct.binary_search(&text).ok());
        let LevelSurvey { order, allowed, is_unknown } =
            LevelSurvey::of(&known.iter().map(|cell| id(*cell)).collect::<Vec<_>>(), id(own));
        let levels = order.into_iter().map(|level| level.map(|id| distinct[id].to_owned())).collect();
        Self::Level { levels, allowed, is_unknown, truth }
    }
}

impl Number {
    fn parse(self, text: &str) -> Option<f64> {
        match self {
            Self::Day => day::number(text),
            Self::Any | Self::Whole => number(text),
        }
    }
}

fn level(levels: &[Option<String>], number: f64) -> Option<&str> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number of a level")]
    let place = number.max(0.0) as usize;
    levels.get(place)?.as_deref()
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(known: &[&str], own: &str) -> Coded {
        let known: Vec<Option<&str>> =
            known.iter().map(|text| Some(*text).filter(|text| !text.is_empty())).collect();
        Coded::new("c", &known, Some(own).filter(|own| !own.is_empty()), false)
    }

    #[test]
    fn values_come_back_as_they_were_written() {
        for (known, own, cell) in [
            (&["1", "2", "", "10"][..], "3", Cell::Whole(3)),
            (&["1.5", "2"], "2.25", Cell::Number(2.25)),
            (&["yes", "no", "no"], "maybe", Cell::Text("maybe".into())),
            (&["True", "False"], "True", Cell::Truth(true)),
            (&["2024-01-31", "2023-05-01"], "2024-02-29", Cell::Text("2024-02-29".into())),
            (&["1", ""], "", Cell::Missing),
            (&["a", ""], "", Cell::Missing),
        ] {
            let column = column(known, own);
            let own = Some(own).filter(|own| !own.is_empty());
            assert_eq!(column.cell(column.encode(own).unwrap()), cell, "{known:?}");
            for text in known.iter().map(|text| Some(*text).filter(|text| !text.is_empty())) {
                let shown = column.show(column.encode(text).unwrap());
                assert_eq!(shown, text.unwrap_or("missing"), "{known:?}");
            }
        }
    }

    #[test]
    fn frequent_categories_have_small_numbers_and_numbers_their_range() {
        let names = column(&["no", "yes", "yes"], "no");
        assert_eq!(
            (names.encode(Some("yes")).unwrap(), names.levels(), names.typical()),
            (0.0, Some(2), 0.0)
        );
        assert!(names.encode(Some("perhaps")).unwrap_err().to_string().contains("not seen before"));
        let numbers = column(&["3", "7", "5"], "4");
        assert_eq!(
            (numbers.lower(), numbers.upper(), numbers.typical(), numbers.step()),
            (3.0, 7.0, 5.0, 1.0)
        );
        assert!(column(&["", ""], "").is_unknown());
    }
}
