//! The step into an $\ell_2$ ball.

use super::StepError;
use super::kernel::{Active, Kernel, Terms, sum};
use super::root::root;
use crate::vector;

/// The multiplier $\mu \ge 0$ of $\tfrac12\lVert y\rVert_2^2 \le \tfrac12\rho^2$ adds to $\gamma_2$:
/// $\varphi'(s_i) + (b_i + \mu) s_i = k_i$.
///
/// Every $s_i$ falls with $\mu$, and $s_i \le k_i/\mu$ puts the root below $\lVert k\rVert_2/\rho$. The search runs on
/// $-1/\lVert y(\mu)\rVert$, which is linear in $\mu$ for Euclid and nearly so for large $\mu$ in general.
pub(super) fn step<K: Kernel>(terms: &Terms<'_, K>, radius: f64, out: &mut [f64]) -> Result<(), StepError> {
    for (i, y) in out.iter_mut().enumerate() {
        let z = terms.z(i)?;
        let k = z.abs() - terms.l1.at(i);
        *y = if k > 0.0 { terms.kernel.magnitude(k, terms.l2.at(i)).copysign(z) } else { 0.0 };
    }
    if relative_norm(out, radius) <= 1.0 {
        return Ok(());
    }

    let mut actives = Vec::new();
    let mut largest = 0.0_f64;
    for (index, y) in out.iter().enumerate().filter(|(_, y)| **y != 0.0) {
        let level = terms.z(index)?.abs() - terms.l1.at(index);
        largest = largest.max(level);
        actives.push(Active { index, sign: y.signum(), level, b: terms.l2.at(index) });
    }
    let answer = |active: &Active, mu: f64| active.sign * terms.kernel.magnitude(active.level, active.b + mu);
    let size = |mu: f64| sum(&actives, |active| square(answer(active, mu) / radius)).sqrt();
    let k_norm = largest * sum(&actives, |active| square(active.level / largest)).sqrt();
    // Twice the bound, so that rounding cannot put the root outside.
    let root = root((2.0 * (k_norm / radius), 0.0), 1.0, |size| -1.0 / size, size);
    for active in &actives {
        out[active.index] = root.blend(|mu| answer(active, mu));
    }
    Ok(())
}

/// $\lVert x\rVert_2/\rho$, without overflow or underflow on the way.
pub(super) fn relative_norm(x: &[f64], radius: f64) -> f64 {
    let norm = vector::sum_by(x, |x| square(x / radius)).sqrt();
    if norm.is_finite() {
        return norm;
    }
    let largest = vector::norm_max(x);
    (largest / radius) * vector::sum_by(x, |x| square(x / largest)).sqrt()
}

fn square(value: f64) -> f64 {
    value * value
}
