//! Medians of counts, and the power of $d$ they grow with.

/// The median of runs of which some may have failed; a failure is slower than every success.
///
/// The lower of the two middle ones if their number is even; `None` if that run failed or there is none.
pub fn median(calls: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    let mut sorted: Vec<u64> = calls.into_iter().map(|calls| calls.unwrap_or(u64::MAX)).collect();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len().saturating_sub(1) / 2)?;
    (*middle < u64::MAX).then_some(*middle)
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
