//! What models may tell: scores, probabilities, labels, or only their highest scores.

use crate::by_hand;
use crate::question::{Question, ROW, picture, records};

#[test]
fn probabilities_are_searched_as_logarithms_and_told_as_they_are() {
    let asked = Question::new("probabilities", "probabilities").about_the_row();
    for record in records(&asked.ask().ends(0).json()) {
        assert_eq!(record["scores_are"], "probabilities");
        for key in ["original", "explanation"] {
            let scores: Vec<f64> = record[key]["scores"]
                .as_array()
                .unwrap()
                .iter()
                .map(|score| score.as_f64().unwrap())
                .collect();
            assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{record}");
        }
        // Differences of log probabilities are differences of the scores below them: the margin is that of `rows`.
        by_hand::check(&record, &ROW, &[0.0; 16]);
    }
    let asked = Question::new("probabilities", "probabilities").about_the_row().with("--scores logits");
    assert_eq!(records(&asked.ask().json())[0]["scores_are"], "logits");
}

#[test]
fn a_model_of_labels_is_recognised_and_its_answers_hold() {
    let asked = Question::new("labels", "labels").about_the_row();
    let ran = asked.ask().ends(0);
    assert!(ran.err.starts_with("note: the model returns labels only"), "{}", ran.err);
    for record in records(&ran.json()) {
        assert_eq!(record["scores_are"], "labels");
        assert_eq!(record["valid"], true);
        let x = by_hand::npy(record["files"]["x"].as_str().unwrap());
        let seen: Vec<f64> = if record["mode"] == "pp" {
            x
        } else {
            x.iter().zip(ROW).map(|(change, input)| change + input).collect()
        };
        let class = by_hand::class(&by_hand::scores(&seen));
        assert_eq!(record["explanation"]["class"], class);
        assert_eq!(class == 1, record["mode"] == "pp");
    }
}

#[test]
fn a_model_of_a_few_highest_scores_is_recognised() {
    let input: Vec<f64> =
        (0..16_u8).map(|place| if place < 3 { 0.2 + 0.3 * f64::from(place) } else { 0.0 }).collect();
    let ran = Question::new("top", "top3").about(&picture(1, 4, &input)).ask();
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    assert!(ran.err.starts_with("note: the model returns its 3 highest scores only"), "{}", ran.err);
    for record in records(&ran.json()) {
        assert_eq!(record["scores_are"], "top-k");
        assert_eq!(record["original"]["class"], 2);
    }
}
