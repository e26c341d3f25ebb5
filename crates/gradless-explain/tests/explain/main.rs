//! Explanations of models whose best answers are known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod models;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Budget, Config, Method, Model, PerCoordinate, Preset, StopReason};
use gradless_explain::{
    Answer, Change, Explain, ExplainError, Grid, Kappa, Minimal, Mode, Progress, Search, Start, Task,
    TaskError, Watch, explain,
};
use models::{CLASSES, Dying, INPUTS, Label, Linear, Shy, TanhNet, TopTwo};

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
        let answer = ask(&model, &task, &Explain { kappa: None, ..budget(5_000, seed) }).unwrap();
        assert_needed(&model, &task, &answer);
        assert_eq!(answer.minimal, Minimal::Checked);
        let least = model.least_change(&task.input);
        assert!(answer.norm_l1 < 1.02 * least + 0.01, "{} for {least}", answer.norm_l1);
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

#[test]
fn a_model_that_only_tells_labels_gets_valid_and_minimal_answers() {
    for b in [3.0, -1.0] {
        let model = Label(Linear::new(100, b));
        for mode in [Mode::PertinentNegative, Mode::PertinentPositive] {
            for change in [Change::TwoSided, Change::Add] {
                let task = Task { change, ..Task::new(mode, input(100), 0.0, 1.0) };
                let answer = ask(&model, &task, &budget(5_000, 0)).unwrap();
                assert_needed(&model.0, &task, &answer);
                assert_eq!(answer.minimal, Minimal::Checked);
            }
        }
    }
}

fn holds(task: &Task, class: usize, scores: &[f64]) -> bool {
    (gradless_explain::condition::largest(scores) == class) == (task.mode == Mode::PertinentPositive)
}

/// The smallest l1 norm of a valid point on the way of proximal gradient steps that see the gradient, at eleven weights,
/// from nothing and from everything.
fn white_box(net: &TanhNet, task: &Task) -> f64 {
    let class = gradless_explain::condition::largest(&net.forward(&task.input));
    let nothing = task.nothing();
    let mut best = f64::INFINITY;
    let starts = [nothing.clone(), task.start(Start::Centre), task.everything()];
    for (k, start) in (2..=12).flat_map(|k| starts.iter().map(move |start| (k, start))) {
        let (l1, eta) = (0.5_f64.powi(k), 0.02);
        let mut x = start.clone();
        for _ in 0..400 {
            let seen = task.seen(&x);
            let scores = net.forward(&seen);
            if holds(task, class, &scores) {
                best = best.min(x.iter().zip(&nothing).map(|(x, o)| (x - o).abs()).sum());
            }
            let other = (0..CLASSES).filter(|&i| i != class).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            let (plus, minus) = match task.mode {
                Mode::PertinentPositive => (class, other.unwrap()),
                Mode::PertinentNegative => (other.unwrap(), class),
            };
            // The hinge is flat once the condition holds by a little.
            let lead = scores[plus] - scores[minus];
            let g = if lead > 0.01 { vec![0.0; INPUTS] } else { net.gradient(&seen, plus, minus) };
            for i in 0..INPUTS {
                let (lower, upper) = task.bounds(i);
                let z = x[i] + eta * g[i] - nothing[i];
                x[i] = (nothing[i] + z.signum() * (z.abs() - eta * l1).max(0.0)).clamp(lower, upper);
            }
        }
    }
    best
}

#[test]
fn answers_about_a_small_network_are_hardly_larger_than_those_of_a_search_with_gradients() {
    for (mode, change) in [
        (Mode::PertinentPositive, Change::TwoSided),
        (Mode::PertinentNegative, Change::TwoSided),
        (Mode::PertinentNegative, Change::Add),
    ] {
        let mut ratios = Vec::new();
        for seed in 0..9 {
            let net = TanhNet::new(seed);
            let task = Task { change, ..Task::new(mode, input(INPUTS), 0.0, 1.0) };
            let answer = ask(&net, &task, &Explain { kappa: None, ..budget(3_000, seed) }).unwrap();
            let with_gradients = white_box(&net, &task);
            assert!(answer.valid || with_gradients.is_infinite(), "{mode:?} {change:?} {seed}");
            if answer.valid {
                assert!(holds(&task, answer.original_class, &net.forward(&answer.seen)));
                assert!((answer.scores[0] - net.forward(&answer.seen)[0]).abs() < 1e-12);
                ratios.push((answer.norm_l1 + 1e-9) / (with_gradients + 1e-9));
            }
        }
        ratios.sort_by(f64::total_cmp);
        assert!(ratios.len() >= 5 && ratios[ratios.len() / 2] < 1.1, "{mode:?} {change:?}: {ratios:?}");
    }
}

#[test]
fn scores_of_few_classes_are_enough() {
    for mode in [Mode::PertinentPositive, Mode::PertinentNegative] {
        let model = TopTwo(TanhNet::new(3));
        let task = Task::new(mode, input(INPUTS), 0.0, 1.0);
        let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
        assert!(answer.valid && answer.minimal == Minimal::Checked, "{answer:?}");
        assert!(holds(&task, answer.original_class, &model.0.forward(&answer.seen)));
    }
}

#[test]
fn a_model_that_dies_leaves_what_was_found_until_then() {
    let grid = Some(Grid { low: 0.0, high: 1.0, steps: 255 });
    for mode in [Mode::PertinentPositive, Mode::PertinentNegative] {
        let task = Task::new(mode, input(INPUTS), 0.0, 1.0);
        let whole = ask(&TanhNet::new(1), &task, &Explain { grid, ..budget(3_000, 0) }).unwrap();
        assert!(whole.valid);
        let first = whole.first_valid.unwrap();
        assert!(first <= whole.best_valid.unwrap() && whole.best_valid.unwrap() <= whole.queries);
        for left in [first + 20, u64::midpoint(first, whole.queries), whole.queries - 1] {
            let model = Dying { model: TanhNet::new(1), left: AtomicU64::new(left) };
            let answer = ask(&model, &task, &Explain { grid, ..budget(3_000, 0) }).unwrap();
            assert!(matches!(answer.stop, Some(StopReason::OracleFailed { .. })), "{:?}", answer.stop);
            assert!(answer.valid, "{mode:?}, {left}");
            assert!(holds(&task, answer.original_class, &model.model.forward(&answer.seen)));
        }
        let model = Dying { model: TanhNet::new(1), left: AtomicU64::new(0) };
        assert!(matches!(ask(&model, &task, &budget(3_000, 0)), Err(ExplainError::Model(_))));
    }
}

#[test]
fn progress_is_told_and_stays_in_the_budget() {
    for (queries, search) in
        [(300, Search::Direct), (3_000, Search::Direct), (2_000, Search::Weights), (2_000, Search::Off)]
    {
        let told = Mutex::new(Vec::new());
        let progress = |progress: &Progress| told.lock().unwrap().push(*progress);
        let cancel = AtomicBool::new(false);
        let task = Task::new(Mode::PertinentNegative, input(INPUTS), 0.0, 1.0);
        let how = Explain { search, ..budget(queries, 0) };
        let answer =
            explain(&TanhNet::new(1), &task, &how, &Watch { cancel: &cancel, progress: &progress }).unwrap();
        let told = told.into_inner().unwrap();
        assert!(told.len() > 3, "{}", told.len());
        assert!(told.iter().all(|p| p.queries <= queries && p.budget == queries));
        assert!(told.is_sorted_by_key(|p| p.queries));
        assert_eq!(told.last().unwrap().queries, answer.queries);
        assert!(answer.steps.is_sorted_by_key(|step| step.queries));
        assert!(!answer.steps.is_empty() && answer.steps.iter().all(|step| step.queries <= queries));
    }
}

#[test]
fn the_same_seed_gives_the_same_answer_on_any_number_of_threads() {
    for mode in [Mode::PertinentPositive, Mode::PertinentNegative] {
        // Few queries for many places, so that random signs are asked.
        let task = Task::new(mode, input(INPUTS), 0.0, 1.0);
        let on = |threads: usize, queries: u64| {
            ask(&TanhNet::new(2), &task, &Explain { threads, ..budget(queries, 7) }).unwrap()
        };
        for queries in [250, 2_000] {
            assert_eq!(on(1, queries), on(1, queries));
            assert_eq!(on(1, queries), on(3, queries));
        }
    }
}

#[test]
fn a_margin_that_is_asked_for_is_kept_but_for_places_the_class_does_not_need() {
    let model = Linear::new(100, 3.0);
    let task = Task::new(Mode::PertinentNegative, input(100), 0.0, 1.0);
    let kappa = 0.1 * model.lead(&task.input).abs();
    let how = |kappa| Explain { kappa: Some(Kappa::Absolute(kappa)), ..budget(5_000, 0) };
    let (bare, firm) = (ask(&model, &task, &how(0.0)).unwrap(), ask(&model, &task, &how(kappa)).unwrap());
    assert!(bare.valid && bare.margin < 0.5 * kappa, "{} of {kappa}", bare.margin);
    assert!(firm.valid && firm.minimal == Minimal::Checked);
    assert!(firm.margin > 0.5 * kappa && firm.norm_l1 < 1.4 * bare.norm_l1, "{} of {kappa}", firm.margin);
    assert_needed(&model, &task, &firm);
    // One that cannot be had leaves what is valid at all.
    let out_of_reach = ask(&model, &task, &how(1e6)).unwrap();
    assert!(out_of_reach.valid && out_of_reach.margin > 0.0);
}

#[test]
fn answers_that_are_not_numbers_cost_only_themselves() {
    for mode in [Mode::PertinentPositive, Mode::PertinentNegative] {
        let model = Shy(Linear::new(60, if mode == Mode::PertinentPositive { -1.0 } else { 2.0 }));
        let background = if mode == Mode::PertinentPositive { 0.5 } else { 0.0 };
        let task = Task { background: background.into(), ..Task::new(mode, input(60), 0.0, 1.0) };
        let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
        assert!(answer.valid, "{mode:?} {answer:?}");
    }
}

#[test]
fn no_way_through_a_search_exceeds_its_budget_or_goes_round_for_ever() {
    // Nothing is ever valid, so that everything is tried.
    for (queries, search) in (200..440)
        .step_by(13)
        .flat_map(|queries| [Search::Direct, Search::Weights, Search::Off].map(|search| (queries, search)))
    {
        for mode in [Mode::PertinentPositive, Mode::PertinentNegative] {
            let model = Linear::new(40, if mode == Mode::PertinentNegative { -500.0 } else { 2.0 });
            let task = Task::new(mode, input(40), 0.0, 1.0);
            let config = Config::new(Method::of_the_paper(), Preset::Paper);
            let seeds = Explain {
                config: Config { budget: Budget::queries(queries), ..config },
                search,
                ..Explain::default()
            };
            for how in [Explain { search, ..budget(queries, 0) }, seeds] {
                let before = model.asked.load(Ordering::Relaxed);
                let answer = ask(&model, &task, &how).unwrap();
                let asked = model.asked.load(Ordering::Relaxed) - before;
                assert_eq!(asked, answer.queries);
                assert!(asked <= queries, "{asked} of {queries}, {search:?}, {mode:?}");
            }
        }
    }
}

#[test]
fn an_answer_about_what_is_no_picture_yet_holds_as_one() {
    let model = Linear::new(64, 2.0);
    let odd: Vec<f64> = input(64).iter().map(|x| 0.997 * x + 0.0013).collect();
    let grid = Grid { low: 0.0, high: 1.0, steps: 255 };
    for seed in 0..8 {
        let task = Task::new(Mode::PertinentNegative, odd.clone(), 0.0, 1.0);
        let answer =
            ask(&model, &task, &Explain { grid: Some(grid), kappa: None, ..budget(3_000, seed) }).unwrap();
        assert!(answer.valid, "{}", answer.margin);
    }
}

#[test]
fn a_cancelled_search_asks_hardly_anything_more() {
    for (search, mode) in [Search::Direct, Search::Weights]
        .into_iter()
        .flat_map(|search| [Mode::PertinentPositive, Mode::PertinentNegative].map(|mode| (search, mode)))
    {
        let model = Linear::new(900, 3.0);
        let cancel = AtomicBool::new(false);
        let asked_then = AtomicU64::new(0);
        let progress = |progress: &Progress| {
            if progress.queries > 300 && !cancel.swap(true, Ordering::Relaxed) {
                asked_then.store(progress.queries, Ordering::Relaxed);
            }
        };
        let task = Task::new(mode, input(900), 0.0, 1.0);
        let how = Explain { search, ..budget(100_000, 0) };
        let answer = explain(&model, &task, &how, &Watch { cancel: &cancel, progress: &progress }).unwrap();
        let then = asked_then.load(Ordering::Relaxed);
        assert!(
            then > 300 && answer.queries <= then + 4,
            "{search:?} {mode:?}: {} after {then}",
            answer.queries
        );
        assert!(answer.minimal != Minimal::Checked);
    }
}
