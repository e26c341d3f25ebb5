//! How robust a model is on many inputs: success at several numbers of queries, medians, classes and inputs with the most fragile first.

use std::collections::BTreeMap;

use gradless_explain::{Attacked, Norm};
use gradless_report::IndexEntry;
use serde::Serialize;

/// Numbers of queries at which success is told.
const QUERIES: [u64; 7] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000];
/// Inputs that are named as the most fragile.
const NAMED: usize = 10;

/// Attacks on many inputs.
#[derive(Serialize)]
pub(super) struct Robustness {
    norm: Norm,
    /// What was known after so many queries.
    after: Vec<After>,
    classes: Vec<OfClass>,
    /// Inputs whose class was altered, the smallest change first.
    fragile: Vec<Fragile>,
}

#[derive(Serialize)]
struct After {
    queries: u64,
    /// Inputs whose class was altered by then, and the median size over all; `null` where half of them had none.
    altered: usize,
    median: Option<f64>,
}

/// Inputs that the model gives one class.
#[derive(Serialize)]
struct OfClass {
    class: String,
    inputs: usize,
    altered: usize,
    median: Option<f64>,
}

#[derive(Serialize)]
struct Fragile {
    name: String,
    class: String,
    became: String,
    size: f64,
}

impl Robustness {
    /// The report; `None` where nothing was attacked. Queries beyond those allowed are not told.
    pub(super) fn of(entries: &[IndexEntry], max_queries: u64) -> Option<Self> {
        let attacked: Vec<(&IndexEntry, &Attacked)> = entries
            .iter()
            .filter_map(|entry| {
                Some((entry, entry.outcomes.iter().find_map(|outcome| outcome.attack.as_ref())?))
            })
            .collect();
        let norm = attacked.first()?.1.norm;
        let mut classes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (entry, told) in &attacked {
            classes.entry(&entry.class).or_default().push(told.size.unwrap_or(f64::INFINITY));
        }
        let mut told_at: Vec<u64> = QUERIES.into_iter().filter(|&queries| queries < max_queries).collect();
        told_at.push(max_queries);
        let after = told_at.into_iter().map(|queries| {
            let sizes = attacked.iter().map(|(_, told)| told.size_after(queries).unwrap_or(f64::INFINITY));
            let sizes: Vec<f64> = sizes.collect();
            After { queries, altered: altered(&sizes), median: median(sizes) }
        });
        let mut classes: Vec<OfClass> = classes
            .into_iter()
            .map(|(class, sizes)| OfClass {
                class: class.to_owned(),
                inputs: sizes.len(),
                altered: altered(&sizes),
                median: median(sizes),
            })
            .collect();
        classes.sort_by(|a, b| order(a.median).total_cmp(&order(b.median)));
        let mut fragile: Vec<Fragile> = attacked
            .iter()
            .filter_map(|(entry, told)| {
                let became = entry.outcomes.iter().find(|outcome| outcome.attack.is_some())?.class.clone();
                Some(Fragile {
                    name: entry.name.clone(),
                    class: entry.class.clone(),
                    became,
                    size: told.size?,
                })
            })
            .collect();
        fragile.sort_by(|a, b| a.size.total_cmp(&b.size));
        Some(Self { norm, after: after.collect(), classes, fragile })
    }

    /// The tables, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let inputs: usize = self.classes.iter().map(|class| class.inputs).sum();
        let norm = self.norm.name();
        let mut lines = vec![format!("{:>8}  {:>9}  median {norm}", "queries", "altered")];
        for after in &self.after {
            let share = format!("{} of {inputs}", after.altered);
            lines.push(format!("{:>8}  {share:>9}  {}", after.queries, shown(after.median)));
        }
        lines.push(String::new());
        lines.push(format!("median {norm} by class, the most fragile first:"));
        for class in &self.classes {
            let OfClass { class, inputs, altered, median } = class;
            lines.push(format!("  {class}: {} ({altered} of {inputs} altered)", shown(*median)));
        }
        lines.push(String::new());
        lines.push("most fragile inputs:".to_owned());
        for Fragile { name, class, became, size } in self.fragile.iter().take(NAMED) {
            lines.push(format!("  {name}: {} makes {class} {became}", shown(Some(*size))));
        }
        lines.push(String::new());
        lines
    }
}

/// Sorts what was altered by little before what was altered by much, and that before what was not.
pub(super) fn fragile_first(entries: &mut [IndexEntry]) {
    let size = |entry: &IndexEntry| entry.outcomes.iter().find_map(|outcome| outcome.attack.as_ref()?.size);
    if entries.iter().flat_map(|entry| &entry.outcomes).any(|outcome| outcome.attack.is_some()) {
        entries.sort_by(|a, b| order(size(a)).total_cmp(&order(size(b))));
    }
}

fn order(size: Option<f64>) -> f64 {
    size.unwrap_or(f64::INFINITY)
}

fn shown(size: Option<f64>) -> String {
    let short = |size: f64| format!("{size:.4}").trim_end_matches('0').trim_end_matches('.').to_owned();
    size.map_or_else(|| "-".to_owned(), short)
}

fn altered(sizes: &[f64]) -> usize {
    sizes.iter().filter(|size| size.is_finite()).count()
}

fn median(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    let middle = f64::midpoint(*sizes.get(sizes.len().checked_sub(1)? / 2)?, *sizes.get(sizes.len() / 2)?);
    middle.is_finite().then_some(middle)
}

#[cfg(test)]
mod tests {
    use gradless_explain::Improvement;
    use gradless_report::Outcome;

    use super::*;

    fn entry(name: &str, class: &str, curve: &[(u64, f64)]) -> IndexEntry {
        let curve: Vec<_> = curve.iter().map(|&(queries, size)| Improvement { queries, size }).collect();
        let size = curve.last().map(|one| one.size);
        IndexEntry {
            name: name.to_owned(),
            link: String::new(),
            picture: None,
            class: class.to_owned(),
            outcomes: vec![Outcome {
                mode: "attack".to_owned(),
                valid: size.is_some(),
                class: "other".to_owned(),
                picture: None,
                kind: gradless_explain::features::Kind::default(),
                pixels: 0,
                norm_l1: 0.0,
                queries: 0,
                attack: Some(Attacked { norm: Norm::Pixels, size, norm_linf: 1.0, curve }),
            }],
            error: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn success_grows_with_queries_and_the_most_fragile_come_first() {
        let mut entries = vec![
            entry("a", "cat", &[(300, 9.0), (700, 4.0)]),
            entry("b", "dog", &[(90, 3.0)]),
            entry("c", "cat", &[]),
            entry("d", "dog", &[(800, 2.0)]),
        ];
        let report = Robustness::of(&entries, 1_000).unwrap();
        let told: Vec<_> =
            report.after.iter().map(|after| (after.queries, after.altered, after.median)).collect();
        assert_eq!(
            told,
            [(100, 1, None), (250, 1, None), (500, 2, None), (1_000, 3, Some(3.5))],
            "at 500: 3, 9 and two that are not altered have no median"
        );
        let classes: Vec<_> =
            report.classes.iter().map(|class| (class.class.as_str(), class.median)).collect();
        assert_eq!(classes, [("dog", Some(2.5)), ("cat", None)]);
        let names =
            |entries: &[IndexEntry]| entries.iter().map(|entry| entry.name.clone()).collect::<String>();
        assert_eq!(report.fragile.iter().map(|one| one.name.as_str()).collect::<String>(), "dba");
        fragile_first(&mut entries);
        assert_eq!(names(&entries), "dbac");
    }

    #[test]
    fn explanations_have_no_such_report() {
        let mut one = entry("a", "cat", &[]);
        one.outcomes[0].attack = None;
        assert!(Robustness::of(&[one], 100).is_none());
    }
}
