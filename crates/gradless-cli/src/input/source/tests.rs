use super::*;
use crate::npy;
use crate::scratch::Folder;

const DIGIT: &[u8] = include_bytes!("../../../assets/digits/5.png");

fn space() -> Space {
    Space { shape: vec![1, 28, 28], range: [0.0, 1.0], resize: None }
}

/// An IDX file of pictures with the bytes 0, 1, 2, … .
fn idx(count: u32, height: u32, width: u32) -> Vec<u8> {
    let bytes = (0..count * height * width).map(|i| i.to_le_bytes()[0]);
    let header = [0x803, count, height, width].map(u32::to_be_bytes).concat();
    header.into_iter().chain(bytes).collect()
}

#[track_caller]
fn refused(path: &Path, space: &Space, words: &[&str]) {
    let told = format!("{:#}", Source::open(path, space).unwrap_err());
    for word in words {
        assert!(told.contains(word), "'{word}' is not in: {told}");
    }
}

#[test]
fn a_file_is_one_input() {
    let folder = Folder::new("source-one");
    let path = folder.put("five.png", DIGIT);
    let source = Source::open(&path, &space()).unwrap();
    assert_eq!((source.len(), source.is_many(), source.name(0)), (1, false, "five.png".to_owned()));
    assert_eq!(source.read(0, &space()).unwrap(), super::super::digit(&space()).unwrap());
    assert!(source.read(1, &space()).is_err());
    npy::write(&folder.0.join("x.npy"), &[1, 28, 28], &[0.5; 784]).unwrap();
    let source = Source::open(&folder.0.join("x.npy"), &space()).unwrap();
    assert!(!source.is_many());
    assert_eq!(source.read(0, &space()).unwrap(), [0.5; 784]);
}

#[test]
fn a_folder_is_its_pictures_and_arrays_by_name() {
    let folder = Folder::new("source-folder");
    refused(&folder.0, &space(), &["source-folder", "holds no inputs", ".png, .jpg, .jpeg, .npy"]);
    for name in ["b.PNG", "a.png", ".hidden.png", "notes.txt", "c.png.bak"] {
        folder.put(name, DIGIT);
    }
    folder.put("d.jpeg", b"text");
    npy::write(&folder.0.join("c.npy"), &[784], &[0.25; 784]).unwrap();
    fs::create_dir(folder.0.join("inside.png")).unwrap();
    let source = Source::open(&folder.0, &space()).unwrap();
    let names: Vec<String> = (0..source.len()).map(|index| source.name(index)).collect();
    assert_eq!(names, ["a.png", "b.PNG", "c.npy", "d.jpeg"]);
    assert!(source.is_many());
    assert_eq!(source.read(2, &space()).unwrap(), [0.25; 784]);
    assert_eq!(source.read(0, &space()).unwrap(), source.read(1, &space()).unwrap());
    let told = format!("{:#}", source.read(3, &space()).unwrap_err());
    assert!(told.contains("d.jpeg") && told.contains("neither a PNG"), "{told}");
}

#[test]
fn an_idx_file_is_its_images() {
    let folder = Folder::new("source-idx");
    let small = Space { shape: vec![1, 2, 3], ..space() };
    let path = folder.put("any-name", &idx(3, 2, 3));
    let source = Source::open(&path, &small).unwrap();
    assert_eq!((source.len(), source.is_many(), source.name(2)), (3, true, "00002".to_owned()));
    let expected: Vec<f64> = (12..18).map(|byte| f64::from(byte) / 255.0).collect();
    assert_eq!(source.read(2, &small).unwrap(), expected);
    // Even one image is a file of many.
    assert!(Source::open(&folder.put("one", &idx(1, 2, 3)), &small).unwrap().is_many());
    refused(&path, &space(), &["any-name", "3 x 2 pixels", "28 x 28", "--resize"]);
    let larger = Space { resize: Some(gradless_models::Resize::Squash), ..space() };
    assert_eq!(Source::open(&path, &larger).unwrap().read(1, &larger).unwrap().len(), 784);
    refused(&path, &Space { shape: vec![6], ..space() }, &["not pictures"]);
    let told = format!("{:#}", super::super::read(&path, &small).unwrap_err());
    assert!(told.contains("many images"), "{told}");
}

#[test]
fn a_zipped_idx_file_is_unzipped() {
    // gzip of `idx(1, 2, 3)`, by Python: gzip.compress(..., mtime=0).
    let zipped = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x63, 0x60, 0xe0, 0x60, 0x66, 0x60, 0x60,
        0x60, 0x04, 0x62, 0x26, 0x20, 0x66, 0x66, 0x60, 0x64, 0x62, 0x66, 0x61, 0x05, 0x00, 0xa6, 0xf7, 0xf2,
        0xc7, 0x16, 0x00, 0x00, 0x00,
    ];
    let folder = Folder::new("source-gz");
    let small = Space { shape: vec![1, 2, 3], ..space() };
    let source = Source::open(&folder.put("train-images-idx3-ubyte.gz", &zipped), &small).unwrap();
    assert_eq!((source.len(), source.is_many()), (1, true));
    assert_eq!(source.read(0, &small).unwrap()[5], 5.0 / 255.0);
}

#[test]
fn damaged_idx_files_are_refused() {
    let folder = Folder::new("source-idx-damaged");
    let small = Space { shape: vec![1, 2, 3], ..space() };
    let whole = idx(3, 2, 3);
    refused(&folder.put("cut", &whole[..30]), &small, &["cut", "it was cut"]);
    refused(&folder.put("none", &idx(0, 2, 3)), &small, &["holds no images"]);
    refused(&folder.put("huge", &idx(0, 2, 3)[..4]), &small, &["it was cut"]);
    let labels = [0x801_u32, 3].map(u32::to_be_bytes).concat();
    refused(&folder.put("labels", &[labels, vec![0; 16]].concat()), &small, &["IDX images"]);
    refused(&folder.put("text-images-idx3-ubyte", b"some text, long enough"), &small, &["IDX images"]);
    refused(&folder.put("not-really.gz", b"\x1f\x8b and text"), &small, &["not-really.gz", "cannot be read"]);
}

#[test]
fn an_array_of_many_is_read_item_by_item() {
    let folder = Folder::new("source-npy");
    let path = folder.0.join("many.npy");
    let mut values: Vec<f64> = (0..12).map(f64::from).collect();
    values[9] = f64::NAN;
    npy::write(&path, &[2, 1, 2, 3], &values).unwrap();
    let small = Space { shape: vec![1, 2, 3], ..space() };
    let source = Source::open(&path, &small).unwrap();
    assert_eq!((source.len(), source.is_many(), source.name(1)), (2, true, "00001".to_owned()));
    assert_eq!(source.read(0, &small).unwrap(), values[..6]);
    let told = format!("{:#}", source.read(1, &small).unwrap_err());
    assert!(told.contains("many.npy, input 00001") && told.contains("NaN at [0, 1, 0]"), "{told}");
}

#[test]
fn what_is_not_there_is_told_with_its_path() {
    let folder = Folder::new("source-missing");
    refused(&folder.0.join("nothing.png"), &space(), &["nothing.png", "cannot be read"]);
    refused(&folder.put("empty.png", b""), &space(), &["empty.png", "is empty"]);
}
