//! `auto`: a descent with remembered slopes and watched steps.

mod component;
mod descent;
mod likeness;
mod memory;

pub use component::Component;
pub(crate) use descent::{Descent, Elsewhere, STRETCHES, Verdict};
