//! Classifiers as black boxes: ONNX files through two engines, and models around models.
//!
//! ```
//! use gradless::{Config, Driver, Model, Problem, Regulariser, Scored, Set, Solver};
//! use gradless_models::Onnx;
//!
//! let model = Onnx::load("tests/files/conv.onnx")?; // and `conv.toml` beside it, if there is one
//! let [low, high] = model.description().range;
//! // What makes it say class 2 rather than class 0, with few numbers that are not 0.
//! let black_box = Scored { model: &model, loss: |scores: &[f64]| scores[0] - scores[2] };
//! let problem = Problem::builder(model.inputs())
//!     .regulariser(Regulariser::l1(0.01))
//!     .set(Set::bounds(low, high))
//!     .build()?;
//! let solver = Solver::new(problem, Config::default())?;
//! let outcome = Driver::default().threads(2).run(solver, &black_box);
//!
//! let mut scores = vec![0.0; model.classes()];
//! model.scores(gradless::Inputs { points: outcome.x(), dim: model.inputs() }, &mut scores)?;
//! assert!(scores[2] > scores[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Onnx`]: a classifier in an ONNX file, with its [`Description`] beside it.
//! - [`Process`]: any program as the black box, through lines of JSON.
//! - `Http` (feature `http`): a classifier behind an address.
//! - [`Counted`], [`Capped`], [`Cached`], [`Journalled`]: models around models.
//! - [`ModelNoise`]: how far rounding blurs a model's scores.

mod error;
mod file;
mod description;
mod records;
mod named;
mod onnx;
mod process;
#[cfg(feature = "http")]
mod http;
mod wrap;
mod noise;

pub use description::{Description, DescriptionError, Layout, Resize, ScoreKind};
pub use error::{LoadError, Problem};
#[cfg(feature = "http")]
pub use http::{BeforeRepeat, Http, HttpError, HttpKnown, HttpOptions, HttpSession, Numbers, Told};
pub use named::Labels;
pub use noise::{ModelNoise, ModelNoiseError};
#[cfg(feature = "ort")]
pub use onnx::OnnxRecords;
/// Not for users: which operators an engine has is measured with it (`bench --bin operators`), and tests run single operators.
#[doc(hidden)]
pub use onnx::{Element, Tensor, run_graph};
pub use onnx::{Engine, Onnx, OnnxOptions};
pub use process::{Incidents, Process, ProcessOptions, Program, SCHEMA as PROCESS_SCHEMA};
pub use records::{Cell, Record, RecordModel, Worded, Wording};
pub use wrap::{Asked, Cached, Capped, Counted, Hits, Journalled};

/// The programs of the README and of the guide are compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/rust.md")]
struct Programs;
