//! `gradless noise` on the embedded model and on files that are no models.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::path::{Path, PathBuf};

use support::{Folder, gradless};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn asset(name: &str) -> String {
    root().join("assets").join(name).display().to_string()
}

#[test]
fn the_embedded_network_rounds_as_single_precision_does() {
    let ran = gradless(&["noise", "--format", "json"]).ends(0).silent();
    let told = ran.json();
    assert_eq!((told["class"].as_u64(), told["engine"].as_str()), (Some(5), Some("rten")));
    let noise = told["margin_noise"]["noise"].as_f64().unwrap();
    assert!((1e-9..1e-5).contains(&noise), "{told}");
    assert!(told["queries"].as_u64().unwrap() < 400, "{told}");
    let again = gradless(&["noise", "--format", "json"]).ends(0);
    assert_eq!(ran.out, again.out, "the same seed gave another answer");
    let human = gradless(&["noise"]).ends(0).silent().out;
    assert!(human.contains("noise of the margin") && human.contains("radius"), "{human}");
}

#[test]
fn a_file_and_a_picture_are_the_same_as_what_is_embedded() {
    let words =
        ["noise", "--format", "json", "--model", &asset("lenet.onnx"), "--input", &asset("digits/5.png")];
    let file = gradless(&words).ends(0).json();
    let embedded = gradless(&["noise", "--format", "json"]).ends(0).json();
    assert_eq!(file["margin_noise"], embedded["margin_noise"]);
}

#[test]
fn a_jpeg_of_another_size_in_colour_is_resized_when_asked() {
    let folder = Folder::new("noise-jpeg");
    let picture = image::RgbImage::from_fn(90, 60, |x, y| {
        image::Rgb([x.to_le_bytes()[0] * 2, y.to_le_bytes()[0] * 4, 100])
    });
    let path = folder.path("x.jpg");
    picture.save(&path).unwrap();
    gradless(&["noise", "--input", &path]).fails_saying(&["x.jpg", "90 x 60", "28 x 28", "--resize"]);
    let told = gradless(&["noise", "--format", "json", "--input", &path, "--resize"]).ends(0).silent().json();
    assert!(told["margin_noise"]["noise"].as_f64().unwrap() > 0.0, "{told}");
}

#[test]
fn what_is_no_model_or_no_picture_is_refused() {
    let folder = Folder::new("noise");
    let text = folder.put("text.png", b"not a picture").path("text.png");
    let here = folder.path("");
    gradless(&["noise", "--model", "nowhere.onnx"]).fails_saying(&["nowhere.onnx"]);
    gradless(&["noise", "--model", &here]).fails_saying(&["folder"]);
    gradless(&["noise", "--model", &text]).fails_saying(&["text.png", "ONNX"]);
    gradless(&["noise", "--input", &text]).fails_saying(&["text.png", "PNG"]);
    gradless(&["noise", "--input", &here]).fails_saying(&["folder"]);
    gradless(&["noise", "--model", &asset("resnet20.onnx"), "--input", &asset("digits/5.png")])
        .fails_saying(&["28 x 28", "32 x 32", "--resize"]);
    #[cfg(not(feature = "ort"))]
    gradless(&["noise", "--engine", "ort"]).fails_saying(&["--features ort"]);
}
