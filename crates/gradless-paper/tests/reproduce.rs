//! The machinery of the experiments on a small data set and a network that sums: choice, journal, threads, cost.
#![cfg(feature = "reproduce")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bars;

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bars::{Bars, Folder, bars};
use gradless::{Inputs, Model, ModelError};
use gradless_paper::data::DataSet;
use gradless_paper::reproduce::{
    Arm, Conventions, Ending, Experiment, Family, Journal, JournalError, ModelFacts, Order, Others, Results,
    Run, Summary, Sweep, Unusable, Watch, choose, missing,
};

fn small() -> Experiment {
    let arms =
        ["zo-psgd:0.1", "ao-exp-grad", "zo-exp-storm"].iter().flat_map(|words| Arm::find(words).unwrap());
    let arms = Some(arms.collect());
    Experiment { arms, per_class: 2, batch: 4, iterations: 12, ..Experiment::full(DataSet::Mnist) }
}

fn facts() -> ModelFacts {
    ModelFacts { name: "bars".into(), sha256: "0".into(), engine: "none".into() }
}

struct Silent;

impl Watch for Silent {
    fn done(&mut self, _run: &Run, _calls: u64) {}
}

/// Does what is left in a folder and returns how it ended, and every file it would write.
fn go_on(
    experiment: &Experiment,
    folder: &Folder,
    threads: usize,
    model: &dyn Model,
    cancel: &AtomicBool,
) -> (Ending, Vec<(String, Vec<u8>)>, usize) {
    let test = bars();
    let images = choose(&Bars, experiment.set, &test, &Order::Hashed, experiment.per_class, experiment.seed)
        .unwrap()
        .images;
    let jobs = experiment.jobs(&images);
    let (mut journal, mut runs) =
        Journal::open(&folder.0, &experiment.identity(&facts()), Others::Refuse).unwrap();
    let left = missing(&jobs, &runs);
    let work = Sweep { experiment, jobs: &left, model, images: &test.images, threads, cancel };
    let ending = work.run(&mut journal, &mut runs, &mut Silent).unwrap();
    let summary = Summary::new(experiment, &jobs, &runs);
    let results =
        Results { experiment: experiment.clone(), model: facts(), images, summary, command: "run".into() };
    (ending, results.files(), left.len())
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn images_are_balanced_seeded_nested_and_correctly_classified() {
    let test = bars();
    let choice = |n, seed| choose(&Bars, DataSet::Mnist, &test, &Order::Hashed, n, seed).unwrap().images;
    let (two, four) = (choice(2, 1), choice(4, 1));
    assert_eq!(two.iter().map(|image| image.class).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
    assert_eq!(four[..6], two, "a larger choice begins with the smaller one");
    // Every fifth image of the set has the wrong label.
    assert!(four.iter().all(|image| image.index % 5 != 4 && test.labels[image.index] == image.class));
    assert_ne!(choice(2, 2), two);
    assert_eq!(choice(2, 1), two);
    let message = choose(&Bars, DataSet::Mnist, &test, &Order::Hashed, 99, 1).unwrap_err().to_string();
    assert!(message.contains("99") && message.contains("fewer"), "{message}");
}

#[test]
fn threads_and_interruptions_do_not_change_a_byte() {
    let (experiment, whole, cut) = (small(), Folder::new("whole"), Folder::new("cut"));
    let (ending, files, jobs) = go_on(&experiment, &whole, 1, &Bars, &never());
    assert_eq!((ending, jobs), (Ending::Finished, 2 * 3 * 3 * 2));

    // Stopped after some work, the last line torn in the middle, resumed on three threads.
    let (flag, asked) = (never(), AtomicUsize::new(0));
    let model = Impatient { flag: &flag, asked: &asked, patience: 300 };
    let (ending, partial, _) = go_on(&experiment, &cut, 1, &model, &flag);
    assert_eq!(ending, Ending::Interrupted);
    assert!(String::from_utf8(partial.last().unwrap().1.clone()).unwrap().contains("Not complete"));
    let path = cut.0.join("runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() > 3);
    fs::write(&path, &text[..text.len() - 40]).unwrap();
    let (ending, resumed, left) = go_on(&experiment, &cut, 3, &Bars, &never());
    assert!(left < jobs && ending == Ending::Finished);
    assert!(files == resumed, "the files differ");
    let (_, again, left) = go_on(&experiment, &cut, 2, &Bars, &never());
    assert!(left == 0 && again == files);
}

#[test]
fn a_run_can_be_extended_and_nothing_is_done_twice() {
    let (folder, fresh, few) = (Folder::new("extend"), Folder::new("fresh"), small());
    let done = go_on(&Experiment { per_class: 1, ..few.clone() }, &folder, 2, &Bars, &never()).2;
    let (_, files, left) = go_on(&few, &folder, 2, &Bars, &never());
    assert_eq!((done, left), (18, 18));
    assert!(files == go_on(&few, &fresh, 1, &Bars, &never()).1);
}

#[test]
fn what_a_journal_holds_beyond_an_experiment_is_not_counted() {
    let (folder, all) = (Folder::new("beyond"), small());
    go_on(&all, &folder, 2, &Bars, &never());
    let (_, runs) = Journal::open(&folder.0, &all.identity(&facts()), Others::Refuse).unwrap();
    let part = Experiment { arms: Some(Arm::find("ao-exp-grad").unwrap()), per_class: 1, ..all };
    let images = choose(&Bars, part.set, &bars(), &Order::Hashed, part.per_class, part.seed).unwrap().images;
    let summary = Summary::new(&part, &part.jobs(&images), &runs);
    // Two modes, three classes, 12 steps of 4 directions and a value.
    assert_eq!((summary.done, summary.oracle_calls), (6, 6 * 12 * 5));
    assert!(summary.seconds < runs.iter().map(|run| run.seconds).sum());
}

#[test]
fn curves_begin_at_one_and_every_oracle_call_is_counted() {
    for conventions in [Conventions::SEED, Conventions::AUTHORS] {
        let arms = Some(Arm::of(&Family::ALL));
        let experiment = Experiment { arms, per_class: 1, conventions, batch: 3, iterations: 5, ..small() };
        let folder = Folder::new("calls");
        go_on(&experiment, &folder, 1, &Bars, &never());
        let identity = experiment.identity(&facts());
        let (_, runs) = Journal::open(&folder.0, &identity, Others::Refuse).unwrap();
        assert_eq!(runs.len(), 16 * 2 * 3);
        let again = u64::from(conventions == Conventions::AUTHORS);
        for run in runs {
            let later = match run.arm.family {
                Family::AccZom | Family::ZoExpStorm => 2 * 3 + 1 + again,
                _ => 3 + 1,
            };
            assert_eq!(
                run.calls,
                [0, 4, 4 + later, 4 + 2 * later, 4 + 3 * later, 4 + 4 * later],
                "{}",
                run.arm
            );
            assert_eq!((run.ratio.len(), run.ratio[0], run.looks.len()), (6, 1.0, 1));
            assert_eq!(run.looks[0].valid, run.margin > 0.0);
        }
    }
}

#[test]
fn another_experiment_is_refused_and_damage_is_named() {
    let (folder, experiment) = (Folder::new("refused"), small());
    go_on(&Experiment { per_class: 1, ..experiment.clone() }, &folder, 2, &Bars, &never());
    let other = Experiment { seed: 9, ..experiment.clone() }.identity(&facts());
    let refused = Journal::open(&folder.0, &other, Others::Refuse).unwrap_err();
    assert!(refused.to_string().contains("its seed is 1, asked for is 9"), "{refused}");

    let path = folder.0.join("runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"mode\"", "\"mood\"", 3)).unwrap();
    let damaged = Journal::open(&folder.0, &experiment.identity(&facts()), Others::Refuse).unwrap_err();
    assert!(
        matches!(&damaged, JournalError::Unusable { problem: Unusable::Line { number: 2, .. }, .. }),
        "{damaged}"
    );

    let (_, runs) = Journal::open(&folder.0, &other, Others::Replace).unwrap();
    assert!(runs.is_empty() && fs::read_to_string(&path).unwrap().lines().count() == 1);
}

/// Bars that ask to stop after a number of calls.
struct Impatient<'a> {
    flag: &'a AtomicBool,
    asked: &'a AtomicUsize,
    patience: usize,
}

impl Model for Impatient<'_> {
    fn shape(&self) -> &[usize] {
        Bars.shape()
    }
    fn classes(&self) -> usize {
        Bars.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        if self.asked.fetch_add(1, Ordering::Relaxed) > self.patience {
            self.flag.store(true, Ordering::Relaxed);
        }
        Bars.scores(inputs, scores)
    }
}
