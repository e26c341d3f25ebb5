//! $\varphi$: the distance generating functions, one file each, and what the methods need to know of them.









use serde::{Deserialize, Serialize};

/// The user's word for a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Geometry {
    /// $\varphi(x) = \sum_i (|x_i| + \tfrac1d)\ln(d|x_i| + 1) - |x_i|$: gradient descent in the maximum norm, the seed's choice.
    Entropy,
    /// $\varphi(x) = \tfrac12\lVert x\rVert_2^2$.
    Euclidean,
    /// $\varphi(x) = \tfrac1{2(p-1)}\lVert x\rVert_p^2$ with $p = 1 + 1/(2\ln d - 1)$; Euclidean for $d \le 2$.
    PNorm,
}
