//! What can be asked for: the class a change should lead to, what must stay, how far it may go, what counts as absent.

use serde_json::{Value, json};

use crate::by_hand;
use crate::question::{Question, ROW, array, picture, records};
use crate::support::gradless;

fn x(record: &Value) -> Vec<f64> {
    by_hand::npy(record["files"]["x"].as_str().unwrap())
}

#[test]
fn a_target_is_a_name_or_a_number() {
    let named = Question::new("target", "rows")
        .about_the_row()
        .file("--classes", "names.txt", "first\n1\nthe third\n".as_bytes())
        .with("--mode pn --target");
    for (target, class, name) in [("0", 0, "first"), ("first", 0, "first"), ("2", 2, "the third")] {
        let told = named.ask_with(&format!("{target} --force")).ends(0).json();
        assert_eq!((&told["target"], &told["explanation"]["class"]), (&json!(class), &json!(class)));
        assert_eq!((&told["explanation"]["name"], &told["original"]["name"]), (&json!(name), &json!("1")));
        by_hand::check(&told, &ROW, &[0.0; 16]);
    }
    let mut words = named.words();
    words.extend(["the third", "--force"]);
    assert_eq!(gradless(&words).ends(0).json()["target"], 2);

    named.ask_with("fourth --force").fails_saying(&["'fourth'", "first, 1, the third", "from 0 to 2"]);
    named.ask_with("3 --force").fails_saying(&["'3'", "from 0 to 2"]);
    named.ask_with("1 --force").fails_saying(&["class", "already", "another"]);
    named.ask_with("0 --force --mode pp").fails_saying(&["--target", "--question change"]);
}

#[test]
fn what_is_frozen_stays() {
    // The two pixels to the left, as a picture and as an array: changes leave them, parts keep them.
    let mask: Vec<f64> = (0..16).map(|place| f64::from(u8::from(place % 4 < 2))).collect();
    for (name, bytes) in [("mask.png", picture(1, 4, &mask)), ("mask.npy", array(&[4, 4], &mask))] {
        let asked = Question::new("freeze", "rows").about_the_row().file("--freeze", name, &bytes);
        for record in records(&asked.ask().json()) {
            let is_part = record["mode"] == "pp";
            let absent: Vec<f64> = ROW.iter().zip(&mask).map(|(value, mask)| value * mask).collect();
            by_hand::check(&record, &ROW, &absent);
            for (place, x) in x(&record).into_iter().enumerate().filter(|&(place, _)| mask[place] == 1.0) {
                assert_eq!(x, if is_part { ROW[place] } else { 0.0 }, "{record}");
            }
        }
    }
    let asked = Question::new("freeze", "rows").about_the_row();
    asked.file("--freeze", "mask.png", &picture(1, 5, &[1.0; 25])).ask().fails_saying(&[
        "--freeze",
        "mask.png",
        "5 x 5",
        "4 x 4",
        "not resized",
    ]);
}

#[test]
fn changes_stay_within_their_bounds() {
    let at = |value: f64, last: f64| -> Vec<u8> {
        array(&[16], &(0..16).map(|place| if place >= 12 { last } else { value }).collect::<Vec<_>>())
    };
    let plain = Question::new("bounds", "rows").about_the_row().with("--mode pn --lower 0.2 --upper 0.9");
    let files = Question::new("bounds", "rows")
        .about_the_row()
        .with("--mode pn")
        .file("--lower", "lower.npy", &at(0.2, 0.0))
        .file("--upper", "upper.npy", &at(0.9, 0.3));
    for (asked, last) in [(plain, 0.9), (files, 0.3)] {
        let told = asked.ask().ends(0).json();
        by_hand::check(&told, &ROW, &[0.0; 16]);
        for (place, change) in x(&told).into_iter().enumerate() {
            let (seen, upper) = (ROW[place] + change, if place >= 12 { last } else { 0.9 });
            // What lies outside may stay where it is, and is never led further out.
            assert!(change == 0.0 || (0.2 - 1e-9..=upper + 1e-9).contains(&seen), "{place}: {seen}");
        }
    }
    let asked = Question::new("bounds", "rows").about_the_row().with("--mode pn");
    asked.ask_with("--lower 0.7 --upper 0.3").fails_saying(&["lower bound 0.7", "upper bound 0.3"]);
    asked.ask_with("--upper nowhere.npy").fails_saying(&[
        "--upper",
        "nowhere.npy",
        "neither a number nor a file",
    ]);
    asked.ask_with("--lower nan").fails_saying(&["--lower", "nan", "finite"]);
}

#[test]
fn what_counts_as_absent_can_be_chosen() {
    // On a white ground the dark pixels are what is there: class 0 needs its row, or the others dark.
    let input: Vec<f64> = (0..16).map(|place| if (4..12).contains(&place) { 0.0 } else { 1.0 }).collect();
    let ground = array(&[1, 4, 4], &[1.0; 16]);
    let number =
        Question::new("ground", "rows").about(&picture(1, 4, &input)).with("--mode pp --background 1");
    let file = Question::new("ground", "rows").about(&picture(1, 4, &input)).with("--mode pp").file(
        "--background",
        "ground.npy",
        &ground,
    );
    for asked in [number, file] {
        let told = asked.ask().ends(0).json();
        by_hand::check(&told, &input, &[1.0; 16]);
        assert!(x(&told).iter().zip(&input).all(|(x, input)| (*input..=1.0).contains(x)), "{told}");
    }
}

#[test]
fn not_found_is_a_result_that_says_what_to_try() {
    // The last pixel may change, and no class counts it.
    let mask: Vec<f64> = (0..16).map(|place| f64::from(u8::from(place < 15))).collect();
    let frozen = Question::new("unreachable", "rows").about_the_row().with("--mode pn").file(
        "--freeze",
        "mask.npy",
        &array(&[16], &mask),
    );
    // Class 2 can have four points at most, as many as class 1 has.
    let tied = Question::new("unreachable", "rows").about_the_row().with("--mode pn --set add --target 2");
    // What is white stays above 0.9, what is black below 0.1.
    let lower: Vec<f64> = ROW.iter().map(|value| 0.9 * value).collect();
    let upper: Vec<f64> = ROW.iter().map(|value| value.max(0.1)).collect();
    let pinned = Question::new("unreachable", "rows")
        .about_the_row()
        .with("--mode pn")
        .file("--lower", "lower.npy", &array(&[16], &lower))
        .file("--upper", "upper.npy", &array(&[16], &upper));
    for (asked, try_this) in [(frozen, "freeze less"), (tied, "two-sided"), (pinned, "wider bounds")] {
        let told = asked.ask().ends(1).json();
        assert_eq!(told["valid"], false);
        by_hand::check(&told, &ROW, &[0.0; 16]);
        let sentence = told["sentence"].as_str().unwrap();
        assert!(sentence.starts_with("No change was found") && sentence.contains(try_this), "{sentence}");
        assert!(asked.text("report.html").contains("No change found."));
    }
}

#[test]
fn where_nothing_may_change_there_is_nothing_to_search() {
    let asked = Question::new("all", "rows").about_the_row();
    let frozen = asked.file("--freeze", "all.npy", &array(&[16], &[1.0; 16]));
    frozen.ask_with("--mode pn").fails_saying(&[
        "nothing of the input may change",
        "Freeze less",
        "widen the bounds",
    ]);
    // All of it is enough, and none of it can go.
    let told = frozen.ask_with("--mode pp").ends(0).json();
    assert_eq!((&told["valid"], &told["nonzeros"]), (&json!(true), &json!(0)));
}

#[test]
fn a_refused_question_leaves_no_folder_behind() {
    let asked = Question::new("refused", "rows").about_the_row().with("--mode pn");
    for words in ["--target 1", "--lower 0.7 --upper 0.3", "--max-queries 10", "--kappa 0.1 --l2 nan"] {
        asked.ask_with(words).ends(2);
        assert!(!asked.folder.0.join("out").exists(), "{words} has left a folder");
    }
    asked.ask().ends(0);
}

#[test]
fn a_folder_with_something_in_it_is_kept_unless_forced() {
    let asked = Question::new("force", "rows").about_the_row().with("--mode pp");
    asked.ask().ends(0);
    asked.folder.put("out/notes.txt", b"mine");
    let before = asked.text("result.json");
    asked.ask().fails_saying(&["out exists already", "--out", "--force"]);
    asked.ask_with("--mode pn").fails_saying(&["exists already"]);
    assert_eq!(asked.text("result.json"), before);
    asked.ask_with("--mode both --force").ends(0);
    assert_eq!(asked.text("notes.txt"), "mine", "what is not of a run is not replaced");
    assert!(!asked.folder.0.join("out/x.npy").exists(), "what the run before has left is still there");
    // A refused question takes nothing away either.
    asked.ask_with("--mode pn --target 1 --force").ends(2);
    assert_eq!(asked.text("notes.txt"), "mine");
}

#[test]
fn force_takes_nothing_away_that_no_run_has_made() {
    let folder = crate::support::Folder::new("force");
    folder.put("items/mine.txt", b"mine").put("pp/mine.txt", b"mine too");
    let here = folder.path("");
    let words = ["explain", "--out", &here, "--max-queries", "400", "--mode", "pp"];
    gradless(&words).fails_saying(&["exists already", "--force"]);
    let ran = gradless(&[&words[..], &["--force"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for name in ["items/mine.txt", "pp/mine.txt", "report.html"] {
        assert!(folder.0.join(name).exists(), "{name} is gone");
    }
}

#[test]
fn a_refused_question_leaves_the_earlier_run_as_it_is() {
    let asked = Question::new("earlier", "rows").about_the_row().with("--mode pn");
    asked.ask().ends(0);
    let before = asked.text("result.json");
    asked.ask_with("--target 1 --force").ends(2);
    assert_eq!(asked.text("result.json"), before);
    asked.ask_with("--seed 1 --force").ends(0);
    assert_ne!(asked.text("config.json"), before);
}

#[test]
fn answers_are_as_sure_as_was_asked() {
    for (words, least) in [("--confidence 0.5", 1.75), ("--confidence 50%", 1.75), ("--confidence 0", 0.0)] {
        let asked = Question::new("confidence", "rows").about_the_row().with("--force").with(words);
        for record in asked.ask().ends(0).json().as_array().unwrap() {
            // The row has 4 points for its class and 0.5 for the next.
            assert!(record["margin"].as_f64().unwrap() >= least, "{words}: {record}");
            let sentence = record["sentence"].as_str().unwrap();
            assert_eq!(sentence.contains("% of the input's margin)."), least > 0.0, "{sentence}");
        }
    }
    let sure = Question::new("sure", "rows").about_the_row().with("--confidence p=0.9 --question part");
    let told = sure.ask().ends(0).json();
    assert!(told["confidence"]["answer"].as_f64().unwrap() >= 0.9);
    assert!(told["sentence"].as_str().unwrap().contains("(p = 0.9"), "{told}");
    let labels = Question::new("sure-labels", "labels").about_the_row();
    labels.ask_with("--confidence p=0.9").fails_saying(&["labels", "no probabilities", "share"]);
    labels.ask_with("--confidence much").fails_saying(&["--confidence", "p=0.9"]);
}
