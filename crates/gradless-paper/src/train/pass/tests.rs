//! Gradients by every parameter against finite differences of the loss: a small network for each kind of step.

use super::*;
use crate::train::architecture::Architecture;
use crate::train::loss::cross_entropy;
use crate::train::parameters::{Init, Specification};

const CONV: Window = Window { kernel: 3, stride: 1, padding: 1 };
const HALVE: Window = Window { kernel: 3, stride: 2, padding: 1 };
const WIDE: Window = Window { kernel: 5, stride: 1, padding: 0 };

/// Small enough for the kinks of the rectifier, large enough for the rounding of `f32`.
const DISTANCE: f64 = 1e-3;

/// Everything a loss is computed from.
struct Bench {
    plan: Plan,
    parameters: Vec<Vec<f32>>,
    memory: Memory,
    labels: Vec<u8>,
}

impl Bench {
    fn new(plan: Plan) -> Self {
        let draw = |(list, specification): (usize, &Specification)| {
            let mut values = specification.draw(5, list as u64);
            // A norm with factor 1 and offset 0 would forgive mistakes.
            if matches!(specification.init, Init::Constant(_)) {
                for (index, value) in values.iter_mut().enumerate() {
                    *value += 0.2 * ((index * 7 + list * 3) % 5) as f32 / 5.0;
                }
            }
            values
        };
        let parameters = plan.parameters.iter().enumerate().map(draw).collect();
        let mut memory = Memory::new(&plan);
        let size = plan.slots[Plan::INPUT].values;
        for image in 0..SHARD {
            let law = Specification {
                name: String::new(),
                shape: vec![size.channels * size.area()],
                init: Init::Uniform { bound: 1.0 },
                decays: false,
            };
            memory.put(&plan, image, law.draw(9, image as u64).into_iter());
        }
        let classes = plan.classes();
        let labels = (0..SHARD).map(|image| u8::try_from(image % classes).unwrap()).collect();
        Self { plan, parameters, memory, labels }
    }

    fn loss(&mut self) -> f64 {
        let mut prepared = Prepared::default();
        prepared.fill(&self.plan, &self.parameters);
        self.memory.forward(&self.plan, &prepared, &self.parameters, Mode::Train);
        cross_entropy(&mut self.memory, &self.plan, &self.labels, 1.0).loss
    }

    fn gradient(&mut self) -> Vec<Vec<f32>> {
        self.loss();
        let mut prepared = Prepared::default();
        prepared.fill(&self.plan, &self.parameters);
        let mut gradients: Vec<Vec<f32>> = self.parameters.iter().map(|list| vec![0.0; list.len()]).collect();
        self.memory.backward(&self.plan, &prepared, &self.parameters, &mut gradients);
        gradients
    }

    /// For every parameter list, along its own gradient: the slope of the loss is the length of the gradient.
    fn check(&mut self) {
        let gradients = self.gradient();
        for (list, gradient) in gradients.iter().enumerate() {
            let length = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
            let name = self.plan.parameters[list].name.clone();
            assert!(length > 1e-3, "{name} gets no gradient");
            let before = self.parameters[list].clone();
            let mut at = |distance: f64| {
                #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
                let moved =
                    before.iter().zip(gradient).map(|(&w, &g)| w + (distance * f64::from(g) / length) as f32);
                self.parameters[list] = moved.collect();
                self.loss()
            };
            let found = (at(DISTANCE) - at(-DISTANCE)) / (2.0 * DISTANCE);
            assert!((found - length).abs() <= 0.01 * length, "{name}: slope {found}, gradient {length}");
            self.parameters[list] = before;
        }
    }
}

fn plan(build: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = Plan::default();
    build(&mut plan);
    plan.share_buffers()
}

#[test]
fn tanh_pooling_and_dense_layers_agree_with_finite_differences() {
    Bench::new(plan(|plan| {
        let x = plan.input(2, 8, 8);
        let x = plan.convolve_biased(x, "first", 4, WIDE);
        let x = plan.tanh(x);
        let x = plan.max_pool(x);
        let x = plan.flatten(x);
        let x = plan.dense(x, "second", 6);
        let x = plan.tanh(x);
        let x = plan.dense(x, "third", 3);
        plan.tanh(x);
    }))
    .check();
}

#[test]
fn norms_and_averages_agree_with_finite_differences() {
    Bench::new(plan(|plan| {
        let x = plan.input(2, 6, 6);
        let x = plan.convolve(x, "first", 4, CONV);
        let x = plan.normalise(x, "first norm", None);
        let x = plan.convolve(x, "second", 5, HALVE);
        let x = plan.normalise(x, "second norm", None);
        let x = plan.average(x);
        plan.dense(x, "third", 3);
    }))
    .check();
}

#[test]
fn shortcuts_agree_with_finite_differences() {
    Bench::new(plan(|plan| {
        let x = plan.input(2, 8, 8);
        let x = plan.convolve(x, "first", 4, CONV);
        let start = plan.normalise(x, "first norm", None);
        let x = plan.convolve(start, "second", 4, CONV);
        let same = plan.normalise(x, "second norm", Some(start));
        let x = plan.convolve(same, "third", 8, HALVE);
        let x = plan.normalise(x, "third norm", None);
        let x = plan.convolve(x, "fourth", 8, CONV);
        let x = plan.normalise(x, "fourth norm", Some(same));
        let x = plan.average(x);
        plan.dense(x, "fifth", 3);
    }))
    .check();
}

#[test]
fn both_networks_agree_with_finite_differences() {
    for architecture in
        [Architecture::LeNet, Architecture::ResNet20, Architecture::ResNet8, Architecture::ConvNet]
    {
        Bench::new(architecture.plan()).check();
    }
}
