//! Explains what a classifier sees, from queries alone.
//!
//! A *part* (pertinent positive) is a small part of an input that suffices for its class; a *change* (pertinent negative) is a
//! small change that would alter it (Dhurandhar et al. 2018). Modules in the order data flows: what is asked ([`question`]), what "not
//! there" means ([`absent`]), what can be switched, moved or left out ([`features`]), what the model's scores are ([`scores`]), when an
//! input answers the question ([`condition`]), everything the model was asked and the best of it (`ledger`), how an answer is searched
//! ([`strategy`]), the answer ([`answer`]), and the way through all of them ([`session`]).
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use gradless::{Inputs, Model, ModelError};
//! use gradless_explain::{Beside, Labels, Options, Pixels, Session, Watch};
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
//! // What of twenty ones is enough for class 1, and what would change it?
//! let features = Pixels::new(vec![1.0; 20], vec![20], 0.0, 1.0);
//! let cancel = AtomicBool::new(false);
//! let session = Session {
//!     model: &Scale,
//!     features: &features,
//!     options: &Options::default(),
//!     beside: Beside::default(),
//!     labels: Labels::default(),
//!     watch: Watch::new(&cancel),
//!     deadline: None,
//!     sent: None,
//! };
//! let [part, change] = &session.explain(session.look()?)?[..] else { unreachable!("two questions") };
//! assert!(part.valid && part.explanation.class == 1);
//! assert!(part.x[3..].iter().all(|&x| x == 0.0)); // something of the first three, nothing else
//! assert!(change.valid && change.explanation.class == 0);
//! # Ok::<(), gradless_explain::ExplainError>(())
//! ```

pub mod question;
pub mod absent;
pub mod features;
pub mod scores;
pub mod condition;
pub mod examples;
mod error;
mod heat;
mod ledger;
pub mod strategy;
pub mod answer;
pub mod session;

pub use absent::{Absent, Background};
pub use answer::{Agreement, Answer, Attacked, Improvement, Minimal, Step};
pub use condition::{Confidence, Floor, Stability};
pub use error::ExplainError;
pub use examples::Examples;
pub use features::{
    Column, Columns, Disturbance, Features, Grid, Partition, Pixels, Regions, Steadiness, Switches,
};
pub use question::{Moves, Norm, Question, QuestionError};
pub use scores::{Declared, Scores};
pub use session::{Beside, Kappa, Labels, Options, Progress, Session, SoFar, Starts, Watch};
pub use strategy::{Start, Strategy};
