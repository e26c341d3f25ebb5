//! One-dimensional searches that cannot go wrong.

/// Where the non-decreasing `f` crosses zero on `[low, high]`: 2000 halvings at most, until the floats end.
///
/// The end nearest to the crossing if there is none inside.
pub fn crossing(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..2000 {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    if f(low) >= 0.0 { low } else { high }
}

/// The minimiser of a convex `f` on `[low, high]` by golden section: half the digits of a float.
pub fn minimise(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (low, high);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut f_left, mut f_right) = (f(left), f(right));
    while high - low > 1e-9 * (1.0 + low.abs()) {
        if f_left <= f_right {
            (high, right, f_right) = (right, left, f_left);
            left = high - ratio * (high - low);
            f_left = f(left);
        } else {
            (low, left, f_left) = (left, right, f_right);
            right = low + ratio * (high - low);
            f_right = f(right);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_and_a_minimum_are_found() {
        assert_eq!(crossing(|t| t - 0.3, -1.0, 1.0), 0.3);
        assert_eq!(crossing(|t| t - 3.0, -1.0, 1.0), 1.0);
        assert_eq!(crossing(|t| t + 3.0, -1.0, 1.0), -1.0);
        assert!((minimise(|t| (t - 0.3).abs(), -1.0, 1.0) - 0.3).abs() < 1e-8);
    }
}
