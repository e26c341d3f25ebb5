//! Families of problems with known constants: `min l(x) + gamma (|x|_1 + |x|_2^2/2)` over `[-1, 1]^d`.

mod net;
mod sparse;

pub use net::TanhNet;
pub use sparse::{Shape, SparseTarget};
