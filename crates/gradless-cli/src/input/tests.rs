use super::*;
use crate::npy;
use crate::scratch::Folder;

fn space(shape: &[usize]) -> Space {
    Space { shape: shape.to_vec(), range: [0.0, 1.0], resize: None }
}

#[test]
fn the_digit_is_a_picture_of_28_by_28() {
    let digit = digit(&space(&[1, 28, 28])).unwrap();
    assert_eq!(digit.len(), 784);
    assert!(digit.contains(&0.0) && digit.iter().any(|&value| value > 0.9));
}

#[test]
fn a_number_or_a_file_is_taken() {
    let folder = Folder::new("input-number");
    let path = folder.0.join("weights.npy");
    npy::write(&path, &[3], &[0.5, 0.0, 2.0]).unwrap();
    let take = |text: &str| number_or_file(text, &space(&[3]));
    assert_eq!(take(" -2.5e-1").unwrap(), (-0.25).into());
    assert_eq!(take(path.to_str().unwrap()).unwrap(), vec![0.5, 0.0, 2.0].into());
    for (text, word) in
        [("nan", "finite"), ("inf", "finite"), ("0,5", "neither a number nor a file"), ("", "neither")]
    {
        let told = take(text).unwrap_err().to_string();
        assert!(told.contains(word), "{told}");
    }
}

#[test]
fn every_refusal_names_its_file() {
    let folder = Folder::new("input-refused");
    let fits = space(&[1, 28, 28]);
    let missing = folder.0.join("missing.png");
    let paths = [
        (missing, "cannot be read"),
        (folder.0.clone(), "is a folder"),
        (folder.put("text.png", b"not a picture"), "neither a PNG or JPEG"),
        (folder.put("moving.png", b"GIF89a............"), "GIF"),
        (folder.put("cut.png", &DIGIT[..100]), "damaged PNG"),
        (folder.put("cut.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"), "end is missing"),
        (folder.put("text.npy", b"not an array"), "not a NumPy array"),
        (folder.put("many.npz", b"PK\x03\x04...."), ".npz"),
        (folder.put("pickle.npy", b"\x80\x04\x95...."), "pickle"),
        (folder.put("empty.npy", b""), "is empty"),
    ];
    for (path, word) in paths {
        for error in [read(&path, &fits).unwrap_err(), mask(&path, &fits).unwrap_err()] {
            let told = format!("{error:#}");
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(told.contains(word) && told.contains(name), "'{word}' is not in: {told}");
        }
    }
    let digit = folder.put("digit.png", DIGIT);
    assert_eq!(Source::open(&digit, &fits).unwrap().read(0, &fits).unwrap(), read(&digit, &fits).unwrap());
    let told = format!("{:#}", mask(&digit, &space(&[784])).unwrap_err());
    assert!(told.contains("are not pictures"), "{told}");
}
