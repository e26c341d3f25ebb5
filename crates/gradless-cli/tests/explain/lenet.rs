//! The real network: what was saved is given to a reader and engine of its own, in double precision.

use std::path::Path;

use testkit::network::Network;

use crate::by_hand;
use crate::support::{Folder, gradless};

#[test]
fn what_is_valid_holds_when_the_saved_files_are_asked_again() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let referee = Network::read(&std::fs::read(assets.join("lenet.onnx")).unwrap()).unwrap();
    let lead = |pixels: &[f64], class: usize| {
        let scores = referee.scores(pixels);
        let others = scores.iter().enumerate().filter(|&(other, _)| other != class).map(|(_, score)| *score);
        scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
    };
    let folder = Folder::new("lenet");
    let digit = assets.join("digits/5.png").display().to_string();
    let input = by_hand::png(&digit);
    for (words, keeps) in [("--mode pp", true), ("--mode pn", false), ("--mode pn --set add", false)] {
        let out = folder.path("out");
        let fixed = [
            "explain",
            "--format",
            "json",
            "--input",
            &digit,
            "--out",
            &out,
            "--force",
            "--max-queries",
            "2500",
        ];
        let words: Vec<&str> = fixed.into_iter().chain(words.split(' ')).collect();
        let told = gradless(&words).ends(0).json();
        let class = usize::try_from(told["original"]["class"].as_u64().unwrap()).unwrap();
        assert!(class == 5 && lead(&input, class) > 0.0);
        let mut exact = by_hand::npy(told["files"]["x"].as_str().unwrap());
        if !keeps {
            exact.iter_mut().zip(&input).for_each(|(x, input)| *x += input);
        }
        for seen in [exact, by_hand::png(told["files"]["image"].as_str().unwrap())] {
            assert_eq!(lead(&seen, class) > 0.0, keeps, "{words:?}: {}", lead(&seen, class));
        }
    }
}
