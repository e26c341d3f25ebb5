//! Long lines with fewer points that look the same.

use super::Point;

/// Stretches a long line is cut into. Each keeps its lowest and highest point, so peaks survive.
const STRETCHES: usize = 150;

/// At most two points per stretch, and the two ends.
pub(super) fn thinned(points: Vec<Point>) -> Vec<Point> {
    if points.len() <= 2 * STRETCHES {
        return points;
    }
    let last = points.len() - 1;
    let mut kept = vec![0];
    for stretch in 0..STRETCHES {
        let indices = || stretch * points.len() / STRETCHES..(stretch + 1) * points.len() / STRETCHES;
        let by_value = |a: &usize, b: &usize| points[*a].value.total_cmp(&points[*b].value);
        kept.extend(indices().min_by(by_value));
        kept.extend(indices().max_by(by_value));
    }
    kept.push(last);
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|index| points[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_peaks_survive() {
        let value = |index: usize| if index == 4321 { 100.0 } else { (index as f64).sin() };
        let point = |index: usize| Point { queries: index as f64, value: value(index), valid: false };
        let points: Vec<Point> = (0..10_000).map(point).collect();
        let thin = thinned(points.clone());
        assert!(thin.len() <= 2 * STRETCHES + 2, "{} points", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[9_999]));
        assert!(thin.contains(&points[4321]));
        assert!(thin.is_sorted_by(|a, b| a.queries < b.queries));
    }

    #[test]
    fn a_short_line_stays_as_it_is() {
        let points = vec![Point { queries: 1.0, value: 2.0, valid: true }; 3];
        assert_eq!(thinned(points.clone()), points);
    }
}
