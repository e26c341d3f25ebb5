//! The seam to the black box: points in, values (or gradients) out.

/// A batch of points for a black box.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The points, one after the other.
    pub points: &'a [f64],
    /// Coordinates per point.
    pub dim: usize,
    /// The noise sample of each point, see [`crate::query::Queries::sample`].
    pub samples: &'a [u64],
}

impl<'a> Batch<'a> {
    /// The points and their samples.
    pub fn rows(&self) -> impl Iterator<Item = (&'a [f64], u64)> + use<'a> {
        self.points.chunks_exact(self.dim).zip(self.samples.iter().copied())
    }
}

/// A black box $l$: batches of points to values.
///
/// Any `Fn(&[f64]) -> f64 + Sync` is one. A value that is NaN or infinite counts as a failed evaluation.
pub trait Oracle: Sync {
    /// Writes one value per point.
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError>;

    /// How many points it likes at once. Batches are cut into chunks of this size whatever the number of threads, so
    /// that results never depend on threads.
    fn preferred_rows(&self) -> usize {
        1
    }
}

impl<F: Fn(&[f64]) -> f64 + Sync> Oracle for F {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for ((x, _), value) in batch.rows().zip(values) {
            *value = self(x);
        }
        Ok(())
    }
}

/// A stochastic black box $l(x;\xi)$ that repeats itself for the same sample number: `Sampled(|x, sample| ...)`.
#[derive(Clone, Copy, Debug)]
pub struct Sampled<F>(pub F);

impl<F: Fn(&[f64], u64) -> f64 + Sync> Oracle for Sampled<F> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for ((x, sample), value) in batch.rows().zip(values) {
            *value = (self.0)(x, sample);
        }
        Ok(())
    }
}

/// A black box that takes many points at once: a function of a [`Batch`] that fills in the values.
#[derive(Clone, Copy, Debug)]
pub struct Batched<F> {
    /// Points per call.
    pub rows: usize,
    /// The function.
    pub evaluate: F,
}

impl<F: Fn(Batch<'_>, &mut [f64]) -> Result<(), OracleError> + Sync> Oracle for Batched<F> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        (self.evaluate)(batch, values)
    }

    fn preferred_rows(&self) -> usize {
        self.rows
    }
}

/// A black box that also knows (stochastic) gradients.
///
/// Any `Fn(&[f64], u64, &mut [f64]) + Sync` (point, sample, gradient to fill in) is one.
pub trait GradientOracle: Sync {
    /// Writes $\nabla l(x;\xi)$ and returns $l(x;\xi)$ if it is known.
    fn gradient(&self, x: &[f64], sample: u64, gradient: &mut [f64]) -> Result<Option<f64>, OracleError>;
}

impl<F: Fn(&[f64], u64, &mut [f64]) + Sync> GradientOracle for F {
    fn gradient(&self, x: &[f64], sample: u64, gradient: &mut [f64]) -> Result<Option<f64>, OracleError> {
        self(x, sample, gradient);
        Ok(None)
    }
}

/// A black box that could not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OracleError {
    /// What happened, in the black box's own words.
    pub message: String,
    /// Whether other points may still be answered.
    pub recovery: Recovery,
}

/// Whether a failure concerns some points or the black box itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Only these points failed: their directions are dropped.
    Possible,
    /// The black box is gone: the run ends with what it has.
    Impossible,
}

impl OracleError {
    /// These points could not be answered, others may.
    pub fn points(message: impl Into<String>) -> Self {
        Self { message: message.into(), recovery: Recovery::Possible }
    }

    /// Nothing will be answered any more.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), recovery: Recovery::Impossible }
    }
}
