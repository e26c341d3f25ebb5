//! Data profiles: the share of runs that have reached their target, against queries (Moré & Wild 2009).

use gradless_report::plot::{Axes, Axis, Look, Markers, Panel, Plot, Scale, Series};

/// The staircase of one method's runs. A run is the queries it took, or `None` if it never got there.
///
/// From a share of 0 at `from` queries to the last height at `budget`.
pub fn staircase(runs: &[Option<u64>], from: u64, budget: u64) -> Vec<(f64, f64)> {
    let mut reached: Vec<u64> = runs.iter().flatten().copied().collect();
    reached.sort_unstable();
    let all = runs.len().max(1) as f64;
    let mut points = vec![(from as f64, 0.0)];
    for (done, queries) in reached.into_iter().enumerate() {
        let at = queries.max(from) as f64;
        points.push((at, done as f64 / all));
        points.push((at, (done + 1) as f64 / all));
    }
    let height = points.last().map_or(0.0, |point| point.1);
    points.push((budget as f64, height));
    points
}

/// One line of a figure: a method, and the queries that each of its runs took.
pub type Line = (String, Vec<Option<u64>>);

/// Staircases in panels under one legend; queries on a logarithmic axis.
pub fn figure(title: String, panels: Vec<(String, Vec<Line>)>, budget: u64) -> Plot {
    let from = panels
        .iter()
        .flat_map(|(_, lines)| lines.iter().flat_map(|(_, runs)| runs.iter().flatten().copied()))
        .min()
        .unwrap_or(1)
        .max(1);
    let line =
        |(name, runs): Line| Series { name, label: String::new(), points: staircase(&runs, from, budget) };
    let panel =
        |(title, lines): (String, Vec<_>)| Panel { title, series: lines.into_iter().map(line).collect() };
    Plot {
        title,
        x: Axis { label: "queries".into(), scale: Scale::Log },
        y: Axis { label: "share of runs at the target".into(), scale: Scale::Linear },
        panels: panels.into_iter().map(panel).collect(),
        look: Look { axes: Axes::Shared, markers: Markers::Few, columns: 3, order: Vec::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_rises_by_one_run_at_a_time_and_stays() {
        let points = staircase(&[Some(30), None, Some(10), None], 5, 100);
        assert_eq!(points, [(5.0, 0.0), (10.0, 0.0), (10.0, 0.25), (30.0, 0.25), (30.0, 0.5), (100.0, 0.5)]);
    }

    #[test]
    fn the_figure_has_a_line_per_method_and_panel() {
        let lines = || vec![("ours".to_owned(), vec![Some(7)]), ("theirs".to_owned(), vec![None])];
        let svg = figure("t".into(), vec![("a".into(), lines()), ("b".into(), lines())], 100).to_svg();
        assert!(svg.contains("ours") && svg.contains("theirs") && svg.contains("queries"));
    }
}
