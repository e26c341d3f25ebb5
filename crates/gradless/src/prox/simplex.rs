//! The step onto a simplex.

use super::StepError;
use super::kernel::{Active, Kernel, Terms};
use super::threshold::Threshold;

/// The multiplier $\mu \in \mathbb R$ of $\sum_i y_i = \rho$ adds to $g$, and $y \ge 0$ keeps the positive side only:
/// $\varphi'(y_i) + \tfrac{\gamma_{2,i}}\eta y_i = \max(z_i - \tfrac{\gamma_{1,i}}\eta - \mu, 0)$.
///
/// The left side grows with $y_i$, so the sum falls with $\mu$ from infinity to 0 and meets the total once. With the
/// entropy, $\gamma = 0$ and $a \to 0$ this is the exponentiated gradient step.
pub(super) fn step<K: Kernel>(terms: &Terms<'_, K>, total: f64, out: &mut [f64]) -> Result<(), StepError> {
    let reach_without_l2 = terms.kernel.dual(total);
    // A coordinate that would fill the simplex by itself says how large the multiplier is at least.
    let mut least = f64::NEG_INFINITY;
    for (i, k) in out.iter_mut().enumerate() {
        *k = terms.z(i)? - terms.l1.at(i);
        least = least.max(*k - (reach_without_l2 + terms.l2.at(i) * total));
    }

    let mut threshold = Threshold::new(total);
    for (index, y) in out.iter_mut().enumerate() {
        let level = *y;
        // `least` is a difference of numbers as large as the levels; what rounding may take is given back.
        if level >= least - 1e-15 * level.abs() {
            threshold.push(Active { index, sign: 1.0, level, b: terms.l2.at(index) });
        }
        *y = 0.0;
    }
    threshold.recentre(terms);
    threshold.write(terms.kernel, 0.0, None, out);
    Ok(())
}
