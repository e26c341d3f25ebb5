//! The paper's findings, looked for in a small run of the code: two digits, 16 directions, 30 steps.
//!
//! The numbers of the whole experiment are checked in `published_findings.rs`. What is asserted here held with room to spare for
//! seeds 0 to 9; the sizes that were measured stand beside it.
#![cfg(feature = "reproduce")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use gradless::{Batch, Driver, Oracle, OracleError, Solver};
use gradless_models::{Onnx, OnnxOptions};
use gradless_paper::data::{DataSet, Images};
use gradless_paper::reproduce::{Arm, Conventions, Mode, Question, loss};

const DIGITS: [usize; 2] = [4, 7];
const BATCH: usize = 16;
const STEPS: u64 = 30;
/// Steps after which the fast method is where it stays.
const FEW: usize = 5;
/// The paper's own methods without tuning.
const ADAPTIVE: [&str; 3] = ["zo-ada-exp-grad", "zo-ada-exp-grad+", "zo-exp-storm"];

/// How a method ended, over all digits.
#[derive(Debug)]
struct End {
    /// The mean of $F(x_t)/F(x_1)$ after few steps and after all.
    early: f64,
    late: f64,
    /// On how many digits the class condition holds.
    valid: usize,
    calls: u64,
}

/// A question whose answers are multiplied by a number.
struct Times<'a>(f64, Question<'a>);

impl Oracle for Times<'_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        self.1.evaluate(batch, values)?;
        for value in values {
            *value *= self.0;
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.1.preferred_rows()
    }
}

struct Small {
    lenet: Onnx,
    images: Images,
}

impl Small {
    fn new() -> Self {
        let options = OnnxOptions { threads: 1, ..OnnxOptions::default() };
        let mut pixels = Vec::new();
        for digit in DIGITS {
            let file = std::fs::File::open(asset(&format!("digits/{digit}.png"))).unwrap();
            let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
            let mut bytes = vec![0; 28 * 28];
            reader.next_frame(&mut bytes).unwrap();
            pixels.extend(bytes);
        }
        let images = Images { channels: 1, height: 28, width: 28, pixels };
        Self { lenet: Onnx::load_with(asset("lenet.onnx"), &options).unwrap(), images }
    }

    /// Runs an arm, its black box answering `sign` times the loss.
    fn run(&self, mode: Mode, arm: &str, sign: f64) -> End {
        let arm = Arm::find(arm).unwrap()[0];
        let mut end = End { early: 0.0, late: 0.0, valid: 0, calls: 0 };
        for image in 0..DIGITS.len() {
            let conventions = Conventions::AUTHORS;
            let question =
                Question::new(&self.lenet, DataSet::Mnist, (&self.images, image), mode, conventions).unwrap();
            let solver =
                Solver::new(question.problem().unwrap(), conventions.config(arm, BATCH, STEPS, 1)).unwrap();
            let oracle = Times(sign, question);
            let outcome = Driver::default().run(solver, &oracle);
            let margin = oracle.1.margin(&outcome.last.x).unwrap();
            let objective =
                |t: usize| sign * outcome.history[t].loss.unwrap() + outcome.history[t].regulariser;
            let share = 1.0 / (DIGITS.len() as f64 * objective(0));
            end.early += share * objective(FEW);
            end.late += share * (loss(margin) + outcome.last.regulariser);
            end.valid += usize::from(margin > 0.0);
            end.calls += outcome.counts.queries;
        }
        end
    }
}

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)
}

/// What a method that works does with these digits: it ends at a point that answers the question and costs little.
fn works(end: &End) -> bool {
    end.valid == DIGITS.len() && end.late < 0.3
}

#[test]
fn the_papers_findings_show_in_a_small_run() {
    let small = Small::new();
    for mode in [Mode::Pn, Mode::Pp] {
        let run = |arm: &str| small.run(mode, arm, 1.0);
        let (tuned, psgd) = (run("zo-exp-grad:1"), run("zo-psgd:0.1"));
        let ends = ADAPTIVE.map(run);
        for (name, end) in ADAPTIVE.iter().zip(&ends) {
            // .14 to .23, all valid.
            assert!(works(end), "{mode:?}, {name}: {end:?}");
            // As good as the tuned step: .9 to 1.3 times where it ends. (ZO-AdaExpGrad+ takes the same steps in so short a run;
            // that it adapts is shown in the core's `theorems.rs`.)
            assert!(end.late < 1.5 * tuned.late, "{mode:?}: {name} {end:?}, tuned {tuned:?}");
            // ZO-PSGD at the paper's step ends at .44 and .54.
            assert!(psgd.late > 1.6 * end.late, "{mode:?}: {name} {end:?}, ZO-PSGD {psgd:?}");
        }
        // A wrong step costs those that need one: they end at .96 to .98.
        for wrong in ["zo-exp-grad:0.01", "acc-zom:0.01"].map(run) {
            assert!(wrong.late > 0.9, "{mode:?}: {wrong:?}");
        }
        // AO-ExpGrad is first at its end, .07 and .21 after five steps where the others are at .54 to .62; and there the class
        // condition does not hold.
        let fast = run("ao-exp-grad");
        assert!(fast.early < 0.3 && ends.iter().all(|end| end.early > 0.45), "{mode:?}: {fast:?}, {ends:?}");
        assert_eq!(fast.valid, 0, "{mode:?}");
        // STORM has no advantage for twice the calls.
        let [_, plus, storm] = ends;
        assert!(storm.calls as f64 / plus.calls as f64 > 1.9, "{mode:?}: {storm:?}, {plus:?}");
        assert!(storm.late > 0.75 * plus.late, "{mode:?}: {storm:?}, {plus:?}");
    }
}

#[test]
fn what_is_found_is_not_found_by_a_method_that_climbs() {
    let small = Small::new();
    for mode in [Mode::Pn, Mode::Pp] {
        let climbs = small.run(mode, "zo-ada-exp-grad+", -1.0);
        assert!(!works(&climbs), "{mode:?}: {climbs:?}");
        assert_eq!(climbs.valid, 0, "{mode:?}: {climbs:?}");
    }
}
