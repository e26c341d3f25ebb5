//! The step into an $\ell_1$ ball, with or without bounds.

use super::StepError;
use super::coordinates::clip;
use super::kernel::{Active, Kernel, Terms};
use super::threshold::Threshold;
use crate::set::Bounds;
use crate::vector;

/// The multiplier $\mu \ge 0$ of $\lVert y\rVert_1 \le \rho$ adds to $\gamma_1$: $k_i(\mu) = \max(k_i - \mu, 0)$.
///
/// $|y_i(\mu)|$ does not grow with $\mu$, also where bounds exclude 0 (then $y_i$ moves towards the bound next to
/// 0), and tends to $|\operatorname{clip}(0)|$, so that $\mu$ exists whenever the set is not empty. If $\mu = 0$ does,
/// this is the step into the box at the same price.
pub(super) fn step<K: Kernel>(
    terms: &Terms<'_, K>,
    radius: f64,
    bounds: Option<&Bounds>,
    out: &mut [f64],
) -> Result<(), StepError> {
    let reach_without_l2 = terms.kernel.dual(radius);
    // Without bounds a coordinate that would reach beyond the ball by itself says how large μ is at least.
    let mut least = 0.0_f64;
    for (i, y) in out.iter_mut().enumerate() {
        let z = terms.z(i)?;
        let (k, b) = (z.abs() - terms.l1.at(i), terms.l2.at(i));
        if bounds.is_none() {
            least = least.max(k - (reach_without_l2 + b * radius));
        }
        let free = if k > 0.0 && least == 0.0 { terms.kernel.magnitude(k, b).copysign(z) } else { 0.0 };
        *y = clip(bounds, i, free);
    }
    if least == 0.0 && vector::norm_l1(out) <= radius {
        return Ok(());
    }

    let mut threshold = Threshold::new(radius);
    for (i, y) in out.iter_mut().enumerate() {
        let z = terms.z(i)?;
        let level = z.abs() - terms.l1.at(i);
        // `least` is a difference of numbers as large as the levels; what rounding may take is given back.
        if level > 0.0 && level >= least - 1e-15 * level {
            threshold.push(Active { index: i, sign: z.signum(), level, b: terms.l2.at(i) });
            *y = 0.0;
        } else {
            *y = clip(bounds, i, 0.0);
        }
    }
    if bounds.is_none() {
        // With bounds μ may be far below the k that bounds hold. Every k above μ is larger than μ, so its
        // rounding is one of the coordinate's own data there.
        threshold.recentre(terms);
    }
    let base = vector::norm_l1(out);
    threshold.write(terms.kernel, base, bounds, out);
    Ok(())
}
