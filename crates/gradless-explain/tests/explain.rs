//! Explanations of models whose best answers are known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Budget, Config, Inputs, Model, ModelError, PerCoordinate};
use gradless_explain::{
    Answer, Change, Explain, ExplainError, Grid, Minimal, Mode, Start, Task, TaskError, Watch, explain,
};

/// Two classes: the second wins where $\langle w, x\rangle > b$.
struct Linear {
    w: Vec<f64>,
    b: f64,
    shape: [usize; 1],
    asked: AtomicU64,
}

impl Linear {
    fn new(dim: usize, b: f64) -> Self {
        let w = (0..dim)
            .map(|i| ((i * 37 % 101) as f64 / 50.0 - 1.0) * if i % 7 == 0 { 3.0 } else { 1.0 })
            .collect();
        Self { w, b, shape: [dim], asked: AtomicU64::new(0) }
    }

    fn lead(&self, x: &[f64]) -> f64 {
        self.w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - self.b
    }

    /// The least $\ell_1$ norm of a change in 0..=1 of the input that closes the gap: the steepest places first.
    fn least_change(&self, input: &[f64]) -> f64 {
        let sign = -self.lead(input).signum();
        let mut gap = self.lead(input).abs();
        let room = |(w, x): (&f64, &f64)| (w.abs(), if w * sign > 0.0 { 1.0 - x } else { *x });
        let mut places: Vec<(f64, f64)> = self.w.iter().zip(input).map(room).collect();
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut norm = 0.0;
        for (w, room) in places {
            let step = room.min(gap / w);
            norm += step;
            gap -= step * w;
            if gap <= 1e-12 {
                break;
            }
        }
        norm
    }
}

impl Model for Linear {
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        self.asked.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            let lead = self.lead(x);
            scores.copy_from_slice(&[-lead / 2.0, lead / 2.0]);
        }
        Ok(())
    }
    fn preferred_rows(&self) -> usize {
        16
    }
}

fn input(dim: usize) -> Vec<f64> {
    (0..dim).map(|i| f64::from(u8::try_from(i * 53 % 256).unwrap()) / 255.0).collect()
}

fn ask(model: &dyn Model, task: &Task, how: &Explain) -> Result<Answer, ExplainError> {
    explain(model, task, how, &Watch::new(&AtomicBool::new(false)))
}

fn budget(queries: u64, seed: u64) -> Explain {
    Explain {
        config: Config { budget: Budget::queries(queries), seed, ..Config::default() },
        ..Explain::default()
    }
}

/// Asks the model itself: the condition holds, and no single place can go.
fn assert_needed(model: &Linear, task: &Task, answer: &Answer) {
    let holds = |unknown: &[f64]| {
        let keeps = (model.lead(&task.seen(unknown)) > 0.0) == (model.lead(&task.input) > 0.0);
        keeps == (task.mode == Mode::PertinentPositive)
    };
    assert!(answer.valid && holds(&answer.unknown), "{answer:?}");
    for (i, &absent) in task.nothing().iter().enumerate().filter(|&(i, o)| answer.unknown[i] != *o) {
        let mut without = answer.unknown.clone();
        without[i] = absent;
        assert!(answer.minimal != Minimal::Checked || !holds(&without), "place {i} is not needed");
    }
}

#[test]
fn changes_of_a_linear_model_are_valid_minimal_and_near_the_smallest() {
    let model = Linear::new(100, 3.0);
    for seed in 0..4 {
        let task = Task::new(Mode::PertinentNegative, input(100), 0.0, 1.0);
        let answer = ask(&model, &task, &budget(5_000, seed)).unwrap();
        assert_needed(&model, &task, &answer);
        assert_eq!(answer.minimal, Minimal::Checked);
        let least = model.least_change(&task.input);
        assert!(answer.norm_l1 < 1.6 * least + 0.1, "{} for {least}", answer.norm_l1);
    }
}

#[test]
fn parts_of_a_linear_model_are_valid_and_minimal() {
    let model = Linear::new(100, -1.0);
    let task = Task::new(Mode::PertinentPositive, input(100), 0.0, 1.0);
    let task = Task { background: 0.5.into(), ..task };
    let answer = ask(&model, &task, &budget(4_000, 0)).unwrap();
    assert_needed(&model, &task, &answer);
}

#[test]
fn budgets_are_exact_and_threads_change_nothing() {
    for queries in [200, 333, 1_000, 2_500] {
        let (one, two) = (Linear::new(60, 2.0), Linear::new(60, 2.0));
        let task = Task::new(Mode::PertinentNegative, input(60), 0.0, 1.0);
        let answer = ask(&one, &task, &budget(queries, 1)).unwrap();
        assert_eq!(one.asked.load(Ordering::Relaxed), answer.queries);
        assert!(answer.queries <= queries, "{} of {queries}", answer.queries);
        let other = ask(&two, &task, &Explain { threads: 3, ..budget(queries, 1) }).unwrap();
        assert_eq!(answer, other);
    }
}

#[test]
fn frozen_places_bounds_and_directions_are_kept() {
    let model = Linear::new(80, 2.0);
    let frozen: Vec<bool> = (0..80).map(|i| i % 3 == 0).collect();
    let upper: Vec<f64> = (0..80).map(|i| if i % 2 == 0 { 1.0 } else { 0.9 }).collect();
    for change in [Change::Add, Change::TwoSided] {
        let task = Task {
            frozen: frozen.clone(),
            upper: PerCoordinate::from(upper.clone()),
            change,
            ..Task::new(Mode::PertinentNegative, input(80), 0.0, 1.0)
        };
        let answer = ask(&model, &task, &budget(3_000, 2)).unwrap();
        for i in 0..80 {
            let (x, before) = (answer.seen[i], task.input[i]);
            assert!(!frozen[i] || x == before, "{i} is frozen");
            assert!(x >= 0.0 && (x <= upper[i] || x <= before), "{i}: {x}");
            assert!(change == Change::TwoSided || x >= before, "{i} shrank");
        }
    }
}

#[test]
fn an_answer_holds_as_a_picture_too() {
    let model = Linear::new(64, 2.0);
    let task = Task::new(Mode::PertinentNegative, input(64), 0.0, 1.0);
    let how = Explain { grid: Some(Grid { low: 0.0, high: 1.0, steps: 255 }), ..budget(3_000, 0) };
    let answer = ask(&model, &task, &how).unwrap();
    assert!(answer.valid);
    let saved: Vec<f64> = answer.seen.iter().map(|x| (x * 255.0).round() / 255.0).collect();
    assert!((model.lead(&saved) > 0.0) != (model.lead(&task.input) > 0.0));
}

#[test]
fn where_nothing_can_be_found_the_closest_miss_is_told() {
    let model = Linear::new(30, -500.0);
    let task = Task::new(Mode::PertinentNegative, input(30), 0.0, 1.0);
    let answer = ask(&model, &task, &budget(1_000, 0)).unwrap();
    assert!(!answer.valid && answer.margin < -400.0 && answer.minimal == Minimal::NotAsked, "{answer:?}");
}

#[test]
fn cancelling_keeps_the_best_so_far() {
    let model = Linear::new(50, 2.0);
    let task = Task::new(Mode::PertinentPositive, input(50), 0.0, 1.0);
    let answer = explain(&model, &task, &budget(5_000, 0), &Watch::new(&AtomicBool::new(true))).unwrap();
    assert!(answer.queries < 20, "{}", answer.queries);
}

#[test]
fn senseless_questions_are_refused() {
    let model = Linear::new(10, 1.0);
    let task = Task::new(Mode::PertinentNegative, input(10), 0.0, 1.0);
    let refused = |task: Task, how: Explain| ask(&model, &task, &how).unwrap_err();
    let wrong = |task: Task| match refused(task, Explain::default()) {
        ExplainError::Task(error) => error,
        other => panic!("{other}"),
    };
    assert!(matches!(wrong(Task { input: vec![0.5; 9], ..task.clone() }), TaskError::Length { .. }));
    assert!(matches!(
        wrong(Task { input: vec![f64::NAN; 10], ..task.clone() }),
        TaskError::NotFinite { index: 0, .. }
    ));
    assert!(matches!(wrong(Task { lower: 2.0.into(), ..task.clone() }), TaskError::Crossed { .. }));
    assert!(matches!(wrong(Task { upper: f64::NAN.into(), ..task.clone() }), TaskError::ListNan { .. }));
    assert!(matches!(wrong(Task { frozen: vec![true; 3], ..task.clone() }), TaskError::ListLength { .. }));
    assert!(matches!(wrong(Task { target: Some(2), ..task.clone() }), TaskError::Target { .. }));
    let part = Task { mode: Mode::PertinentPositive, target: Some(0), ..task.clone() };
    assert!(matches!(wrong(part), TaskError::TargetOfPart));
    assert!(matches!(refused(task.clone(), budget(199, 0)), ExplainError::Budget { queries: 199 }));
    let negative = Explain { l1: -1.0, ..Explain::default() };
    assert!(matches!(refused(task.clone(), negative), ExplainError::Number { what: "the weight l1", .. }));
    for start in [Start::Zero, Start::Input, Start::Centre] {
        ask(&model, &task, &Explain { start, ..budget(400, 0) }).unwrap();
    }
}
