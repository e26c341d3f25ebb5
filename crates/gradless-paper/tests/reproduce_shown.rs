//! Tables, figures and page of hand-made runs.
#![cfg(feature = "reproduce")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gradless_paper::data::DataSet;
use gradless_paper::reproduce::{
    Arm, Chosen, Experiment, Look, Mode, ModelFacts, Results, Run, Summary, curves_csv, figures, page,
    pairs_csv, table_csv,
};

/// Images 0 to 3; what an arm reaches on an image is its place among the arms, a little more for later images.
fn results(experiment: &Experiment) -> Results {
    let images: Vec<Chosen> =
        (0..4_u8).map(|i| Chosen { class: i, rank: 0, index: usize::from(i) }).collect();
    let jobs = experiment.jobs(&images);
    let arms = experiment.arms(Mode::Pn);
    let run = |job: &gradless_paper::reproduce::Job| {
        let place = arms.iter().position(|arm| *arm == job.arm).unwrap() as f64;
        let end = 0.1 * (1.0 + place) + 0.01 * job.image.index as f64;
        Run {
            mode: job.mode,
            arm: job.arm,
            class: job.image.class,
            image: job.image.index,
            start: 10.0,
            ratio: (0..=200).map(|t| 1.0 - (1.0 - end) * f64::from(t) / 200.0).collect(),
            calls: (0..=200).map(|t| 201 * t).collect(),
            looks: vec![
                Look { iteration: 100, valid: false, nonzeros: 20 },
                Look { iteration: 200, valid: job.image.index > 0, nonzeros: 10 + job.image.index },
            ],
            margin: 0.5,
            norm_l1: 3.0,
            seconds: 1.0,
            failed: None,
        }
    };
    let mut runs: Vec<Run> = jobs.iter().map(run).collect();
    runs.reverse();
    let summary = Summary::new(experiment, &jobs, &runs);
    let name = "<b>\"lenet\" & co</b>".to_owned();
    let model = ModelFacts { name, sha256: "12ab".into(), engine: "rten".into() };
    Results {
        experiment: experiment.clone(),
        model,
        images,
        summary,
        command: "gradless reproduce <mnist>".into(),
    }
}

fn line<'a>(csv: &'a str, start: &str) -> &'a str {
    csv.lines().find(|line| line.starts_with(start)).unwrap()
}

#[test]
fn tables_hold_means_quartiles_validity_and_the_papers_numbers() {
    let results = results(&Experiment::full(DataSet::Mnist));
    let (experiment, summary) = (&results.experiment, &results.summary);
    let curves = curves_csv(experiment, summary);
    assert_eq!(curves.lines().count(), 1 + 2 * 16 * 201);
    // The first arm ends at 0.10, 0.11, 0.12, 0.13.
    assert_eq!(
        line(&curves, "mnist,pn,ZO-PSGD,lr=1,200,"),
        "mnist,pn,ZO-PSGD,lr=1,200,40200,1.150000e-1,1.075000e-1,1.150000e-1,1.225000e-1,4"
    );
    assert!(line(&curves, "mnist,pp,ZO-ExpStorm,,0,").contains(",0,1.000000e0,"));
    let table = table_csv(experiment, summary);
    assert_eq!(table.lines().count(), 1 + 2 * 16 * 2);
    // Best of the hand-made arms is lr = 1; the paper chose 0.1 and reads 0.05427 there.
    assert_eq!(
        line(&table, "mnist,pn,ZO-PSGD,lr=1,yes,no,200,"),
        "mnist,pn,ZO-PSGD,lr=1,yes,no,200,1.150000e-1,0.07583,0.7500,11.5,40200,4,1.075000e-1,1.150000e-1,1.225000e-1"
    );
    assert!(line(&table, "mnist,pn,ZO-PSGD,lr=0.1,no,yes,200,").contains(",0.05427,0.7500,"), "{table}");
    assert!(line(&table, "mnist,pn,ZO-AdaExpGrad,,yes,yes,100,").contains(",,0.0000,20.0,"));
}

#[test]
fn pairs_compare_the_best_arms_on_the_same_images() {
    let results = results(&Experiment::full(DataSet::Mnist));
    let pairs = pairs_csv(&results.experiment, &results.summary);
    assert_eq!(pairs.lines().count(), 1 + 2 * 21);
    // The same difference on every image: an interval without width.
    let pair = line(&pairs, "mnist,pn,ZO-PSGD lr=1,Acc-ZOM gamma=1,");
    let numbers: Vec<f64> = pair.split(',').skip(4).take(5).map(|number| number.parse().unwrap()).collect();
    for (found, wanted) in numbers.iter().zip([4.0, -0.4, -0.4, -0.4, 0.515]) {
        assert!((found - wanted).abs() < 1e-6, "{pair}");
    }
    assert!(pair.ends_with("first is lower"));
}

#[test]
fn there_are_twelve_panels_as_in_the_paper_and_two_by_calls() {
    for set in [DataSet::Mnist, DataSet::Cifar10] {
        let results = results(&Experiment::full(set));
        let figures = figures(&results.experiment, &results.summary);
        let panels = |name: &str| figures.iter().find(|f| f.name == name).unwrap().plot.panels.len();
        let counts =
            ["main", "main-by-calls", "steps-psgd", "steps-acc-zom", "steps-exp-grad", "zoom"].map(panels);
        assert_eq!(counts, [2, 2, 2, 2, 2, 4]);
        for figure in &figures {
            let frames = figure.plot.to_svg().matches("<g transform").count();
            assert_eq!(frames, figure.plot.panels.len(), "{}", figure.name);
        }
        let names: Vec<String> = results.files().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.iter().filter(|name| name.contains(".png")).count(), 6);
        assert_eq!(names.last().unwrap(), "index.html");
    }
}

#[test]
fn a_quick_run_draws_what_it_has() {
    let results = results(&Experiment::quick(DataSet::Mnist));
    let names: Vec<&str> =
        figures(&results.experiment, &results.summary).iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["main", "main-by-calls", "zoom"]);
}

#[test]
fn the_page_escapes_names_and_leads_nowhere() {
    let page = page(&results(&Experiment::full(DataSet::Mnist)));
    assert!(page.contains("&lt;b&gt;&quot;lenet&quot; &amp; co&lt;/b&gt;") && !page.contains("<b>\"lenet"));
    assert!(page.contains("gradless reproduce &lt;mnist&gt;"));
    for word in ["http:", "https:", "src=", "href=", "url(", "<script", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<svg").count(), 14);
    assert!(page.contains("[-x0, 1 - x0]") && page.contains("12ab") && page.contains("class 3"));
    assert!(!page.contains("Not complete"));
}

#[test]
fn arms_without_their_best_value_still_have_one() {
    let arms = Some(Arm::find("zo-psgd:0.001").unwrap());
    let results = results(&Experiment { arms, ..Experiment::full(DataSet::Cifar10) });
    assert_eq!(results.summary.main(Mode::Pn).len(), 1);
}
