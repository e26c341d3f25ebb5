//! Pruning on its own: the method is given two steps and leaves nearly everything there; what is left in the end is what pruning
//! left.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::AtomicBool;

use gradless::{Config, Inputs, Method, Model, ModelError, Preset, StopRule};
use gradless_explain::session::Look;
use gradless_explain::{
    Answer, Labels, Minimal, Options, Pixels, Question, Scores, Session, Start, Starts, Strategy, Watch,
};

/// By how much the input's class wins.
struct Lead<F>(F);

impl<F: Fn(&[f64]) -> f64 + Send + Sync> Model for Lead<F> {
    fn shape(&self) -> &[usize] {
        &[DIM]
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            scores.copy_from_slice(&[(self.0)(x), 0.0]);
        }
        Ok(())
    }
}

const DIM: usize = 40;

/// The part of an input of ones that pruning leaves.
fn part(lead: impl Fn(&[f64]) -> f64 + Send + Sync) -> Answer {
    let options = Options {
        questions: vec![Question::Part],
        config: Config {
            stop: StopRule::Iterations(2),
            ..Config::new(Method::of_the_paper(), Preset::Practical)
        },
        max_queries: 3_000,
        strategy: Some(Strategy::Fixed),
        starts: Starts::both(Start::Input),
        kappa: None,
        l1: 1e-6,
        l2: 0.0,
        noise_floor: Some(0.0),
        ..Options::smallest()
    };
    let cancel = AtomicBool::new(false);
    let session = Session {
        model: &Lead(lead),
        features: &Pixels::new(vec![1.0; DIM], vec![DIM], 0.0, 1.0),
        options: &options,
        beside: gradless_explain::Beside::default(),
        labels: Labels::default(),
        watch: Watch::new(&cancel),
        deadline: None,
        sent: None,
    };
    session.explain(Look { scores: Scores::Logits, queries: 0 }).unwrap().remove(0)
}

fn places(answer: &Answer) -> Vec<usize> {
    (0..DIM).filter(|&i| answer.x[i] != 0.0).collect()
}

#[test]
fn what_is_left_has_the_class_and_no_place_of_it_can_go() {
    for seed in 0..10 {
        // Places for and against the class; it wins by little, so that some can go only when others are gone.
        let w: Vec<f64> = (0..DIM).map(|i| ((37 * i + 53 * seed) % 101) as f64 / 50.0 - 0.5).collect();
        let b = w.iter().sum::<f64>() - 0.3;
        let lead = |x: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - b;
        let answer = part(lead);
        assert!(answer.valid && lead(&answer.x) > 0.0, "seed {seed}: {answer:?}");
        assert_eq!(answer.minimal, Minimal::Checked, "seed {seed}");
        let can_go = |&i: &usize| {
            let mut without = answer.x.clone();
            without[i] = 0.0;
            lead(&without) > 0.0
        };
        let left = places(&answer);
        assert_eq!(left.iter().copied().find(can_go), None, "seed {seed}: {left:?}");
        assert!((15..30).contains(&left.len()), "seed {seed}: {left:?}");
    }
}

#[test]
fn places_that_can_go_only_one_after_the_other_all_go() {
    // The last place is needed; the first eight hold each other: none can go before those in front of it are gone.
    let lead = |x: &[f64]| {
        let held = x[..8].windows(2).all(|pair| pair[0] == 0.0 || pair[1] != 0.0);
        if held && x[DIM - 1] > 0.0 { 1.0 } else { -1.0 }
    };
    let answer = part(lead);
    assert_eq!((places(&answer), answer.minimal), (vec![DIM - 1], Minimal::Checked));
}
