//! What a run leaves behind: one record per iteration, notices when something deserves a sentence.

use serde::{Deserialize, Serialize};

/// Exact counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Answers the method used, failed ones included: what drives the trajectory.
    pub queries: u64,
    /// Points handed out, repeats after a failure or a crash included: what was paid for.
    pub sent: u64,
    /// Answers that were NaN, infinite or failed.
    pub failed: u64,
    /// Steps taken.
    pub iterations: u64,
}

/// One iteration. Where queries must stay inside $K$, $x_t$ means the point they are taken around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// $t$, from 1.
    pub iteration: u64,
    /// Queries used up to and including this iteration.
    pub queries: u64,
    /// $l(x_t) + r(x_t)$; if the black box is noisy, as one value (or the mean of the batch's values at $x_t$) shows it.
    pub objective: Option<f64>,
    /// $l(x_t)$, or its estimate; `None` if only gradients are told.
    pub loss: Option<f64>,
    /// $r(x_t)$.
    pub regulariser: f64,
    /// $\lVert x_t\rVert_1$, from the centre.
    pub norm_l1: f64,
    /// $\lVert x_t\rVert_2$, from the centre.
    pub norm_l2: f64,
    /// Coordinates of $x_t$ that differ from the centre.
    pub nonzeros: usize,
    /// $\eta_t$, the weight of the divergence in the step from $x_t$.
    pub step_size: f64,
    /// $\nu$; 0 if gradients are told.
    pub radius: f64,
    /// $\lambda_t\eta_t\lVert v_t - x_t\rVert$: the size of the generalised gradient at the estimate $d_t$.
    pub stationarity: f64,
    /// Directions (or gradients) that entered the estimate.
    pub kept: usize,
    /// The smallest objective seen so far.
    pub best: Option<f64>,
}

/// Something the user should know, though the run goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Notice {
    /// The start was outside the set and has been moved.
    StartProjected {
        /// How far, in $\ell_2$.
        distance: f64,
    },
    /// The same point under the same sample gave two values: the noise is independent, no base value is shared.
    NotRepeatable {
        /// The two values.
        values: [f64; 2],
    },
    /// The value depends on the sample number and repeats itself with it: differences are taken under common samples.
    CommonNoise {
        /// Values under two samples.
        values: [f64; 2],
    },
    /// The radius was chosen from the measured noise.
    RadiusChosen {
        /// Standard deviation of one value; `None` if it could not be told from the function.
        noise: Option<f64>,
        /// $\nu$.
        radius: f64,
    },
    /// Every difference was exactly zero; the radius has grown.
    RadiusGrown {
        /// The iteration.
        iteration: u64,
        /// $\nu$ from now on.
        radius: f64,
    },
    /// Every difference is exactly zero up to the largest radius: the black box is taken to be flat here.
    Flat {
        /// The iteration.
        iteration: u64,
        /// The largest radius.
        radius: f64,
    },
    /// Answers failed and their directions were dropped: the first time this happens. [`Counts::failed`] has all.
    AnswersFailed {
        /// The iteration.
        iteration: u64,
        /// How many failed.
        failed: usize,
        /// Of how many.
        of: usize,
    },
    /// The budget does not pay for a single iteration.
    BudgetTooSmall {
        /// Queries one iteration and the look at the last points need.
        needed: u64,
        /// Queries there were.
        available: u64,
    },
    /// Noise stalled the method, and it handed over to ZO-AdaExpGrad+.
    GaveWay,
    /// The noise of the black box is large beside what the run has gained: the answer may be far from what it could be.
    NoiseLarge {
        /// Standard deviation of one value at the last point.
        noise: f64,
        /// By how much the objective fell.
        gained: f64,
    },
    /// A snapshot could not be written; the run goes on without it.
    SnapshotFailed {
        /// Why.
        message: String,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::StartProjected { distance } => {
                write!(
                    f,
                    "the start was outside the set and was moved by {distance:.3e} to its nearest point"
                )
            }
            Self::NotRepeatable { values: [a, b] } => write!(
                f,
                "the black box is not repeatable: the same point gave {a} and {b}; every direction now gets its own \
                 pair of values"
            ),
            Self::CommonNoise { values: [a, b] } => write!(
                f,
                "the black box depends on the sample number: the same point gave {a} and {b}; both values of a \
                 difference now share a sample"
            ),
            Self::RadiusChosen { noise: Some(noise), radius } => {
                write!(f, "values carry noise of about {noise:.1e}; the radius is {radius:.1e}")
            }
            Self::RadiusChosen { noise: None, radius } => {
                write!(f, "no noise could be told from the function; the radius stays {radius:.1e}")
            }
            Self::RadiusGrown { iteration, radius } => write!(
                f,
                "iteration {iteration}: no value changed within the radius; it grows to {radius:.1e} (trees and 8-bit \
                 inputs are flat at small distances)"
            ),
            Self::Flat { iteration, radius } => {
                write!(f, "iteration {iteration}: the black box does not change within {radius:.1e}")
            }
            Self::AnswersFailed { iteration, failed, of } => {
                write!(
                    f,
                    "iteration {iteration}: {failed} of {of} answers failed; their directions were dropped, and so will those of later ones"
                )
            }
            Self::BudgetTooSmall { needed, available } => write!(
                f,
                "one iteration and the look at the last points need {needed} queries, the budget leaves {available}: raise it \
                 or choose a smaller batch"
            ),
            Self::GaveWay => {
                write!(f, "the black box is noisy: zo-ada-exp-grad+ runs instead, which averages it out")
            }
            Self::NoiseLarge { noise, gained } => write!(
                f,
                "values carry noise of about {noise:.1e} while the objective fell by {gained:.1e}: this much noise hides what \
                 is left to gain; average several values per query, or give many more queries"
            ),
            Self::SnapshotFailed { message } => {
                write!(f, "no snapshot could be written ({message}); the run goes on without")
            }
        }
    }
}
