//! The step on all of $\mathbb R^d$ or in a box: every coordinate on its own.

use super::StepError;
use super::kernel::{Kernel, Terms};
use crate::set::Bounds;

/// $y_i = \operatorname{clip}(\operatorname{sgn}(z_i) s_i, l_i, h_i)$, exact since each scalar problem is strictly convex.
pub(super) fn step<K: Kernel>(
    terms: &Terms<'_, K>,
    bounds: Option<&Bounds>,
    out: &mut [f64],
) -> Result<(), StepError> {
    for (i, y) in out.iter_mut().enumerate() {
        let z = terms.z(i)?;
        let k = z.abs() - terms.l1.at(i);
        let free = if k > 0.0 { terms.kernel.magnitude(k, terms.l2.at(i)).copysign(z) } else { 0.0 };
        *y = clip(bounds, i, free);
        if y.is_infinite() {
            return Err(StepError::Overflow { coordinate: i, exponent: k });
        }
    }
    Ok(())
}

/// `value` between the bounds of coordinate `i`, if there are any.
#[inline]
pub(super) fn clip(bounds: Option<&Bounds>, i: usize, value: f64) -> f64 {
    bounds.map_or(value, |bounds| bounds.clip(i, value))
}
