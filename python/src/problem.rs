//! Problems from what the Python classes say: plain tuples of a name and numbers.

use gradless::policy::Outside;
use gradless::{PerCoordinate, Problem, Regulariser, Set};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::words::value_error;

/// One number for all coordinates, or an array with one for each.
#[derive(FromPyObject)]
pub(crate) enum Numbers<'py> {
    Same(f64),
    Each(PyReadonlyArray1<'py, f64>),
}

impl TryFrom<Numbers<'_>> for PerCoordinate {
    type Error = PyErr;

    fn try_from(numbers: Numbers<'_>) -> Result<Self, PyErr> {
        Ok(match numbers {
            Numbers::Same(value) => Self::Same(value),
            Numbers::Each(values) => Self::Each(values.as_slice()?.to_vec()),
        })
    }
}

/// A regulariser as Python tells it: `("elastic_net", l1, l2)` or `("group_l2", weight, groups)`.
#[derive(FromPyObject)]
pub(crate) struct Penalty<'py>(String, Numbers<'py>, Bound<'py, PyAny>);

impl TryFrom<Penalty<'_>> for Regulariser {
    type Error = PyErr;

    fn try_from(Penalty(name, weight, second): Penalty<'_>) -> Result<Self, PyErr> {
        let weight = PerCoordinate::try_from(weight)?;
        match name.as_str() {
            "elastic_net" => {
                let l2: Numbers<'_> = second.extract()?;
                Ok(Self::elastic_net(weight, PerCoordinate::try_from(l2)?))
            }
            "group_l2" => Ok(Self::group_l2(weight, second.extract()?)),
            other => Err(value_error(format!("there is no regularizer '{other}'"))),
        }
    }
}

/// A set as Python tells it: a name, its size if it has one, and bounds.
#[derive(FromPyObject)]
pub(crate) struct Region<'py>(String, Option<f64>, Option<Numbers<'py>>, Option<Numbers<'py>>);

impl TryFrom<Region<'_>> for Set {
    type Error = PyErr;

    fn try_from(region: Region<'_>) -> Result<Self, PyErr> {
        let Region(name, size, lower, upper) = region;
        let size = || size.ok_or_else(|| value_error(format!("the set '{name}' has no size")));
        let side = |side: Option<Numbers<'_>>, open: f64| {
            side.map_or(Ok(PerCoordinate::Same(open)), PerCoordinate::try_from)
        };
        let bounded = lower.is_some() || upper.is_some();
        let (lower, upper) = (side(lower, f64::NEG_INFINITY)?, side(upper, f64::INFINITY)?);
        Ok(match name.as_str() {
            "free" => Self::Free,
            "box" => Self::bounds(lower, upper),
            "l1_ball" if bounded => Self::l1_ball_in_box(size()?, lower, upper),
            "l1_ball" => Self::l1_ball(size()?),
            "l2_ball" => Self::l2_ball(size()?),
            "simplex" => Self::Simplex { total: size()? },
            other => return Err(value_error(format!("there is no set '{other}'"))),
        })
    }
}

/// What a problem is made of.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Parts<'py> {
    start: PyReadonlyArray1<'py, f64>,
    regularizer: Option<Penalty<'py>>,
    set: Option<Region<'py>>,
    center: Option<PyReadonlyArray1<'py, f64>>,
    project: bool,
}

impl TryFrom<Parts<'_>> for Problem {
    type Error = PyErr;

    fn try_from(parts: Parts<'_>) -> Result<Self, PyErr> {
        let start = parts.start.as_slice()?.to_vec();
        let mut builder = Self::builder(start.len()).start(start);
        if let Some(penalty) = parts.regularizer {
            builder = builder.regulariser(penalty.try_into()?);
        }
        if let Some(set) = parts.set {
            builder = builder.set(set.try_into()?);
        }
        if let Some(center) = parts.center {
            builder = builder.centre(center.as_slice()?.to_vec());
        }
        if parts.project {
            builder = builder.outside(Outside::Project);
        }
        builder.build().map_err(|error| match error {
            gradless::ProblemError::StartOutside { violation } => value_error(format!(
                "x0 is outside the set by {violation}: move it inside, or pass project=True to begin at the nearest point"
            )),
            other => value_error(other),
        })
    }
}
