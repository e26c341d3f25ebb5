//! Results as a page, a table of all runs and a figure.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;

use bench::race::Goal;
use bench::{Fallible, grouped, page};
use gradless::{BatchSize, Estimator, Method, Preset};
use gradless_report::plot::{Axis, Look, Panel, Plot, Scale, Series};

use crate::contest::{AUTO, Family, PSGD};
use crate::results::{Curve, Results};
use crate::{AUTO_SEEDS, FEW_SEEDS, GAMMA, SEEDS, TUNING_SEEDS};

pub(crate) fn write(out: &Path, results: &Results, commit: &str) -> Fallible<()> {
    fs::create_dir_all(out)?;
    fs::write(out.join("dimension.csv"), csv(results))?;
    fs::write(out.join("dimension.svg"), figure(results).to_svg())?;
    fs::write(out.join("dimension.md"), whole_page(results, commit))?;
    page::put(&page::of_repository("README.md"), "growth", &growth(results))
}

/// How calls to the objective grow, in words: of the paper's methods, and of `auto`.
fn growth(results: &Results) -> String {
    let curves = results.curves();
    let powers = |auto: bool| {
        let wanted = |curve: &&Curve| {
            curve.goal == Goal::Objective && curve.method != PSGD && (curve.method == AUTO) == auto
        };
        let powers = || curves.iter().filter(wanted).filter_map(Curve::power_of_log);
        let (least, most) = (powers().fold(f64::INFINITY, f64::min), powers().fold(0.0, f64::max));
        format!("{least:.1} to {most:.1}")
    };
    format!("ln d to the power of {} (`auto`: {})", powers(false), powers(true))
}

pub(crate) fn write_radius(out: &Path, results: &Results, commit: &str) -> std::io::Result<()> {
    fs::create_dir_all(out)?;
    fs::write(out.join("dimension-radius.csv"), csv(results))?;
    fs::write(out.join("dimension-radius.md"), radius_page(results, commit))
}

/// Medians, one table per goal.
pub(crate) fn tables(results: &Results) -> String {
    let mut out = String::new();
    for goal in [Goal::Objective, Goal::GradientMap] {
        let curves: Vec<Curve> = results.curves().into_iter().filter(|curve| curve.goal == goal).collect();
        if !curves.is_empty() {
            let _ = write_table(&mut out, results, goal, curves);
        }
    }
    out
}

fn write_table(
    out: &mut String,
    results: &Results,
    goal: Goal,
    mut curves: Vec<Curve>,
) -> Result<(), std::fmt::Error> {
    let mut dims: Vec<usize> =
        curves.iter().flat_map(|curve| curve.medians.iter().map(|median| median.0)).collect();
    dims.sort_unstable();
    dims.dedup();
    curves.sort_by_key(|curve| curve.family != Family::A);
    let compares = curves.iter().any(|curve| curve.method == PSGD);
    writeln!(out, "{}\n", heading(goal))?;
    write!(out, "| Family | Method |")?;
    dims.iter().try_for_each(|&dim| write!(out, " d = {} |", grouped(dim as u64)))?;
    writeln!(out, " Slope | Power of ln d |{}", if compares { " zo-psgd at d = 10,000 |" } else { "" })?;
    let columns = dims.len() + 2 + usize::from(compares);
    writeln!(out, "|---|---|{}", "---:|".repeat(columns))?;
    for curve in curves {
        write!(out, "| {} | {} |", curve.family, curve.method)?;
        for &dim in &dims {
            let measured = curve.medians.iter().any(|median| median.0 == dim);
            let cell = match curve.at(dim) {
                Some(calls) => grouped(calls),
                None if measured => "not reached".to_owned(),
                None => "–".to_owned(),
            };
            write!(out, " {cell} |")?;
        }
        for slope in [curve.slope(), curve.power_of_log()] {
            write!(out, " {} |", slope.map_or("–".to_owned(), |slope| format!("{slope:.2}")))?;
        }
        if compares {
            let ratio = results.ratio(curve.family, curve.method);
            write!(out, " {} |", ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.1} ×")))?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn heading(goal: Goal) -> String {
    match goal {
        Goal::Objective => "Calls until f(x) − f* ≤ 0.1 (f(x₁) − f*), no regulariser; medians:".to_owned(),
        Goal::GradientMap => {
            format!("Calls until ‖G(x)‖₁² ≤ 0.1 ‖G(x₁)‖₁², elastic net with both weights {GAMMA}; medians:")
        }
    }
}

fn whole_page(results: &Results, commit: &str) -> String {
    let tunings: Vec<String> = results
        .tunings
        .iter()
        .map(|(family, dim, tuning)| format!("| {family} | {} | {tuning} |", grouped(*dim as u64)))
        .collect();
    let complaints = results.complaints();
    let verdict = if complaints.is_empty() {
        "This run passed.".to_owned()
    } else {
        format!("This run did not pass:\n\n> {}", complaints.join("\n> "))
    };
    let auto_values = match Method::default().recipe(Preset::Practical).estimator {
        Estimator::Differences { batch: BatchSize::Fixed(batch), .. } => (batch + 1).to_string(),
        _ => "m + 1".to_owned(),
    };
    format!(
        r"# Oracle calls against dimension

With entropy and Rademacher queries the number of oracle calls to a given objective grows like a power of ln d; for ZO-PSGD,
Euclidean and Gaussian, it grows like d. Every value of every run was computed, nothing simulated. The slope is that of
log₁₀(median calls) against log₁₀(d), by least squares; the power of ln d is that of log(median calls) against log(ln d): 1 would be
the logarithm itself. The last column says how many times the calls of a method zo-psgd makes at d = 10,000.

![Oracle calls against dimension for both families](dimension.svg)

{tables}`dimension.csv` has every run; an empty last field is a goal not reached.

## How it was measured

    cargo run --release -p bench --bin dimension

at commit {commit}. `--quick` repeats the comparison of zo-ada-exp-grad+ and auto with zo-psgd up to d = 10,000 on few
seeds; `--auto` measures auto alone and keeps the other rows.
The program fails if a slope of the exponentiated-gradient family exceeds 0.30 (0.35 for the gradient map), if that of auto exceeds 0.25, if that of ZO-PSGD
is below 0.80, or if ZO-PSGD makes less than 10 times the calls of zo-ada-exp-grad+ at d = 10,000. {verdict}

- **Problems.** Minimise over [−1, 1]^d from 0. Family A: ½‖x − b‖², b = ±0.5 on 10 random coordinates, 0 elsewhere. Family C:
  Σ ρ(xᵢ − bᵢ) with ρ(z) = z²/(1 + z²), nonconvex, b = ±0.7 on 20 coordinates. The black box sees all coordinates: the gradient is
  sparse at the start only.
- **Goals** are measured at the iterates with the true f* and the true gradient; this is not charged. G(x) = L(x − P(x)) with
  the Euclidean proximal step P of weight L, the same for every method. A method is charged for every value it asks for:
  m + 1 per iteration, 2m + 1 for zo-exp-storm from its second iteration on.
- **zo-ada-exp-grad, zo-ada-exp-grad+, zo-exp-storm:** the practical preset in every dimension, nothing tuned: m = ⌈8 ln d⌉,
  initial weight ‖d₁‖∞, radius 0.3 √(2κ/m)/d with κ = e(2 ln d − 1), STORM's rate 1/m. Why three tenths:
  [dimension-radius.md](dimension-radius.md).
- **auto:** the practical preset, nothing tuned: {auto_values} values per iteration, and surveys of ⌈8 ln d⌉ + 1.
- **zo-psgd:** Gaussian directions, constant weight cL(1 + (d + 2)/m), tuned for each family and dimension over
  m ∈ {{64, d/50}} and c ∈ {{½, 1, 2}} on the seeds {tuning_seeds}; d = 100,000 uses the choice of d = 10,000. Its radius is 10⁻³/d:
  with the 1/√(md) it is usually run with, the second-order error of a difference exceeds the gradient where m ≪ d and the goal is
  not reached from d = 1,000 on; with the radius of the other methods it takes 3,705 calls instead of 2,340 (family A, d = 1,000,
  tuning seeds, best c).
- **Seeds** (of directions and support; none was used for tuning): {seeds} for the exponentiated-gradient family up to
  d = 100,000; {few_seeds} for d = 1,000,000 and for zo-psgd, which scatters little; {first_seed} alone for zo-psgd at d = 100,000;
  {auto_seeds} for auto, {auto_few} for d = 1,000,000.

What tuning chose for zo-psgd:

| Family | d | Setting |
|---|---:|---|
{tunings}
",
        tables = tables(results),
        tuning_seeds = list(TUNING_SEEDS),
        seeds = list(SEEDS),
        few_seeds = list(FEW_SEEDS),
        first_seed = FEW_SEEDS.start,
        auto_seeds = list(AUTO_SEEDS[0].clone()),
        auto_few = list(AUTO_SEEDS[1].clone()),
        tunings = tunings.join("\n"),
    )
}

fn radius_page(results: &Results, commit: &str) -> String {
    format!(
        r"# Oracle calls against the radius

The problems, goals and settings of [dimension.md](dimension.md) for zo-ada-exp-grad+, with the paper's radius ν = √(2κ/m)/d and with
shares of it. A forward difference carries a second-order error of about νdL/2. The rule lets it fall with √m; with
m = ⌈8 ln d⌉ it stays at 0.55 L to 0.57 L in every dimension. It does not vanish with the gradient, so near a stationary
point it is what the method sees. A tenth of ν is still far from the rounding of double precision in these dimensions.

{tables}Seeds {seeds}, for d = 100,000 {few_seeds}; every run is in `dimension-radius.csv`.

    cargo run --release -p bench --bin dimension -- --radius

at commit {commit}.
",
        tables = tables(results),
        seeds = list(SEEDS),
        few_seeds = list(FEW_SEEDS),
    )
}

fn list(seeds: Range<u64>) -> String {
    format!("{} to {}", seeds.start, seeds.end - 1)
}

fn csv(results: &Results) -> String {
    let mut out = "family,target,method,d,seed,calls\n".to_owned();
    for run in &results.runs {
        let target = match run.goal {
            Goal::Objective => "objective",
            Goal::GradientMap => "gradient-map",
        };
        let calls = run.calls.map_or(String::new(), |calls| calls.to_string());
        // A name with a comma in it is quoted.
        let method =
            if run.method.contains(',') { format!("\"{}\"", run.method) } else { run.method.to_owned() };
        let _ = writeln!(out, "{:?},{target},{method},{},{},{calls}", run.family, run.dim, run.seed);
    }
    out
}

fn figure(results: &Results) -> Plot {
    let mut curves = results.curves();
    // From the most calls to the fewest: the legend reads like the figure.
    curves.sort_by_key(|curve| std::cmp::Reverse(curve.at(10_000)));
    let panel = |family: Family| Panel {
        title: format!("Family {family}"),
        series: curves
            .iter()
            .filter(|curve| curve.family == family && curve.goal == Goal::Objective)
            .map(|curve| Series {
                name: curve.method.to_owned(),
                label: curve.slope().map_or(String::new(), |slope| format!("slope {slope:.2}")),
                points: curve.points().collect(),
            })
            .collect(),
    };
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    Plot {
        title: "Oracle calls until a tenth of the initial gap is left".to_owned(),
        x: axis("number of coordinates d"),
        y: axis("oracle calls (median)"),
        panels: Family::ALL.map(panel).into(),
        look: Look::default(),
    }
}
