//! Counted, capped and cached models, and the noise floor.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::drive::NoiseProbe;
use gradless::{Inputs, Model, ModelError};
use gradless_models::{Asked, Cached, Capped, Counted, Engine, Hits, ModelNoise};
use proptest::prelude::*;
use support::{load, points, scores};

/// Two numbers to their sum and difference.
struct Sums;

impl Model for Sums {
    fn shape(&self) -> &[usize] {
        &[2]
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            scores.copy_from_slice(&[x[0] + x[1], x[0] - x[1]]);
        }
        Ok(())
    }
}

#[test]
fn a_cap_refuses_before_sending_and_lets_what_fits_pass() {
    let model = Capped::new(Counted::new(Sums), 5);
    assert!(scores(&model, &[1.0; 8]).is_ok());
    let refused = ModelError::Capped { cap: 5, used: 4, asked: 2 };
    assert_eq!(scores(&model, &[1.0; 4]), Err(refused));
    assert!(scores(&model, &[1.0; 2]).is_ok());
    assert_eq!((model.used(), model.left()), (5, 0));
    assert!(scores(&model, &[]).is_ok(), "nothing fits into nothing");
    assert_eq!(model.into_inner().asked().rows, 5);
}

#[test]
fn a_cap_is_exact_on_many_threads() {
    let model = Capped::new(Counted::new(Sums), 1000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| while scores(&model, &[0.5; 6]).is_ok() {});
        }
    });
    assert_eq!((model.used(), model.into_inner().asked()), (999, Asked { calls: 333, rows: 999 }));
}

#[test]
fn only_what_is_new_is_sent_each_once_and_in_one_batch() {
    let model = Cached::new(Counted::new(Sums), 100);
    scores(&model, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    // Known, new, new again, known; 0 and -0 differ.
    let x = [3.0, 4.0, 0.0, 5.0, 0.0, 5.0, -0.0, 5.0, 1.0, 2.0];
    assert_eq!(scores(&model, &x).unwrap(), scores(&Sums, &x).unwrap());
    assert_eq!(model.hits(), Hits { hits: 3, misses: 4 });
    assert_eq!(model.into_inner().asked(), Asked { calls: 2, rows: 4 });
}

#[test]
fn the_oldest_is_forgotten_when_memory_is_full() {
    let model = Cached::new(Counted::new(Sums), 2);
    for x in [1.0, 2.0, 3.0, 3.0, 2.0, 1.0] {
        scores(&model, &[x, x]).unwrap();
    }
    assert_eq!(model.hits(), Hits { hits: 2, misses: 4 });
    let none = Cached::new(Sums, 0);
    scores(&none, &[1.0; 4]).unwrap();
    scores(&none, &[1.0; 2]).unwrap();
    assert_eq!(none.hits(), Hits { hits: 1, misses: 2 });
}

proptest! {
    #[test]
    fn a_cache_never_changes_an_answer(
        batches in prop::collection::vec(prop::collection::vec(0_u8..6, 0..8), 0..12),
        capacity in 0_usize..8,
    ) {
        let model = Cached::new(Counted::new(Sums), capacity);
        let mut rows = 0;
        for batch in batches {
            let x: Vec<f64> = batch.iter().flat_map(|v| [f64::from(*v), 1.0]).collect();
            rows += batch.len() as u64;
            prop_assert_eq!(scores(&model, &x).unwrap(), scores(&Sums, &x).unwrap());
        }
        let Hits { hits, misses } = model.hits();
        prop_assert_eq!(hits + misses, rows);
        prop_assert_eq!(model.into_inner().asked().rows, misses);
    }
}

#[test]
fn a_network_in_single_precision_has_the_noise_of_single_precision() {
    let model = load("conv", Engine::Rten);
    let x = points(model.inputs());
    let noise = ModelNoise::measure(&model, &x, NoiseProbe::default()).unwrap();
    for floor in [noise.score_noise, noise.margin_noise] {
        let found = floor.noise.unwrap();
        assert!((1e-9..1e-6).contains(&found), "{noise}");
        assert!((1e-4..=1.0).contains(&floor.radius), "{noise}");
    }
    assert!(noise.class != noise.runner_up && noise.queries < 400, "{noise}");
}

/// The first score, the higher one, is exact; the second has noise of this size that repeats itself.
struct NoisyRival(f64);

impl Model for NoisyRival {
    fn shape(&self) -> &[usize] {
        &[4]
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            let index = x.iter().fold(0, |index, x| testkit::noise::word(index ^ x.to_bits()));
            scores.copy_from_slice(&[2.0 + x.iter().sum::<f64>(), self.0 * testkit::noise::normal(index)]);
        }
        Ok(())
    }
}

#[test]
fn the_noise_of_a_margin_is_that_of_both_scores() {
    let noise = ModelNoise::measure(&NoisyRival(1e-3), &[0.5; 4], NoiseProbe::default()).unwrap();
    assert!(noise.score_noise.noise.is_none_or(|found| found < 1e-12), "{noise}");
    let found = noise.margin_noise.noise.unwrap();
    assert!((0.5e-3..2e-3).contains(&found), "{noise}");
}
