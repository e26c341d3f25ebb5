//! Answers that mean something: confidence through every stage, disturbances, examples, and never worse with more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gradless::{Config, Inputs, Model, ModelError};
use gradless_explain::{
    Answer, Beside, Confidence, Disturbance, Examples, Grid, Labels, Minimal, Moves, Options, Pixels,
    Question, Session, Stability, Strategy, Watch,
};

/// The side of the pictures.
const SIDE: usize = 16;

/// Three classes of pictures with a bar: upright, level, or slanted. Ink on a bar counts for its class, a little beside it.
struct Bars {
    /// What class 0 has before anything is drawn.
    bias: f64,
    asked: AtomicU64,
}

impl Bars {
    fn new(bias: f64) -> Self {
        Self { bias, asked: AtomicU64::new(0) }
    }
}

/// How much of a pixel counts for a class.
fn weight(class: usize, pixel: usize) -> f64 {
    let (row, column) = (pixel / SIDE, pixel % SIDE);
    let off = match class {
        0 => column.abs_diff(SIDE / 2),
        1 => row.abs_diff(SIDE / 2),
        _ => row.abs_diff(column),
    };
    match off {
        0 => 0.5,
        1 => 0.2,
        _ => -0.02,
    }
}

impl Model for Bars {
    fn shape(&self) -> &[usize] {
        &[1, SIDE, SIDE]
    }
    fn classes(&self) -> usize {
        3
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        self.asked.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(3)) {
            for (class, score) in scores.iter_mut().enumerate() {
                *score = x.iter().enumerate().map(|(pixel, ink)| weight(class, pixel) * ink).sum();
            }
            scores[0] += self.bias;
        }
        Ok(())
    }
}

/// A picture of a bar, some of its edge in grey.
fn bar(class: usize) -> Vec<f64> {
    let ink = |pixel: usize| match weight(class, pixel) {
        0.5 => 1.0,
        0.2 if pixel.is_multiple_of(3) => 102.0 / 255.0,
        _ => 0.0,
    };
    (0..SIDE * SIDE).map(ink).collect()
}

fn picture(class: usize) -> Pixels {
    let shape = vec![1, SIDE, SIDE];
    Pixels {
        grid: Some(Grid { low: 0.0, high: 1.0, steps: 255 }),
        disturbance: Some(Disturbance::of(&shape)),
        ..Pixels::new(bar(class), shape, 0.0, 1.0)
    }
}

fn ask(model: &Bars, pixels: &Pixels, options: &Options, examples: Option<&Examples>) -> Answer {
    let cancel = AtomicBool::new(false);
    let session = Session {
        model,
        features: pixels,
        options,
        beside: Beside { examples, ..Beside::default() },
        labels: Labels::default(),
        watch: Watch::new(&cancel),
        deadline: None,
        sent: None,
    };
    let mut answers = session.explain(session.look().unwrap()).unwrap();
    assert_eq!(answers.len(), 1);
    let answer = answers.remove(0);
    Answer { seconds: 0.0, ..answer }
}

fn options(question: Question, queries: u64, seed: u64) -> Options {
    Options {
        questions: vec![question],
        max_queries: queries,
        config: Config { seed, ..Config::default() },
        ..Options::default()
    }
}

fn bars_as_examples() -> Examples {
    #[expect(clippy::cast_possible_truncation, reason = "examples are kept in single precision")]
    let rows = (0..3).flat_map(bar).map(|x| x as f32).collect();
    Examples::new(rows, SIDE * SIDE).unwrap()
}

#[test]
fn the_margin_is_never_below_what_was_asked_and_every_query_is_counted() {
    let examples = bars_as_examples();
    for (class, share) in [(0, 0.2), (1, 0.5), (2, 0.8), (1, 0.95)] {
        for (question, known) in
            [(Question::Part, None), (Question::CHANGE, None), (Question::CHANGE, Some(&examples))]
        {
            for strategy in [Strategy::Eliminate, Strategy::Direct, Strategy::Penalised] {
                let model = Bars::new(0.0);
                let confidence = Some(Confidence::Share(share));
                let options = Options { confidence, strategy: Some(strategy), ..options(question, 1_500, 3) };
                let answer = ask(&model, &picture(class), &options, known);
                assert_eq!(model.asked.load(Ordering::Relaxed), answer.queries, "{strategy:?}");
                assert!(answer.queries <= 1_500);
                assert!(
                    answer.valid || strategy == Strategy::Penalised,
                    "{question:?} {strategy:?}: {}",
                    answer.sentence
                );
                let kept = answer.confidence.share.unwrap();
                assert!(
                    !answer.valid || kept >= share - 1e-9,
                    "{question:?} {strategy:?}: {kept} of {share}"
                );
                let survival = answer.stability.as_ref();
                assert!(
                    survival.is_none_or(|survival| survival.held <= survival.draws && survival.draws == 100)
                );
            }
        }
    }
}

#[test]
fn one_seed_is_one_answer_whatever_the_threads() {
    for question in [Question::Part, Question::CHANGE] {
        let told = |seed: u64, threads: usize| {
            ask(&Bars::new(0.0), &picture(1), &Options { threads, ..options(question, 2_000, seed) }, None)
        };
        assert_eq!(told(1, 1), told(1, 4));
        assert_ne!(told(1, 1).stability, told(2, 1).stability, "other draws");
    }
}

#[test]
fn more_queries_never_give_a_larger_answer() {
    let examples = bars_as_examples();
    let size = |answer: &Answer| answer.pixels as f64 * answer.norm_l1;
    for (question, known) in
        [(Question::Part, None), (Question::CHANGE, None), (Question::CHANGE, Some(&examples))]
    {
        for stability in [Some(Stability::Off), None] {
            let mut before: Option<Answer> = None;
            for queries in [500, 700, 1_000, 1_500, 2_500, 5_000, 12_000] {
                // Without a confidence of its own a search has another one to fall back to.
                let confidence = Some(Confidence::Share(0.3));
                let options = Options { confidence, stability, ..options(question, queries, 0) };
                let answer = ask(&Bars::new(0.0), &picture(2), &options, known);
                if let Some(before) = &before {
                    assert!(answer.valid >= before.valid);
                    let (now, then) = (size(&answer), size(before));
                    assert!(
                        !before.valid || now <= then + 1e-9,
                        "{question:?} {stability:?}, {queries}: {then} to {now}"
                    );
                }
                before = Some(answer);
            }
            assert!(before.is_some_and(|answer| answer.valid && answer.minimal == Minimal::Checked));
        }
    }
}

#[test]
fn a_change_is_made_of_what_occurs_in_an_example() {
    let examples = bars_as_examples();
    let input = bar(0);
    let answer = ask(&Bars::new(0.0), &picture(0), &options(Question::CHANGE, 3_000, 0), Some(&examples));
    assert!(answer.valid);
    let example = examples.row(answer.explanation.class);
    for (pixel, (&after, &before)) in answer.after.iter().zip(&input).enumerate() {
        assert!(
            after == before || (after - example[pixel]).abs() < 1e-6,
            "pixel {pixel}: {before} to {after}"
        );
    }
    let plausibility = answer.plausibility.unwrap();
    assert!(plausibility.examples == 3 && plausibility.nearest_input.unwrap() < 1e-6);
    // As an 8-bit picture holds it, although examples are kept in single precision.
    assert!(answer.after.iter().all(|x| (255.0 * x).fract().abs() < 1e-12));
}

#[test]
fn additions_stay_additions_and_a_target_is_reached() {
    let examples = bars_as_examples();
    let adds = Question::Change { moves: Moves::Add, target: Some(2) };
    let answer = ask(&Bars::new(0.0), &picture(0), &options(adds, 3_000, 0), Some(&examples));
    assert!(answer.valid && answer.explanation.class == 2);
    assert!(answer.after.iter().zip(bar(0)).all(|(after, before)| *after >= before));
}

#[test]
fn where_nothing_is_enough_the_confidence_is_asked_for() {
    // An empty picture is an upright bar to it, by a little.
    let part = ask(&Bars::new(1.0), &picture(0), &options(Question::Part, 2_000, 0), None);
    assert!(part.absent_has_class && part.valid && part.pixels > 0);
    assert!(
        part.sentence.starts_with("The model says class 0 to an empty input already."),
        "{}",
        part.sentence
    );
    assert!(part.hint.is_some_and(|hint| hint.contains("--absent")));
    // Where it is as sure of an empty one as half of the input, more is asked.
    let sure = ask(&Bars::new(20.0), &picture(0), &options(Question::Part, 2_000, 0), None);
    assert_eq!(sure.confidence.asked, Confidence::Share(0.9));
    assert!(sure.confidence.share.unwrap() >= 0.9 && sure.pixels > 0);
}

#[test]
fn a_default_confidence_that_cannot_be_had_gives_way_and_says_so() {
    // Adding, no other bar can lead by half of what this one does; nothing keeps it from leading at all.
    let adds = Question::Change { moves: Moves::Add, target: None };
    let model = Bars::new(0.0);
    let full =
        Pixels { input: bar(0).into_iter().map(|x| if x > 0.0 { 1.0 } else { 0.0 }).collect(), ..picture(0) };
    let by_default = ask(&model, &full, &options(adds, 3_000, 0), None);
    let asked = Options { confidence: Some(Confidence::Share(3.0)), ..options(adds, 3_000, 0) };
    let told = ask(&model, &full, &asked, None);
    assert!(!told.valid && told.sentence.contains("300 % were asked"), "{}", told.sentence);
    assert!(by_default.valid, "{}", by_default.sentence);
}

#[test]
fn without_stability_and_confidence_the_smallest_answer_is_asked_for() {
    let options = Options { questions: vec![Question::Part], max_queries: 2_000, ..Options::smallest() };
    let answer = ask(&Bars::new(0.0), &picture(0), &options, None);
    assert_eq!(
        (answer.strategy, answer.stability, answer.confidence.asked),
        (Strategy::Direct, None, Confidence::CLASS_ALONE)
    );
    // One pixel of the bar is more than nothing.
    assert!(answer.valid && answer.pixels == 1);
}
