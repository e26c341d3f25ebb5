//! All runs together, by problem, method and number of queries.

use std::collections::{BTreeMap, HashMap};

use bench::fit::quantile;

use crate::measured::{LOOKS, Measured};

/// Runs of ours and of others.
pub(crate) struct Merged {
    rows: Vec<Measured>,
    /// The least objective of an instance: known, or the least that anybody found.
    least: HashMap<String, f64>,
}

/// Instances of one problem in one dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub(crate) problem: String,
    pub(crate) dim: usize,
}

impl Merged {
    /// Of runs that were repeated with another budget the one with the largest counts.
    pub(crate) fn new(rows: Vec<Measured>, minima: HashMap<String, f64>) -> Self {
        let mut kept: Vec<Measured> = Vec::new();
        let mut places: HashMap<(String, String, u64), usize> = HashMap::new();
        for row in rows {
            let key = (row.instance.clone(), row.method.clone(), row.seed);
            match places.get(&key) {
                Some(&place) if kept[place].budget <= row.budget => kept[place] = row,
                Some(_) => {}
                None => {
                    places.insert(key, kept.len());
                    kept.push(row);
                }
            }
        }
        let mut least = minima;
        for row in &kept {
            let least = least.entry(row.instance.clone()).or_insert(f64::INFINITY);
            *least = row.best.iter().fold(*least, |least, &best| least.min(best));
        }
        Self { rows: kept, least }
    }

    /// By problem and dimension.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> =
            self.rows.iter().map(|row| Group { problem: row.problem.clone(), dim: row.dim }).collect();
        groups.sort();
        groups.dedup();
        groups
    }

    /// In the order they were run, ours first.
    pub(crate) fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !methods.contains(&row.method.as_str()) {
                methods.push(&row.method);
            }
        }
        methods
    }

    pub(crate) fn of<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Measured> {
        self.rows.iter().filter(|row| row.problem == group.problem && row.dim == group.dim)
    }

    /// The median objective of a method's runs after [`LOOKS`]`[look]` queries; infinite where half of them did not get so far,
    /// or there are none.
    pub(crate) fn median(&self, group: &Group, method: &str, look: usize) -> f64 {
        let median =
            quantile(self.of(group).filter(|row| row.method == method).map(|row| row.best[look]), 0.5);
        if median.is_nan() { f64::INFINITY } else { median }
    }

    /// The method with the least median, among those that `takes_part` admits.
    pub(crate) fn best(
        &self,
        group: &Group,
        look: usize,
        takes_part: impl Fn(&str) -> bool,
    ) -> Option<(&str, f64)> {
        self.methods()
            .into_iter()
            .filter(|method| takes_part(method))
            .map(|method| (method, self.median(group, method, look)))
            .filter(|(_, median)| median.is_finite())
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Queries until all but a share of the way from the start to the least objective is gone, as the looks tell.
    pub(crate) fn queries_to(&self, row: &Measured, share: f64) -> Option<u64> {
        let least = self.least.get(&row.instance)?;
        let target = least + share * (row.start - least);
        row.best.iter().position(|&best| best <= target).map(|look| LOOKS[look])
    }

    /// The same for all runs of a method on a problem; none if it was not run there at all.
    ///
    /// An instance that it was not run on counts as runs that never get there, as many as it has elsewhere: whoever is skipped
    /// where it is slow must not look better for it.
    pub(crate) fn successes(&self, problem: &str, method: &str, share: f64) -> Vec<Option<u64>> {
        let mut instances: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.problem == problem) {
            let runs = instances.entry(&row.instance).or_default();
            if row.method == method {
                runs.push(self.queries_to(row, share));
            }
        }
        let most = instances.values().map(Vec::len).max().unwrap_or(0);
        let pad = |runs: Vec<Option<u64>>| if runs.is_empty() { vec![None; most] } else { runs };
        instances.into_values().flat_map(pad).collect()
    }

    /// The largest budget of all.
    pub(crate) fn budget(&self) -> u64 {
        self.rows.iter().map(|row| row.budget).max().unwrap_or(1)
    }
}

/// Whether a method runs with the settings of the paper or its authors.
pub(crate) fn is_seed(method: &str) -> bool {
    method.split(':').any(|part| part == "seed" || part == "authors")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;

    #[test]
    fn a_repeated_run_counts_once_and_the_longest_of_them() {
        let mut short = example("quadratic", "a", 0, 1.0);
        short.budget = 2_000;
        let merged = Merged::new(vec![example("quadratic", "a", 0, 0.5), short], HashMap::new());
        assert_eq!(merged.rows.len(), 1);
        assert_eq!(merged.median(&merged.groups()[0], "a", 8), 0.5);
    }

    #[test]
    fn what_was_not_run_counts_as_never() {
        let mut elsewhere = example("quadratic", "b", 0, 0.5);
        elsewhere.instance = "quadratic-200".into();
        let rows = vec![example("quadratic", "a", 0, 0.5), example("quadratic", "b", 0, 0.5), elsewhere];
        let merged = Merged::new(rows, HashMap::new());
        assert_eq!(merged.successes("quadratic", "a", 0.1), [Some(40_000), None]);
        assert_eq!(merged.successes("quadratic", "b", 0.1), [Some(40_000); 2]);
        assert!(merged.successes("quadratic", "c", 0.1).is_empty());
    }

    #[test]
    fn the_way_is_measured_from_the_start_to_the_least() {
        let rows = vec![example("quadratic", "a", 0, 1.0), example("quadratic", "b", 0, 0.5)];
        let merged = Merged::new(rows, HashMap::from([("quadratic-100".to_owned(), 0.0)]));
        let queries = |row: usize, share| merged.queries_to(&merged.rows[row], share);
        // 5 to 0: 3 after 500 queries is 0.6 of the way left, 2 after 2,000 is 0.4, 0.5 after 40,000 is 0.1.
        assert_eq!(
            (queries(0, 0.6), queries(0, 0.4), queries(1, 0.1)),
            (Some(500), Some(2_000), Some(40_000))
        );
        assert_eq!(queries(0, 0.1), None);
    }
}
