//! Which images are explained.

use gradless::{Inputs, Model};
use gradless_explain::condition::largest;
use gradless_explain::{Grid, Pixels};
use gradless_paper::data::{Labelled, Split, cifar10, mnist};

use crate::Fallible;
use crate::asked::{Asked, Network};

/// One image.
pub(crate) struct Subject {
    /// Its number in the test set.
    pub(crate) index: usize,
    pub(crate) label: usize,
    pub(crate) input: Vec<f64>,
    /// Channels, height, width.
    pub(crate) shape: [usize; 3],
}

impl Subject {
    /// As it is explained: saved with 8 bits.
    pub(crate) fn features(&self) -> Pixels {
        let grid = Some(Grid { low: 0.0, high: 1.0, steps: 255 });
        Pixels { grid, ..Pixels::new(self.input.clone(), self.shape.to_vec(), 0.0, 1.0) }
    }
}

/// Where the images held back end and those for choosing constants begin.
const HALF: usize = 5_000;

/// The first images of each class that the network gets right, of the half of the test set asked for.
pub(crate) fn choose(asked: &Asked, model: &dyn Model) -> Fallible<Vec<Subject>> {
    let Labelled { images, labels } = match asked.network {
        Network::Lenet => mnist(&asked.data.join("mnist"), Split::Test)?,
        Network::Resnet20 => cifar10(&asked.data.join("cifar10"), Split::Test)?,
    };
    let subject = |index: usize| Subject {
        index,
        label: usize::from(labels[index]),
        input: images.image(index).iter().map(|&byte| f64::from(byte) / 255.0).collect(),
        shape: [images.channels, images.height, images.width],
    };
    if let Some(index) = asked.only {
        return Ok(vec![subject(index)]);
    }
    let half = if asked.tuning { HALF..images.count() } else { 0..HALF };
    let mut counts = vec![0; model.classes()];
    let mut chosen = Vec::new();
    let mut scores = vec![0.0; model.classes()];
    for index in half {
        let subject = subject(index);
        if counts.iter().all(|&count| count >= asked.per_class) {
            break;
        }
        if counts[subject.label] >= asked.per_class {
            continue;
        }
        model.scores(Inputs { points: &subject.input, dim: subject.input.len() }, &mut scores)?;
        if largest(&scores) == subject.label {
            counts[subject.label] += 1;
            chosen.push(subject);
        }
    }
    Ok(chosen)
}
