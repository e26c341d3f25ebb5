//! The two data sets: which files, their checksums, and where their authors publish them.

use super::homes::{Download, Homes, Packing};

/// A data set the experiments use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSet {
    /// Handwritten digits, 28 x 28, grey (LeCun, Cortes & Burges).
    Mnist,
    /// Small photographs, 32 x 32, colour (Krizhevsky 2009).
    Cifar10,
}

/// A file of a data set and the SHA-256 of its contents (unzipped).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its name.
    pub name: &'static str,
    /// SHA-256 in hexadecimal.
    pub sha256: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
}

const fn file(name: &'static str, bytes: u64, sha256: &'static str) -> Expected {
    Expected { name, sha256, bytes }
}

const MNIST: [Expected; 4] = [
    file(
        "train-images-idx3-ubyte",
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    file(
        "train-labels-idx1-ubyte",
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    file(
        "t10k-images-idx3-ubyte",
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    file(
        "t10k-labels-idx1-ubyte",
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
];

const CIFAR10: [Expected; 6] = [
    file("data_batch_1.bin", 30_730_000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"),
    file("data_batch_2.bin", 30_730_000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"),
    file("data_batch_3.bin", 30_730_000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"),
    file("data_batch_4.bin", 30_730_000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"),
    file("data_batch_5.bin", 30_730_000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"),
    file("test_batch.bin", 30_730_000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"),
];

const MNIST_HOMES: [&str; 2] =
    ["https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"];
const CIFAR10_HOMES: [&str; 1] = ["https://www.cs.toronto.edu/~kriz/"];

impl DataSet {
    /// Its name, which is also the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mnist => "mnist",
            Self::Cifar10 => "cifar10",
        }
    }

    /// Its files.
    pub fn files(self) -> &'static [Expected] {
        match self {
            Self::Mnist => &MNIST,
            Self::Cifar10 => &CIFAR10,
        }
    }

    /// What it is called among people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mnist => "MNIST",
            Self::Cifar10 => "CIFAR-10",
        }
    }

    /// Where it is published.
    ///
    /// MNIST: a mirror that many libraries use, then its authors' page. CIFAR-10: its authors' page.
    pub fn homes(self) -> Homes {
        let downloads = match self {
            Self::Mnist => MNIST
                .iter()
                .map(|file| {
                    let zipped = format!("{}.gz", file.name);
                    Download::new(&zipped, Packing::File(file), &MNIST_HOMES)
                })
                .collect(),
            Self::Cifar10 => {
                vec![Download::new("cifar-10-binary.tar.gz", Packing::Archive(&CIFAR10), &CIFAR10_HOMES)]
            }
        };
        Homes { downloads }
    }
}
