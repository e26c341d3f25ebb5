//! How sure the model must be of an answer.

use std::sync::atomic::Ordering;

use gradless_explain::condition::largest;
use gradless_explain::{Confidence, Options, Question, Strategy};

use crate::models::{CLASSES, INPUTS, Linear, TanhNet};
use crate::{ADD, Task, ask, budget, input};

#[test]
fn an_answer_is_as_sure_as_was_asked_from_the_first_step_to_the_last() {
    let asked = [
        Confidence::Share(0.0),
        Confidence::Share(0.3),
        Confidence::Share(0.8),
        Confidence::Probability(0.7),
    ];
    let mut found = 0;
    for (seed, question) in (0..6).flat_map(|seed| [Question::Part, Question::CHANGE, ADD].map(|q| (seed, q)))
    {
        let net = TanhNet::new(seed);
        let task = Task::new(question, input(INPUTS));
        let scores = net.forward(task.input());
        let class = largest(&scores);
        let lead = |scores: &[f64], class: usize| {
            let others = (0..CLASSES).filter(|&other| other != class).map(|other| scores[other]);
            scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
        };
        for (strategy, confidence) in
            [Strategy::Direct, Strategy::Penalised].into_iter().flat_map(|s| asked.map(|c| (s, c)))
        {
            let options =
                Options { confidence: Some(confidence), strategy: Some(strategy), ..budget(2_000, seed) };
            let answer = ask(&net, &task, &options).unwrap();
            if !answer.valid {
                continue;
            }
            found += 1;
            let scores_now = net.forward(&answer.after);
            let now = largest(&scores_now);
            assert_eq!(now == class, task.is_part(), "{answer:?}");
            match confidence {
                Confidence::Share(share) => {
                    let least = share * lead(&scores, class);
                    assert!(answer.margin >= least && lead(&scores_now, now) >= least - 1e-12, "{answer:?}");
                }
                Confidence::Probability(p) => {
                    let total: f64 = scores_now.iter().map(|score| score.exp()).sum();
                    let sure = scores_now[now].exp() / total;
                    assert!(sure >= p - 1e-12 && (answer.confidence.answer.unwrap() - sure).abs() < 1e-12);
                }
            }
        }
    }
    assert!(found > 100, "{found} of 144");
}

#[test]
fn a_confidence_that_makes_no_sense_is_refused_before_anything_is_asked() {
    let model = Linear::new(10, 1.0);
    let task = Task::new(Question::CHANGE, input(10));
    for confidence in [Confidence::Share(-0.1), Confidence::Share(f64::NAN), Confidence::Probability(1.0)] {
        let refused = ask(&model, &task, &Options { confidence: Some(confidence), ..budget(400, 0) });
        assert!(refused.is_err(), "{confidence:?}");
    }
    assert_eq!(model.asked.load(Ordering::Relaxed), 0);
}
