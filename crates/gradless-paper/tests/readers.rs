//! The readers on good and on hostile files.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::{Path, PathBuf};

use gradless_paper::data::{DataSet, Problem, Split, cifar10, mnist};
use proptest::prelude::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-readers-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> &Self {
        std::fs::write(self.0.join(name), bytes).unwrap();
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn images(count: u32, height: u32, width: u32, pixels: usize) -> Vec<u8> {
    let header = [0x0803, count, height, width].into_iter().flat_map(u32::to_be_bytes);
    header.chain((0..pixels).map(|i| u8::try_from(i % 251).unwrap())).collect()
}

fn labels(count: u32, values: &[u8]) -> Vec<u8> {
    [0x0801, count].into_iter().flat_map(u32::to_be_bytes).chain(values.iter().copied()).collect()
}

const IMAGES: &str = "t10k-images-idx3-ubyte";
const LABELS: &str = "t10k-labels-idx1-ubyte";

#[test]
fn small_files_of_both_kinds_are_read() {
    let folder = Folder::new("good");
    folder.put(IMAGES, &images(2, 3, 4, 24)).put(LABELS, &labels(2, &[7, 0]));
    let digits = mnist(&folder.0, Split::Test).unwrap();
    assert_eq!((digits.images.count(), digits.images.height, digits.images.width), (2, 3, 4));
    assert_eq!((digits.images.image(1)[0], digits.labels), (12, vec![7, 0]));
    let mut record = vec![3];
    record.extend((0..3072).map(|i| u8::try_from(i % 256).unwrap()));
    folder.put("test_batch.bin", &record.repeat(2));
    let photos = cifar10(&folder.0, Split::Test).unwrap();
    assert_eq!((photos.images.count(), photos.labels), (2, vec![3, 3]));
    assert_eq!(photos.images.image(1)[255], 255);
}

fn mnist_problem(image_bytes: &[u8], label_bytes: &[u8]) -> Problem {
    let folder = Folder::new("bad");
    folder.put(IMAGES, image_bytes).put(LABELS, label_bytes);
    mnist(&folder.0, Split::Test).unwrap_err().problem
}

#[test]
fn every_kind_of_bad_mnist_file_is_refused_with_what_is_wrong() {
    let (good, good_labels) = (images(2, 3, 4, 24), labels(2, &[7, 0]));
    let problem = |bytes: &[u8]| mnist_problem(bytes, &good_labels);
    assert!(matches!(problem(b""), Problem::Truncated { expected: 16, found: 0 }));
    assert!(matches!(problem(&good[..30]), Problem::Truncated { expected: 40, found: 30 }));
    assert!(matches!(problem(&images(2, 3, 4, 25)), Problem::TooLong { expected: 40 }));
    assert!(matches!(problem(&good_labels.repeat(9)), Problem::Magic { found: 0x0801, .. }));
    assert!(matches!(problem(&images(u32::MAX, u32::MAX, u32::MAX, 9)), Problem::TooLarge { .. }));
    assert!(matches!(problem(&images(1 << 20, 1 << 9, 1, 9)), Problem::Truncated { .. }));
    assert!(matches!(problem(&images(5, 0, 4, 0)), Problem::TooLarge { .. }));
    assert!(matches!(problem(&[0x1f, 0x8b, 8, 0, 1, 2, 3]), Problem::Io(_)));
    let problem = |bytes: &[u8]| mnist_problem(&good, bytes);
    assert!(matches!(problem(&labels(3, &[1, 2, 3])), Problem::CountsDiffer { images: 2, labels: 3 }));
    assert!(matches!(problem(&labels(2, &[1, 10])), Problem::BadLabel { index: 1, label: 10 }));
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart() {
    let folder = Folder::new("missing");
    let missing = mnist(&folder.0, Split::Train).unwrap_err();
    assert!(
        missing.to_string().contains("train-images-idx3-ubyte") && matches!(missing.problem, Problem::Io(_))
    );
    std::fs::create_dir(folder.0.join("test_batch.bin")).unwrap();
    assert!(matches!(cifar10(&folder.0, Split::Test).unwrap_err().problem, Problem::IsFolder));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), magic in any::<bool>()) {
        let folder = Folder::new("fuzz");
        let mut bytes = bytes;
        if magic && bytes.len() >= 4 {
            bytes[..4].copy_from_slice(&[0, 0, 8, 3]);
        }
        folder.put(IMAGES, &bytes).put(LABELS, &bytes).put("test_batch.bin", &bytes);
        let _ = mnist(&folder.0, Split::Test);
        let _ = cifar10(&folder.0, Split::Test);
    }
}

/// The real data, where they are: `GRADLESS_DATA`, or `data` beside the workspace. Where they are not, that is said.
fn real(set: DataSet) -> Option<PathBuf> {
    let root = std::env::var_os("GRADLESS_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data"), PathBuf::from);
    let folder = root.join(set.name());
    let there = set.files().iter().all(|file| folder.join(file.name).is_file());
    if !there {
        testkit::skip(format!("reading all of {}: {} does not hold it", set.title(), folder.display()));
    }
    there.then_some(folder)
}

#[test]
fn the_real_data_sets_are_read_where_they_are() {
    if let Some(folder) = real(DataSet::Mnist) {
        let (train, test) = (mnist(&folder, Split::Train).unwrap(), mnist(&folder, Split::Test).unwrap());
        assert_eq!((train.images.count(), test.images.count()), (60_000, 10_000));
        assert_eq!(test.labels[..5], [7, 2, 1, 0, 4], "the first five test digits");
    }
    if let Some(folder) = real(DataSet::Cifar10) {
        let (train, test) = (cifar10(&folder, Split::Train).unwrap(), cifar10(&folder, Split::Test).unwrap());
        assert_eq!((train.images.count(), test.images.count()), (50_000, 10_000));
        assert_eq!(test.labels[..5], [3, 8, 8, 0, 6], "cat, ship, ship, aeroplane, frog");
    }
}
