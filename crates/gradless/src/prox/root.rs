//! The multiplier of a ball or a simplex: the root of a monotone function of one number.

/// A size within this of the target, relatively, is on target: as much as the sum behind it is worth.
const ON_TARGET: f64 = 8.0 * f64::EPSILON;

/// So many secant steps may be taken before every other step halves the floats that are left.
///
/// Smooth cases need 5 to 10. The halving bounds the worst case to 24 + 2·64 evaluations whatever the range.
const PATIENCE: usize = 24;

/// Where the size meets its target: at one number, or between two neighbouring floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    inside: f64,
    outside: f64,
    weight: f64,
}

impl Root {
    fn at(t: f64) -> Self {
        Self { inside: t, outside: t, weight: 0.0 }
    }

    /// `f` at the root, interpolated between the two neighbours.
    ///
    /// Each coordinate then lies between its answers for two multipliers that differ in their last bit, so all
    /// coordinates still share one multiplier to the last bit, and the size is on target.
    #[inline]
    pub(super) fn blend(&self, f: impl Fn(f64) -> f64) -> f64 {
        let inside = f(self.inside);
        if self.weight == 0.0 { inside } else { inside + self.weight * (f(self.outside) - inside) }
    }
}

/// Finds where `size` is `target`, given that it is at most that at `inside` and at least that at `outside`.
///
/// Both ends are non-negative, in either order; `size` is monotone between them. `shape` is an increasing function
/// that makes `size` closer to linear: the search is Anderson and Björck's variant of false position on
/// `shape(size)`, safeguarded by halving the interval, and bisection on the bit pattern (the order of non-negative
/// floats is that of their bits) ends it.
pub(super) fn root(
    (mut inside, mut outside): (f64, f64),
    target: f64,
    shape: impl Fn(f64) -> f64,
    size: impl Fn(f64) -> f64,
) -> Root {
    let (mut size_in, mut size_out) = (size(inside), size(outside));
    if size_in >= target * (1.0 - ON_TARGET) {
        return Root::at(inside);
    }
    if size_out <= target * (1.0 + ON_TARGET) {
        return Root::at(outside);
    }
    let error = |size: f64| shape(size) - shape(target);
    let (mut error_in, mut error_out) = (error(size_in), error(size_out));
    let mut width_before = f64::INFINITY;
    for evaluations in 1.. {
        let (low, high) = (inside.min(outside).to_bits(), inside.max(outside).to_bits());
        if high - low <= 1 {
            break;
        }
        let secant = inside - error_in * ((outside - inside) / (error_out - error_in));
        let width = (outside - inside).abs();
        let mut t = secant;
        if evaluations % 3 == 0 {
            // Two secants that left more than a quarter are not converging yet.
            if width > 0.25 * width_before {
                t = inside + 0.5 * (outside - inside);
            }
            width_before = width;
        }
        if (evaluations > PATIENCE && evaluations % 2 == 0) || !t.is_finite() {
            t = f64::from_bits(low + (high - low) / 2);
        }
        let t = t.clamp(f64::from_bits(low + 1), f64::from_bits(high - 1));
        let size_t = size(t);
        if (size_t - target).abs() <= ON_TARGET * target {
            return Root::at(t);
        }
        // The end that stays is given less weight, so that the next secant crosses over.
        let error_t = error(size_t);
        let shrink = |old: f64| {
            let ratio = 1.0 - error_t / old;
            if ratio > 0.0 { ratio } else { 0.5 }
        };
        if size_t < target {
            error_out *= if error_in < 0.0 { shrink(error_in) } else { 1.0 };
            (inside, size_in, error_in) = (t, size_t, error_t);
        } else {
            error_in *= if error_out > 0.0 { shrink(error_out) } else { 1.0 };
            (outside, size_out, error_out) = (t, size_t, error_t);
        }
    }
    Root { inside, outside, weight: ((target - size_in) / (size_out - size_in)).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The root and how often the size was computed.
    fn counted(ends: (f64, f64), target: f64, size: impl Fn(f64) -> f64) -> (f64, usize) {
        let count = Cell::new(0);
        let root = root(
            ends,
            target,
            |s| s,
            |t| {
                count.set(count.get() + 1);
                size(t)
            },
        );
        (root.blend(|t| t), count.get())
    }

    #[test]
    fn roots_of_all_sizes_are_found_to_the_last_bit_in_few_evaluations() {
        for exponent in [-300, -150, -20, -3, 0, 3, 150, 300] {
            let at = 1.7 * 10_f64.powi(exponent);
            let (found, count) = counted((0.0, 1e305), at.sqrt(), f64::sqrt);
            assert!((found / at - 1.0).abs() < 1e-14 && count < 2 * 64 + 30, "{exponent} {found} {count}");
        }
    }

    #[test]
    fn smooth_sizes_take_about_ten_evaluations() {
        let (found, count) = counted((0.0, 30.0), 1e4, |t| t.exp_m1() * 0.01 + t);
        assert!(((found.exp_m1() * 0.01 + found) / 1e4 - 1.0).abs() < 1e-14);
        assert!(count < 25, "{count}");
        let (found, count) = counted((3.0, 0.0), 0.5, |t| 1.0 / (1.0 + t));
        assert!((found - 1.0).abs() < 1e-14 && count < 14, "{found} {count}");
    }

    #[test]
    fn a_jump_is_crossed_by_interpolation() {
        let jump = root((0.0, 8.0), 1.0, |s| s, |t| if t < 5.0 { 0.0 } else { 4.0 });
        assert_eq!(jump, Root { inside: 5.0_f64.next_down(), outside: 5.0, weight: 0.25 });
    }
}
