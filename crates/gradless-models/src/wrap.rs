//! Models around models: counted, capped, cached, in logarithms.

mod cached;
mod capped;
mod counted;
mod log_scores;

pub use cached::{Cached, Hits};
pub use capped::Capped;
pub use counted::{Asked, Counted};
pub use log_scores::LogScores;
