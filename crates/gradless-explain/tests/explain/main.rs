//! Explanations of models whose best answers are known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod confidence;
mod models;
mod regions;
mod select;
mod stability;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Config, Method, Model, ModelError, PerCoordinate, Preset};
use gradless_explain::features::Coordinates;
use gradless_explain::session::Look;
use gradless_explain::{
    Answer, ExplainError, Features, Grid, Kappa, Labels, Minimal, Moves, Options, Pixels, Progress, Question,
    QuestionError, Scores, Session, Start, Starts, Strategy, Watch,
};
use models::{CLASSES, Dying, INPUTS, Label, Linear, Shy, TanhNet, TopTwo};

const GRID: Grid = Grid { low: 0.0, high: 1.0, steps: 255 };
const ADD: Question = Question::Change { moves: Moves::Add, target: None };

fn input(dim: usize) -> Vec<f64> {
    (0..dim).map(|i| f64::from(u8::try_from(i * 53 % 256).unwrap()) / 255.0).collect()
}

/// One question about an input with numbers between 0 and 1.
#[derive(Clone)]
struct Task {
    question: Question,
    pixels: Pixels,
}

impl Task {
    fn new(question: Question, input: Vec<f64>) -> Self {
        let shape = vec![input.len()];
        Self { question, pixels: Pixels::new(input, shape, 0.0, 1.0) }
    }

    fn input(&self) -> &[f64] {
        &self.pixels.input
    }

    fn is_part(&self) -> bool {
        self.question == Question::Part
    }

    fn coordinates(&self) -> Coordinates<'_> {
        self.pixels.coordinates(self.question).unwrap()
    }

    /// Asks without a look at what the scores are, so that every query is one of the search.
    fn ask(&self, model: &dyn Model, options: &Options, watch: Watch<'_>) -> Result<Answer, ExplainError> {
        let options = Options { questions: vec![self.question], ..options.clone() };
        let session = Session {
            model,
            features: &self.pixels,
            options: &options,
            beside: gradless_explain::Beside::default(),
            labels: Labels::default(),
            watch,
            deadline: None,
            sent: None,
        };
        let mut answers = session.explain(Look { scores: Scores::Logits, queries: 0 })?;
        assert_eq!(answers.len(), 1);
        Ok(answers.remove(0))
    }
}

fn ask(model: &dyn Model, task: &Task, options: &Options) -> Result<Answer, ExplainError> {
    task.ask(model, options, Watch::new(&AtomicBool::new(false)))
}

fn budget(queries: u64, seed: u64) -> Options {
    Options {
        config: Config { seed, ..Config::default() },
        max_queries: queries,
        noise_floor: Some(0.0),
        ..Options::smallest()
    }
}

/// The answer without the time it took, which is never the same.
fn timeless(answer: Answer) -> Answer {
    Answer { seconds: 0.0, ..answer }
}

/// Asks the model itself: the condition holds, and no single place can go.
fn assert_needed(model: &Linear, task: &Task, answer: &Answer) {
    let holds = |shown: &[f64]| {
        let keeps = (model.lead(shown) > 0.0) == (model.lead(task.input()) > 0.0);
        keeps == task.is_part()
    };
    assert!(answer.valid && holds(&answer.after), "{answer:?}");
    for (i, &absent) in task.coordinates().origin.iter().enumerate().filter(|&(i, o)| answer.after[i] != *o) {
        let mut without = answer.after.clone();
        without[i] = absent;
        assert!(answer.minimal != Minimal::Checked || !holds(&without), "place {i} is not needed");
    }
}

#[test]
fn changes_of_a_linear_model_are_valid_minimal_and_near_the_smallest() {
    let model = Linear::new(100, 3.0);
    for seed in 0..4 {
        let task = Task::new(Question::CHANGE, input(100));
        let answer = ask(&model, &task, &Options { kappa: None, ..budget(5_000, seed) }).unwrap();
        assert_needed(&model, &task, &answer);
        assert_eq!(answer.minimal, Minimal::Checked);
        let least = model.least_change(task.input());
        assert!(answer.norm_l1 < 1.02 * least + 0.01, "{} for {least}", answer.norm_l1);
    }
}

#[test]
fn parts_of_a_linear_model_are_valid_and_minimal() {
    let model = Linear::new(100, -1.0);
    let mut task = Task::new(Question::Part, input(100));
    task.pixels.absent = 0.5.into();
    let answer = ask(&model, &task, &budget(4_000, 0)).unwrap();
    assert_needed(&model, &task, &answer);
}

#[test]
fn budgets_are_exact_and_threads_change_nothing() {
    for queries in [200, 333, 1_000, 2_500] {
        let (one, two) = (Linear::new(60, 2.0), Linear::new(60, 2.0));
        let task = Task::new(Question::CHANGE, input(60));
        let answer = ask(&one, &task, &budget(queries, 1)).unwrap();
        assert_eq!(one.asked.load(Ordering::Relaxed), answer.queries);
        assert!(answer.queries <= queries, "{} of {queries}", answer.queries);
        let other = ask(&two, &task, &Options { threads: 3, ..budget(queries, 1) }).unwrap();
        assert_eq!(timeless(answer), timeless(other));
    }
}

#[test]
fn frozen_places_bounds_and_directions_are_kept() {
    let model = Linear::new(80, 2.0);
    let frozen: Vec<bool> = (0..80).map(|i| i % 3 == 0).collect();
    let upper: Vec<f64> = (0..80).map(|i| if i % 2 == 0 { 1.0 } else { 0.9 }).collect();
    for question in [ADD, Question::CHANGE] {
        let mut task = Task::new(question, input(80));
        task.pixels.frozen = frozen.clone();
        task.pixels.upper = PerCoordinate::from(upper.clone());
        let answer = ask(&model, &task, &budget(3_000, 2)).unwrap();
        for i in 0..80 {
            let (x, before) = (answer.after[i], task.input()[i]);
            assert!(!frozen[i] || x == before, "{i} is frozen");
            assert!(x >= 0.0 && (x <= upper[i] || x <= before), "{i}: {x}");
            assert!(question == Question::CHANGE || x >= before, "{i} shrank");
        }
    }
}

#[test]
fn an_answer_holds_as_a_picture_too() {
    let model = Linear::new(64, 2.0);
    let mut task = Task::new(Question::CHANGE, input(64));
    task.pixels.grid = Some(GRID);
    let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
    assert!(answer.valid);
    let saved: Vec<f64> = answer.after.iter().map(|x| (x * 255.0).round() / 255.0).collect();
    assert!((model.lead(&saved) > 0.0) != (model.lead(task.input()) > 0.0));
}

#[test]
fn where_nothing_can_be_found_the_closest_miss_is_told() {
    let model = Linear::new(30, -500.0);
    let task = Task::new(Question::CHANGE, input(30));
    let answer = ask(&model, &task, &budget(1_000, 0)).unwrap();
    assert!(!answer.valid && answer.margin < -400.0 && answer.minimal == Minimal::NotAsked, "{answer:?}");
}

#[test]
fn cancelling_keeps_the_best_so_far() {
    let model = Linear::new(50, 2.0);
    let task = Task::new(Question::Part, input(50));
    let answer = task.ask(&model, &budget(5_000, 0), Watch::new(&AtomicBool::new(true))).unwrap();
    assert!(answer.queries < 20, "{}", answer.queries);
}

#[test]
fn senseless_questions_are_refused() {
    let model = Linear::new(10, 1.0);
    let task = Task::new(Question::CHANGE, input(10));
    let refused = |task: &Task, options: &Options| ask(&model, task, options).unwrap_err();
    let wrong = |task: Task| match refused(&task, &Options::smallest()) {
        ExplainError::Question(error) => error,
        other => panic!("{other}"),
    };
    let with = |pixels: Pixels| wrong(Task { pixels, ..task.clone() });
    let pixels = || task.pixels.clone();
    let short = Task::new(Question::CHANGE, vec![0.5; 9]);
    assert!(matches!(wrong(short), QuestionError::Length { found: 9, expected: 10 }));
    assert!(matches!(
        with(Pixels { input: vec![f64::NAN; 10], ..pixels() }),
        QuestionError::NotFinite { index: 0, .. }
    ));
    assert!(matches!(with(Pixels { lower: 2.0.into(), ..pixels() }), QuestionError::Crossed { .. }));
    assert!(matches!(with(Pixels { upper: f64::NAN.into(), ..pixels() }), QuestionError::ListNan { .. }));
    assert!(matches!(with(Pixels { frozen: vec![true; 3], ..pixels() }), QuestionError::ListLength { .. }));
    let question = Question::Change { moves: Moves::TwoSided, target: Some(2) };
    assert!(matches!(wrong(Task { question, ..task.clone() }), QuestionError::Target { .. }));
    assert_eq!(model.asked.load(Ordering::Relaxed), 0, "they are refused before anything is asked");
    assert!(matches!(refused(&task, &budget(39, 0)), ExplainError::Budget { queries: 39, before: 0 }));
    let negative = Options { l1: -1.0, ..Options::smallest() };
    assert!(matches!(refused(&task, &negative), ExplainError::Number { what: "the weight l1", .. }));
    for start in [Start::Zero, Start::Input, Start::Centre] {
        ask(&model, &task, &Options { starts: Starts::both(start), ..budget(400, 0) }).unwrap();
    }
}

#[test]
fn a_model_that_only_tells_labels_gets_valid_and_minimal_answers() {
    for b in [3.0, -1.0] {
        let model = Label(Linear::new(100, b));
        for question in [Question::Part, Question::CHANGE, ADD] {
            let task = Task::new(question, input(100));
            let answer = ask(&model, &task, &budget(5_000, 0)).unwrap();
            assert_needed(&model.0, &task, &answer);
            assert_eq!(answer.minimal, Minimal::Checked);
        }
    }
}

fn holds(task: &Task, class: usize, scores: &[f64]) -> bool {
    (gradless_explain::condition::largest(scores) == class) == task.is_part()
}

/// The smallest l1 norm of a valid point on the way of proximal gradient steps that see the gradient, at eleven weights,
/// from nothing and from everything.
fn white_box(net: &TanhNet, task: &Task) -> f64 {
    let class = gradless_explain::condition::largest(&net.forward(task.input()));
    let Coordinates { origin, whole, bounds, .. } = task.coordinates();
    let centre = bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2.0).collect();
    let mut best = f64::INFINITY;
    let starts = [origin.clone(), centre, whole];
    for (k, start) in (2..=12).flat_map(|k| starts.iter().map(move |start| (k, start))) {
        let (l1, eta) = (0.5_f64.powi(k), 0.02);
        let mut x = start.clone();
        for _ in 0..400 {
            let scores = net.forward(&x);
            if holds(task, class, &scores) {
                best = best.min(x.iter().zip(&origin).map(|(x, o)| (x - o).abs()).sum());
            }
            let other = (0..CLASSES).filter(|&i| i != class).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            let (plus, minus) =
                if task.is_part() { (class, other.unwrap()) } else { (other.unwrap(), class) };
            // The hinge is flat once the condition holds by a little.
            let lead = scores[plus] - scores[minus];
            let g = if lead > 0.01 { vec![0.0; INPUTS] } else { net.gradient(&x, plus, minus) };
            for i in 0..INPUTS {
                let (lower, upper) = bounds[i];
                let z = x[i] + eta * g[i] - origin[i];
                x[i] = (origin[i] + z.signum() * (z.abs() - eta * l1).max(0.0)).clamp(lower, upper);
            }
        }
    }
    best
}

#[test]
fn answers_about_a_small_network_are_hardly_larger_than_those_of_a_search_with_gradients() {
    for question in [Question::Part, Question::CHANGE, ADD] {
        let mut ratios = Vec::new();
        for seed in 0..9 {
            let net = TanhNet::new(seed);
            let task = Task::new(question, input(INPUTS));
            let answer = ask(&net, &task, &Options { kappa: None, ..budget(3_000, seed) }).unwrap();
            let with_gradients = white_box(&net, &task);
            assert!(answer.valid || with_gradients.is_infinite(), "{question:?} {seed}");
            if answer.valid {
                assert!(holds(&task, answer.original.class, &net.forward(&answer.after)));
                assert!((answer.explanation.scores[0] - net.forward(&answer.after)[0]).abs() < 1e-12);
                ratios.push((answer.norm_l1 + 1e-9) / (with_gradients + 1e-9));
            }
        }
        ratios.sort_by(f64::total_cmp);
        // Of two points the one with fewer features may be the answer, and have the larger norm.
        assert!(ratios.len() >= 5 && ratios[ratios.len() / 2] < 1.2, "{question:?}: {ratios:?}");
    }
}

#[test]
fn scores_of_few_classes_are_enough() {
    for question in [Question::Part, Question::CHANGE] {
        let model = TopTwo(TanhNet::new(3));
        let task = Task::new(question, input(INPUTS));
        let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
        assert!(answer.valid && answer.minimal == Minimal::Checked, "{answer:?}");
        assert!(holds(&task, answer.original.class, &model.0.forward(&answer.after)));
    }
}

#[test]
fn a_model_that_dies_leaves_what_was_found_until_then() {
    for question in [Question::Part, Question::CHANGE] {
        let mut task = Task::new(question, input(INPUTS));
        task.pixels.grid = Some(GRID);
        let whole = ask(&TanhNet::new(1), &task, &budget(3_000, 0)).unwrap();
        assert!(whole.valid);
        let first = whole.first_valid.unwrap();
        assert!(first <= whole.best_valid.unwrap() && whole.best_valid.unwrap() <= whole.queries);
        for left in [first + 20, u64::midpoint(first, whole.queries), whole.queries - 1] {
            let model = Dying { model: TanhNet::new(1), left: AtomicU64::new(left) };
            let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
            assert_eq!(
                answer.stop_reason,
                format!("the black box failed: {}", ModelError::Gone("it is gone".into()))
            );
            assert!(answer.valid, "{question:?}, {left}");
            assert!(holds(&task, answer.original.class, &model.model.forward(&answer.after)));
        }
        let model = Dying { model: TanhNet::new(1), left: AtomicU64::new(0) };
        assert!(matches!(ask(&model, &task, &budget(3_000, 0)), Err(ExplainError::Model(_))));
    }
}

#[test]
fn progress_is_told_and_stays_in_the_budget() {
    for (queries, strategy) in [
        (300, Strategy::Direct),
        (3_000, Strategy::Direct),
        (2_000, Strategy::Penalised),
        (2_000, Strategy::Fixed),
    ] {
        let told = Mutex::new(Vec::new());
        let progress = |progress: &Progress<'_>| {
            let used = progress.so_far.map(|best| best.used());
            assert_eq!(used.map(|used| used.len()), progress.best);
            told.lock().unwrap().push(Progress { so_far: None, ..*progress });
        };
        let cancel = AtomicBool::new(false);
        let task = Task::new(Question::CHANGE, input(INPUTS));
        let how = Options { strategy: Some(strategy), ..budget(queries, 0) };
        let answer =
            task.ask(&TanhNet::new(1), &how, Watch { cancel: &cancel, progress: &progress }).unwrap();
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
    for question in [Question::Part, Question::CHANGE] {
        // Few queries for many places, so that random signs are asked.
        let task = Task::new(question, input(INPUTS));
        let on = |threads: usize, queries: u64| {
            timeless(ask(&TanhNet::new(2), &task, &Options { threads, ..budget(queries, 7) }).unwrap())
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
    let task = Task::new(Question::CHANGE, input(100));
    let kappa = 0.1 * model.lead(task.input()).abs();
    let how = |kappa| Options { kappa: Some(Kappa::Absolute(kappa)), ..budget(5_000, 0) };
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
    for question in [Question::Part, Question::CHANGE] {
        let model = Shy(Linear::new(60, if question == Question::Part { -1.0 } else { 2.0 }));
        let mut task = Task::new(question, input(60));
        task.pixels.absent = if question == Question::Part { 0.5 } else { 0.0 }.into();
        let answer = ask(&model, &task, &budget(3_000, 0)).unwrap();
        assert!(answer.valid, "{question:?} {answer:?}");
    }
}

#[test]
fn no_way_through_a_search_exceeds_its_budget_or_goes_round_for_ever() {
    // Nothing is ever valid, so that everything is tried.
    for (queries, strategy) in (200..440).step_by(13).flat_map(|queries| {
        [Strategy::Direct, Strategy::Penalised, Strategy::Fixed].map(|strategy| (queries, strategy))
    }) {
        for question in [Question::Part, Question::CHANGE] {
            let model = Linear::new(40, if question == Question::Part { 2.0 } else { -500.0 });
            let task = Task::new(question, input(40));
            let config = Config::new(Method::of_the_paper(), Preset::Paper);
            let seeds = Options { config, strategy: Some(strategy), ..budget(queries, 0) };
            for how in [Options { strategy: Some(strategy), ..budget(queries, 0) }, seeds] {
                let before = model.asked.load(Ordering::Relaxed);
                let answer = ask(&model, &task, &how).unwrap();
                let asked = model.asked.load(Ordering::Relaxed) - before;
                assert_eq!(asked, answer.queries);
                assert!(asked <= queries, "{asked} of {queries}, {strategy:?}, {question:?}");
            }
        }
    }
}

#[test]
fn an_answer_about_what_is_no_picture_yet_holds_as_one() {
    let model = Linear::new(64, 2.0);
    let odd: Vec<f64> = input(64).iter().map(|x| 0.997 * x + 0.0013).collect();
    for seed in 0..8 {
        let mut task = Task::new(Question::CHANGE, odd.clone());
        task.pixels.grid = Some(GRID);
        let answer = ask(&model, &task, &Options { kappa: None, ..budget(3_000, seed) }).unwrap();
        assert!(answer.valid, "{}", answer.margin);
    }
}

#[test]
fn a_cancelled_search_asks_hardly_anything_more() {
    for (strategy, question) in [Strategy::Direct, Strategy::Penalised]
        .into_iter()
        .flat_map(|strategy| [Question::Part, Question::CHANGE].map(|question| (strategy, question)))
    {
        let model = Linear::new(900, 3.0);
        let cancel = AtomicBool::new(false);
        let asked_then = AtomicU64::new(0);
        let progress = |progress: &Progress<'_>| {
            if progress.queries > 300 && !cancel.swap(true, Ordering::Relaxed) {
                asked_then.store(progress.queries, Ordering::Relaxed);
            }
        };
        let task = Task::new(question, input(900));
        let how = Options { strategy: Some(strategy), ..budget(100_000, 0) };
        let answer = task.ask(&model, &how, Watch { cancel: &cancel, progress: &progress }).unwrap();
        let then = asked_then.load(Ordering::Relaxed);
        assert!(
            then > 300 && answer.queries <= then + 4,
            "{strategy:?} {question:?}: {} after {then}",
            answer.queries
        );
    }
}
