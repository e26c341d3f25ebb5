//! Results as a page and a table of all runs.

use std::fmt::Write as _;

use bench::fit::median;
use bench::grouped;

use crate::black_box::Family;
use crate::measured::{Allowance, Case, Reference, Run, Summary, WITHIN};

/// Noise up to this share of the range is to be averaged out; above, it may be said to be too much.
const DEMANDED: f64 = 1e-2;

pub(crate) fn page(references: &[Reference], runs: &[Run], commit: &str) -> String {
    format!(
        r"# Noisy, rounded and failed answers

How far the default method, `auto`, comes where the black box does not answer exactly. Each problem is solved without
disturbance first. A second run gets three times the queries and disturbed answers; its own answer is judged by the true
objective. The demand: it ends within 10 % of the undisturbed result where noise is up to 10⁻² of the objective's range
F(x₁) − F*, and above that it comes as close or says that it cannot (`Notice::NoiseLarge`).

Three times *what* decides: the queries the undisturbed run needed to come within 1 % of the range of its result (3 N), or all it
asked before it stopped by itself (3 × whole).

{verdict}
{summary}
## The undisturbed runs

{references}
## Each problem

Above: by how much the true objective of the answer is above the undisturbed one, as a share of that; of the range: the same as a share
of the range. Medians over seeds, worst seeds in brackets. Within: runs that are at most 10 % above. Said: runs that said that the
noise is large.

{details}## How it was measured

    cargo run --release -p bench --bin noise{dims} --first {first}

at commit {commit}; `noise.csv` has every run. Seeds {first} to {last} (of supports, directions and noise). What `auto` does
under noise was made on the seeds 0 to 4 and 100 to 119; nothing was changed for what these showed.

- **Problems**, minimised over [−1, 1]^d from 0 with the elastic net. Quadratic: ½‖x − b‖², b = ±0.5 on 10 coordinates, both weights
  0.01. Nonconvex: Σ z²/(1 + z²), z = x − b, b = ±0.7 on 20, both weights 0.01. Ten active: ½‖x − b‖², b = ±1 on 10,
  l1 weight 0.05.
- **independent:** every value has its own normal noise of the standard deviation σ.
- **common, offset:** one normal number for each sample number is added; it cancels between values of one sample.
- **common, tilt:** σ⟨ξ, x⟩/‖x*‖ over the support, one normal vector ξ for each sample number: σ is the standard deviation at the
  minimiser, and each sample has another minimiser.
- **f32:** points and values are rounded to single precision.
- **10 % failed:** one answer in ten is not a number, the others carry independent noise.
",
        verdict = verdict(runs),
        summary = summary_table(runs),
        references = reference_table(references),
        details = details(references, runs),
        dims = dims_argument(references),
        first = references.iter().map(|reference| reference.seed).min().unwrap_or(0),
        last = references.iter().map(|reference| reference.seed).max().unwrap_or(0),
    )
}

/// What of the demand is met, in sentences.
fn verdict(runs: &[Run]) -> String {
    let mut out = String::new();
    for allowance in Allowance::ALL {
        let of = |wanted: fn(f64) -> bool| {
            runs.iter().filter(move |run| run.case.allowance == allowance && wanted(run.case.noise))
        };
        let low = Summary::of(of(|noise| noise <= DEMANDED));
        let high = Summary::of(of(|noise| noise > DEMANDED));
        let missed: Vec<String> = kinds(runs, allowance)
            .into_iter()
            .filter(|case| case.noise <= DEMANDED)
            .flat_map(|case| places(runs).into_iter().map(move |(family, dim)| (case, family, dim)))
            .filter_map(|(case, family, dim)| {
                let Summary { within, runs, .. } = Summary::of(select(runs, case, Some((family, dim))));
                let noise = level(case.noise);
                (within < runs).then(|| {
                    format!(
                        "  - {}, {noise}: {family}, d = {}: {within} of {runs}",
                        case.disturbance,
                        grouped(dim as u64)
                    )
                })
            })
            .collect();
        let _ = writeln!(
            out,
            "- **{}.** Up to 10⁻²: {} of {} runs end within 10 %. Above: {} of {} come as close or say that they cannot.{}",
            heading(allowance),
            low.within,
            low.runs,
            high.honest,
            high.runs,
            if missed.is_empty() {
                " The demand is met.".to_owned()
            } else {
                format!(" Where runs miss it:\n{}", missed.join("\n"))
            },
        );
    }
    out
}

fn heading(allowance: Allowance) -> &'static str {
    match allowance {
        Allowance::Arrival => "3 N",
        Allowance::Whole => "3 × whole",
    }
}

fn level(noise: f64) -> String {
    if noise == 0.0 { "no noise".to_owned() } else { format!("σ = {noise:.0e}") }
}

/// The disturbances that were tried with an allowance, in their order.
fn kinds(runs: &[Run], allowance: Allowance) -> Vec<Case> {
    let mut kinds: Vec<Case> = Vec::new();
    for run in runs.iter().filter(|run| run.case.allowance == allowance) {
        if !kinds.contains(&run.case) {
            kinds.push(run.case);
        }
    }
    kinds
}

/// The problems and dimensions, in their order.
fn places(runs: &[Run]) -> Vec<(Family, usize)> {
    let mut places: Vec<(Family, usize)> = Vec::new();
    for run in runs {
        if !places.contains(&(run.family, run.dim)) {
            places.push((run.family, run.dim));
        }
    }
    places
}

fn select(runs: &[Run], case: Case, place: Option<(Family, usize)>) -> impl Iterator<Item = &Run> {
    runs.iter()
        .filter(move |run| run.case == case && place.is_none_or(|place| (run.family, run.dim) == place))
}

fn summary_table(runs: &[Run]) -> String {
    let mut out = "| Disturbance | Noise | 3 N: within 10 % | said so | either | 3 × whole: within 10 % | said so | either |\n\
                   |---|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for case in kinds(runs, Allowance::Arrival) {
        let _ = write!(out, "| {} | {} |", case.disturbance, level(case.noise));
        for allowance in Allowance::ALL {
            let Summary { runs, within, said, honest, .. } =
                Summary::of(select(runs, Case { allowance, ..case }, None));
            let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / runs.max(1) as f64);
            let _ = write!(out, " {} | {} | {} |", share(within), share(said), share(honest));
        }
        out.push('\n');
    }
    out
}

fn reference_table(references: &[Reference]) -> String {
    let mut out =
        "| Problem | d | F(x₁) − F* | result | 10 % of it, of the range | N (median) | whole (median) |\n\
                   |---|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    let mut done: Vec<(Family, usize)> = Vec::new();
    for first in references {
        let place = (first.family, first.target.dim);
        if done.contains(&place) {
            continue;
        }
        done.push(place);
        let of = || references.iter().filter(|other| (other.family, other.target.dim) == place);
        let middle = |what: fn(&Reference) -> u64| {
            median(of().map(|reference| Some(what(reference)))).map_or("–".to_owned(), grouped)
        };
        let _ = writeln!(
            out,
            "| {} | {} | {:.3} | {:.4} | {:.2} % | {} | {} |",
            first.family,
            grouped(place.1 as u64),
            first.range,
            first.objective,
            100.0 * WITHIN * first.objective / first.range,
            middle(|reference| reference.arrival),
            middle(|reference| reference.whole),
        );
    }
    out
}

fn details(references: &[Reference], runs: &[Run]) -> String {
    let mut out = String::new();
    let count =
        references.iter().map(|reference| reference.seed).collect::<std::collections::BTreeSet<_>>().len();
    for place in places(runs) {
        let _ = writeln!(out, "### {}, d = {}, {count} seeds\n", place.0, grouped(place.1 as u64));
        out.push_str(
            "| Disturbance | Noise | 3 N: above | of the range | within | said | 3 × whole: above | of the range | within | said |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for case in kinds(runs, Allowance::Arrival) {
            let _ = write!(out, "| {} | {} |", case.disturbance, level(case.noise));
            for allowance in Allowance::ALL {
                let found = Summary::of(select(runs, Case { allowance, ..case }, Some(place)));
                let _ = write!(
                    out,
                    " {} ({}) | {} ({}) | {} | {} |",
                    percent(found.median),
                    percent(found.worst),
                    percent(found.median_of_range),
                    percent(found.worst_of_range),
                    found.within,
                    found.said,
                );
            }
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// Two digits are enough.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        size if size < 0.005 => "0 %".to_owned(),
        size if size < 0.095 => format!("{percent:.2} %"),
        size if size < 9.5 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

fn dims_argument(references: &[Reference]) -> String {
    let dims: std::collections::BTreeSet<usize> =
        references.iter().map(|reference| reference.target.dim).collect();
    let words: Vec<String> = dims.iter().map(ToString::to_string).collect();
    format!(" -- --dims {}", words.join(","))
}

pub(crate) fn csv(runs: &[Run]) -> String {
    let mut out =
        "problem,d,disturbance,noise,budget,seed,allowed,queries,above,above_of_range,said\n".to_owned();
    for run in runs {
        let Run { family, dim, seed, case, allowed, queries, above, above_of_range, said } = run;
        let disturbance =
            case.disturbance.to_string().replace(", ", "-").replace(' ', "-").replace("-%", "%");
        let _ = writeln!(
            out,
            "{},{dim},{disturbance},{:e},{},{seed},{allowed},{queries},{above:.6},{above_of_range:.6},{said}",
            family.to_string().replace(' ', "-"),
            case.noise,
            case.allowance.name(),
        );
    }
    out
}
