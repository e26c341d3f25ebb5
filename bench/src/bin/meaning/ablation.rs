//! What each part of the search is worth: one thing left out or changed at a time.

use bench::Fallible;
use bench::side_by_side::side_by_side;
use gradless_explain::Confidence;
use gradless_explain::strategy::Elimination;

use crate::asked::Asked;
use crate::judged::Judged;
use crate::kinds::Kind;
use crate::page;
use crate::subjects::Subjects;

const KINDS: [Kind; 3] = [Kind::Part, Kind::ChangeWithout, Kind::ChangeWithExamples];

/// A change of the settings.
type Change = fn(&mut Asked);

const ROWS: [(&str, Change); 9] = [
    ("as by default", |_| ()),
    ("the class alone (`--confidence 0`)", |asked| asked.confidence = Some(Confidence::CLASS_ALONE)),
    ("no disturbances in the search", |asked| asked.steadiness = read("noise=0")),
    ("noise .05 instead of .15", |asked| asked.steadiness = read("noise=0.05,shift=1,brightness=0.1")),
    ("noise alone, no shifts", |asked| asked.steadiness = read("noise=0.15")),
    ("4 copies instead of 12", |asked| asked.elimination.copies = 4),
    ("7 x 7 pieces instead of 4 x 4", |asked| asked.elimination.pieces = 7),
    ("rims are not peeled", |asked| asked.elimination = Elimination { rims: false, ..asked.elimination }),
    ("faint pixels stay", |asked| asked.elimination = Elimination { faint: false, ..asked.elimination }),
];

fn read(text: &str) -> gradless_explain::Steadiness {
    text.parse().unwrap_or_else(|error| unreachable!("{text}: {error}"))
}

/// Measures every row, and puts the table into the page if that is asked.
pub(crate) fn run(asked: &mut Asked, subjects: &Subjects) -> Fallible<()> {
    let kinds: Vec<String> =
        KINDS.iter().map(|kind| format!(" {}: agrees, pixels, queries |", kind.title())).collect();
    let mut table = format!("| |{}\n|---|---|---|---|", kinds.concat());
    let defaults = (asked.confidence, asked.steadiness, asked.elimination);
    for (title, change) in ROWS {
        (asked.confidence, asked.steadiness, asked.elimination) = defaults;
        change(asked);
        let mut row = format!("\n| {title} |");
        for kind in KINDS {
            let judged = side_by_side(&subjects.pictures, asked.threads, |picture| {
                Judged::of(asked, subjects, kind, picture)
            })?;
            row = format!("{row} {} |", page::cell(&judged));
        }
        table += &row;
    }
    page::tell(asked, "ablation", &table)
}
