//! One shard of images through the network: scores forwards, gradients backwards.

use super::kernel::{Convolution, Packed, WeightGradient, Window, Write};
use super::lane::{LANES, Lane};
use super::plan::{GROUPS, ParameterId, Plan, SHARD, Slot, Step};
use super::planes::Planes;
use super::step::normalise::{Affine, Moments, WayBack};
use super::step::shortcut::Shortcut;
use super::step::{average, flatten, max_pool, normalise, tanh};

/// The weights of one step of training, as the kernels read them.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    forward: Vec<Packed>,
    backward: Vec<Packed>,
}

impl Prepared {
    pub(super) fn fill(&mut self, plan: &Plan, parameters: &[Vec<f32>]) {
        self.forward.resize_with(parameters.len(), Packed::default);
        self.backward.resize_with(parameters.len(), Packed::default);
        for step in &plan.steps {
            if let Step::Convolve { from, to, window, weight, .. } = *step {
                let (inputs, outputs) = (plan.slots[from].values.channels, plan.slots[to].values.channels);
                let weights = &parameters[weight];
                self.forward[weight].fill(weights, outputs, inputs * window.kernel * window.kernel);
                if from != Plan::INPUT {
                    self.backward[weight].fill_turned(weights, outputs, inputs, window.kernel);
                }
            }
        }
    }
}

/// Where batch norm takes its moments from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode<'a> {
    /// From the shard.
    Train,
    /// From the averages over training.
    Test(&'a [Vec<Moments>]),
}

/// The tensors of one shard, used again for the next.
#[derive(Debug)]
pub(super) struct Memory {
    values: Vec<Vec<Lane>>,
    /// One per buffer of the plan.
    gradients: Vec<Vec<Lane>>,
    /// Of each batch norm, each channel.
    pub(super) moments: Vec<Vec<Moments>>,
    /// Zeros between the gradients of a convolution with stride 2.
    spread: Vec<Lane>,
}

impl Memory {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut gradients: Vec<Vec<Lane>> = Vec::new();
        for (shape, &buffer) in plan.slots.iter().zip(&plan.buffers) {
            gradients.resize_with(gradients.len().max(buffer + 1), Vec::new);
            gradients[buffer].resize(shape.gradient.len() * shape.groups, Lane::ZERO);
        }
        let still = Moments { mean: 0.0, variance: 1.0 };
        Self {
            values: plan
                .slots
                .iter()
                .map(|shape| vec![Lane::ZERO; shape.values.len() * shape.groups])
                .collect(),
            gradients,
            moments: plan.norms.iter().map(|&channels| vec![still; channels]).collect(),
            spread: Vec::new(),
        }
    }

    /// Writes an image; `pixels` are its channels, rows and columns.
    pub(super) fn put(&mut self, plan: &Plan, image: usize, pixels: impl Iterator<Item = f32>) {
        let planes = plan.slots[Plan::INPUT].values;
        let group = &mut self.values[Plan::INPUT][image / LANES * planes.len()..][..planes.len()];
        let places = (0..planes.channels).flat_map(|channel| {
            (0..planes.height).flat_map(move |y| (0..planes.width).map(move |x| planes.at(channel, y) + x))
        });
        for (place, pixel) in places.zip(pixels) {
            group[place].0[image % LANES] = pixel;
        }
    }

    /// The score of a class of an image, after [`Memory::forward`].
    pub(super) fn score(&self, plan: &Plan, image: usize, class: usize) -> f32 {
        self.values[plan.output()][class * GROUPS + image / LANES].0[image % LANES]
    }

    /// The gradient by a score, before [`Memory::backward`].
    pub(super) fn set_score_gradient(&mut self, plan: &Plan, image: usize, class: usize, gradient: f32) {
        self.gradients[plan.buffers[plan.output()]][class * GROUPS + image / LANES].0[image % LANES] =
            gradient;
    }

    pub(super) fn forward(
        &mut self,
        plan: &Plan,
        prepared: &Prepared,
        parameters: &[Vec<f32>],
        mode: Mode<'_>,
    ) {
        for step in &plan.steps {
            match *step {
                Step::Convolve { from, to, window, weight, bias } => {
                    let convolution = Convolution {
                        window,
                        from: plan.slots[from].values,
                        to: plan.slots[to].values,
                        weights: &prepared.forward[weight],
                        bias: bias.map(|bias| parameters[bias].as_slice()),
                        write: Write::Replace,
                    };
                    self.each_group(plan, from, to, |_, input, output| convolution.run(input, output));
                }
                Step::Normalise { from, to, gamma, beta, norm, shortcut } => {
                    let affine = (parameters[gamma].as_slice(), parameters[beta].as_slice());
                    self.normalise(plan, mode, norm, affine, (from, to, shortcut));
                }
                Step::Tanh { from, to } => {
                    let (a, b) = (plan.slots[from].values, plan.slots[to].values);
                    self.each_group(plan, from, to, |_, input, output| tanh::forward(a, input, b, output));
                }
                Step::MaxPool { from, to } => {
                    let (a, b) = (plan.slots[from].values, plan.slots[to].values);
                    self.each_group(plan, from, to, |_, input, output| {
                        max_pool::forward(a, input, b, output);
                    });
                }
                Step::Average { from, to } => {
                    let (a, b) = (plan.slots[from].values, plan.slots[to].values);
                    self.each_group(plan, from, to, |group, input, output| {
                        average::forward(a, input, group, b, output);
                    });
                }
                Step::Flatten { from, to } => {
                    let (a, b) = (plan.slots[from].values, plan.slots[to].values);
                    self.each_group(plan, from, to, |group, input, output| {
                        flatten::forward(a, input, group, b, output);
                    });
                }
            }
        }
    }

    /// Adds the gradient by every parameter to `gradients`; the gradient by the scores has been set.
    pub(super) fn backward(
        &mut self,
        plan: &Plan,
        prepared: &Prepared,
        parameters: &[Vec<f32>],
        gradients: &mut [Vec<f32>],
    ) {
        // Slots whose gradient has been begun by a later step: the next one adds.
        let mut begun = vec![false; plan.slots.len()];
        for step in plan.steps.iter().rev() {
            match *step {
                Step::Convolve { from, to, window, weight, bias } => {
                    self.convolve_back(plan, (from, to, window), &mut gradients[weight]);
                    if let Some(bias) = bias {
                        self.bias_back(plan, to, &mut gradients[bias]);
                    }
                    if from != Plan::INPUT {
                        let write = if begun[from] { Write::Add } else { Write::Replace };
                        self.convolve_input_back(plan, (from, to, window), &prepared.backward[weight], write);
                        begun[from] = true;
                    }
                }
                Step::Normalise { from, to, gamma, beta, norm, shortcut } => {
                    self.normalise_back(
                        plan,
                        norm,
                        parameters,
                        gradients,
                        (gamma, beta),
                        (from, to, shortcut),
                    );
                    if let Some(shortcut) = shortcut {
                        begun[shortcut] = true;
                    }
                }
                Step::Tanh { from, to } => {
                    let (values, given) = (plan.slots[to].values, plan.slots[to].gradient);
                    let wanted = plan.slots[from].gradient;
                    self.each_group_back(plan, from, to, |memory, _, gradient, out| {
                        tanh::backward(values, memory.1, (given, gradient), wanted, out);
                    });
                }
                Step::MaxPool { from, to } => {
                    let (values, given) = (plan.slots[from].values, plan.slots[to].gradient);
                    let wanted = plan.slots[from].gradient;
                    self.each_group_back(plan, from, to, |memory, _, gradient, out| {
                        max_pool::backward((values, memory.0), (given, gradient), wanted, out);
                    });
                }
                Step::Average { from, to } => {
                    let (given, wanted) = (plan.slots[to].gradient, plan.slots[from].gradient);
                    self.each_group_back(plan, from, to, |_, group, gradient, out| {
                        average::backward(given, gradient, group, wanted, out);
                    });
                }
                Step::Flatten { from, to } => {
                    let (given, wanted) = (plan.slots[to].gradient, plan.slots[from].gradient);
                    self.each_group_back(plan, from, to, |_, group, gradient, out| {
                        flatten::backward(given, gradient, group, wanted, out);
                    });
                }
            }
        }
    }

    /// Runs a step on every group; where the groups of the output stand side by side, each gets the whole output.
    fn each_group(&mut self, plan: &Plan, from: Slot, to: Slot, run: impl Fn(usize, &[Lane], &mut [Lane])) {
        let (a, b) = (&plan.slots[from], &plan.slots[to]);
        let mut output = std::mem::take(&mut self.values[to]);
        for (group, input) in self.values[from].chunks_exact(a.values.len()).enumerate() {
            let whole = if b.groups == a.groups { group * b.values.len() } else { 0 };
            run(group, input, &mut output[whole..whole + b.values.len()]);
        }
        self.values[to] = output;
    }

    /// Runs a step backwards on every group: given values before and after it and the gradient after it.
    fn each_group_back(
        &mut self,
        plan: &Plan,
        from: Slot,
        to: Slot,
        run: impl Fn((&[Lane], &[Lane]), usize, &[Lane], &mut [Lane]),
    ) {
        let (a, b) = (&plan.slots[from], &plan.slots[to]);
        let mut wanted = std::mem::take(&mut self.gradients[plan.buffers[from]]);
        for (group, out) in wanted.chunks_exact_mut(a.gradient.len()).enumerate() {
            let part = if b.groups == a.groups { group } else { 0 };
            let input = &self.values[from][group * a.values.len()..][..a.values.len()];
            let output = &self.values[to][part * b.values.len()..][..b.values.len()];
            let gradient = &self.gradients[plan.buffers[to]][part * b.gradient.len()..][..b.gradient.len()];
            run((input, output), group, gradient, out);
        }
        self.gradients[plan.buffers[from]] = wanted;
    }

    fn convolve_back(&self, plan: &Plan, (from, to, window): (Slot, Slot, Window), gradient: &mut [f32]) {
        let (a, b) = (&plan.slots[from], &plan.slots[to]);
        let kernel = WeightGradient { window, from: a.values, to: b.gradient };
        let inputs = self.values[from].chunks_exact(a.values.len());
        for (input, output) in inputs.zip(self.gradients[plan.buffers[to]].chunks_exact(b.gradient.len())) {
            kernel.run(input, output, gradient);
        }
    }

    fn bias_back(&self, plan: &Plan, to: Slot, gradient: &mut [f32]) {
        let planes = plan.slots[to].gradient;
        for group in self.gradients[plan.buffers[to]].chunks_exact(planes.len()) {
            for (channel, slot) in gradient.iter_mut().enumerate() {
                *slot += planes.rows(channel, group).flatten().map(|lane| lane.sum()).sum::<f32>();
            }
        }
    }

    fn convolve_input_back(
        &mut self,
        plan: &Plan,
        (from, to, window): (Slot, Slot, Window),
        turned: &Packed,
        write: Write,
    ) {
        let (a, b) = (plan.slots[from].gradient, plan.slots[to].gradient);
        let padding = window.kernel - 1 - window.padding;
        let spread = Planes { height: a.height, width: a.width, halo: padding, ..b };
        let source = if window.stride == 1 { b } else { spread };
        let back = Convolution {
            window: Window { kernel: window.kernel, stride: 1, padding },
            from: source,
            to: a,
            weights: turned,
            bias: None,
            write,
        };
        // Taken apart so that the groups of one slot are read while those of another are written.
        let mut wanted = std::mem::take(&mut self.gradients[plan.buffers[from]]);
        for (index, out) in wanted.chunks_exact_mut(a.len()).enumerate() {
            let gradient = &self.gradients[plan.buffers[to]][index * b.len()..][..b.len()];
            if window.stride == 1 {
                back.run(gradient, out);
            } else {
                spread_out(b, gradient, window.stride, spread, &mut self.spread);
                back.run(&self.spread, out);
            }
        }
        self.gradients[plan.buffers[from]] = wanted;
    }

    fn normalise(
        &mut self,
        plan: &Plan,
        mode: Mode<'_>,
        norm: usize,
        (gamma, beta): (&[f32], &[f32]),
        (from, to, shortcut): (Slot, Slot, Option<Slot>),
    ) {
        let (a, b) = (plan.slots[from].values, plan.slots[to].values);
        let mut output = std::mem::take(&mut self.values[to]);
        for channel in 0..a.channels {
            let moments = match mode {
                Mode::Train => normalise::moments(a, channel, &self.values[from]),
                Mode::Test(averages) => averages[norm][channel],
            };
            self.moments[norm][channel] = moments;
            let affine = Affine { gamma: gamma[channel], beta: beta[channel] };
            let groups = self.values[from].chunks_exact(a.len()).zip(output.chunks_exact_mut(b.len()));
            for (group, (input, output)) in groups.enumerate() {
                let around = shortcut.map(|slot| {
                    let planes = plan.slots[slot].values;
                    let data = &self.values[slot][group * planes.len()..][..planes.len()];
                    (Shortcut::between(planes, b), planes, data)
                });
                normalise::forward(moments, affine, channel, (a, input), around, b, output);
            }
        }
        self.values[to] = output;
    }

    fn normalise_back(
        &mut self,
        plan: &Plan,
        norm: usize,
        parameters: &[Vec<f32>],
        gradients: &mut [Vec<f32>],
        (gamma, beta): (ParameterId, ParameterId),
        (from, to, shortcut): (Slot, Slot, Option<Slot>),
    ) {
        let (a, b) = (&plan.slots[from], &plan.slots[to]);
        let mut given = std::mem::take(&mut self.gradients[plan.buffers[to]]);
        let mut wanted = std::mem::take(&mut self.gradients[plan.buffers[from]]);
        for channel in 0..a.values.channels {
            let mut sums = (0.0, 0.0);
            for (group, gradient) in given.chunks_exact_mut(b.gradient.len()).enumerate() {
                let input = &self.values[from][group * a.values.len()..][..a.values.len()];
                let output = &self.values[to][group * b.values.len()..][..b.values.len()];
                let (sum, product) =
                    normalise::rectify(channel, (a.values, input), (b.values, output), b.gradient, gradient);
                sums = (sums.0 + sum, sums.1 + product);
            }
            let way = WayBack::new(
                self.moments[norm][channel],
                parameters[gamma][channel],
                sums,
                a.values.area() * SHARD,
            );
            gradients[gamma][channel] += way.gamma;
            gradients[beta][channel] += way.beta;
            for (group, out) in wanted.chunks_exact_mut(a.gradient.len()).enumerate() {
                let input = &self.values[from][group * a.values.len()..][..a.values.len()];
                let gradient = &given[group * b.gradient.len()..][..b.gradient.len()];
                way.backward(channel, (a.values, input), (b.gradient, gradient), a.gradient, out);
            }
        }
        if let Some(slot) = shortcut {
            let planes = plan.slots[slot].gradient;
            let groups = given.chunks_exact(b.gradient.len());
            for (gradient, out) in
                groups.zip(self.gradients[plan.buffers[slot]].chunks_exact_mut(planes.len()))
            {
                Shortcut::between(planes, b.gradient).backward(b.gradient, gradient, planes, out);
            }
        }
        self.gradients[plan.buffers[to]] = given;
        self.gradients[plan.buffers[from]] = wanted;
    }
}

/// Every `stride`-th row and column gets a gradient, the others are zero.
fn spread_out(planes: Planes, gradient: &[Lane], stride: usize, wide: Planes, out: &mut Vec<Lane>) {
    out.clear();
    out.resize(wide.len(), Lane::ZERO);
    for channel in 0..planes.channels {
        for (y, row) in planes.rows(channel, gradient).enumerate() {
            let start = wide.at(channel, y * stride);
            for (out, g) in out[start..].iter_mut().step_by(stride).zip(row) {
                *out = *g;
            }
        }
    }
}

#[cfg(test)]
mod tests;
