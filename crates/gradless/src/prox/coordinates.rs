//! The step on all of $\mathbb R^d$ or in a box: every coordinate on its own.

use super::StepError;
use super::kernel::{Kernel, Terms};
use super::lanes::BLOCK;
use crate::set::Bounds;

/// $y_i = \operatorname{clip}(\operatorname{sgn}(z_i) s_i, l_i, h_i)$, exact since each scalar problem is strictly convex.
///
/// Block by block: a block that is and stays zero costs a comparison per coordinate, one the kernel can do at once is
/// done at once, and the rest goes one by one.
pub(super) fn step<K: Kernel>(
    terms: &Terms<'_, K>,
    bounds: Option<&Bounds>,
    out: &mut [f64],
) -> Result<(), StepError> {
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let first = block * BLOCK;
        if terms.stays_zero(first..first + out.len()) {
            out.fill(0.0);
        } else if !terms.block(first, out) {
            one_by_one(terms, bounds, first, out)?;
            continue;
        }
        if let Some(bounds) = bounds {
            bounds.clip_all(first, out);
        }
    }
    Ok(())
}

fn one_by_one<K: Kernel>(
    terms: &Terms<'_, K>,
    bounds: Option<&Bounds>,
    first: usize,
    out: &mut [f64],
) -> Result<(), StepError> {
    for (i, y) in (first..).zip(out) {
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
