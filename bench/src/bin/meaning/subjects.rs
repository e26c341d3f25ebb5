//! The network, its judges, the pictures and the examples.

use bench::Fallible;
use gradless::{Inputs, Model};
use gradless_explain::Examples;
use gradless_explain::condition::largest;
use gradless_models::Onnx;
use gradless_paper::data::{Images, Labelled, Split, cifar10, mnist};

use crate::asked::{Asked, Set};

/// Constants were chosen on test pictures before this one, results are of those from the next bound on.
const TUNING_ENDS: usize = 3_000;
const RESULTS_BEGIN: usize = 5_000;

pub(crate) struct Picture {
    /// Its number in the test set.
    pub(crate) index: usize,
    pub(crate) label: usize,
    pub(crate) input: Vec<f64>,
}

pub(crate) struct Subjects {
    pub(crate) model: Onnx,
    pub(crate) judges: Vec<Onnx>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) shape: Vec<usize>,
    pub(crate) examples: Examples,
}

impl Subjects {
    /// Of every class the first pictures that the network gets right, and training pictures as examples.
    pub(crate) fn chosen(asked: &Asked) -> Fallible<Self> {
        let model = asked.load(&asked.model)?;
        let judges = asked.judges.iter().map(|path| asked.load(path)).collect::<Fallible<Vec<_>>>()?;
        let read = |split| match asked.set {
            Set::Mnist => mnist(&asked.data.join("mnist"), split),
            Set::Cifar10 => cifar10(&asked.data.join("cifar10"), split),
        };
        let Labelled { images, labels } = read(Split::Test)?;
        let range = if asked.tuning { 0..TUNING_ENDS } else { RESULTS_BEGIN..labels.len() };
        let mut found = vec![0; model.classes()];
        let wanted = asked.skip..asked.skip + asked.per_class;
        let mut pictures = Vec::new();
        for index in range {
            let label = usize::from(labels[index]);
            let input = numbers(&images, index);
            if found[label] < wanted.end && said(&model, &input)? == label {
                if wanted.contains(&found[label]) {
                    pictures.push(Picture { index, label, input });
                }
                found[label] += 1;
            }
        }
        let train = read(Split::Train)?.images;
        #[expect(clippy::cast_possible_truncation, reason = "examples are kept in single precision")]
        let rows: Vec<f32> = (0..asked.examples.min(train.count()))
            .flat_map(|i| numbers(&train, i))
            .map(|x| x as f32)
            .collect();
        let dim = model.inputs();
        Ok(Self {
            shape: model.shape().to_vec(),
            examples: Examples::new(rows, dim)?,
            model,
            judges,
            pictures,
        })
    }
}

fn numbers(images: &Images, index: usize) -> Vec<f64> {
    images.image(index).iter().map(|&byte| f64::from(byte) / 255.0).collect()
}

/// The class a model gives.
pub(crate) fn said(model: &dyn Model, input: &[f64]) -> Fallible<usize> {
    let mut scores = vec![0.0; model.classes()];
    model.scores(Inputs { points: input, dim: input.len() }, &mut scores)?;
    Ok(largest(&scores))
}

/// The share of inputs, one after the other, that a model gives a class.
pub(crate) fn share_of(model: &dyn Model, inputs: &[f64], class: usize) -> Fallible<f64> {
    let (dim, classes) = (model.inputs(), model.classes());
    let count = inputs.len() / dim;
    let mut scores = vec![0.0; count * classes];
    model.scores(Inputs { points: inputs, dim }, &mut scores)?;
    let held = scores.chunks_exact(classes).filter(|scores| largest(scores) == class).count();
    Ok(held as f64 / count as f64)
}
