//! The smallest set of regions: minimal, apart where it must be, the same order whatever the budget.

use gradless_explain::{
    Answer, Background, Features, Minimal, Options, Partition, Pixels, Question, Regions,
};

use crate::select::{Judge, ask, smallest};

/// A side of the picture, and the squares of 4 x 4 pixels along it.
const SIDE: usize = 32;
const SQUARES: usize = 8;

/// A white picture over black, cut into 64 squares.
fn squares() -> Regions {
    let picture = Pixels::new(vec![1.0; SIDE * SIDE], vec![1, SIDE, SIDE], 0.0, 1.0);
    Regions::new(picture, &Partition::Grid(SQUARES), Background::Values(0.0.into())).unwrap()
}

/// How much of a square is white.
fn white(x: &[f64], square: usize) -> f64 {
    let corner = square / SQUARES * 4 * SIDE + square % SQUARES * 4;
    (0..16).map(|i| x[corner + i / 4 * SIDE + i % 4]).sum::<f64>() / 16.0
}

/// Some squares weigh much, all others a little; never quite a sum.
fn crowded(x: &[f64]) -> f64 {
    let weight = |square: usize| if [9, 10, 18, 45, 53].contains(&square) { 2.0 } else { 0.11 };
    let sum: f64 = (0..64).map(|square| weight(square) * white(x, square)).sum();
    sum - 9.0 + white(x, 9) * white(x, 10)
}

#[test]
fn a_part_holds_and_without_any_of_its_regions_it_does_not() {
    let regions = squares();
    let model = Judge::new(SIDE * SIDE, crowded);
    let part = &ask(&model, &regions, &smallest(Question::Part, 1_500))[0];
    assert!(part.valid && part.minimal == Minimal::Checked && part.used.len() <= 6, "{:?}", part.used);
    let coordinates = regions.coordinates(Question::Part).unwrap();
    let shown = |used: &[usize]| {
        let mut point = coordinates.origin.clone();
        for &region in used {
            point[region] = 1.0;
        }
        let drawn: Vec<f64> =
            (0..SIDE * SIDE).map(|i| point[i / SIDE / 4 * SQUARES + i % SIDE / 4]).collect();
        crowded(&drawn)
    };
    assert!(shown(&part.used) > 0.0);
    for &region in &part.used {
        let rest: Vec<usize> = part.used.iter().copied().filter(|&other| other != region).collect();
        assert!(shown(&rest) <= 0.0, "{region} can go from {:?}", part.used);
    }
}

#[test]
fn what_only_joins_two_pieces_is_no_part_of_the_answer() {
    // Two wide regions are needed; between them lies a narrow one, and one piece counts for less than two.
    let label = |column: usize| match column {
        0..13 => 0,
        13..15 => 1,
        15..28 => 2,
        column => u32::try_from(column).unwrap(),
    };
    let labels = Partition::Labels((0..SIDE * SIDE).map(|i| label(i % SIDE)).collect());
    let picture = Pixels::new(vec![1.0; SIDE * SIDE], vec![1, SIDE, SIDE], 0.0, 1.0);
    let regions = Regions::new(picture, &labels, Background::Values(0.0.into())).unwrap();
    let model = Judge::new(SIDE * SIDE, |x: &[f64]| x[5] + x[20] - 1.5 + 0.1 * x[14]);
    let part = &ask(&model, &regions, &smallest(Question::Part, 1_500))[0];
    assert_eq!((&part.used[..], part.minimal), (&[0, 2][..], Minimal::Checked));
    assert_eq!(part.located.as_ref().unwrap().pieces, 2);
}

#[test]
fn a_larger_budget_begins_with_the_same_queries_and_never_ends_worse() {
    let regions = squares();
    let run = |queries: u64| {
        let model = Judge::new(SIDE * SIDE, crowded);
        let part = ask(&model, &regions, &smallest(Question::Part, queries)).remove(0);
        assert!(part.queries <= queries);
        (part, model.seen.into_inner().unwrap())
    };
    // With enough for the noise of the model to be measured, so that they begin alike.
    let (all, asked) = run(4_000);
    let mut before: Option<Answer> = None;
    for queries in [1_000, 1_100, 1_300, 2_000] {
        let (part, seen) = run(queries);
        // The last looks are at the answer itself.
        let searched = seen.len().min(asked.len()).saturating_sub(12);
        assert_eq!(seen[..searched], asked[..searched], "{queries}");
        let area = |answer: &Answer| answer.located.as_ref().unwrap().area;
        assert!(before.is_none_or(|before| area(&part) <= area(&before)) && area(&all) <= area(&part));
        before = Some(part);
    }
}

#[test]
fn other_answers_have_no_region_in_common() {
    // Any of three corners is enough.
    let corners = |x: &[f64]| [0, 7, 56].map(|square| white(x, square)).into_iter().fold(0.0, f64::max) - 0.5;
    let model = Judge::new(SIDE * SIDE, corners);
    let answers = ask(&model, &squares(), &Options { count: 4, ..smallest(Question::Part, 1_500) });
    let mut used: Vec<Vec<usize>> = answers.iter().map(|answer| answer.used.clone()).collect();
    used.sort();
    assert_eq!(used, [vec![0], vec![7], vec![56]]);
    assert!(answers.iter().all(|answer| answer.valid));
}
