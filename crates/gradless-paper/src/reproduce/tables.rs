//! The tables as CSV: curves, looks at them beside the paper's, paired differences, and every single run.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::arm::Arm;
use super::experiment::Experiment;
use super::pairs::{Pair, Verdict};
use super::reference::reference;
use super::run::Run;
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
        "dataset,mode,method,parameter,best,papers_choice,iteration,mean,reference,valid,nonzeros,oracle_calls,images,q25,median,q75\n",
    );
    for cell in &summary.cells {
        let papers = Arm::papers_choice(cell.arm.family, experiment.set, cell.mode) == cell.arm;
        for look in &cell.looks {
            let t = look.iteration;
            let theirs = reference(experiment.set, cell.mode, cell.arm, t);
            let [low, middle, high] = cell.quartiles[t];
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{t},{:.6e},{},{:.4},{:.1},{},{},{low:.6e},{middle:.6e},{high:.6e}",
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

/// Every run, zipped: where it ended, and its ratios after 0, 1, 2, … steps to four digits, which is finer than any figure shows. Calls are
/// those of [`curves_csv`]: they depend on the method alone.
pub fn runs_csv_gz(runs: &[Run]) -> std::io::Result<Vec<u8>> {
    let mut rows: Vec<&Run> = runs.iter().collect();
    rows.sort_by_key(|run| (run.mode, run.arm, run.class, run.image));
    // The same runs are the same bytes: no name, no time.
    let mut file = GzEncoder::new(Vec::new(), Compression::best());
    writeln!(file, "mode,method,class,image,start,margin,l1,nonzeros,final,failed,ratios")?;
    for run in rows {
        let nonzeros = run.looks.last().map_or(0, |look| look.nonzeros);
        let last = run.ratio.last().map_or_else(String::new, |last| format!("{last:.6e}"));
        let failed = run.failed.as_deref().unwrap_or("").replace([',', '\n', '"'], " ");
        let ratios: Vec<String> = run.ratio.iter().map(|ratio| format!("{ratio:.3e}")).collect();
        writeln!(
            file,
            "{},{},{},{},{:.6e},{:.6e},{:.6e},{nonzeros},{last},{failed},{}",
            run.mode.name(),
            run.arm,
            run.class,
            run.image,
            run.start,
            run.margin,
            run.norm_l1,
            ratios.join(" ")
        )?;
    }
    file.finish()
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
