//! $\hat g$: from answers to an estimate of $\nabla l(x_t)$.

mod batch;
mod calibration;
mod difference;
mod radius;

pub use batch::BatchSize;
pub use radius::{Radius, kappa};

pub(crate) use calibration::{CALIBRATION_DIRECTIONS, Calibrated, Calibration, Sides};
pub(crate) use difference::{Layout, Plan, Reduced, deviation_of_finite, mean_of_finite};
pub(crate) use radius::RadiusContext;

use serde::{Deserialize, Serialize};

use crate::direction::Direction;

/// How $\nabla l$ is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Estimator {
    /// From differences of values along $m$ random directions.
    ///
    /// $$ \hat g = \frac{\delta}{m}\sum_{j=1}^m \frac{l(x + \nu u_j) - l(x)}{\nu}\thinspace u_j $$
    Differences {
        /// The law of $u$.
        direction: Direction,
        /// Forward or central.
        difference: Difference,
        /// $m$.
        batch: BatchSize,
        /// $\nu$.
        radius: Radius,
    },
    /// The mean of $m$ (stochastic) gradients that the caller computes: the paper's theorems hold for them too.
    Gradients {
        /// $m$, the number of samples $\xi$.
        batch: BatchSize,
    },
}

/// Which difference is taken along a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Difference {
    /// Forward where one base value serves all directions, central where every direction needs two values anyway.
    #[default]
    Auto,
    /// $(l(x + \nu u) - l(x))/\nu$: $m + 1$ queries if the black box repeats itself, else $2m$.
    Forward,
    /// $(l(x + \nu u) - l(x - \nu u))/2\nu$: $2m$ queries and one for $l(x)$ itself; even-order terms cancel on every
    /// path, so it bears a large radius.
    Central,
}

/// What is known of the noise of the black box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Noise {
    /// Find out: $x_1$ is asked three times before the first step, twice under the same sample.
    #[default]
    Detect,
    /// The same point gives the same value, always: one base value serves all directions.
    None,
    /// The value depends on the point and the sample number: the two values of a difference share their noise.
    Common,
    /// Every evaluation has fresh noise, whatever the sample number.
    Independent,
}
