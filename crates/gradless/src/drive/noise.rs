//! The noise of a black box at a point, measured before anything is minimised.

use serde::{Deserialize, Serialize};

use crate::direction::{Direction, Directions};
use crate::estimator::{CALIBRATION_DIRECTIONS, Calibrated, Calibration, Difference, Sides};
use crate::oracle::{Batch, Oracle, OracleError, Recovery};

/// How noise is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseProbe {
    /// The difference a radius is wanted for; `Auto` is forward.
    pub difference: Difference,
    /// The first distance between points, and the first radius tried. A millionth by default: the kinks of a network count as
    /// noise where points are farther apart, the rounding of its inputs to single precision where they are nearer.
    pub start: f64,
    /// No radius above this.
    pub largest: f64,
    /// Chooses the directions.
    pub seed: u64,
}

impl Default for NoiseProbe {
    fn default() -> Self {
        Self { difference: Difference::Auto, start: 1e-6, largest: 1.0, seed: 0 }
    }
}

/// The noise of a black box at a point, and the radius it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// Standard deviation of the noise of one value, rounding included; `None` if it could not be told from the function.
    pub noise: Option<f64>,
    /// The radius at which curvature just shows above the noise, for directions of signs; the start if there is no noise.
    pub radius: f64,
    /// What measuring took.
    pub queries: u64,
}

/// Why noise could not be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// The point has no coordinates, or one that is not finite.
    #[error("the point to measure at must have coordinates, all of them finite")]
    BadPoint,
    /// A distance is not positive and finite.
    #[error("the {what} is {value}: a positive finite number is needed")]
    BadDistance {
        /// Which distance.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The black box is gone.
    #[error("{0}")]
    Oracle(#[from] OracleError),
}

/// Measures the noise of a black box at $x$, and finds the radius it asks for.
///
/// What [`Radius::NoiseAware`](crate::Radius::NoiseAware) does at the start of a run, on its own: seven values on each of
/// three lines (ECnoise, Moré & Wild 2011), then radii until the second or third difference is 1.5 to 6 times what noise
/// explains (Shi, Xie, Xuan & Nocedal 2022). Rounding counts as noise. Usually 50 to 130 queries; points are not kept in any
/// set.
///
/// ```
/// use gradless::drive::{NoiseProbe, noise_floor};
///
/// // A sum of 200 terms in single precision.
/// let rounded = |x: &[f64]| f64::from(x.iter().map(|v| (*v as f32).sin()).sum::<f32>());
/// let floor = noise_floor(&rounded, &[0.3; 200], NoiseProbe::default())?;
/// assert!(floor.noise > Some(1e-6) && floor.noise < Some(1e-3));
/// assert!(floor.radius > 1e-5 && floor.queries < 200);
/// # Ok::<(), gradless::drive::NoiseError>(())
/// ```
pub fn noise_floor(oracle: &dyn Oracle, x: &[f64], probe: NoiseProbe) -> Result<NoiseFloor, NoiseError> {
    if x.is_empty() || x.iter().any(|value| !value.is_finite()) {
        return Err(NoiseError::BadPoint);
    }
    for (what, value) in [("start", probe.start), ("largest radius", probe.largest)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(NoiseError::BadDistance { what, value });
        }
    }
    let mut directions = Directions::new(Direction::Rademacher, x.len(), probe.seed);
    directions.draw(0, CALIBRATION_DIRECTIONS);
    let sides = if probe.difference == Difference::Central { Sides::Two } else { Sides::One };
    let mut calibration = Calibration::new(sides, probe.start, probe.largest);
    let mut queries = 0;
    loop {
        let rows = calibration.rows(queries, true);
        let mut points = vec![0.0; rows.len() * x.len()];
        for (row, point) in rows.iter().zip(points.chunks_exact_mut(x.len())) {
            match row.step {
                None => point.copy_from_slice(x),
                Some((direction, length)) => directions.write(direction, x, length, point),
            }
        }
        let samples: Vec<u64> = rows.iter().map(|row| row.sample).collect();
        let values = ask(oracle, &points, x.len(), &samples)?;
        let first_sample = queries;
        queries += rows.len() as u64;
        if let Calibrated::Done { radius, noise, .. } = calibration.tell(&values, first_sample) {
            return Ok(NoiseFloor { noise, radius, queries });
        }
    }
}

/// The values of a batch in the chunks the black box likes; what it could not answer is NaN.
fn ask(oracle: &dyn Oracle, points: &[f64], dim: usize, samples: &[u64]) -> Result<Vec<f64>, OracleError> {
    let rows = oracle.preferred_rows().max(1);
    let mut values = vec![f64::NAN; samples.len()];
    let chunks = points.chunks(rows.saturating_mul(dim)).zip(samples.chunks(rows));
    for ((points, samples), values) in chunks.zip(values.chunks_mut(rows)) {
        match oracle.evaluate(Batch { points, dim, samples }, values) {
            Err(error) if error.recovery == Recovery::Impossible => return Err(error),
            Err(_) => values.fill(f64::NAN),
            Ok(()) => {}
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Batched;

    #[test]
    fn without_noise_none_is_found() {
        let floor = noise_floor(&|_: &[f64]| 2.0, &[0.0; 5], NoiseProbe::default()).unwrap();
        assert_eq!((floor.noise, floor.radius), (None, 1e-6));
    }

    #[test]
    fn bad_points_and_distances_are_refused() {
        let measure = |x: &[f64], probe| noise_floor(&|_: &[f64]| 0.0, x, probe).unwrap_err();
        assert_eq!(measure(&[], NoiseProbe::default()), NoiseError::BadPoint);
        assert_eq!(measure(&[f64::NAN], NoiseProbe::default()), NoiseError::BadPoint);
        let probe = NoiseProbe { start: 0.0, ..NoiseProbe::default() };
        assert_eq!(measure(&[1.0], probe), NoiseError::BadDistance { what: "start", value: 0.0 });
    }

    #[test]
    fn a_black_box_that_is_gone_ends_the_measurement_and_one_that_fails_does_not() {
        let gone =
            Batched { rows: 4, evaluate: |_: Batch<'_>, _: &mut [f64]| Err(OracleError::fatal("gone")) };
        let error = noise_floor(&gone, &[0.0], NoiseProbe::default()).unwrap_err();
        assert_eq!(error, NoiseError::Oracle(OracleError::fatal("gone")));
        let fails =
            Batched { rows: 4, evaluate: |_: Batch<'_>, _: &mut [f64]| Err(OracleError::points("no")) };
        assert_eq!(noise_floor(&fails, &[0.0], NoiseProbe::default()).unwrap().noise, None);
    }
}
