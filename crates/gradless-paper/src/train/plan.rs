//! A network as a list of steps between slots: what the passes interpret, forwards and backwards, and what is exported.

use super::kernel::Window;
use super::parameters::{Init, Specification};
use super::planes::Planes;

/// Images that go through the network together, and over which batch norm takes its averages. Shards are independent
/// until their gradients are added, so results do not depend on the number of threads. Averages over 32 images are
/// noisier than over the whole batch ("ghost batches", Hoffer, Hubara & Soudry 2017), which does not harm.
pub(super) const SHARD: usize = GROUPS * super::lane::LANES;
/// Groups of images per shard.
pub(super) const GROUPS: usize = 4;

/// Names a tensor between two steps.
pub(super) type Slot = usize;
/// Names a list of learnt numbers.
pub(super) type ParameterId = usize;

/// The tensor between two steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) values: Planes,
    /// The same planes for the gradient; its halo differs.
    pub(super) gradient: Planes,
    /// Groups one after the other, or 1 when they stand side by side as columns (behind [`Step::Flatten`]).
    pub(super) groups: usize,
}

/// One step of a network.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A convolution; a dense layer is one with a kernel of one element.
    Convolve { from: Slot, to: Slot, window: Window, weight: ParameterId, bias: Option<ParameterId> },
    /// Batch norm, then the shortcut if there is one, then `max(0, x)`.
    Normalise {
        from: Slot,
        to: Slot,
        gamma: ParameterId,
        beta: ParameterId,
        norm: usize,
        shortcut: Option<Slot>,
    },
    /// Hyperbolic tangent.
    Tanh { from: Slot, to: Slot },
    /// Largest of two by two.
    MaxPool { from: Slot, to: Slot },
    /// Mean over each plane.
    Average { from: Slot, to: Slot },
    /// Channels, rows and columns as one axis.
    Flatten { from: Slot, to: Slot },
}

impl Step {
    /// Where it reads, where it writes, and the slot of its shortcut.
    fn slots(&self) -> (Slot, Slot, Option<Slot>) {
        match *self {
            Self::Normalise { from, to, shortcut, .. } => (from, to, shortcut),
            Self::Convolve { from, to, .. }
            | Self::Tanh { from, to }
            | Self::MaxPool { from, to }
            | Self::Average { from, to }
            | Self::Flatten { from, to } => (from, to, None),
        }
    }
}

/// A network.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) slots: Vec<Shape>,
    pub(super) steps: Vec<Step>,
    pub(super) parameters: Vec<Specification>,
    /// Channels of each batch norm.
    pub(super) norms: Vec<usize>,
    /// The buffer of each slot's gradient, see [`Plan::share_buffers`].
    pub(super) buffers: Vec<usize>,
}

impl Plan {
    pub(super) fn input(&mut self, channels: usize, height: usize, width: usize) -> Slot {
        self.slot(channels, height, width, GROUPS)
    }

    /// A convolution with weights of variance 2 / fan-in (He et al. 2015) and no bias: batch norm follows.
    pub(super) fn convolve(&mut self, from: Slot, name: &str, channels: usize, window: Window) -> Slot {
        self.convolution(from, name, channels, window, None)
    }

    /// A convolution with a bias, all drawn uniformly within 1 / sqrt(fan-in).
    pub(super) fn convolve_biased(
        &mut self,
        from: Slot,
        name: &str,
        channels: usize,
        window: Window,
    ) -> Slot {
        let bias = self.parameter(format!("{name}.bias"), vec![channels], self.uniform(from, window), false);
        self.convolution(from, name, channels, window, Some(bias))
    }

    /// A dense layer.
    pub(super) fn dense(&mut self, from: Slot, name: &str, outputs: usize) -> Slot {
        self.convolve_biased(from, name, outputs, Window { kernel: 1, stride: 1, padding: 0 })
    }

    pub(super) fn normalise(&mut self, from: Slot, name: &str, shortcut: Option<Slot>) -> Slot {
        let Planes { channels, height, width, .. } = self.slots[from].values;
        let to = self.slot(channels, height, width, GROUPS);
        let gamma = self.parameter(format!("{name}.gamma"), vec![channels], Init::Constant(1.0), false);
        let beta = self.parameter(format!("{name}.beta"), vec![channels], Init::Constant(0.0), false);
        self.norms.push(channels);
        self.steps.push(Step::Normalise { from, to, gamma, beta, norm: self.norms.len() - 1, shortcut });
        to
    }

    pub(super) fn tanh(&mut self, from: Slot) -> Slot {
        let Shape { values: Planes { channels, height, width, .. }, groups, .. } = self.slots[from];
        let to = self.slot(channels, height, width, groups);
        self.steps.push(Step::Tanh { from, to });
        to
    }

    pub(super) fn max_pool(&mut self, from: Slot) -> Slot {
        let Planes { channels, height, width, .. } = self.slots[from].values;
        let to = self.slot(channels, height / 2, width / 2, GROUPS);
        self.steps.push(Step::MaxPool { from, to });
        to
    }

    pub(super) fn average(&mut self, from: Slot) -> Slot {
        let to = self.slot(self.slots[from].values.channels, 1, GROUPS, 1);
        self.steps.push(Step::Average { from, to });
        to
    }

    pub(super) fn flatten(&mut self, from: Slot) -> Slot {
        let Planes { channels, height, width, .. } = self.slots[from].values;
        let to = self.slot(channels * height * width, 1, GROUPS, 1);
        self.steps.push(Step::Flatten { from, to });
        to
    }

    /// Gives the gradients of slots that never live at the same time one buffer, so that it stays in the cache.
    pub(super) fn share_buffers(mut self) -> Self {
        let mut shapes: Vec<(Planes, usize)> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut taken: Vec<Option<usize>> = vec![None; self.slots.len()];
        let mut take = |taken: &mut Vec<Option<usize>>, free: &mut Vec<usize>, slot: Slot| {
            let shape = (self.slots[slot].gradient, self.slots[slot].groups);
            let buffer = if let Some(place) = free.iter().position(|&buffer| shapes[buffer] == shape) {
                free.swap_remove(place)
            } else {
                shapes.push(shape);
                shapes.len() - 1
            };
            taken[slot] = Some(buffer);
        };
        take(&mut taken, &mut free, self.slots.len() - 1);
        for step in self.steps.iter().rev() {
            let (from, to, shortcut) = step.slots();
            for slot in [Some(from), shortcut].into_iter().flatten() {
                if taken[slot].is_none() {
                    take(&mut taken, &mut free, slot);
                }
            }
            free.extend(taken[to]);
        }
        self.buffers = taken.into_iter().map(|buffer| buffer.expect("every slot is used")).collect();
        self
    }

    /// The slot that is filled from outside.
    pub(super) const INPUT: Slot = 0;

    /// The slot that is read at the end.
    pub(super) fn output(&self) -> Slot {
        self.slots.len() - 1
    }

    pub(super) fn classes(&self) -> usize {
        self.slots[self.output()].values.channels
    }

    fn convolution(
        &mut self,
        from: Slot,
        name: &str,
        channels: usize,
        window: Window,
        bias: Option<ParameterId>,
    ) -> Slot {
        let Shape { values: planes, groups, .. } = self.slots[from];
        let side = |length: usize| (length + 2 * window.padding - window.kernel) / window.stride + 1;
        let to = self.slot(channels, side(planes.height), side(planes.width), groups);
        self.slots[from].values.halo = planes.halo.max(window.padding);
        if window.stride == 1 {
            self.slots[to].gradient.halo = window.kernel - 1 - window.padding;
        }
        let init = match bias {
            None => Init::Normal { deviation: (2.0 / self.fan_in(from, window)).sqrt() },
            Some(_) => self.uniform(from, window),
        };
        let shape = vec![channels, planes.channels, window.kernel, window.kernel];
        let weight = self.parameter(format!("{name}.weight"), shape, init, true);
        self.steps.push(Step::Convolve { from, to, window, weight, bias });
        to
    }

    fn fan_in(&self, from: Slot, window: Window) -> f32 {
        (self.slots[from].values.channels * window.kernel * window.kernel) as f32
    }

    fn uniform(&self, from: Slot, window: Window) -> Init {
        Init::Uniform { bound: self.fan_in(from, window).sqrt().recip() }
    }

    fn slot(&mut self, channels: usize, height: usize, width: usize, groups: usize) -> Slot {
        let values = Planes { channels, height, width, halo: 0 };
        self.slots.push(Shape { values, gradient: values, groups });
        self.slots.len() - 1
    }

    fn parameter(&mut self, name: String, shape: Vec<usize>, init: Init, decays: bool) -> ParameterId {
        self.parameters.push(Specification { name, shape, init, decays });
        self.parameters.len() - 1
    }
}
