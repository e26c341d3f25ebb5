//! `gradless data`, without a network.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless_paper::data::DataSet;
use support::{Folder, gradless, real_data};
use testkit::mxnet;

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

/// A folder as the authors' repository is, with networks whose scores are all alike.
fn authors(folder: &Folder) -> String {
    folder.put("highdimzo/LeNet on MNist.model", &mxnet::file(&mxnet::lenet(|_| 0.01)));
    folder.put("highdimzo/resnet20.params", &mxnet::file(&mxnet::resnet20(|_| 0.01)));
    folder.path("highdimzo")
}

#[test]
fn the_authors_networks_become_onnx_files_with_their_descriptions() {
    let folder = Folder::new("authors");
    let (dir, from) = (folder.path("data"), authors(&folder));
    let ran = gradless(&["data", "authors", "--dir", &dir, "--from", &from]).ends(0).silent();
    for words in ["lenet.onnx, resnet20.onnx", "not listed", "reproduce mnist --model"] {
        assert!(ran.out.contains(words), "{}", ran.out);
    }
    let description = std::fs::read_to_string(folder.0.join("data/authors/resnet20.toml")).unwrap();
    assert!(description.contains("mean = [0.4914, 0.4822, 0.4465]"), "{description}");
    let lenet = folder.path("data/authors/lenet.onnx");
    gradless(&["noise", "--model", &lenet]).ends(0);
    let told =
        gradless(&["data", "authors", "--dir", &dir, "--from", &from, "--format", "json"]).ends(0).json();
    assert_eq!(told["networks"].as_array().unwrap().len(), 2);
    assert!(told["images"].is_null());
}

#[test]
fn what_is_no_copy_of_the_authors_repository_is_refused() {
    let folder = Folder::new("not-authors");
    let (dir, from) = (folder.path("data"), authors(&folder));
    gradless(&["data", "authors", "--dir", &dir])
        .fails_saying(&["highdimzo", "gradless data authors --from DIR"]);
    let take = |from: &str| gradless(&["data", "authors", "--dir", &dir, "--from", from]);
    take(&folder.path("nowhere")).fails_saying(&["nowhere", "cannot be read"]);
    folder.put("highdimzo/resnet20.params", b"this is a text, and no list of arrays");
    take(&from).fails_saying(&["resnet20.params", "begins with 0x"]);
    std::fs::remove_file(folder.0.join("highdimzo/resnet20.params")).unwrap();
    take(&from).fails_saying(&["highdimzo", "does not hold \"resnet20.params\""]);
    assert!(!folder.0.join("data").exists());
}
