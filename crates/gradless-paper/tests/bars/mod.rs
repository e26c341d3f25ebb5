//! A small data set in the form of MNIST, a network that knows it, and folders that go away.
#![allow(dead_code, reason = "every test file uses another part")]

use std::path::PathBuf;

use gradless::{Inputs, Model, ModelError};
use gradless_paper::data::{Images, Labelled};

/// 3 classes: which pair of rows of 6 x 4 pixels is bright.
pub(crate) struct Bars;

impl Model for Bars {
    fn shape(&self) -> &[usize] {
        &[1, 6, 4]
    }
    fn classes(&self) -> usize {
        3
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(3)) {
            for (score, rows) in scores.iter_mut().zip(x.chunks_exact(8)) {
                *score = (rows.iter().sum::<f64>() / 2.0).tanh();
            }
        }
        Ok(())
    }
}

/// 60 images, not two alike; every fifth has the label of another class.
pub(crate) fn bars() -> Labelled {
    let mut pixels = Vec::new();
    let mut labels = Vec::new();
    for image in 0..60_usize {
        let class = image % 3;
        let pixel = |place: usize| match (place / 8 == class, (place * 7 + image) % 5) {
            (true, shade) => 250 - 9 * shade,
            (false, shade) => 4 * shade,
        };
        pixels.extend((0..24).map(|place| u8::try_from(pixel(place)).unwrap()));
        let label = if image % 5 == 4 { (class + 1) % 3 } else { class };
        labels.push(u8::try_from(label).unwrap());
    }
    Labelled { images: Images { channels: 1, height: 6, width: 4, pixels }, labels }
}

/// A folder that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("gradless-reproduce-{name}-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
