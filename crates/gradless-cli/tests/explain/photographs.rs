//! Pictures that are cut into regions: what is answered, and what is refused with a sentence.

use crate::question::{Question, picture, records};

/// About the row of white pixels, cut into regions by a picture of so many columns with these shades.
fn cut(name: &str, columns: usize, shades: &[f64]) -> Question {
    let asked = Question::new(name, "rows").about_the_row();
    asked.folder.put("labels.png", &picture(1, columns, shades));
    let labels = asked.folder.path("labels.png");
    asked.with(&format!("--question part --absent 0 --features regions={labels}"))
}

#[test]
fn a_part_is_made_of_the_regions_that_were_drawn() {
    // A region for each row; the model counts the second.
    let rows: Vec<f64> = (0..16_u8).map(|place| f64::from(place / 4) / 3.0).collect();
    let asked = cut("drawn", 4, &rows);
    let record = &records(&asked.ask().ends(0).json())[0];
    assert_eq!(record["features"]["kind"], "regions");
    assert_eq!(record["used"], serde_json::json!([1]));
    assert_eq!((&record["located"]["area"], &record["located"]["pieces"]), (&0.25.into(), &1.into()));
}

#[test]
fn labels_of_another_size_are_refused() {
    let ran = cut("other-size", 5, &[0.0; 20]).ask().ends(2);
    let told = "has 5 x 4 pixels, the model takes 4 x 4: labels are not resized, so draw them in that size";
    assert!(ran.err.contains(told), "{}", ran.err);
}

#[test]
fn one_region_alone_is_refused() {
    let ran = cut("one-region", 4, &[0.5; 16]).ask().ends(2);
    assert!(ran.err.contains("into 1 region(s): nothing can be told apart"), "{}", ran.err);
}

#[test]
fn one_pixel_that_fills_the_picture_is_answered() {
    let asked = Question::new("one-pixel", "rows").about(&picture(1, 1, &[1.0]));
    let ran = asked.with("--question part --resize squash --features grid=2").ask();
    // All rows are equally bright: the class is that with half a point more, and nothing is enough for it.
    assert_eq!(records(&ran.ends(0).json())[0]["original"]["class"], 0);
}
