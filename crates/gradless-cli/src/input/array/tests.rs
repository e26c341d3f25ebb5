use super::*;
use crate::npy;
use crate::scratch::Folder;

fn space(shape: &[usize]) -> Space {
    Space { shape: shape.to_vec(), range: [-1.0, 1.0], resize: Some(gradless_models::Resize::Squash) }
}

/// 0, 1, 2, … in an array of this shape.
fn counting(folder: &Folder, shape: &[usize]) -> std::path::PathBuf {
    let path = folder.0.join("x.npy");
    let values: Vec<f64> = (0..shape.iter().product::<usize>()).map(|i| i as f64).collect();
    npy::write(&path, shape, &values).unwrap();
    path
}

/// An array of bytes or truths.
fn bytes(folder: &Folder, kind: &str, shape: &str, data: &[u8]) -> std::path::PathBuf {
    let text = format!("{{'descr': '|{kind}', 'fortran_order': False, 'shape': {shape}}}\n");
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    folder.put("bytes.npy", &[npy::MAGIC, &[1, 0], &length, text.as_bytes(), data].concat())
}

#[test]
fn shapes_that_mean_the_same_are_taken() {
    let folder = Folder::new("array-shapes");
    let counted: Vec<f64> = (0..6).map(f64::from).collect();
    for (model, shapes) in [
        (
            [1, 2, 3].as_slice(),
            [[1, 2, 3].as_slice(), &[6], &[1, 6], &[2, 3], &[1, 1, 2, 3], &[2, 3, 1]].as_slice(),
        ),
        (&[3, 2, 1], &[&[3, 2, 1], &[6], &[1, 3, 2, 1]]),
        (&[6], &[&[6], &[1, 6]]),
        (&[2, 3], &[&[2, 3], &[1, 2, 3], &[6]]),
    ] {
        for shape in shapes {
            let path = counting(&folder, shape);
            assert_eq!(read(&path, &space(model)).unwrap(), counted, "{shape:?} for {model:?}");
            assert_eq!(count(&path, &space(model)).unwrap(), None, "{shape:?} for {model:?}");
        }
    }
}

#[test]
fn channels_last_are_turned_unless_the_shape_is_the_models() {
    let folder = Folder::new("array-channels");
    // Two pixels of three colours: 0 1 2, 3 4 5.
    let path = counting(&folder, &[1, 2, 3]);
    assert_eq!(read(&path, &space(&[3, 1, 2])).unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let path = counting(&folder, &[1, 1, 2, 3]);
    assert_eq!(read(&path, &space(&[3, 1, 2])).unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let cube = counting(&folder, &[3, 3, 3]);
    assert_eq!(read(&cube, &space(&[3, 3, 3])).unwrap()[..3], [0.0, 1.0, 2.0]);
}

#[test]
fn other_shapes_are_refused_and_not_resized() {
    let folder = Folder::new("array-other");
    for (shape, model) in [
        ([28, 27].as_slice(), [1, 28, 28].as_slice()),
        (&[2, 2], &[3, 2, 2]),
        (&[3, 2], &[2, 3]),
        (&[5], &[1]),
        (&[], &[2]),
    ] {
        let path = counting(&folder, shape);
        for told in [read(&path, &space(model)).unwrap_err(), count(&path, &space(model)).unwrap_err()] {
            let told = told.to_string();
            assert!(told.contains(&format!("{shape:?}")) && told.contains("not resized"), "{told}");
        }
    }
}

#[test]
fn bytes_are_pictures_and_other_numbers_are_as_they_are() {
    let folder = Folder::new("array-bytes");
    let path = bytes(&folder, "u1", "(1, 3)", &[0, 51, 255]);
    let expected = [0_u8, 51, 255].map(|byte| -1.0 + (1.0 - -1.0) * f64::from(byte) / 255.0);
    assert_eq!(read(&path, &space(&[1, 1, 3])).unwrap(), expected);
    let path = bytes(&folder, "b1", "(3,)", &[0, 1, 1]);
    assert_eq!(read(&path, &space(&[3])).unwrap(), [-1.0, 1.0, 1.0]);
    let path = counting(&folder, &[3]);
    assert_eq!(read(&path, &space(&[3])).unwrap(), [0.0, 1.0, 2.0]);
    let endless = Space { range: [f64::NEG_INFINITY, 0.0], ..space(&[3]) };
    assert_eq!(read(&path, &endless).unwrap(), [0.0, 1.0, 2.0]);
    let path = bytes(&folder, "u1", "(3,)", &[0, 51, 255]);
    assert!(read(&path, &endless).unwrap_err().to_string().contains("-inf to 0"));
}

#[test]
fn the_first_axis_counts_inputs() {
    let folder = Folder::new("array-stack");
    for (shape, model) in [
        ([4, 1, 2, 3].as_slice(), [1, 2, 3].as_slice()),
        (&[4, 2, 3], &[1, 2, 3]),
        (&[4, 6], &[1, 2, 3]),
        (&[4, 6], &[6]),
        (&[4, 1, 6], &[6]),
    ] {
        let path = counting(&folder, shape);
        assert_eq!(count(&path, &space(model)).unwrap(), Some(4), "{shape:?} for {model:?}");
        let expected: Vec<f64> = (12..18).map(f64::from).collect();
        assert_eq!(item(&path, 2, &space(model)).unwrap(), expected);
        assert!(item(&path, 4, &space(model)).is_err());
        assert!(read(&path, &space(model)).unwrap_err().to_string().contains("holds 4 inputs"));
    }
    let path = counting(&folder, &[2, 1, 2, 3]);
    assert_eq!(item(&path, 1, &space(&[3, 1, 2])).unwrap(), [6.0, 9.0, 7.0, 10.0, 8.0, 11.0]);
}

#[test]
fn a_mask_marks_places_in_all_channels() {
    let folder = Folder::new("array-mask");
    let plain = bytes(&folder, "b1", "(1, 2)", &[0, 1]);
    assert_eq!(mask(&plain, &space(&[1, 1, 2])).unwrap(), [false, true]);
    assert_eq!(mask(&plain, &space(&[3, 1, 2])).unwrap(), [false, true, false, true, false, true]);
    assert_eq!(mask(&plain, &space(&[2])).unwrap(), [false, true]);
    // Only the last channel of the first place is set.
    let colour = bytes(&folder, "u1", "(3, 1, 2)", &[0, 0, 0, 0, 1, 0]);
    assert_eq!(mask(&colour, &space(&[3, 1, 2])).unwrap(), [true, false].repeat(3));
    let last = bytes(&folder, "u1", "(1, 2, 3)", &[0, 0, 0, 0, 1, 0]);
    assert_eq!(mask(&last, &space(&[3, 1, 2])).unwrap(), [false, true].repeat(3));
    assert!(mask(&last, &space(&[3, 2, 2])).is_err());
    let rows = bytes(&folder, "u1", "(2, 2)", &[0, 1, 0, 0]);
    assert_eq!(mask(&rows, &space(&[2, 2])).unwrap(), [false, true, false, false]);
}
