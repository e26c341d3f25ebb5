//! What `docs/reproduction` says about the authors' networks, checked against the runs that are published there: a test of those files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction").join(name)
}

/// The rows of a table by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        head.iter().zip(line.split(',')).map(|(name, field)| ((*name).to_owned(), field.to_owned())).collect()
    };
    lines.map(row).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// A published folder: where every run ended, by mode and method, then by image.
struct Published {
    table: Vec<BTreeMap<String, String>>,
    pairs: Vec<BTreeMap<String, String>>,
    ends: BTreeMap<(String, String), BTreeMap<usize, f64>>,
}

impl Published {
    fn read(name: &str) -> Option<Self> {
        let folder = folder(name);
        let Ok(file) = fs::File::open(folder.join("runs.csv.gz")) else {
            testkit::skip(format!("what is said of {name}: its runs are not in docs/reproduction"));
            return None;
        };
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        let mut ends: BTreeMap<(String, String), BTreeMap<usize, f64>> = BTreeMap::new();
        for run in rows(&text) {
            assert_eq!(run["failed"], "", "{run:?}");
            let key = (run["mode"].clone(), run["method"].clone());
            ends.entry(key).or_default().insert(run["image"].parse().unwrap(), number(&run, "final"));
        }
        let read = |file: &str| rows(&fs::read_to_string(folder.join(file)).unwrap());
        Some(Self { table: read("table.csv"), pairs: read("pairs.csv"), ends })
    }

    /// The row of a method after the last step.
    fn end(&self, mode: &str, method: &str) -> &BTreeMap<String, String> {
        let wanted = |row: &&BTreeMap<String, String>| {
            row["mode"] == mode && row["iteration"] == "200" && label(row) == method
        };
        self.table.iter().find(wanted).unwrap_or_else(|| panic!("{mode} {method} is not in the table"))
    }

    /// Who of two is lower: -1 the first, 1 the second, 0 where chance explains the difference. Any step of a method may be meant.
    fn lower(&self, mode: &str, first: &str, second: &str) -> i32 {
        let is = |arm: &str, method: &str| arm.split(' ').next() == Some(method);
        for pair in self.pairs.iter().filter(|pair| pair["mode"] == mode) {
            let sign = match (&pair["first"], &pair["second"]) {
                (a, b) if is(a, first) && is(b, second) => 1,
                (a, b) if is(a, second) && is(b, first) => -1,
                _ => continue,
            };
            return match (number(pair, "low"), number(pair, "high")) {
                (_, high) if high < 0.0 => -sign,
                (low, _) if low > 0.0 => sign,
                _ => 0,
            };
        }
        panic!("{mode}: {first} and {second} are not compared")
    }
}

fn label(row: &BTreeMap<String, String>) -> String {
    format!("{} {}", row["method"], row["parameter"]).trim_end().to_owned()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

const FOLDERS: [&str; 5] = [
    "authors-mnist",
    "authors-mnist-steps",
    "authors-mnist-text",
    "authors-cifar10",
    "authors-cifar10-steps",
];

#[test]
fn every_table_is_the_sum_of_the_runs_beside_it() {
    for name in FOLDERS {
        let Some(published) = Published::read(name) else { continue };
        let mut seen = 0;
        for row in published.table.iter().filter(|row| row["iteration"] == "200") {
            let ends = &published.ends[&(row["mode"].clone(), label(row))];
            let mut sorted: Vec<f64> = ends.values().copied().collect();
            sorted.sort_by(f64::total_cmp);
            let middle = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
            for (column, value) in [("mean", mean(sorted.iter().copied())), ("median", middle)] {
                let told = number(row, column);
                assert!(
                    (told / value - 1.0).abs() < 1e-5,
                    "{name} {}: {column} {told}, not {value}",
                    label(row)
                );
            }
            assert_eq!(row["images"], sorted.len().to_string());
            seen += 1;
        }
        assert_eq!(seen, published.ends.len(), "{name}");
    }
}

const ADAPTIVE: [&str; 3] = ["ZO-AdaExpGrad", "ZO-AdaExpGrad+", "ZO-ExpStorm"];

#[test]
fn the_papers_values_come_back_on_mnist() {
    let Some(mnist) = Published::read("authors-mnist") else { return };
    let differs = |mode: &str, method: &str| {
        let row = mnist.end(mode, method);
        number(row, "mean") / number(row, "reference") - 1.0
    };
    for mode in ["pn", "pp"] {
        for method in ["ZO-PSGD lr=0.1", "Acc-ZOM gamma=1", "ZO-ExpGrad lr=1"].into_iter().chain(ADAPTIVE) {
            assert!(differs(mode, method).abs() < 0.04, "{mode} {method}: {}", differs(mode, method));
        }
    }
    assert!((-0.08..-0.06).contains(&differs("pp", "AO-ExpGrad")));
}

#[test]
fn the_order_on_mnist_is_what_the_page_says() {
    let Some(mnist) = Published::read("authors-mnist") else { return };
    for mode in ["pn", "pp"] {
        for (i, first) in ADAPTIVE.iter().enumerate() {
            for second in &ADAPTIVE[i + 1..] {
                assert_eq!(mnist.lower(mode, first, second), 0, "{mode}: {first}, {second}");
            }
            assert_eq!(mnist.lower(mode, first, "Acc-ZOM"), -1, "{mode}: {first}");
            assert_eq!(
                mnist.lower(mode, first, "ZO-ExpGrad"),
                if mode == "pn" { 0 } else { -1 },
                "{mode}: {first}"
            );
            assert_eq!(
                mnist.lower(mode, first, "AO-ExpGrad"),
                if mode == "pn" { 0 } else { -1 },
                "{mode}: {first}"
            );
        }
    }
    let psgd = ADAPTIVE.map(|method| mnist.lower("pn", method, "ZO-PSGD"));
    assert_eq!(psgd, [-1, -1, 0]);
    assert_eq!(ADAPTIVE.map(|method| mnist.lower("pp", method, "ZO-PSGD")), [-1; 3]);
}

#[test]
fn the_order_on_cifar10_is_what_the_page_says() {
    let Some(cifar) = Published::read("authors-cifar10") else { return };
    assert_eq!(ADAPTIVE.map(|method| cifar.lower("pn", method, "ZO-ExpGrad")), [0, -1, -1]);
    assert_eq!(ADAPTIVE.map(|method| cifar.lower("pp", method, "ZO-ExpGrad")), [-1; 3]);
    assert_eq!(cifar.lower("pn", "AO-ExpGrad", "ZO-ExpGrad"), 0);
    for mode in ["pn", "pp"] {
        for baseline in ["ZO-PSGD", "Acc-ZOM", "AO-ExpGrad"] {
            assert_eq!(
                ADAPTIVE.map(|method| cifar.lower(mode, method, baseline)),
                [-1; 3],
                "{mode} {baseline}"
            );
        }
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            assert_eq!(cifar.lower(mode, ADAPTIVE[first], ADAPTIVE[second]), 0, "{mode}");
        }
    }
    // Acc-ZOM ends above its start; the others below.
    assert!(number(cifar.end("pn", "Acc-ZOM gamma=0.001"), "mean") > 2.5);
    // Within two standard errors of ten images.
    for (mode, method) in
        [("pn", "ZO-AdaExpGrad+"), ("pn", "ZO-ExpStorm"), ("pp", "ZO-AdaExpGrad+"), ("pp", "ZO-ExpStorm")]
    {
        let ends: Vec<f64> = cifar.ends[&(mode.to_owned(), method.to_owned())].values().copied().collect();
        let middle = mean(ends.iter().copied());
        let variance = ends.iter().map(|end| (end - middle).powi(2)).sum::<f64>() / (ends.len() - 1) as f64;
        let error = (variance / ends.len() as f64).sqrt();
        let paper = number(cifar.end(mode, method), "reference");
        assert!((middle - paper).abs() < 2.0 * error, "{mode} {method}: {middle} +- {error}, {paper}");
    }
}
