//! Explanations of models whose best answers are known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Budget, Config, Inputs, Method, Model, ModelError, PerCoordinate, Preset, StopReason};
use gradless_explain::{
    Answer, Change, Explain, ExplainError, Grid, Kappa, Minimal, Mode, Progress, Search, Start, Task,
    TaskError, Watch, explain,
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

/// Answers with the class alone: 1 for it, 0 for the others.
struct Label<M>(M);

impl<M: Model> Model for Label<M> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        self.0.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for scores in scores.chunks_exact_mut(self.0.classes()) {
            let class = gradless_explain::condition::largest(scores);
            scores.fill(0.0);
            scores[class] = 1.0;
        }
        Ok(())
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

/// Scores beyond the highest two are 0, as of services that tell a few classes only; others may tie.
struct TopTwo(TanhNet);

impl Model for TopTwo {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        self.0.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for scores in scores.chunks_exact_mut(CLASSES) {
            let sum: f64 = scores.iter().map(|s| s.exp()).sum();
            let least = (0..CLASSES).fold(0, |least, i| if scores[i] < scores[least] { i } else { least });
            for (i, score) in scores.iter_mut().enumerate() {
                *score = if i == least { 0.0 } else { score.exp() / sum };
            }
        }
        Ok(())
    }
}

const INPUTS: usize = 64;
const HIDDEN: usize = 16;
const CLASSES: usize = 3;

/// 64 numbers to 16 and 3, tanh between, with weights drawn from a seed.
struct TanhNet {
    first: Vec<f64>,
    second: Vec<f64>,
}

impl TanhNet {
    fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        // The sum of four uniform numbers: close enough to normal.
        let mut normal = |scale: f64| {
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            scale * 3.0_f64.sqrt() * (uniform() + uniform() + uniform() + uniform())
        };
        let first = (0..INPUTS * HIDDEN).map(|_| normal(0.4)).collect();
        let second = (0..HIDDEN * CLASSES).map(|_| normal(0.7)).collect();
        Self { first, second }
    }

    fn hidden(&self, x: &[f64]) -> Vec<f64> {
        let one = |w: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>().tanh();
        self.first.chunks_exact(INPUTS).map(one).collect()
    }

    fn forward(&self, x: &[f64]) -> Vec<f64> {
        let hidden = self.hidden(x);
        self.second.chunks_exact(HIDDEN).map(|w| w.iter().zip(&hidden).map(|(w, h)| w * h).sum()).collect()
    }

    /// The gradient of one score minus another.
    fn gradient(&self, x: &[f64], plus: usize, minus: usize) -> Vec<f64> {
        let hidden = self.hidden(x);
        let mut g = vec![0.0; INPUTS];
        for (h, w) in self.first.chunks_exact(INPUTS).enumerate() {
            let outer = self.second[plus * HIDDEN + h] - self.second[minus * HIDDEN + h];
            for (g, w) in g.iter_mut().zip(w) {
                *g += outer * (1.0 - hidden[h] * hidden[h]) * w;
            }
        }
        g
    }
}

impl Model for TanhNet {
    fn shape(&self) -> &[usize] {
        &[INPUTS]
    }
    fn classes(&self) -> usize {
        CLASSES
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(CLASSES)) {
            scores.copy_from_slice(&self.forward(x));
        }
        Ok(())
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

/// Answers so many inputs and then never again.
struct Dying {
    model: TanhNet,
    left: AtomicU64,
}

impl Model for Dying {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }
    fn classes(&self) -> usize {
        self.model.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        let enough = |left: u64| left.checked_sub(inputs.len() as u64);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough) {
            Ok(_) => self.model.scores(inputs, scores),
            Err(_) => Err(ModelError::Gone("it is gone".to_owned())),
        }
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

/// Does not answer where a certain place is large.
struct Shy(Linear);

impl Model for Shy {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        if let Some(row) = inputs.rows().position(|x| x[7] > 0.9 || x[20] < 0.05) {
            return Err(ModelError::NotFinite { row, class: 0, value: f64::NAN });
        }
        self.0.scores(inputs, scores)
    }
    fn preferred_rows(&self) -> usize {
        4
    }
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
            let config = Config::new(Method::of_the_seed(), Preset::Seed);
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
