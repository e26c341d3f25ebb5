//! What of an input can be switched, moved or left out: Python's words as the features of the crate that explains.

use gradless::PerCoordinate;
use gradless_explain::features::{Kind, Plausible, Rule, Table, Way};
use gradless_explain::{
    Background, Column, Columns, Disturbance, Features, Grid, Partition, Pixels, Regions, Switches,
};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::problem::Numbers;
use crate::words::{choose, value_error};

/// What a table is, beside the numbers of a row.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TableRequest<'py> {
    /// Kind and places of every column; of a category its place and how many there are.
    columns: Vec<(String, Vec<usize>)>,
    names: Vec<String>,
    /// Which way every number may change: `any`, `up` or `down`.
    ways: Vec<String>,
    units: Vec<f64>,
    steps: Vec<f64>,
    /// Rows like this one, one after the other.
    rows: Option<PyReadonlyArray1<'py, f64>>,
    rules: Vec<RuleRequest>,
    plausible: String,
}

/// How a picture is cut into regions.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RegionsRequest {
    /// `regions=N`, `grid=N` or `labels`.
    partition: String,
    labels: Option<Vec<u32>>,
    /// `blur`, `blur=SHARE`, `mean` or `diffusion`; numbers are in the background.
    background: Option<String>,
}

impl RegionsRequest {
    fn of(self, pixels: Pixels, numbers: Option<PerCoordinate>) -> PyResult<Regions> {
        let partition = match self.labels {
            Some(labels) => Partition::Labels(labels),
            None => {
                self.partition.parse().map_err(|needed: String| value_error(format!("regions: {needed}")))?
            }
        };
        let background = match (numbers, self.background) {
            (Some(numbers), _) => Background::Values(numbers),
            (None, Some(word)) => {
                word.parse().map_err(|needed: String| value_error(format!("absent is {word:?}: {needed}")))?
            }
            (None, None) => Background::default(),
        };
        Regions::new(pixels, &partition, background).map_err(value_error)
    }
}

/// The name of a rule, which numbers count how much, and the least and the most of their sum.
pub(crate) type RuleRequest = (String, Vec<(usize, f64)>, f64, f64);

/// The input, and what is said of it.
pub(crate) struct Given<'py> {
    pub(crate) input: PyReadonlyArray1<'py, f64>,
    pub(crate) shape: Vec<usize>,
    pub(crate) lower: Numbers<'py>,
    pub(crate) upper: Numbers<'py>,
    pub(crate) background: Option<Numbers<'py>>,
    pub(crate) frozen: Vec<bool>,
    pub(crate) table: Option<TableRequest<'py>>,
    pub(crate) switches: Option<(String, Vec<usize>)>,
    pub(crate) regions: Option<RegionsRequest>,
    /// Names of switches, if they have any.
    pub(crate) names: Vec<String>,
    pub(crate) disturbance: Option<Disturbance>,
    /// How many values a number of a saved picture can have; `None`: any.
    pub(crate) levels: Option<u32>,
}

/// The features of an input.
pub(crate) fn features(given: Given<'_>) -> PyResult<Box<dyn Features>> {
    if let Some((kind, alternatives)) = given.switches {
        let kinds = [("words", Kind::Words), ("switches", Kind::Switches)];
        let kind = choose("the kind of switches", &kind, &kinds)?;
        let switches = Switches::new(kind, &alternatives, given.frozen).map_err(value_error)?;
        return Ok(Box::new(switches.named(given.names)));
    }
    let input = given.input.as_slice()?.to_vec();
    let (lower, upper) = (PerCoordinate::try_from(given.lower)?, PerCoordinate::try_from(given.upper)?);
    let background = given.background.map(PerCoordinate::try_from).transpose()?;
    let Some(table) = given.table else {
        let (low, high) = (lower.at(0), upper.at(0));
        // The values a saved picture can hold.
        let steps = given.levels.map(|levels| levels.saturating_sub(1)).filter(|&steps| steps > 0);
        let grid = steps.filter(|_| matches!(given.shape[..], [1 | 3, _, _]));
        let grid = grid.map(|steps| Grid { low, high, steps });
        // What 8 bits cannot hold would not be absent in a saved picture.
        let black = 0.0_f64.clamp(low, high);
        let black = grid.map_or(black, |grid| grid.nearest(black));
        let numbers = background.clone();
        let absent = background.unwrap_or(black.into()).into();
        let otherwise =
            if given.regions.is_some() { Disturbance::OF_REGIONS } else { Disturbance::of(&given.shape) };
        let disturbance = Some(given.disturbance.unwrap_or(otherwise));
        let pixels = Pixels {
            input,
            shape: given.shape,
            lower,
            upper,
            absent,
            frozen: given.frozen,
            grid,
            disturbance,
        };
        return Ok(match given.regions {
            Some(regions) => Box::new(regions.of(pixels, numbers)?),
            None => Box::new(pixels),
        });
    };
    let absent = background.unwrap_or(0.0.into());
    let dim = input.len();
    let columns = table.columns.into_iter().map(column).collect::<PyResult<_>>()?;
    let ways = [("any", Way::Any), ("up", Way::Up), ("down", Way::Down)];
    let plausible = [("prefer", Plausible::Prefer), ("strict", Plausible::Require)];
    let rows = table.rows.map(|rows| Table::new(rows.as_slice()?.to_vec(), dim).map_err(value_error));
    let rule = |(name, terms, least, most): RuleRequest| Rule { name, terms, least, most };
    Ok(Box::new(Columns {
        names: table.names,
        frozen: given.frozen,
        ways: table
            .ways
            .iter()
            .map(|way| choose("the way of a column", way, &ways))
            .collect::<PyResult<_>>()?,
        units: table.units,
        steps: table.steps,
        table: rows.transpose()?,
        rules: table.rules.into_iter().map(rule).collect(),
        plausible: choose("plausible", &table.plausible, &plausible)?,
        ..Columns::new(input, columns, [lower, upper], absent)
    }))
}

fn column((kind, places): (String, Vec<usize>)) -> PyResult<Column> {
    match (kind.as_str(), &places[..]) {
        ("number", &[place]) => Ok(Column::Number(place)),
        ("whole", &[place]) => Ok(Column::Whole(place)),
        ("category", &[at, levels]) => Ok(Column::Category { at, levels }),
        ("one-hot", _) => Ok(Column::OneHot(places)),
        _ => Err(value_error(format!("there is no column '{kind}' with {} places", places.len()))),
    }
}
