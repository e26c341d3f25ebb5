//! Explains what a classifier sees, from queries alone, and draws the answer.
//!
//! A *pertinent positive* is a small part of an input that suffices for its class; a *pertinent negative* is a small
//! change that would alter it (Dhurandhar et al. 2018). Modules in the order data flows: what is asked (`task`), when an
//! input answers it (`condition`), how large a margin must be to count (`floor`), everything the model was asked and the best of it (`ledger`), the method over points and
//! weights (`search`), steps by what single places are worth (`refine`), valid points to begin with (`starts`), the removal
//! of what is not needed (`prune`), the way through all of them (`run`), the answer (`answer`), and how it looks
//! (`picture`, `report`).
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use gradless::{Inputs, Model, ModelError};
//! use gradless_explain::{Explain, Mode, Task, Watch, explain};
//!
//! /// Class 1 if the first three numbers outweigh the others.
//! struct Scale;
//!
//! impl Model for Scale {
//!     fn shape(&self) -> &[usize] {
//!         &[20]
//!     }
//!     fn classes(&self) -> usize {
//!         2
//!     }
//!     fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
//!         for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
//!             let sum: f64 = 2.0 * x[..3].iter().sum::<f64>() - 0.2 * x[3..].iter().sum::<f64>() - 0.5;
//!             scores.copy_from_slice(&[-sum, sum]);
//!         }
//!         Ok(())
//!     }
//! }
//!
//! // What of twenty ones is enough for class 1?
//! let task = Task::new(Mode::PertinentPositive, vec![1.0; 20], 0.0, 1.0);
//! let answer = explain(&Scale, &task, &Explain::default(), &Watch::new(&AtomicBool::new(false)))?;
//! assert!(answer.valid && answer.class == 1);
//! assert!(answer.unknown[3..].iter().all(|&x| x == 0.0)); // something of the first three, nothing else
//! # Ok::<(), gradless_explain::ExplainError>(())
//! ```

pub mod task;
pub mod condition;
mod floor;
mod ledger;
mod search;
mod refine;
mod starts;
mod prune;
mod run;
mod answer;
pub mod picture;
pub mod report;

pub use answer::{Answer, Explain, ExplainError, Grid, Kappa, Progress, Search, Step, Watch, explain};
pub use condition::Condition;
pub use floor::{Floor, Within};
pub use report::{Minimal, Mode};
pub use task::{Change, Start, Task, TaskError};
