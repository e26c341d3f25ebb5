use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::scratch::Folder;

/// A file with this header text (version 1.0) and these bytes.
fn file(text: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    [MAGIC, &[1, 0], &length, text.as_bytes(), data].concat()
}

fn header(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn all(bytes: &[u8]) -> anyhow::Result<Numbers> {
    Npy::new(Cursor::new(bytes))?.all()
}

fn refused(bytes: &[u8]) -> String {
    format!("{:#}", all(bytes).unwrap_err())
}

#[test]
fn what_is_written_is_read_and_laid_out_as_numpy_does() {
    let folder = Folder::new("npy-write");
    let path = folder.0.join("x.npy");
    let values: Vec<f64> = (0..6).map(|i| 0.1 * f64::from(i)).collect();
    for shape in [[6].as_slice(), &[2, 3], &[1, 2, 3], &[3, 2, 1, 1]] {
        write(&path, shape, &values).unwrap();
        let mut read = Npy::open(&path).unwrap();
        assert_eq!(read.shape(), shape);
        assert_eq!(read.all().unwrap(), Numbers { values: values.clone(), white: None });
    }
    // The bytes numpy.save writes for numpy.array([[1.5]]).
    write(&path, &[1, 1], &[1.5]).unwrap();
    let mut expected =
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }".to_vec();
    expected.resize(127, b' ');
    expected.push(b'\n');
    expected.extend(1.5_f64.to_le_bytes());
    assert_eq!(fs::read(&path).unwrap(), expected);
    write(&path, &[], &[1.5]).unwrap();
    assert_eq!(Npy::open(&path).unwrap().all().unwrap().values, [1.5]);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "something was left beside it");
}

#[test]
fn what_cannot_be_written_is_told_with_its_path() {
    let folder = Folder::new("npy-refuse");
    let told = format!("{:#}", write(&folder.0.join("x.npy"), &[2, 2], &[1.0]).unwrap_err());
    assert!(told.contains("x.npy cannot be written") && told.contains("[2, 2]"), "{told}");
    let told = format!("{:#}", write(&folder.0.join("none/x.npy"), &[1], &[1.0]).unwrap_err());
    assert!(told.contains("none"), "{told}");
    assert!(write(&folder.0, &[1], &[1.0]).is_err());
    assert!(!folder.0.with_extension("new").exists());
}

#[test]
fn versions_and_orders_hold_the_same_numbers() {
    // 0 1 2 / 3 4 5 as bytes, row after row and column after column.
    let c = file(&header("|u1", "False", "(2, 3)"), &[0, 1, 2, 3, 4, 5]);
    let fortran = file(&header("|u1", "True", "(2, 3)"), &[0, 3, 1, 4, 2, 5]);
    let expected = Numbers { values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], white: Some(255.0) };
    for mut bytes in [c, fortran] {
        assert_eq!(all(&bytes).unwrap(), expected);
        let second = Npy::new(Cursor::new(&bytes)).unwrap().item(1).unwrap();
        assert_eq!(second.values, [3.0, 4.0, 5.0]);
        assert!(Npy::new(Cursor::new(&bytes)).unwrap().item(2).is_err());
        for version in [2, 3] {
            bytes[6] = version;
            let later = [&bytes[..10], &[0, 0], &bytes[10..]].concat();
            assert_eq!(all(&later).unwrap(), expected);
        }
    }
}

#[test]
fn an_item_in_fortran_order_is_the_item_in_c_order() {
    let shape = [3, 2, 4, 2];
    let count = 48_u8;
    let c: Vec<u8> = (0..count).collect();
    let mut fortran = vec![0; c.len()];
    for (place, &value) in c.iter().enumerate() {
        let index = unravel(place, &shape);
        fortran[index[0] + 3 * (index[1] + 2 * (index[2] + 4 * index[3]))] = value;
    }
    let c = file(&header("|u1", "False", "(3, 2, 4, 2)"), &c);
    let fortran = file(&header("|u1", "True", "(3, 2, 4, 2)"), &fortran);
    for index in 0..3 {
        let item = |bytes: &[u8]| Npy::new(Cursor::new(bytes)).unwrap().item(index).unwrap();
        assert_eq!(item(&c), item(&fortran));
    }
    assert_eq!(all(&c).unwrap(), all(&fortran).unwrap());
}

#[test]
fn damage_is_told_in_a_sentence() {
    let nan = [0.0_f32, 1.0, f32::NAN, 2.0].map(f32::to_le_bytes).concat();
    let whole = file(&header("|u1", "False", "(2, 2)"), &[1, 2, 3, 4]);
    let long = [MAGIC, &[2, 0], &u32::MAX.to_le_bytes()].concat();
    for (bytes, word) in [
        (file(&header("<f4", "False", "(2, 2)"), &nan), "NaN at [1, 0]"),
        (file(&header("<f8", "False", "()"), &f64::INFINITY.to_le_bytes()), "inf at []"),
        (whole[..whole.len() - 1].to_vec(), "was cut: it promises 4 bytes of numbers and holds 3"),
        ([whole.as_slice(), &[5]].concat(), "goes on after the 4 bytes"),
        (file(&header("|u1", "False", "(0, 4)"), &[]), "holds no numbers"),
        (file(&header("<f8", "False", "(4294967295, 4294967296, 8)"), &[0]), "more numbers than a file"),
        (file(&header("<f8", "False", "(1000000000000,)"), &[0]), "was cut"),
        (file(&header("|O", "False", "(1,)"), b"\x80\x04N."), "Python objects"),
        (long, "header is not whole"),
        ([MAGIC, &[2, 0], &70_000_u32.to_le_bytes(), &vec![b' '; 70_000]].concat(), "70000 bytes"),
        ([MAGIC, &[9, 0, 0, 0]].concat(), "version 9.0"),
        (b"PK\x03\x04".to_vec(), ".npz"),
        (b"\x80\x04\x95".to_vec(), "pickle"),
        (b"text".to_vec(), "not a NumPy array"),
        (Vec::new(), "not a NumPy array"),
    ] {
        let told = refused(&bytes);
        assert!(told.contains(word), "'{word}' is not in: {told}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = file(&header("<f4", "True", "(2, 3)"), &[0; 24]);
    assert!(all(&whole).is_ok());
    for length in 0..whole.len() {
        assert!(all(&whole[..length]).is_err(), "{length} bytes were enough");
    }
}

proptest! {
    #[test]
    fn no_change_of_bytes_makes_the_reader_panic(
        order in prop_oneof![Just("True"), Just("False")],
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file(&header("<f4", order, "(2, 3)"), &[0; 24]);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = all(&bytes);
        let _ = Npy::new(Cursor::new(&bytes)).and_then(|mut npy| npy.item(0));
    }

    #[test]
    fn any_header_text_is_read_or_refused(text in "[{}'(),: 0-9LTruFalsedcfonh_p<>|ué\\[\\]]{0,80}", data in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = all(&file(&text, &data));
    }

    #[test]
    fn any_shape_is_read_or_refused(shape in prop::collection::vec(any::<usize>(), 0..5), data in prop::collection::vec(any::<u8>(), 0..40)) {
        let lengths = format!("{shape:?}").replace('[', "(").replace(']', ")");
        let _ = all(&file(&header("<f8", "True", &lengths), &data));
    }
}
