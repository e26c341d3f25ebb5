//! `gradless data`, without a network.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless_paper::data::DataSet;
use support::{Folder, gradless, real_data};

#[test]
fn a_folder_without_the_files_is_named_with_what_was_looked_for() {
    let folder = Folder::new("empty");
    let (dir, from) = (folder.path("data"), folder.path("nothing"));
    let take = |set: &str, from: &str| gradless(&["data", set, "--dir", &dir, "--from", from]);
    take("mnist", &from).fails_saying(&["MNIST cannot be taken from", "nothing: cannot be read: "]);
    folder.put("nothing/readme", b"");
    take("mnist", &from).fails_saying(&["neither train-images-idx3-ubyte nor train-images-idx3-ubyte.gz"]);
    take("cifar10", &from).fails_saying(&["neither data_batch_1.bin nor cifar-10-binary.tar.gz"]);
}

#[test]
fn damaged_files_are_refused_and_leave_nothing_behind() {
    let folder = Folder::new("damaged");
    folder.put("from/train-images-idx3-ubyte", b"cut").put("text.tar.gz", b"this is a text");
    let (dir, from, text) = (folder.path("data"), folder.path("from"), folder.path("text.tar.gz"));
    gradless(&["data", "mnist", "--dir", &dir, "--from", &from])
        .fails_saying(&["train-images-idx3-ubyte", "holds 3 bytes where 47040016 are promised"]);
    gradless(&["data", "cifar10", "--dir", &dir, "--from", &text]).fails_saying(&["text.tar.gz"]);
    assert_eq!(std::fs::read_dir(folder.0.join("data/mnist")).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = Folder::new("file");
    folder.put("data", b"a file");
    gradless(&["data", "mnist", "--dir", &folder.path("data"), "--from", &folder.path("")])
        .fails_saying(&[&folder.path("data/mnist")]);
}

#[test]
fn where_nothing_can_be_fetched_every_missing_file_has_an_address_and_a_place() {
    let folder = Folder::new("offline");
    let dir = folder.path("data");
    let ran = gradless(&["data", "mnist", "--dir", &dir]).ends(2);
    for file in DataSet::Mnist.files() {
        assert!(
            ran.err.contains(&format!("http://yann.lecun.com/exdb/mnist/{}.gz", file.name)),
            "{}",
            ran.err
        );
    }
    ran.fails_saying(&[&folder.path("data/mnist"), &format!("gradless data mnist --dir {dir} --from DIR")]);
    gradless(&["data", "cifar10", "--dir", &dir])
        .fails_saying(&["https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "still zipped"]);
}

#[test]
fn the_real_data_are_taken_once_and_then_found() {
    for set in [DataSet::Mnist, DataSet::Cifar10] {
        let from = real_data().join(set.name());
        if !set.files().iter().all(|file| from.join(file.name).is_file()) {
            testkit::skip(format!("taking all of {}: {} does not hold it", set.title(), from.display()));
            continue;
        }
        let folder = Folder::new(set.name());
        let (dir, count) = (folder.path("data"), set.files().len());
        let taken = gradless(&["data", set.name(), "--dir", &dir, "--from", from.to_str().unwrap()]).ends(0);
        assert!(taken.out.contains(&format!("{count} files, checked")), "{}", taken.out);
        let found =
            gradless(&["data", set.name(), "--dir", &dir, "--format", "json"]).ends(0).silent().json();
        assert_eq!(found["present"].as_array().unwrap().len(), count);
        assert_eq!(found["brought"].as_array().unwrap().len(), 0);
        assert_eq!(found["data_set"], set.name());
    }
}
