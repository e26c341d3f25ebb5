use super::*;
use crate::features::{Disturbance, Grid};

/// A white square on black, 40 x 40, in one channel or three.
fn picture(channels: usize) -> Pixels {
    let inside = |i: usize| (10..30).contains(&(i / 40 % 40)) && (10..30).contains(&(i % 40));
    let input = (0..channels * 1600).map(|i| f64::from(u8::from(inside(i % 1600)))).collect();
    Pixels {
        grid: Some(Grid { low: 0.0, high: 1.0, steps: 255 }),
        disturbance: Some(Disturbance { noise: 0.02, shift: 0, brightness: 0.1 }),
        ..Pixels::new(input, vec![channels, 40, 40], 0.0, 1.0)
    }
}

fn regions(background: Background) -> Regions {
    Regions::new(picture(3), &Partition::Superpixels(25), background).unwrap()
}

#[test]
fn a_region_is_there_in_all_channels_or_in_none() {
    let regions = regions(Background::Values(0.25.into()));
    let part = regions.coordinates(Question::Part).unwrap();
    assert_eq!(part.input(&part.whole, 4800), regions.input());
    assert!(part.input(&part.origin, 4800).iter().all(|&x| (x - 64.0 / 255.0).abs() < 1e-12), "on the grid");
    let mut point = part.origin.clone();
    point[3] = 1.0;
    let input = part.input(&point, 4800);
    let labels = regions.labels();
    for (i, &x) in input.iter().enumerate() {
        let is_there = labels[i % 1600] == Some(3);
        assert_eq!(x, if is_there { regions.input()[i] } else { 64.0 / 255.0 });
    }
    assert_eq!(part.used(&point), [3]);
    let mut back = part.origin.clone();
    Switched { regions: &regions, origin: Origin::Absent, others: regions.others() }.read(&input, &mut back);
    assert_eq!(back, point);
}

#[test]
fn a_change_takes_regions_away() {
    let regions = regions(Background::Mean);
    let change = regions.coordinates(Question::CHANGE).unwrap();
    assert_eq!(change.input(&change.origin, 4800), regions.input());
    assert!(change.moves().unwrap().iter().all(|moves| moves[0].to[0].1 == 0.0));
}

#[test]
fn what_is_frozen_always_stays() {
    let frozen: Vec<bool> = (0..4800).map(|i| i % 40 < 20).collect();
    let regions =
        Regions::new(Pixels { frozen, ..picture(3) }, &Partition::Grid(4), Background::Values(0.25.into()));
    let regions = regions.unwrap();
    let part = regions.coordinates(Question::Part).unwrap();
    assert_eq!((part.dim(), part.some_frozen()), (8, true), "the left half of sixteen squares stays");
    let nothing = part.input(&part.origin, 4800);
    for (i, x) in nothing.iter().enumerate() {
        assert_eq!(*x == regions.input()[i], i % 40 < 20);
    }
}

#[test]
fn backgrounds_are_what_they_are_called() {
    for (background, corner, middle) in [
        (Background::Mean, 0.25, 0.25),
        (Background::Blur(0.05), 0.0, 1.0),
        (Background::Values(1.0.into()), 1.0, 1.0),
    ] {
        let regions = regions(background);
        let part = regions.coordinates(Question::Part).unwrap();
        let nothing = part.input(&part.origin, 4800);
        assert!((nothing[0] - corner).abs() < 0.01 && (nothing[20 * 40 + 20] - middle).abs() < 0.01);
    }
    // What diffuses in from the left half is white in the middle and black above.
    let regions = Regions::new(picture(1), &Partition::Grid(2), Background::Diffusion).unwrap();
    let part = regions.coordinates(Question::Part).unwrap();
    let input = part.input(&[1.0, 0.0, 1.0, 0.0], 1600);
    assert!(input[20 * 40 + 21] > 0.8 && input[2 * 40 + 21] < 0.2, "{} {}", input[821], input[101]);
}

#[test]
fn disturbed_copies_have_other_backgrounds_and_the_whole_picture_has_none() {
    let regions = regions(Background::default());
    let part = regions.coordinates(Question::Part).unwrap();
    let mut point = part.origin.clone();
    point[12] = 1.0;
    let (input, whole) = (part.input(&point, 4800), part.input(&part.whole, 4800));
    let copy =
        |point: &[f64], input: &[f64], draw| part.disturbed(point, input, Strength::Times(0.0), (1, draw));
    let [first, second] = [0, 1].map(|draw| copy(&point, &input, draw));
    assert!(first != second && first == copy(&point, &input, 0));
    let whole = copy(&part.whole, &whole, 0);
    assert!(whole.iter().zip(regions.input()).all(|(a, b)| (a - b).abs() <= 0.1), "brightness alone");
    assert_eq!((part.variants(), part.variant(0, &part.origin, 4800)[0]), (3, 0.25));
}

#[test]
fn partitions_that_make_no_sense_are_refused_in_a_sentence() {
    let cut = |partition: Partition| Regions::new(picture(1), &partition, Background::Mean).err();
    assert_eq!(
        cut(Partition::Labels(vec![0; 1599])),
        Some(QuestionError::Labels { found: 1599, rows: 40, columns: 40 })
    );
    assert_eq!(cut(Partition::Labels(vec![7; 1600])), Some(QuestionError::OneRegion { found: 1 }));
    let tiny = Pixels::new(vec![0.5], vec![1, 1, 1], 0.0, 1.0);
    assert_eq!(
        Regions::new(tiny, &Partition::default(), Background::default()).err(),
        Some(QuestionError::OneRegion { found: 1 })
    );
    let row = Pixels::new(vec![0.5; 9], vec![9], 0.0, 1.0);
    assert_eq!(
        Regions::new(row, &Partition::default(), Background::default()).err(),
        Some(QuestionError::NotAPicture)
    );
    let many = Pixels::new(vec![0.5; 6400], vec![1, 80, 80], 0.0, 1.0);
    let labels = Partition::Labels((0..6400).collect());
    assert!(matches!(
        Regions::new(many, &labels, Background::Mean),
        Err(QuestionError::TooManyRegions { found: 6400, .. })
    ));
}

#[test]
fn partitions_are_read() {
    let read = |text: &str| text.parse::<Partition>();
    assert_eq!(
        (read("regions"), read("regions=90")),
        (Ok(Partition::default()), Ok(Partition::Superpixels(90)))
    );
    assert_eq!((read("grid"), read("grid=7")), (Ok(Partition::Grid(14)), Ok(Partition::Grid(7))));
    for wrong in ["", "regions=1", "regions=many", "grid=65", "squares"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(are_photographs(&[3, 224, 224]) && !are_photographs(&[3, 32, 32]) && !are_photographs(&[200]));
}
