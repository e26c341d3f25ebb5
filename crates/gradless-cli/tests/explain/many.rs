//! Many inputs: a folder, an IDX file or a stack of arrays; failures first; what is done is not done again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use crate::by_hand;
use crate::question::{Question, ROW, array, picture, records};
use crate::support::gradless;

/// Three inputs: a row of another class each, with something beside it.
fn three() -> [Vec<f64>; 3] {
    [0, 1, 2].map(|class| {
        let shade = |place: usize| {
            if place / 4 == class { 1.0 } else { f64::from(u8::from(place.is_multiple_of(5))) * 0.4 }
        };
        (0..16).map(shade).collect()
    })
}

/// Asks about three pictures in a folder.
fn folder(name: &str) -> Question {
    let asked = Question::new(name, "rows").with("--max-queries 600").path("--input", "in");
    for (name, values) in ["a.png", "b.png", "c.png"].iter().zip(three()) {
        asked.folder.put(&format!("in/{name}"), &picture(1, 4, &values));
    }
    asked
}

/// The numbers an item was saved with.
fn item(asked: &Question, name: &str) -> Vec<Value> {
    records(&serde_json::from_str(&asked.text(&format!("items/{name}/result.json"))).unwrap())
}

fn checks(asked: &Question, names: &[&str]) {
    for (name, input) in names.iter().zip(three()) {
        let records = item(asked, name);
        assert_eq!(records.len(), 2);
        for record in &records {
            // Pictures hold bytes: what was read is near what was meant.
            let input: Vec<f64> = input.iter().map(|value| (255.0 * value).round() / 255.0).collect();
            by_hand::check(record, &input, &[0.0; 16]);
        }
    }
}

#[test]
fn a_damaged_picture_concerns_itself_alone_and_comes_first() {
    let asked = folder("damaged");
    asked
        .folder
        .put("in/broken.png", b"not a picture")
        .put("in/notes.txt", b"left out")
        .put("in/.x.png", b"hidden");
    let told = asked.ask().ends(1).json();
    assert_eq!(
        (told["inputs"].as_u64(), told["failed"].as_u64(), told["missing"].as_u64()),
        (Some(4), Some(1), Some(0))
    );
    for mode in told["modes"].as_array().unwrap() {
        assert_eq!(mode["searched"], 3);
        assert!(mode["valid"].as_u64().unwrap() <= 3);
        assert_eq!(mode["pixels"].is_null(), mode["valid"] == 0, "medians over the valid");
    }
    checks(&asked, &["a.png", "b.png", "c.png"]);
    let failed = told["items"].as_array().unwrap().iter().find(|item| item["name"] == "broken.png").unwrap();
    assert!(failed["error"].as_str().unwrap().contains("neither a PNG or JPEG"), "{failed}");

    let index = asked.text("index.html");
    assert!(index.contains("1 input could not be explained."));
    let at = |name: &str| index.find(&format!("<bdi>{name}</bdi>")).unwrap_or_else(|| panic!("{name}"));
    assert!(at("broken.png") < at("a.png"), "failures come first");
    assert!(index.contains("href=\"./items/a.png/report.html\""));

    let human = asked.ask_for_people().ends(1);
    let lines: Vec<&str> = human.out.lines().collect();
    assert!(lines[0].starts_with("broken.png  failed: "), "{}", human.out);
    assert!(human.out.contains("\npart: valid ") && human.out.contains(" of 3; medians: "), "{}", human.out);
    assert!(human.out.contains("\n1 could not be read or asked\n"), "{}", human.out);
    assert!(human.err.contains("3 of 4 inputs were explained before"), "{}", human.err);
}

#[test]
fn where_nothing_can_be_read_it_is_an_error() {
    let asked = Question::new("hopeless", "rows").path("--input", "in");
    asked.folder.put("in/a.png", b"text").put("in/b.png", b"text");
    let ran = asked.ask().ends(2);
    assert!(
        ran.err.contains("none of the 2 inputs could be explained") && ran.err.contains("a.png"),
        "{}",
        ran.err
    );
    assert!(asked.text("index.html").contains("2 inputs could not be explained."));
}

#[test]
fn an_input_the_model_cannot_answer_concerns_itself_alone() {
    let asked =
        Question::new("some", "not-where-bright").with("--mode pp --max-queries 400").path("--input", "in");
    let dim: Vec<f64> = ROW.iter().map(|value| 0.5 * value).collect();
    asked.folder.put("in/a.png", &picture(1, 4, &ROW)).put("in/b.png", &picture(1, 4, &dim));
    let told = asked.ask().ends(1).json();
    assert_eq!((told["inputs"].as_u64(), told["failed"].as_u64()), (Some(2), Some(1)), "{told}");
    assert!(told["items"][0]["error"].as_str().unwrap().contains("NaN"), "{told}");
}

#[test]
fn a_file_of_images_and_a_stack_of_arrays_are_the_same_inputs() {
    let bytes = |values: &[f64]| -> Vec<u8> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shades from 0 to 1")]
        values.iter().map(|value| (255.0 * value).round() as u8).collect()
    };
    let mut idx: Vec<u8> = [0x803_u32, 3, 4, 4].iter().flat_map(|number| number.to_be_bytes()).collect();
    idx.extend(three().iter().flat_map(|values| bytes(values)));
    let numbers: Vec<f64> = three().concat().iter().map(|value| (255.0 * value).round() / 255.0).collect();
    let names = ["00000", "00001", "00002"];
    let [idx, stack] =
        [("x-idx3-ubyte", idx), ("x.npy", array(&[3, 1, 4, 4], &numbers))].map(|(file, bytes)| {
            let asked = Question::new(file, "rows")
                .with("--max-queries 600 --threads 2")
                .file("--input", file, &bytes);
            assert!(matches!(asked.ask().code, Some(0 | 1)));
            checks(&asked, &names);
            names.map(|name| comparable(item(&asked, name)))
        });
    assert!(idx == stack, "the same inputs have other answers");
    // Nor does it matter whether an input comes alone or with others.
    let alone = Question::new("alone", "rows").with("--max-queries 600").about(&picture(1, 4, &three()[1]));
    assert!(comparable(records(&alone.ask().json())) == idx[1], "alone it has another answer");
}

/// Records without the time it took, where they are, what the input is called, and what went out: alone, a run remembers
/// what it was answered.
fn comparable(mut records: Vec<Value>) -> Vec<Value> {
    for record in &mut records {
        let object = record.as_object_mut().unwrap();
        for key in ["seconds", "files", "input", "sent"] {
            assert!(object.remove(key).is_some(), "{key}");
        }
    }
    records
}

/// All files below a folder, with what is in them and when they were written.
fn files(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let written = fs::metadata(&path).unwrap().modified().unwrap();
            found.insert(path.display().to_string(), (fs::read(&path).unwrap(), written));
        }
    }
    found
}

#[test]
fn what_is_done_is_not_done_again() {
    let asked = folder("resume");
    let kept = asked.folder.path("kept.png");
    fs::rename(asked.folder.path("in/b.png"), &kept).unwrap();
    asked.ask();
    let items = asked.folder.0.join("out/items");
    let before = files(&items);
    assert_eq!(before.keys().filter(|name| name.ends_with("result.json")).count(), 2);
    // As if the run had been cut off: one input is still to do, one was half written.
    fs::rename(&kept, asked.folder.path("in/b.png")).unwrap();
    fs::create_dir(items.join("b.png")).unwrap();
    fs::write(items.join("b.png/report.json.part"), "{").unwrap();
    let ran = asked.ask_with("--threads 3");
    assert!(ran.err.contains("2 of 3 inputs were explained before"), "{}", ran.err);
    assert_eq!(ran.json()["items"].as_array().unwrap().len(), 3);
    let after = files(&items);
    for (name, file) in &before {
        assert!(after.get(name) == Some(file), "{name} was written again");
    }
    checks(&asked, &["a.png", "b.png", "c.png"]);
    // In one go it is the same.
    let whole = folder("whole");
    whole.ask();
    for name in ["a.png", "b.png", "c.png"] {
        assert!(comparable(item(&asked, name)) == comparable(item(&whole, name)), "{name} differs");
    }
}

#[test]
fn other_settings_do_not_go_on_in_the_same_folder() {
    let asked = folder("settings");
    asked.ask();
    for words in ["--seed 1", "--mode pp", "--max-queries 700", "--l1 1", "--lower 0.1", "--resize"] {
        asked.ask_with(words).fails_saying(&["out exists already", "other settings", "--out", "--force"]);
    }
    assert!(
        asked.ask_with("--threads 1 --max-seconds 60").err.contains("3 of 3 inputs were explained before")
    );
    let ran = asked.ask_with("--mode pp --force");
    assert!(!ran.err.contains("before"), "{}", ran.err);
    assert_eq!(item(&asked, "a.png").len(), 1);
}

#[test]
fn the_pages_of_many_are_drawn_again_byte_for_byte() {
    let asked = folder("pages");
    asked.ask();
    let out = asked.folder.path("out");
    let pages = ["index.html", "items/a.png/report.html", "items/c.png/report.html"];
    let before = pages.map(|page| asked.text(page));
    for page in pages {
        fs::remove_file(asked.out(page)).unwrap();
    }
    let drawn = gradless(&["report", &out, "--format", "json"]).ends(0).silent().json();
    assert_eq!(drawn["pages"], 4);
    assert!(before == pages.map(|page| asked.text(page)), "a page differs");
}
