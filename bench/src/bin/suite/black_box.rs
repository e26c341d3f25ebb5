//! An instance as a black box, and its true objective.

use bench::Fallible;
use gradless::{Batch, Model, Oracle, OracleError};
use gradless_paper::data::{DataSet, Images};
use gradless_paper::reproduce::{Conventions, Mode, Question, loss};
use testkit::counter::Counter;
use testkit::families::SparseTarget;
use testkit::noise::{normal, word};

use crate::instance::{Instance, Loss, Noise};

/// The black box of one run.
pub(crate) struct BlackBox<'a> {
    instance: &'a Instance,
    inside: Inside<'a>,
    /// Decides on the noise.
    seed: u64,
    asked: Counter,
}

enum Inside<'a> {
    Sparse(SparseTarget, Noise),
    Logistic(&'a [Vec<f64>], &'a [f64]),
    Image(Box<Question<'a>>),
}

impl<'a> BlackBox<'a> {
    /// The network is asked only where the instance is about an image.
    pub(crate) fn new(instance: &'a Instance, network: &'a dyn Model, seed: u64) -> Fallible<Self> {
        let inside = match (&instance.loss, instance.sparse()) {
            (_, Some((target, noise))) => Inside::Sparse(target, noise),
            (Loss::Logistic { features, labels }, _) => Inside::Logistic(features, labels),
            (Loss::Image { task, pixels, .. }, _) => {
                let mode = if task == "pn" { Mode::Pn } else { Mode::Pp };
                Inside::Image(Box::new(question(network, pixels, mode)?))
            }
            _ => return Err(format!("{} is not understood", instance.name).into()),
        };
        Ok(Self { instance, inside, seed, asked: Counter::default() })
    }

    /// $l(x) + r(x)$ without noise.
    pub(crate) fn truth(&self, x: &[f64]) -> Fallible<f64> {
        let value = match &self.inside {
            Inside::Sparse(target, _) => target.loss(x),
            Inside::Logistic(features, labels) => logistic(features, labels, x),
            Inside::Image(question) => loss(question.margin(x)?),
        };
        let Instance { l1, l2, .. } = self.instance;
        Ok(value + x.iter().map(|x| l1 * x.abs() + 0.5 * l2 * x * x).sum::<f64>())
    }

    fn value(&self, x: &[f64], sample: u64) -> f64 {
        match &self.inside {
            Inside::Sparse(target, noise) => target.loss(x) + self.noise(*noise, target, x, sample),
            Inside::Logistic(features, labels) => logistic(features, labels, x),
            Inside::Image(_) => f64::NAN,
        }
    }

    fn noise(&self, noise: Noise, target: &SparseTarget, x: &[f64], sample: u64) -> f64 {
        match noise {
            Noise::None => 0.0,
            Noise::Independent { sigma } => sigma * normal(word(self.seed).wrapping_add(self.asked.count())),
            Noise::Common { sigma } => {
                let first = word(word(self.seed).wrapping_add(sample));
                let numbers = (0..).map(|i| normal(first.wrapping_add(i)));
                let sum: f64 = target.support.iter().zip(numbers).map(|(&i, xi)| xi * x[i]).sum();
                sigma * sum / (target.support.len() as f64).sqrt()
            }
        }
    }
}

/// The paper's question about a digit, with the sets and starts of the authors' scripts.
pub(crate) fn question<'a>(network: &'a dyn Model, pixels: &[u8], mode: Mode) -> Fallible<Question<'a>> {
    let images = Images { channels: 1, height: 28, width: 28, pixels: pixels.to_vec() };
    Ok(Question::new(network, DataSet::Mnist, (&images, 0), mode, Conventions::AUTHORS)?)
}

/// The mean of $\ln(1+e^{-y_i\langle a_i,x\rangle})$.
fn logistic(features: &[Vec<f64>], labels: &[f64], x: &[f64]) -> f64 {
    let margin = |(row, label): (&Vec<f64>, &f64)| label * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    features.iter().zip(labels).map(margin).map(loss).sum::<f64>() / labels.len().max(1) as f64
}

impl Oracle for BlackBox<'_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        if let Inside::Image(question) = &self.inside {
            return question.evaluate(batch, values);
        }
        for ((x, sample), value) in batch.rows().zip(values) {
            *value = self.value(x, sample);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        match &self.inside {
            Inside::Image(question) => question.preferred_rows(),
            Inside::Sparse(..) | Inside::Logistic(..) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::families;
    use crate::instance::Numbers;

    /// Answers nothing: no image is asked about here.
    struct Nobody;

    impl Model for Nobody {
        fn shape(&self) -> &[usize] {
            &[1]
        }
        fn classes(&self) -> usize {
            2
        }
        fn scores(&self, _: gradless::Inputs<'_>, _: &mut [f64]) -> Result<(), gradless::ModelError> {
            Ok(())
        }
    }

    fn values(black_box: &BlackBox<'_>, x: &[f64], samples: &[u64]) -> Vec<f64> {
        let points = x.repeat(samples.len());
        let mut values = vec![0.0; samples.len()];
        black_box.evaluate(Batch { points: &points, dim: x.len(), samples }, &mut values).unwrap();
        values
    }

    #[test]
    fn noise_is_what_the_instance_says() {
        let instances = families(&[100]);
        let mut x = vec![0.1; 100];
        x[7] = -0.4;
        for instance in &instances {
            let black_box = BlackBox::new(instance, &Nobody, 3).unwrap();
            let [a, b, again] = values(&black_box, &x, &[1, 2, 1])[..] else { panic!("three values") };
            match instance.problem.as_str() {
                "noisy-common" => assert!(a != b && a == again),
                "noisy-independent" => assert!(a != b && a != again),
                _ => assert!(a == b && a == again, "{}", instance.name),
            }
            let penalty = instance.problem().unwrap().penalty(&x);
            assert!(
                (black_box.truth(&x).unwrap() - a - penalty).abs()
                    < if instance.is_noisy() { 1.0 } else { 1e-12 }
            );
        }
    }

    #[test]
    fn a_logistic_loss_is_the_mean_over_the_rows() {
        let instance = Instance {
            name: "l".into(),
            problem: "l".into(),
            dim: 2,
            l1: 0.5,
            l2: 0.0,
            lower: Numbers::Same(-9.0),
            upper: Numbers::Same(9.0),
            start: Numbers::Same(0.0),
            minimum: None,
            loss: Loss::Logistic { features: vec![vec![1.0, 2.0], vec![3.0, 0.0]], labels: vec![1.0, -1.0] },
        };
        let black_box = BlackBox::new(&instance, &Nobody, 0).unwrap();
        let expected = 0.5 * ((1.0 + (-5.0_f64).exp()).ln() + (1.0 + 3.0_f64.exp()).ln());
        assert!((values(&black_box, &[1.0, 2.0], &[0])[0] - expected).abs() < 1e-12);
        assert!((black_box.truth(&[1.0, 2.0]).unwrap() - expected - 1.5).abs() < 1e-12);
    }
}
