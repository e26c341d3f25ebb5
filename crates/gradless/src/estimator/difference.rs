//! Plans the queries of one estimate and turns their answers into coefficients of the directions.

use crate::query::{Base, Row};

/// How the rows of one base point are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One base value, then one value per direction.
    Shared,
    /// For every direction a base value and a perturbed one under the same sample.
    Paired,
    /// The base point, for its own value, then for every direction two perturbed values under the same sample.
    Central,
}

impl Layout {
    /// Rows for `m` directions at one base point.
    fn rows(self, m: usize) -> usize {
        match self {
            Self::Shared => m + 1,
            Self::Paired => 2 * m,
            Self::Central => 2 * m + 1,
        }
    }
}

/// The queries of one estimate: $m$ directions at $x_t$ and, for momentum, the same at $x_{t-1}$.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    layout: Layout,
    m: usize,
    nu: f64,
    /// Where the base value is asked: at the centre of the differences, or at $x_t$ itself.
    base: Base,
    /// $l(x_{t-1})$ where it is already paid for.
    known_previous: Option<f64>,
    with_previous: bool,
}

/// What the answers say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reduced {
    /// Coefficient of each direction, $\frac1n(y_j - c\thinspace y'_j)$, 0 where an answer failed; $n$ is the number kept.
    pub(crate) coefficients: Vec<f64>,
    /// An estimate of $l(x_t)$.
    pub(crate) loss: Option<f64>,
    /// Directions that entered.
    pub(crate) kept: usize,
    /// Answers that failed.
    pub(crate) failed: usize,
    /// Every difference was exactly zero.
    pub(crate) flat: bool,
}

impl Plan {
    pub(crate) fn new(layout: Layout, m: usize, nu: f64) -> Self {
        Self { layout, m, nu, base: Base::Centre, known_previous: None, with_previous: false }
    }

    /// Asks for the base value at $x_t$ itself, wherever the differences are taken.
    pub(crate) fn with_value_at_point(mut self) -> Self {
        self.base = Base::Current;
        self
    }

    /// Also estimate at $x_{t-1}$, whose value may be known.
    pub(crate) fn and_previous(mut self, known: Option<f64>) -> Self {
        self.with_previous = true;
        self.known_previous = known.filter(|_| self.layout == Layout::Shared);
        self
    }

    /// $m$.
    pub(crate) fn directions(&self) -> usize {
        self.m
    }

    /// $\nu$.
    pub(crate) fn radius(&self) -> f64 {
        self.nu
    }

    /// The number of queries.
    pub(crate) fn len(&self) -> usize {
        self.layout.rows(self.m) + self.previous_rows()
    }

    fn previous_rows(&self) -> usize {
        match (self.with_previous, self.layout) {
            (false, _) => 0,
            (true, Layout::Central) => 2 * self.m,
            (true, layout) => layout.rows(self.m) - usize::from(self.known_previous.is_some()),
        }
    }

    /// How many sample numbers the plan uses up.
    pub(crate) fn samples(&self) -> u64 {
        if self.layout == Layout::Shared { 1 } else { self.m as u64 }
    }

    /// The rows, in the order their answers are expected.
    pub(crate) fn rows(&self, first_sample: u64) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.len());
        self.push_rows(Base::Centre, false, first_sample, &mut rows);
        if self.with_previous {
            self.push_rows(Base::Previous, self.known_previous.is_some(), first_sample, &mut rows);
        }
        rows
    }

    fn push_rows(&self, base: Base, base_known: bool, first_sample: u64, rows: &mut Vec<Row>) {
        let at = if base == Base::Centre { self.base } else { base };
        let value = |sample| Row { base: at, step: None, sample };
        let step = |j, length, sample| Row { base, step: Some((j, length)), sample };
        match self.layout {
            Layout::Shared => {
                rows.extend((!base_known).then(|| value(first_sample)));
                rows.extend((0..self.m).map(|j| step(j, self.nu, first_sample)));
            }
            Layout::Paired => rows.extend((0..self.m).flat_map(|j| {
                let sample = first_sample + j as u64;
                [value(sample), step(j, self.nu, sample)]
            })),
            Layout::Central => {
                // The value at the point before enters no difference and is not asked again.
                rows.extend((base == Base::Centre).then(|| value(first_sample)));
                rows.extend((0..self.m).flat_map(|j| {
                    let sample = first_sample + j as u64;
                    [step(j, self.nu, sample), step(j, -self.nu, sample)]
                }));
            }
        }
    }

    /// The rows that every difference rests on, and whose answers failed.
    pub(crate) fn failed_bases(&self, values: &[f64]) -> Vec<usize> {
        let mut bases = Vec::new();
        match self.layout {
            Layout::Shared => {
                bases.push(0);
                if self.with_previous && self.known_previous.is_none() {
                    bases.push(self.m + 1);
                }
            }
            // A pair has its own base, and central differences have none: a failure there costs that value only.
            Layout::Paired | Layout::Central => {}
        }
        bases.retain(|&row| !values[row].is_finite());
        bases
    }

    /// The slope along each direction at $x_t$; NaN or infinite where an answer failed.
    pub(crate) fn slopes(&self, values: &[f64]) -> Vec<f64> {
        let (here, _) = values.split_at(self.layout.rows(self.m));
        self.differences(here, None, true).0
    }

    /// Turns the answers into coefficients. `carry` is how much of the past the momentum keeps, 0 for none.
    pub(crate) fn reduce(&self, values: &[f64], carry: f64) -> Reduced {
        let (here, there) = values.split_at(self.layout.rows(self.m));
        let (mut y, loss) = self.differences(here, None, true);
        let mut flat = y.iter().all(|&y| y == 0.0 || !y.is_finite());
        if self.with_previous {
            let (y_previous, _) = self.differences(there, self.known_previous, false);
            flat &= y_previous.iter().all(|&y| y == 0.0 || !y.is_finite());
            y.iter_mut().zip(y_previous).for_each(|(y, previous)| *y -= carry * previous);
        }
        let kept = y.iter().filter(|y| y.is_finite()).count();
        let share = 1.0 / kept.max(1) as f64;
        let coefficients = y.into_iter().map(|y| if y.is_finite() { y * share } else { 0.0 }).collect();
        Reduced {
            coefficients,
            loss,
            kept,
            failed: values.iter().filter(|value| !value.is_finite()).count(),
            flat: flat && kept > 0,
        }
    }

    /// The differences along the directions (not finite where an answer failed) and an estimate of the base value.
    fn differences(&self, values: &[f64], known: Option<f64>, current: bool) -> (Vec<f64>, Option<f64>) {
        match self.layout {
            Layout::Shared => {
                let (base, values) = match known {
                    Some(base) => (base, values),
                    None => (values[0], &values[1..]),
                };
                let y = values.iter().map(|value| (value - base) / self.nu).collect();
                (y, base.is_finite().then_some(base))
            }
            Layout::Paired => {
                let y = values.chunks_exact(2).map(|pair| (pair[1] - pair[0]) / self.nu).collect();
                (y, mean_of_finite(values.iter().step_by(2)))
            }
            Layout::Central => {
                let (base, values) = values.split_at(usize::from(current));
                let y = values.chunks_exact(2).map(|pair| (pair[0] - pair[1]) / (2.0 * self.nu)).collect();
                (y, mean_of_finite(base.iter()))
            }
        }
    }
}

pub(crate) fn mean_of_finite<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> Option<f64> {
    let finite = values.filter(|value| value.is_finite());
    let count = finite.clone().count();
    (count > 0).then(|| finite.sum::<f64>() / count as f64)
}

/// The standard deviation; 0 where fewer than two are finite.
pub(crate) fn deviation_of_finite(values: &[f64]) -> f64 {
    let finite = || values.iter().filter(|value| value.is_finite());
    let (Some(mean), spare) = (mean_of_finite(finite()), finite().count().saturating_sub(1).max(1)) else {
        return 0.0;
    };
    (finite().map(|value| (value - mean).powi(2)).sum::<f64>() / spare as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUTS: [Layout; 3] = [Layout::Shared, Layout::Paired, Layout::Central];

    /// l(x) = 3 + <g, x> in one dimension per direction: direction j has slope j + 1 at x_t, twice that at x_{t-1}.
    fn answers(rows: &[Row]) -> Vec<f64> {
        let slope = |base| if base == Base::Previous { 2.0 } else { 1.0 };
        rows.iter()
            .map(|row| 3.0 + row.step.map_or(0.0, |(j, length)| slope(row.base) * length * (j + 1) as f64))
            .collect()
    }

    #[test]
    fn every_layout_finds_the_slopes_of_a_linear_function() {
        for layout in LAYOUTS {
            let plan = Plan::new(layout, 4, 0.25);
            let rows = plan.rows(7);
            assert_eq!(rows.len(), plan.len());
            let reduced = plan.reduce(&answers(&rows), 0.0);
            assert_eq!(reduced.coefficients, [0.25, 0.5, 0.75, 1.0], "{layout:?}");
            assert_eq!((reduced.loss, reduced.kept, reduced.failed, reduced.flat), (Some(3.0), 4, 0, false));
        }
    }

    #[test]
    fn momentum_subtracts_the_past_along_the_same_directions() {
        for layout in LAYOUTS {
            for known in [None, Some(3.0)] {
                let plan = Plan::new(layout, 2, 0.25).and_previous(known);
                let rows = plan.rows(0);
                assert_eq!(rows.len(), plan.len());
                let reduced = plan.reduce(&answers(&rows), 0.25);
                // (y - 0.25 * 2 y)/2 for y = 1, 2
                assert_eq!(reduced.coefficients, [0.25, 0.5], "{layout:?}");
            }
        }
    }

    #[test]
    fn the_two_values_of_a_difference_share_their_sample_and_pairs_do_not() {
        for (layout, bases) in [(Layout::Paired, 0), (Layout::Central, 1)] {
            let rows = Plan::new(layout, 3, 0.1).and_previous(None).rows(10);
            let samples: Vec<u64> = rows.iter().skip(bases).map(|row| row.sample).collect();
            assert_eq!(samples, [10, 10, 11, 11, 12, 12, 10, 10, 11, 11, 12, 12]);
        }
    }

    #[test]
    fn a_failed_answer_drops_its_direction_and_the_rest_is_averaged() {
        let plan = Plan::new(Layout::Shared, 4, 0.25);
        let mut values = answers(&plan.rows(0));
        values[2] = f64::NAN;
        values[3] = f64::INFINITY;
        let reduced = plan.reduce(&values, 0.0);
        assert_eq!(reduced.coefficients, [0.5, 0.0, 0.0, 2.0]);
        assert_eq!((reduced.kept, reduced.failed), (2, 2));
    }

    #[test]
    fn a_failed_shared_base_is_reported_and_a_paired_one_is_just_a_failed_direction() {
        let plan = Plan::new(Layout::Shared, 2, 0.1).and_previous(None);
        let mut values = answers(&plan.rows(0));
        values[0] = f64::NAN;
        values[3] = f64::NAN;
        assert_eq!(plan.failed_bases(&values), [0, 3]);
        let plan = Plan::new(Layout::Paired, 2, 0.1);
        assert!(plan.failed_bases(&[f64::NAN; 4]).is_empty());
        assert_eq!(plan.reduce(&[f64::NAN; 4], 0.0).kept, 0);
    }

    #[test]
    fn flat_means_every_difference_is_exactly_zero() {
        let plan = Plan::new(Layout::Shared, 3, 0.1);
        assert!(plan.reduce(&[2.0; 4], 0.0).flat);
        assert!(!plan.reduce(&[2.0, 2.0, 2.0, 2.5], 0.0).flat);
        assert!(!plan.reduce(&[2.0, f64::NAN, f64::NAN, f64::NAN], 0.0).flat, "nothing was seen");
    }
}
