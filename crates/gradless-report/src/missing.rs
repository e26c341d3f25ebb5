//! Numbers that JSON cannot write: it has `null` for NaN and infinity, and `null` is read as NaN.

use serde::{Deserialize, Deserializer};

pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

pub(super) fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let values = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}
