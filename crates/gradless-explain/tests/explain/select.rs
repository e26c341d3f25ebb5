//! The fewest columns or switches: minimal, within rules, exactly counted, never worse with more.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use gradless::{Config, Inputs, Model, ModelError};
use gradless_explain::features::{Kind, Plausible, Rule, Table, Way};
use gradless_explain::{
    Answer, Beside, Column, Columns, Confidence, Features, Labels, Minimal, Options, Question, Session,
    Stability, Switches, Watch,
};
use proptest::prelude::*;

/// Probabilities of two classes from a score of a row; remembers what it was shown.
pub(crate) struct Judge<F> {
    score: F,
    dim: usize,
    pub(crate) seen: Mutex<Vec<Vec<f64>>>,
}

impl<F: Fn(&[f64]) -> f64 + Sync> Judge<F> {
    pub(crate) fn new(dim: usize, score: F) -> Self {
        Self { score, dim, seen: Mutex::default() }
    }
}

impl<F: Fn(&[f64]) -> f64 + Sync> Model for Judge<F> {
    fn shape(&self) -> &[usize] {
        std::slice::from_ref(&self.dim)
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            let p = 1.0 / (1.0 + (-(self.score)(x)).exp());
            scores.copy_from_slice(&[1.0 - p, p]);
            self.seen.lock().unwrap().push(x.to_vec());
        }
        Ok(())
    }
}

pub(crate) fn ask(model: &dyn Model, features: &dyn Features, options: &Options) -> Vec<Answer> {
    let cancel = AtomicBool::new(false);
    let session = Session {
        model,
        features,
        options,
        beside: Beside::default(),
        labels: Labels::default(),
        watch: Watch::new(&cancel),
        deadline: None,
        sent: None,
    };
    let answers = session.explain(session.look().unwrap()).unwrap();
    answers.into_iter().map(|answer| Answer { seconds: 0.0, ..answer }).collect()
}

/// The class alone, undisturbed.
pub(crate) fn smallest(question: Question, queries: u64) -> Options {
    Options { questions: vec![question], max_queries: queries, ..Options::smallest() }
}

/// Six numbers between 0 and 10 and a category of four, with 80 rows of a table.
fn row() -> Columns {
    let columns = (0..6).map(Column::Number).chain([Column::Category { at: 6, levels: 4 }]).collect();
    let input = vec![2.0, 3.0, 5.0, 1.0, 7.0, 4.0, 1.0];
    let rows: Vec<f64> = (0..80_u32)
        .flat_map(|k| (0..6).map(move |i| f64::from(k * (7 + i) % 21) / 2.0).chain([f64::from(k % 4)]))
        .collect();
    let upper = vec![10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 3.0];
    Columns {
        table: Some(Table::new(rows, 7).unwrap()),
        ..Columns::new(
            input,
            columns,
            [0.0.into(), upper.into()],
            vec![5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0.0].into(),
        )
    }
}

/// Class 1 where two numbers are both large, or the category is the last and one of them is.
fn pair(x: &[f64]) -> f64 {
    let both = x[1].min(x[4]) - 6.0;
    if x[6] == 3.0 { both.max(x[2] - 8.0) } else { both }
}

#[test]
fn one_column_is_found_if_one_is_enough_and_its_value_comes_as_close_as_it_can() {
    let model = Judge::new(7, pair);
    let [answer] = &ask(&model, &row(), &smallest(Question::CHANGE, 2_000))[..] else { panic!("one answer") };
    assert!(answer.valid && answer.used == [1] && answer.minimal == Minimal::Checked, "{}", answer.sentence);
    assert_eq!(answer.after[1], 6.5, "the least value of the table above 6");
    assert_eq!(answer.features.total, 7);
    assert_eq!(model.seen.lock().unwrap().len() as u64, answer.queries);
}

#[test]
fn two_that_do_nothing_alone_are_found_together() {
    let low = Columns { input: vec![2.0, 3.0, 5.0, 1.0, 2.0, 4.0, 1.0], ..row() };
    let model = Judge::new(7, |x: &[f64]| x[1].min(x[4]) - 6.0 + 0.1 * x[0]);
    let [answer] = &ask(&model, &low, &smallest(Question::CHANGE, 2_000))[..] else { panic!("one answer") };
    assert!(answer.valid && answer.used == [1, 4], "{}", answer.sentence);
}

#[test]
fn no_row_that_breaks_a_rule_a_range_or_a_direction_is_ever_shown() {
    let tied = Columns {
        rules: vec![
            Rule {
                name: "a + e <= 12".into(),
                terms: vec![(0, 1.0), (4, 1.0)],
                least: f64::NEG_INFINITY,
                most: 12.0,
            },
            Rule { name: "b <= c".into(), terms: vec![(2, 1.0), (1, -1.0)], least: 0.0, most: f64::INFINITY },
        ],
        ways: vec![Way::Any, Way::Any, Way::Any, Way::Up, Way::Any, Way::Down, Way::Any],
        frozen: vec![false, false, false, false, true, false, false],
        ..row()
    };
    let model = Judge::new(7, pair);
    let answers = ask(&model, &tied, &Options { count: 3, ..smallest(Question::CHANGE, 1_500) });
    assert!(answers[0].valid && answers[0].used.contains(&1), "{}", answers[0].sentence);
    assert!(answers[0].used.contains(&2), "c follows b: {:?}", answers[0].after);
    // The first look is at two inputs that are no more than inputs.
    for x in model.seen.lock().unwrap().iter().skip(3) {
        assert!(x[0] + x[4] <= 12.0 + 1e-9 && x[1] <= x[2] + 1e-9, "{x:?}");
        assert!(
            x[3] >= 1.0 && x[5] <= 4.0 && x[4] == 7.0 && x.iter().all(|v| (0.0..=10.0).contains(v)),
            "{x:?}"
        );
    }
}

#[test]
fn what_is_in_the_way_is_named() {
    let frozen = Columns {
        frozen: (0..7).map(|i| [1, 2, 6].contains(&i)).collect(),
        names: "abcdefg".chars().map(String::from).collect(),
        ..row()
    };
    let [answer] = &ask(&Judge::new(7, pair), &frozen, &smallest(Question::CHANGE, 1_000))[..] else {
        panic!("one")
    };
    assert!(
        !answer.valid && answer.sentence.contains("It becomes possible if b may change"),
        "{}",
        answer.sentence
    );
    assert!(answer.queries <= 1_000);
}

#[test]
fn several_answers_have_no_column_in_common_and_the_smallest_comes_first() {
    let model =
        Judge::new(7, |x: &[f64]| x[0].max(x[3]) + 0.5 * (x[2] - 5.0).max(0.0) * (x[5] - 4.0).max(0.0) - 6.0);
    let answers = ask(&model, &row(), &Options { count: 3, ..smallest(Question::CHANGE, 2_000) });
    let used: Vec<&[usize]> = answers.iter().map(|answer| &answer.used[..]).collect();
    assert_eq!(used, [&[0][..], &[3], &[2, 5]]);
    assert_eq!(answers.iter().map(|answer| answer.alternative).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(
        model.seen.lock().unwrap().len() as u64,
        answers.iter().map(|answer| answer.queries).sum::<u64>()
    );
}

#[test]
fn required_rows_are_close_to_known_ones() {
    // Numbers that always go together.
    let rows: Vec<f64> = (0..100).flat_map(|k| [f64::from(k) / 10.0, f64::from(k) / 10.0]).collect();
    let tied = Columns {
        table: Some(Table::new(rows, 2).unwrap()),
        plausible: Plausible::Require,
        ..Columns::new(
            vec![2.0, 2.0],
            vec![Column::Number(0), Column::Number(1)],
            [0.0.into(), 10.0.into()],
            5.0.into(),
        )
    };
    let model = Judge::new(2, |x: &[f64]| x[0] - 7.0);
    let [answer] = &ask(&model, &tied, &smallest(Question::CHANGE, 1_000))[..] else { panic!("one answer") };
    assert!(answer.valid && answer.used == [0, 1], "both move, as they always do: {}", answer.sentence);
    assert!(
        (answer.after[0] - answer.after[1]).abs() < 0.5
            && answer.plausibility.unwrap().nearest.unwrap() < 0.05
    );
}

#[test]
fn a_part_of_a_row_holds_whatever_the_other_columns_are() {
    let model =
        Judge::new(7, |x: &[f64]| 2.0 * (x[4] - 5.0) + if x[6] == 1.0 { 6.0 } else { -6.0 } + 0.1 * x[0]);
    let options = Options { questions: vec![Question::Part], max_queries: 3_000, ..Options::default() };
    let [answer] = &ask(&model, &row(), &options)[..] else { panic!("one answer") };
    assert!(answer.valid && answer.used == [4, 6], "{} {:?}", answer.sentence, answer.used);
    let survival = answer.stability.as_ref().unwrap();
    assert!(survival.held >= 95 && survival.disturbance.contains("other rows"), "{survival:?}");
}

#[test]
fn one_in_a_hundred_thousand_switches_is_found() {
    let switches = Switches::new(Kind::Switches, &vec![0; 100_000], Vec::new()).unwrap();
    let model = Judge::new(100_000, |x: &[f64]| 2.0 * x[31_415] - 1.0);
    for question in [Question::Part, Question::CHANGE] {
        let [answer] = &ask(&model, &switches, &smallest(question, 400))[..] else { panic!("one answer") };
        assert!(answer.valid && answer.used == [31_415], "{}", answer.sentence);
    }
}

fn size(answer: &Answer) -> (bool, usize) {
    (!answer.valid, answer.used.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Weighted switches with a threshold: what is found is valid, one-minimal and counted; no other seed, number of threads or larger
    /// budget makes it worse.
    #[test]
    fn selections_are_minimal_counted_repeatable_and_never_worse_with_more(
        weights in prop::collection::vec(-1.0..1.0_f64, 12..40),
        offset in -1.0..1.0_f64,
        part in any::<bool>(),
        stable in any::<bool>(),
    ) {
        let count = weights.len();
        let score = |x: &[f64]| x.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() + offset;
        prop_assume!(score(&vec![1.0; count]).abs() > 0.05);
        let question = if part { Question::Part } else { Question::CHANGE };
        let switches = Switches::new(Kind::Words, &vec![0; count], Vec::new()).unwrap();
        let asked = |queries: u64, threads: usize| {
            let model = Judge::new(count, score);
            let stability = Some(if stable { Stability::On { draws: 30 } } else { Stability::Off });
            let options = Options {
                stability,
                threads,
                config: Config { seed: 5, ..Config::default() },
                ..smallest(question, queries)
            };
            let answer = ask(&model, &switches, &options).remove(0);
            let seen = model.seen.lock().unwrap().len() as u64;
            (answer, seen)
        };
        let (answer, seen) = asked(1_500, 1);
        prop_assert_eq!(seen, answer.queries);
        prop_assert!(answer.queries <= 1_500 && answer.confidence.asked == Confidence::Share(0.0));
        prop_assert_eq!(&asked(1_500, 3).0, &answer);
        if answer.valid && !stable {
            let own = score(&vec![1.0; count]) > 0.0;
            let origin = if part { 0.0 } else { 1.0 };
            let holds = |used: &[usize]| {
                let mut x = vec![origin; count];
                for &i in used {
                    x[i] = 1.0 - origin;
                }
                let lead = if own == part { score(&x) } else { -score(&x) };
                // Too close to tell is neither.
                if lead.abs() < 1e-4 { None } else { Some(lead > 0.0) }
            };
            prop_assert!(holds(&answer.used) != Some(false));
            if answer.minimal == Minimal::Checked {
                for left_out in &answer.used {
                    let rest: Vec<usize> = answer.used.iter().copied().filter(|i| i != left_out).collect();
                    prop_assert!(holds(&rest) != Some(true), "{left_out} is not needed");
                }
            }
        }
        // With few queries, fewer copies tell what the input itself survives.
        let budgets = if stable { [600, 900, 1_200, 1_500] } else { [60, 120, 300, 1_500] };
        let mut before = asked(budgets[0], 1).0;
        for queries in &budgets[1..] {
            let queries = *queries;
            let now = asked(queries, 1).0;
            prop_assert!(size(&now) <= size(&before), "{queries}: {:?} after {:?}", now.used, before.used);
            before = now;
        }
    }
}
