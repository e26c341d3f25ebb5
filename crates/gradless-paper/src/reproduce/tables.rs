//! The tables as CSV: curves, looks at them beside the paper's, paired differences.

use std::fmt::Write as _;

use super::arm::Arm;
use super::experiment::Experiment;
use super::pairs::{Pair, Verdict};
use super::reference::reference;
use super::summary::Summary;

/// Every curve, one line per step.
pub fn curves_csv(experiment: &Experiment, summary: &Summary) -> String {
    let mut out =
        String::from("dataset,mode,method,parameter,iteration,oracle_calls,mean,q25,median,q75,images\n");
    for cell in &summary.cells {
        for (t, ((mean, [low, middle, high]), calls)) in
            cell.mean.iter().zip(&cell.quartiles).zip(&cell.calls).enumerate()
        {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{},{},{},{},{t},{calls},{mean:.6e},{low:.6e},{middle:.6e},{high:.6e},{}",
                experiment.set.name(),
                cell.mode.name(),
                cell.arm.family.name(),
                cell.arm.parameter(),
                cell.images.len()
            );
        }
    }
    out
}

/// Every arm after a few numbers of steps, beside the paper's figures.
pub fn table_csv(experiment: &Experiment, summary: &Summary) -> String {
    let mut out = String::from(
        "dataset,mode,method,parameter,best,papers_choice,iteration,mean,reference,valid,nonzeros,oracle_calls,images\n",
    );
    for cell in &summary.cells {
        let papers = Arm::papers_choice(cell.arm.family, experiment.set, cell.mode) == cell.arm;
        for look in &cell.looks {
            let t = look.iteration;
            let theirs = reference(experiment.set, cell.mode, cell.arm, t);
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{t},{:.6e},{},{:.4},{:.1},{},{}",
                experiment.set.name(),
                cell.mode.name(),
                cell.arm.family.name(),
                cell.arm.parameter(),
                yes(cell.best),
                yes(papers),
                cell.mean[t],
                theirs.map_or_else(String::new, |value| value.to_string()),
                look.valid,
                look.nonzeros,
                cell.calls[t],
                cell.images.len()
            );
        }
    }
    out
}

/// Paired differences at the end between the best arms.
pub fn pairs_csv(experiment: &Experiment, summary: &Summary) -> String {
    let mut out =
        String::from("dataset,mode,first,second,images,mean_difference,low,high,second_mean,verdict\n");
    for mode in summary.modes() {
        for pair in Pair::all(summary, mode, experiment.seed) {
            let _ = writeln!(
                out,
                "{},{},{},{},{},{:.6e},{:.6e},{:.6e},{:.6e},{}",
                experiment.set.name(),
                mode.name(),
                pair.first,
                pair.second,
                pair.images,
                pair.difference,
                pair.interval[0],
                pair.interval[1],
                pair.scale,
                match pair.verdict() {
                    Verdict::First => "first is lower",
                    Verdict::Second => "second is lower",
                    Verdict::Equal => "equal",
                }
            );
        }
    }
    out
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
