//! The models of `tests/files` worked out by hand, and what a run has saved, read without the command's own code.

use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

/// Class c of these models counts so many numbers in a row; class 0 begins with half a point. Rows of 4 pixels, channels of
/// 16, or 4 numbers.
pub(crate) fn scores(x: &[f64]) -> [f64; 3] {
    let each = if x.len() == 48 { 16 } else { 4 };
    let sum = |class: usize| x[class * each..(class + 1) * each].iter().sum::<f64>();
    [0.5 + sum(0), sum(1), sum(2)]
}

pub(crate) fn class(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

fn lead(scores: &[f64], class: usize) -> f64 {
    let others = (0..scores.len()).filter(|&other| other != class).map(|other| scores[other]);
    scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
}

/// By how much an input answers the question of a record about another input.
fn margin(record: &Value, input: &[f64], seen: &[f64]) -> f64 {
    let (original, scores) = (class(&scores(input)), scores(seen));
    match (record["mode"].as_str().unwrap(), record["target"].as_u64()) {
        ("pp", None) => lead(&scores, original),
        ("pn", None) => -lead(&scores, original),
        ("pn", Some(target)) => lead(&scores, usize::try_from(target).unwrap()),
        other => panic!("{other:?}"),
    }
}

/// Everything a record says of its answer, seen again in the files it names.
///
/// `absent` is what counts as nothing in a part.
pub(crate) fn check(record: &Value, input: &[f64], absent: &[f64]) {
    let number = |key: &str| record[key].as_f64().unwrap_or_else(|| panic!("{key}: {record}"));
    let is_part = record["mode"] == "pp";
    let x = npy(record["files"]["x"].as_str().unwrap());
    let seen_with = |x: &[f64]| -> Vec<f64> {
        if is_part { x.to_vec() } else { x.iter().zip(input).map(|(change, input)| change + input).collect() }
    };
    let seen = seen_with(&x);
    let saved = png(record["files"]["image"].as_str().unwrap());
    let floor = number("noise_floor");
    let nothing = |place: usize| if is_part { absent[place] } else { 0.0 };
    let places: Vec<usize> = (0..x.len()).filter(|&place| x[place] != nothing(place)).collect();

    assert_eq!(record["original"]["class"], class(&scores(input)));
    assert_eq!(record["nonzeros"], places.len());
    let norm_l1: f64 = places.iter().map(|&place| (x[place] - nothing(place)).abs()).sum();
    let norm_l2: f64 = places.iter().map(|&place| (x[place] - nothing(place)).powi(2)).sum::<f64>().sqrt();
    assert!((number("norm_l1") - norm_l1).abs() < 1e-9 && (number("norm_l2") - norm_l2).abs() < 1e-9);
    for (saved, seen) in saved.iter().zip(&seen) {
        assert!((saved - seen.clamp(0.0, 1.0)).abs() <= 0.5 / 255.0 + 1e-9, "{saved} is not {seen}");
    }
    if record["valid"] == false {
        return;
    }
    // What is not a picture is only drawn as one.
    let is_picture = [16, 48].contains(&input.len());
    for (what, seen) in
        [("x.npy", &seen), ("image.png", &saved)].into_iter().take(1 + usize::from(is_picture))
    {
        let margin = margin(record, input, seen);
        assert!(margin > 0.0, "{what} does not hold: {margin}, {record}");
        assert!(number("margin") <= margin + 1e-5, "{what} holds by {margin}: {record}");
    }
    assert!(number("margin") > floor);
    assert_eq!(record["explanation"]["class"], class(&scores(&seen)));
    for place in (0..x.len()).filter(|&place| is_part && x[place] != nothing(place)) {
        let (low, high) = (nothing(place).min(input[place]), nothing(place).max(input[place]));
        assert!((low..=high).contains(&x[place]), "{record}");
    }
    let share = record["confidence"]["asked"]["share"].as_f64().unwrap_or(0.0);
    let asked = share * lead(&scores(input), class(&scores(input)));
    assert!(number("margin") >= asked - 1e-5, "{asked} was asked: {record}");
    // By elimination it is the confidence and the disturbed copies that would be lost, not the class alone.
    if record["minimal"] == "checked" && record["strategy"] != "eliminate" {
        for &place in &places {
            let mut without = x.clone();
            without[place] = nothing(place);
            let margin = margin(record, input, &seen_with(&without));
            assert!(margin <= asked + floor + 1e-5, "place {place} can go: {record}");
        }
    }
}

/// The numbers of a `float64` array in C order.
pub(crate) fn npy(path: &str) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..start].to_vec()).unwrap();
    assert!(header.contains("'<f8'") && header.contains("'fortran_order': False"), "{header}");
    bytes[start..].chunks_exact(8).map(|number| f64::from_le_bytes(number.try_into().unwrap())).collect()
}

/// The pixels of a picture from 0 to 1, channels first.
pub(crate) fn png(path: &str) -> Vec<f64> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let read = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(read.bit_depth, png::BitDepth::Eight);
    let channels = read.color_type.samples();
    let plane =
        |channel: usize| bytes[channel..].iter().step_by(channels).map(|&byte| f64::from(byte) / 255.0);
    (0..channels).flat_map(plane).collect()
}
