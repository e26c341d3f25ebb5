//! Block soft thresholding: the Euclidean step with the group lasso.

use super::kernel::Ratio;
use super::l2_ball::relative_norm;
use super::{Step, StepError};
use crate::regulariser::GroupL2;

/// $y_g = \max\bigl(1 - \tfrac{w_g}{\eta\lVert v_g\rVert_2}, 0\bigr)\thinspace v_g$ with $v = x - g/\eta$, then scaled into the
/// $\ell_2$ ball of the given radius (infinite: none).
///
/// Scaling is exact: the multiplier of the ball adds $\tfrac\mu2\lVert y\rVert_2^2$, which divides every $y_g$ by
/// $1 + \mu/\eta$ and leaves the thresholds where they are.
pub(super) fn step(groups: &GroupL2, radius: f64, step: Step<'_>, out: &mut [f64]) -> Result<(), StepError> {
    for (i, v) in out.iter_mut().enumerate() {
        *v = step.x[i] - step.g[i] / step.eta;
        if !v.is_finite() {
            return Err(StepError::NotFinite { coordinate: i });
        }
    }
    let threshold = Ratio::new(&groups.weight, step.eta);
    let mut factors = groups.norms(out);
    for (group, factor) in factors.iter_mut().enumerate() {
        let (weight, norm) = (threshold.at(group), *factor);
        *factor = if weight == 0.0 {
            1.0
        } else if norm > weight {
            (norm - weight) / norm
        } else {
            0.0
        };
    }
    for (y, &group) in out.iter_mut().zip(&groups.group_of) {
        *y *= factors[group];
    }
    let size = relative_norm(out, radius);
    if size > 1.0 {
        for y in out {
            *y /= size;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_shrink_together_and_small_ones_vanish() {
        // Norms 5 and 1, weight 2.5 each: the first group is halved, the second one vanishes.
        let groups = GroupL2 { weight: 2.5.into(), group_of: vec![0, 1, 0] };
        let at = Step { x: &[3.0, 0.0, 0.0], g: &[0.0, -1.0, -4.0], eta: 1.0 };
        let mut y = [0.0; 3];
        step(&groups, f64::INFINITY, at, &mut y).unwrap();
        assert_eq!(y, [1.5, 0.0, 2.0]);
        step(&groups, 1.25, at, &mut y).unwrap();
        assert_eq!(y, [0.75, 0.0, 1.0]);
    }
}
