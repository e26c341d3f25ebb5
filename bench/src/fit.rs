//! Medians and other quantiles, and the power of $d$ that counts grow with.

/// The median of runs of which some may have failed; a failure is slower than every success.
///
/// The lower of the two middle ones if their number is even; `None` if that run failed or there is none.
pub fn median(calls: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    let mut sorted: Vec<u64> = calls.into_iter().map(|calls| calls.unwrap_or(u64::MAX)).collect();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len().saturating_sub(1) / 2)?;
    (*middle < u64::MAX).then_some(*middle)
}

/// The smallest of the numbers that at least this share of them does not exceed; NaN if there are none.
///
/// No mean of two neighbours is taken: infinity, for what never happened, stays what it is.
pub fn quantile(numbers: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let rank = (share * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}

/// The least-squares slope of $\log_{10} y$ against $\log_{10} x$; `None` without two different positive $x$.
pub fn log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (x.log10(), y.log10())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in logs {
        xx += (x - mean_x).powi(2);
        xy += (x - mean_x) * (y - mean_y);
    }
    (xx > 0.0 && xy.is_finite()).then_some(xy / xx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_counts_failures_as_slowest() {
        let cases: [(&[Option<u64>], Option<u64>); 6] = [
            (&[Some(3), Some(1), Some(2)], Some(2)),
            (&[Some(3), None, Some(2)], Some(3)),
            (&[None, None, Some(2)], None),
            (&[Some(5)], Some(5)),
            (&[Some(1), Some(4)], Some(1)),
            (&[], None),
        ];
        for (calls, expected) in cases {
            assert_eq!(median(calls.iter().copied()), expected, "{calls:?}");
        }
    }

    #[test]
    fn quantiles_are_numbers_of_the_list_and_keep_infinity() {
        let numbers = [4.0, f64::INFINITY, 1.0, 2.0, 3.0];
        let shares = [0.0, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9];
        let expected = [1.0, 1.0, 2.0, 3.0, 4.0, 4.0, f64::INFINITY];
        assert_eq!(shares.map(|share| quantile(numbers, share)), expected);
        assert_eq!(quantile([1.0, 4.0], 0.5), 1.0, "as `median`");
        assert!(quantile([], 0.5).is_nan());
    }

    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        for exponent in [-1.0, 0.0, 0.25, 1.5] {
            let slope = log_slope([1e2_f64, 1e3, 1e5].map(|x| (x, 7.0 * x.powf(exponent)))).unwrap();
            assert!((slope - exponent).abs() < 1e-12);
        }
    }

    #[test]
    fn the_slope_of_scattered_points_is_least_squares() {
        // Logs (0, 0), (1, 1), (2, 0), (3, 3): mean (1.5, 1), sum xy = 4, sum xx = 5.
        let slope = log_slope([(1.0, 1.0), (10.0, 10.0), (100.0, 1.0), (1000.0, 1000.0)]).unwrap();
        assert!((slope - 0.8).abs() < 1e-12);
    }

    #[test]
    fn one_point_has_no_slope() {
        assert_eq!(log_slope([(10.0, 5.0)]), None);
        assert_eq!(log_slope([(10.0, 5.0), (10.0, 50.0)]), None);
        assert_eq!(log_slope([(10.0, 5.0), (100.0, 0.0)]), None);
    }
}
