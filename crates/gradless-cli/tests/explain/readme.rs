//! The README opens with a command and what it says; that must be so.

use crate::support::{Folder, gradless};

/// Rounding differs between processors, and with it now and then a trial and the path through the search.
const SHARE_OF_PIXELS: f64 = 0.3;
const SHARE_OF_QUERIES: f64 = 0.3;

/// The first number in a text, digits in groups or not.
fn number(text: &str) -> u64 {
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or_else(|_| panic!("no number in {text:?}"))
}

#[test]
fn the_first_command_says_what_the_readme_shows() {
    let readme = include_str!("../../../../README.md");
    let folder = Folder::new("readme");
    let told = gradless(&["explain", "--out", &folder.path("out")]).ends(0).out;
    let line = |text: &str, begins: &str| {
        let found = text.lines().find(|line| line.starts_with(begins));
        found.unwrap_or_else(|| panic!("no line begins with {begins:?} in {text}")).to_owned()
    };
    assert_eq!(line(readme, "5.png:"), line(&told, "5.png:"));
    for question in ["part: ", "change: "] {
        let (shown, said) = (line(readme, question), line(&told, question));
        let off = (number(&shown) as f64 / number(&said) as f64 - 1.0).abs();
        assert!(off <= SHARE_OF_PIXELS, "the README shows {shown:?}, not {said:?}");
        // The rest of the sentence, from the words on.
        let words = |line: &str| line.replace(|c: char| c.is_ascii_digit(), "");
        assert_eq!(words(&shown), words(&said));
    }
    let queries: u64 = told
        .lines()
        .filter_map(|line| line.split(", ").find(|part| part.ends_with(" queries")))
        .map(number)
        .sum();
    let shown =
        number(&readme[readme.find("That asked a trained network").expect("the sentence about queries")..]);
    let off = (shown as f64 / queries as f64 - 1.0).abs();
    assert!(off <= SHARE_OF_QUERIES, "the README says {shown} queries, it took {queries}");
}
