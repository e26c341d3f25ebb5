//! What may be said of the columns of a table: what stays, which way it may go, what it costs, what must hold.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use gradless::PerCoordinate;
use gradless_explain::Columns;
use gradless_explain::features::{Plausible, Rule, Way};

use super::column::Coded;

/// What is said of a table.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TableArguments {
    /// Rows like those that are explained (CSV): they tell which values occur and which are typical [default: all rows of --input]
    #[arg(long, value_name = "FILE.csv", help_heading = "A table")]
    pub(crate) data: Option<PathBuf>,

    /// Which row of the table, counted from 0 [default: all]
    #[arg(long, value_name = "N", help_heading = "A table")]
    pub(crate) row: Option<usize>,

    /// Columns that the model does not take, such as what it predicts
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = "A table")]
    pub(crate) drop: Vec<String>,

    /// Columns whose values are names, though they look like numbers
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = "A table")]
    pub(crate) categories: Vec<String>,

    /// Columns that may only grow
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = "A table")]
    pub(crate) increase: Vec<String>,

    /// Columns that may only shrink
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = "A table")]
    pub(crate) decrease: Vec<String>,

    /// The least and the largest value of a column, instead of those that occur: income=0..5000, or age=..65
    #[arg(long, value_name = "NAME=LOW..HIGH", help_heading = "A table")]
    pub(crate) allow: Vec<Allowed>,

    /// What must hold between columns: 'rent <= income', 'a + b + c == 1'. May be repeated
    #[arg(long, value_name = "RULE", help_heading = "A table")]
    pub(crate) rule: Vec<String>,

    /// What changes are measured in: range (the width of a column's range), mad (its median absolute deviation), or the change of a column
    /// that costs 1 (income=1000). May be repeated
    #[arg(long, value_name = "range|mad|NAME=UNIT", help_heading = "A table")]
    pub(crate) cost: Vec<CostWord>,

    /// How close to known rows a changed one stays
    #[arg(long, value_enum, default_value_t, help_heading = "A table")]
    pub(crate) plausible: PlausibleWord,

    /// For a model that answers with a number: what is explained is whether it is below this
    #[arg(long, value_name = "T", allow_hyphen_values = true, help_heading = "A table")]
    pub(crate) threshold: Option<f64>,
}

/// How close to known rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlausibleWord {
    /// Of changes with as many columns one that is close
    #[default]
    Prefer,
    /// As close as most known rows are to each other
    Strict,
}

/// A range of a column, as it is typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Allowed {
    name: String,
    low: Option<String>,
    high: Option<String>,
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let needed = || "a column and its range, such as income=0..5000 or age=..65".to_owned();
        let (name, range) = text.split_once('=').ok_or_else(needed)?;
        let (low, high) = range.split_once("..").ok_or_else(needed)?;
        let side = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Self { name: name.trim().to_owned(), low: side(low), high: side(high) })
    }
}

/// What changes are measured in, as it is typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CostWord {
    Range,
    Deviation,
    Unit(String, f64),
}

impl FromStr for CostWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let needed = "range, mad, or the change of a column that costs 1, such as income=1000";
        match (text, text.split_once('=')) {
            ("range", _) => Ok(Self::Range),
            ("mad", _) => Ok(Self::Deviation),
            (_, Some((name, unit))) => {
                let unit = unit.trim().parse().ok().filter(|unit: &f64| unit.is_finite() && *unit > 0.0);
                Ok(Self::Unit(name.trim().to_owned(), unit.ok_or(needed)?))
            }
            _ => Err(needed.to_owned()),
        }
    }
}

/// What is wished of every row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) freeze: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) increase: Vec<String>,
    pub(crate) decrease: Vec<String>,
    pub(crate) allow: Vec<Allowed>,
    pub(crate) rules: Vec<String>,
    pub(crate) cost: Vec<CostWord>,
    pub(crate) plausible: PlausibleWord,
}

impl Wishes {
    /// As they are typed.
    pub(crate) fn of(words: &TableArguments, freeze: &[String]) -> Self {
        let TableArguments { categories, increase, decrease, allow, rule, cost, plausible, .. } =
            words.clone();
        Self { freeze: freeze.to_vec(), categories, increase, decrease, allow, rules: rule, cost, plausible }
    }

    /// Says them of a row.
    pub(super) fn apply(&self, columns: &mut Columns, coded: &[Coded]) -> anyhow::Result<()> {
        let names = columns.names.clone();
        let place = |flag: &str, name: &str| {
            let place = names.iter().position(|known| known == name);
            place.with_context(|| {
                format!("--{flag}: there is no column '{name}'; there are {}", names.join(", "))
            })
        };
        for name in &self.categories {
            place("categories", name)?;
        }
        for name in &self.freeze {
            columns.frozen[place("freeze", name)?] = true;
        }
        columns.ways = vec![Way::Any; names.len()];
        for (flag, list, way) in
            [("increase", &self.increase, Way::Up), ("decrease", &self.decrease, Way::Down)]
        {
            for name in list {
                let i = place(flag, name)?;
                ensure!(columns.ways[i] == Way::Any, "{name} may only rise and only fall: freeze it instead");
                columns.ways[i] = way;
            }
        }
        columns.units = self.units(columns, &place)?;
        let [mut lower, mut upper] = [&columns.lower, &columns.upper]
            .map(|bound| (0..names.len()).map(|i| bound.at(i)).collect::<Vec<f64>>());
        for Allowed { name, low, high } in &self.allow {
            let i = place("allow", name)?;
            let parse = |text: &Option<String>| {
                text.as_deref().map(|text| coded[i].parse(text)).transpose().context("--allow")
            };
            lower[i] = parse(low)?.unwrap_or(lower[i]);
            upper[i] = parse(high)?.unwrap_or(upper[i]);
            ensure!(lower[i] <= upper[i], "--allow: the range of {name} ends before it begins");
        }
        (columns.lower, columns.upper) = (PerCoordinate::from(lower), PerCoordinate::from(upper));
        columns.rules = self
            .rules
            .iter()
            .map(|rule| Rule::parse(rule, &names))
            .collect::<Result<_, _>>()
            .context("--rule")?;
        columns.plausible = match self.plausible {
            PlausibleWord::Prefer => Plausible::Prefer,
            PlausibleWord::Strict => Plausible::Require,
        };
        Ok(())
    }

    /// By how much every number changes for a cost of 1.
    fn units(
        &self,
        columns: &Columns,
        place: &impl Fn(&str, &str) -> anyhow::Result<usize>,
    ) -> anyhow::Result<Vec<f64>> {
        let dim = columns.input.len();
        let mut units = columns.widths();
        if self.cost.contains(&CostWord::Deviation) {
            if self.cost.contains(&CostWord::Range) {
                bail!("--cost: range and mad are two measures, take one");
            }
            units = columns.deviations();
        }
        for word in &self.cost {
            if let CostWord::Unit(name, unit) = word {
                units[place("cost", name)?] = *unit;
            }
        }
        debug_assert_eq!(units.len(), dim);
        Ok(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_costs_are_read_as_they_are_typed() {
        let allowed = |text: &str| text.parse::<Allowed>().map(|read| (read.name, read.low, read.high));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(allowed("income = 0..5000"), Ok(("income".into(), some("0"), some("5000"))));
        assert_eq!(allowed("since=2024-01-01.."), Ok(("since".into(), some("2024-01-01"), None)));
        assert!(allowed("income").is_err() && allowed("income=3").is_err());
        assert_eq!("mad".parse(), Ok(CostWord::Deviation));
        assert_eq!("income=1000".parse(), Ok(CostWord::Unit("income".into(), 1000.0)));
        assert!("income=0".parse::<CostWord>().is_err() && "much".parse::<CostWord>().is_err());
    }
}
