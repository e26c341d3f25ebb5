//! The least changes of models for which they are known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Config, Inputs, Model, ModelError};
use gradless_explain::session::Look;
use gradless_explain::{
    Answer, Declared, Grid, Labels, Minimal, Norm, Options, Pixels, Scores, Session, Watch,
};

const SIDE: usize = 8;
const DIM: usize = SIDE * SIDE;
const GRID: Grid = Grid { low: 0.0, high: 1.0, steps: 255 };

/// Class 0 while a weighted sum stays below a bound, class 2 from another one on; counts what it is asked.
struct Bounds {
    weights: Vec<f64>,
    first: f64,
    asked: AtomicU64,
}

impl Bounds {
    /// Three pixels weigh 1, the others a hundredth: with 1.5 as the bound two of the three have to change.
    fn new() -> Self {
        let weights = (0..DIM).map(|at| if [9, 30, 52].contains(&at) { 1.0 } else { 0.01 }).collect();
        Self { weights, first: 1.5, asked: AtomicU64::new(0) }
    }

    fn sum(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.weights).map(|(x, w)| x * w).sum()
    }

    fn class(&self, x: &[f64]) -> usize {
        let sum = self.sum(x);
        usize::from(sum > self.first)
    }
}

impl Model for Bounds {
    fn shape(&self) -> &[usize] {
        &[1, SIDE, SIDE]
    }
    fn classes(&self) -> usize {
        3
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(3)) {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let sum = self.sum(x);
            scores.copy_from_slice(&[self.first - sum, sum - self.first, 2.0 * (sum - 2.2)]);
        }
        Ok(())
    }
}

fn attack(model: &Bounds, norm: Norm, target: Option<usize>, labels: bool, max_queries: u64) -> Answer {
    let ours = Options::attack(norm, target);
    let options = Options {
        config: Config { seed: 3, ..ours.config },
        max_queries,
        noise_floor: Some(0.0),
        declared: if labels { Declared::Labels } else { Declared::Logits },
        ..ours
    };
    let cancel = AtomicBool::new(false);
    let features = Pixels { grid: Some(GRID), ..Pixels::new(vec![0.0; DIM], vec![1, SIDE, SIDE], 0.0, 1.0) };
    let session = Session {
        model,
        features: &features,
        options: &options,
        beside: gradless_explain::Beside::default(),
        labels: Labels::default(),
        watch: Watch::new(&cancel),
        deadline: None,
        sent: None,
    };
    let scores = if labels { Scores::Labels } else { Scores::Logits };
    session.explain(Look { scores, queries: 0 }).unwrap().remove(0)
}

fn size(answer: &Answer) -> f64 {
    answer.attack.as_ref().unwrap().size.unwrap()
}

#[test]
fn the_fewest_pixels_are_found_and_none_of_them_can_stay() {
    for labels in [false, true] {
        let model = Bounds::new();
        let answer = attack(&model, Norm::Pixels, None, labels, 1_500);
        assert_eq!((size(&answer), answer.minimal), (2.0, Minimal::Checked), "labels: {labels}");
        let changed: Vec<usize> = (0..DIM).filter(|&at| answer.x[at] != 0.0).collect();
        for &at in &changed {
            let mut without = answer.x.clone();
            without[at] = 0.0;
            assert_eq!(model.class(&without), 0, "pixel {at} is not needed");
        }
    }
}

#[test]
fn every_norm_comes_near_its_least_change() {
    // Of a linear boundary sum w x = 1.5: the least l1 is 1.5 where weights are 1, the least l2 is 1.5 / |w|, the least linf 1.5 / |w|_1.
    let model = Bounds::new();
    let l2 = 1.5 / model.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    let linf = 1.5 / model.weights.iter().sum::<f64>();
    for (norm, least) in [(Norm::Numbers, 2.0), (Norm::L1, 1.5), (Norm::L2, l2), (Norm::Linf, linf)] {
        let answer = attack(&model, norm, None, false, 1_500);
        let share = size(&answer) / least;
        assert!((1.0..1.03).contains(&share), "{}: {share} of the least", norm.name());
        assert_eq!(model.class(&answer.x), 1);
    }
}

#[test]
fn classes_alone_lead_to_the_boundary() {
    let model = Bounds::new();
    let l2 = 1.5 / model.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    let linf = 1.5 / model.weights.iter().sum::<f64>();
    for (norm, least) in [(Norm::L2, l2), (Norm::Linf, linf)] {
        let answer = attack(&model, norm, None, true, 3_000);
        let share = size(&answer) / least;
        assert!((1.0..1.25).contains(&share), "{}: {share} of the least", norm.name());
    }
}

#[test]
fn a_target_is_reached() {
    // Class 2 leads where 2 (sum - 2.2) > sum - 1.5, so beyond 2.9: all three.
    let answer = attack(&Bounds::new(), Norm::Pixels, Some(2), false, 1_500);
    assert_eq!((size(&answer), answer.explanation.class), (3.0, 2));
}

#[test]
fn more_queries_never_give_a_larger_change_and_the_curve_foretells_it() {
    for norm in Norm::ALL {
        for labels in [false, true] {
            let long = attack(&Bounds::new(), norm, None, labels, 800);
            let told = long.attack.as_ref().unwrap();
            let mut before = f64::INFINITY;
            for queries in [50, 100, 200, 400] {
                let model = Bounds::new();
                let short = attack(&model, norm, None, labels, queries);
                assert!(model.asked.load(Ordering::Relaxed) <= queries);
                let found = short.attack.as_ref().unwrap().size.unwrap_or(f64::INFINITY);
                assert!(found <= before, "{}, labels {labels}: {found} after {queries}", norm.name());
                // A last check is paid for from the budget, so that the long run may know a little more by then.
                let known = told.size_after(queries).unwrap_or(f64::INFINITY);
                assert!(
                    known <= found,
                    "{}, labels {labels}: {known} was foretold, {found} found",
                    norm.name()
                );
                before = found;
            }
        }
    }
}

#[test]
fn changes_are_those_of_a_saved_picture() {
    for norm in Norm::ALL {
        let answer = attack(&Bounds::new(), norm, None, false, 400);
        let levels = answer.x.iter().map(|x| x * 255.0);
        assert!(levels.into_iter().all(|level| (level - level.round()).abs() < 1e-9), "{}", norm.name());
    }
}
