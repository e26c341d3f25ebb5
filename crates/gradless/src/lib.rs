//! Minimises what can only be queried.
//!
//! $$ \min_{x\in K}\thickspace l(x) + r(x) $$
//!
//! $l$ is a black box: nonconvex, high-dimensional, perhaps noisy, and every query costs. $r$ is known and convex
//! ($\ell_1$, $\ell_2$, elastic net, group lasso), $K$ is closed and convex (box, ball, simplex). Every method here is
//! one pipeline, and the modules below stand in the order data flows through it:
//!
//! $$ d_t \approx \nabla l(x_t),\qquad
//!    v_t = \argmin_{y\in K}\thickspace \langle d_t, y\rangle + r(y) + \eta_t B_\varphi(y, x_t),\qquad
//!    x_{t+1} = x_t + w_t(v_t - x_t) $$
//!
//! With the entropy-like $\varphi$ and Rademacher queries the number of queries grows with $\ln d$ instead of $d$, and the
//! adaptive weights $\eta_t$ need no knowledge of the problem: Shao, Sivrikaya & Albayrak, *Adaptive Stochastic
//! Optimisation of Nonconvex Composite Objectives* ("the paper" in these pages).
//!
//! ```
//! use gradless::{Config, Problem, Regulariser, Set, minimize};
//!
//! // 1000 coordinates, of which the black box cares about two.
//! let black_box = |x: &[f64]| (x[3] - 0.8).powi(2) + (x[700] + 0.5).powi(2);
//! let problem = Problem::builder(1_000)
//!     .regulariser(Regulariser::l1(0.01))
//!     .set(Set::bounds(-1.0, 1.0))
//!     .build()?;
//! let outcome = minimize(problem, &black_box, Config::default())?;
//! assert!(outcome.counts.queries <= 5_000);
//! assert!((outcome.x()[3] - 0.795).abs() < 0.02 && (outcome.x()[700] + 0.495).abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The core asks and is told ([`Solver`]); [`Driver`] is the loop around it with threads, observers and snapshots.

// For the crates beside this one; not part of what is promised.
#[doc(hidden)]
pub mod vector;
mod per_coordinate;
mod error;
pub mod regulariser;
pub mod set;
pub mod policy;
pub mod problem;
mod space;
#[doc(hidden)]
pub mod random;
pub mod direction;
pub mod query;
pub mod estimator;
pub mod momentum;
pub mod geometry;
pub mod prox;
mod room;
pub mod step_size;
mod update;
pub mod auto;
pub mod method;
pub mod trace;
pub mod stop;
pub mod solver;
pub mod oracle;
pub mod model;
#[expect(clippy::disallowed_methods, reason = "the driver is where clock, threads and files are")]
pub mod drive;

pub use direction::Direction;
pub use drive::{Driver, minimize};
pub use error::ProblemError;
pub use estimator::{BatchSize, Estimator, Noise, Radius};
pub use geometry::Geometry;
pub use method::{METHODS, Method, Preset};
pub use model::{Inputs, Model, ModelError, Scored};
pub use momentum::Momentum;
pub use oracle::{Batch, Oracle, OracleError};
pub use per_coordinate::PerCoordinate;
pub use problem::Problem;
pub use regulariser::Regulariser;
pub use set::Set;
pub use solver::{Answers, Ask, Config, ConfigError, Outcome, Solver};
pub use stop::{Budget, StopReason, StopRule};
