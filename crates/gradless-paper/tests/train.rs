//! Training as a whole on a small slice: it learns, it can be killed, and what is exported is what was trained.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gradless_paper::data::{self, Images, Labelled, Split};
use gradless_paper::train::{
    Architecture, BatchNorm, Ending, EpochRecord, Progress, Recipe, Settings, TrainError, Trained, Watch,
    resume, train,
};
use testkit::network::Network;

/// Ten kinds of simple pictures with noise: bars whose place is the class. Stands in for data that is not there.
fn pictures(channels: usize, side: usize, count: usize, seed: u32) -> Labelled {
    let mut state = seed;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from(state >> 26).unwrap()
    };
    let labels: Vec<u8> = (0..count).map(|image| u8::try_from(image % 10).unwrap()).collect();
    let mut pixels = Vec::new();
    for &label in &labels {
        for place in 0..channels * side * side {
            let (y, x) = (place / side % side, place % side);
            let on = if label < 5 { y / 5 == usize::from(label) } else { x / 5 == usize::from(label) - 5 };
            pixels.push(noise() + if on { 150 } else { 20 });
        }
    }
    Labelled { images: Images { channels, height: side, width: side, pixels }, labels }
}

fn first(data: &Labelled, count: usize) -> Labelled {
    let images =
        Images { pixels: data.images.pixels[..count * data.images.size()].to_vec(), ..data.images.clone() };
    Labelled { images, labels: data.labels[..count].to_vec() }
}

/// Digits if they are at hand, pictures otherwise.
fn digits() -> (Labelled, Labelled) {
    let folder = std::env::var_os("GRADLESS_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data"), PathBuf::from)
        .join("mnist");
    let there = folder.is_dir();
    if there {
        let read = |split| data::mnist(&folder, split).unwrap();
        (first(&read(Split::Train), 1024), first(&read(Split::Test), 256))
    } else {
        testkit::skip(format!("training on MNIST: {} is not there (drawn pictures were)", folder.display()));
        (pictures(1, 28, 1024, 1), pictures(1, 28, 256, 2))
    }
}

/// Stops after so many steps.
struct StopAfter<'a> {
    steps: usize,
    cancel: &'a AtomicBool,
    losses: Vec<f64>,
}

impl Watch for StopAfter<'_> {
    fn step(&mut self, progress: &Progress) {
        self.losses.push(progress.loss);
        if self.losses.len() >= self.steps {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn epoch(&mut self, _: &[EpochRecord]) {}
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-train-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn settings(architecture: Architecture, epochs: u32, threads: usize, folder: &Folder) -> Settings {
    let recipe = Recipe { epochs, ..Recipe::of(architecture) };
    Settings { architecture, recipe, seed: 7, threads, checkpoint: folder.0.join("checkpoint") }
}

fn run(
    settings: &Settings,
    (images, test): &(Labelled, Labelled),
    steps: usize,
    go_on: bool,
) -> (Trained, Vec<f64>) {
    let cancel = AtomicBool::new(false);
    let mut watch = StopAfter { steps, cancel: &cancel, losses: Vec::new() };
    let trained = if go_on {
        resume(&settings.checkpoint, settings, images, test, &mut watch, &cancel).unwrap()
    } else {
        train(settings, images, test, &mut watch, &cancel).unwrap()
    };
    (trained, watch.losses)
}

fn without_time(history: &[EpochRecord]) -> Vec<EpochRecord> {
    history.iter().map(|record| EpochRecord { seconds: 0.0, ..*record }).collect()
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one_bit_for_bit_and_the_loss_falls() {
    let data = digits();
    let folder = Folder::new("resume");
    let (whole, losses) = run(&settings(Architecture::LeNet, 2, 2, &folder), &data, usize::MAX, false);
    assert_eq!(whole.ending, Ending::Finished);
    assert!(losses.last().unwrap() < &(0.8 * losses[0]), "from {} to {:?}", losses[0], losses.last());

    // Stopped in the middle of each epoch, with another number of threads each time.
    let (part, _) = run(&settings(Architecture::LeNet, 2, 1, &folder), &data, 3, false);
    assert_eq!(part.ending, Ending::Interrupted);
    let (part, _) = run(&settings(Architecture::LeNet, 2, 3, &folder), &data, 8, true);
    assert_eq!(part.ending, Ending::Interrupted);
    let (resumed, rest) = run(&settings(Architecture::LeNet, 2, 2, &folder), &data, usize::MAX, true);
    assert_eq!(rest.len(), losses.len() - 11);
    assert_eq!(without_time(resumed.history()), without_time(whole.history()));
    let bytes = |trained: &Trained| trained.to_onnx(BatchNorm::Kept).unwrap();
    assert!(bytes(&resumed) == bytes(&whole), "the weights differ");
}

#[test]
fn the_exported_networks_are_those_that_were_trained() {
    for (architecture, channels, side) in [(Architecture::LeNet, 1, 28), (Architecture::ResNet20, 3, 32)] {
        let data = (pictures(channels, side, 256, 1), pictures(channels, side, 64, 2));
        let folder = Folder::new(architecture.name());
        let (trained, _) = run(&settings(architecture, 1, 2, &folder), &data, usize::MAX, false);
        let said = trained.history()[0];
        for batch_norm in [BatchNorm::Kept, BatchNorm::Folded] {
            let referee = Network::read(&trained.to_onnx(batch_norm).unwrap()).unwrap();
            let (mut right, mut loss) = (0, 0.0);
            for (image, &label) in data.1.labels.iter().enumerate() {
                let size = side * side;
                let pixel = |(place, &byte): (usize, &u8)| {
                    let channel = place / size;
                    (f64::from(byte) / 255.0 - architecture.mean()[channel])
                        / architecture.deviation()[channel]
                };
                let input: Vec<f64> = data.1.images.image(image).iter().enumerate().map(pixel).collect();
                let scores = referee.scores(&input);
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                right += u32::from(scores[usize::from(label)] == largest);
                loss += scores.iter().map(|score| (score - largest).exp()).sum::<f64>().ln() + largest
                    - scores[usize::from(label)];
            }
            let count = data.1.labels.len() as f64;
            assert_eq!(f64::from(right) / count, said.test_accuracy, "{architecture:?} {batch_norm:?}");
            assert!((loss / count - said.test_loss).abs() < 1e-5, "{} for {}", loss / count, said.test_loss);
        }
    }
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let folder = Folder::new("refused");
    let cancel = AtomicBool::new(false);
    let mut watch = StopAfter { steps: 1, cancel: &cancel, losses: Vec::new() };
    let (grey, colour) = (pictures(1, 28, 64, 1), pictures(3, 32, 64, 1));
    let mut attempt = |settings: &Settings, images: &Labelled, test: &Labelled| -> TrainError {
        train(settings, images, test, &mut watch, &cancel).unwrap_err()
    };
    let lenet = settings(Architecture::LeNet, 1, 1, &folder);
    assert!(matches!(attempt(&lenet, &colour, &colour), TrainError::Images { split: "training", .. }));
    assert!(matches!(attempt(&lenet, &grey, &colour), TrainError::Images { split: "test", .. }));
    assert!(matches!(attempt(&lenet, &grey, &grey), TrainError::Batch { batch: 128, images: 64, .. }));
    let odd = Settings { recipe: Recipe { batch: 40, ..lenet.recipe }, ..lenet.clone() };
    assert!(matches!(attempt(&odd, &grey, &grey), TrainError::Batch { batch: 40, .. }));
    let small = Settings { recipe: Recipe { batch: 32, ..lenet.recipe }, ..lenet.clone() };
    assert!(matches!(attempt(&small, &grey, &first(&grey, 0)), TrainError::NoTest));
    let wild = Settings {
        recipe: Recipe { peak_rate: 1e30, batch: 32, epochs: 3, ..lenet.recipe },
        ..lenet.clone()
    };
    let mut watch = StopAfter { steps: usize::MAX, cancel: &cancel, losses: Vec::new() };
    cancel.store(false, Ordering::Relaxed);
    let error = train(&wild, &grey, &grey, &mut watch, &cancel).unwrap_err();
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
    let nowhere = resume(&folder.0.join("nowhere"), &small, &grey, &grey, &mut watch, &cancel).unwrap_err();
    assert!(nowhere.to_string().contains("nowhere"), "{nowhere}");
    let (half, _) = run(&small, &(grey.clone(), grey.clone()), 1, false);
    assert_eq!(half.ending, Ending::Interrupted);
    let again = |settings: &Settings, images: &Labelled| {
        let mut watch = StopAfter { steps: 1, cancel: &AtomicBool::new(false), losses: Vec::new() };
        resume(&small.checkpoint, settings, images, images, &mut watch, &AtomicBool::new(false)).unwrap_err()
    };
    let residual = Settings { architecture: Architecture::ResNet20, ..small.clone() };
    assert!(matches!(again(&residual, &colour), TrainError::Another { found: Architecture::LeNet, .. }));
    assert!(matches!(again(&small, &pictures(1, 28, 64, 5)), TrainError::OtherData { .. }));
    let unwritable = Settings { checkpoint: folder.0.join("no/such/folder/checkpoint"), ..small };
    assert!(matches!(train(&unwritable, &grey, &grey, &mut watch, &cancel), Err(TrainError::File { .. })));
}
