//! The two networks of the experiments, and a third that judges their explanations.

use serde::{Deserialize, Serialize};

use super::kernel::Window;
use super::plan::{Plan, Slot};

/// A network that can be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// For digits, 28 x 28: two convolutions of 5 x 5 (20 and 50 channels), each with tanh and 2 x 2 max-pooling, a dense
    /// layer of 500 with tanh, a dense layer of 10 whose scores go through tanh as well (after LeCun et al. 1998; tanh on
    /// the scores as in the scripts of the paper's authors).
    LeNet,
    /// For colour images, 32 x 32: a convolution and three stages of three residual blocks with 16, 32 and 64 channels, batch
    /// norm, shortcuts without weights, mean over the planes, a dense layer of 10 (He et al. 2016). With a rectifier behind
    /// the first convolution, as in that paper; the scripts of this paper's authors leave it out.
    ResNet20,
    /// For digits, 28 x 28: what [`ResNet20`](Self::ResNet20) is with one block per stage. It has nothing in common with
    /// [`LeNet`](Self::LeNet) but the data, so it can tell whether an explanation of the one means something to another.
    ResNet8,
    /// For digits, 28 x 28: three convolutions of 3 x 3 (16, 32, 64 channels) with batch norm and rectifiers, the first two followed by
    /// 2 x 2 max-pooling, and a dense layer of 10.
    ConvNet,
}

impl Architecture {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeNet => "lenet",
            Self::ResNet20 => "resnet20",
            Self::ResNet8 => "resnet8",
            Self::ConvNet => "convnet",
        }
    }

    /// What is subtracted from each channel of an image in 0..=1.
    pub fn mean(self) -> &'static [f64] {
        match self {
            Self::LeNet | Self::ResNet8 | Self::ConvNet => &[0.0],
            Self::ResNet20 => &[0.4914, 0.4822, 0.4465],
        }
    }

    /// By what each channel is then divided: the numbers of the paper's experiments.
    pub fn deviation(self) -> &'static [f64] {
        match self {
            Self::LeNet | Self::ResNet8 | Self::ConvNet => &[1.0],
            Self::ResNet20 => &[0.2023, 0.1994, 0.2010],
        }
    }

    /// What an ONNX file does not say about itself, as the TOML that stands beside it: scaling of pixels, kind of scores,
    /// names of the classes.
    pub fn description(self) -> String {
        let (scaling, classes) = match self {
            Self::LeNet | Self::ResNet8 | Self::ConvNet => (String::new(), DIGITS),
            Self::ResNet20 => {
                (format!("mean = {:?}\nstd = {:?}\n", self.mean(), self.deviation()), PHOTOGRAPHS)
            }
        };
        format!(
            "# Inputs are pixels in 0..=1, channel first.\n{scaling}scores = \"logits\"\nclasses = {classes:?}\n"
        )
    }

    pub(super) fn plan(self) -> Plan {
        match self {
            Self::LeNet => lenet(),
            Self::ResNet20 => residual_network([3, 32, 32], 3),
            Self::ResNet8 => residual_network([1, 28, 28], 1),
            Self::ConvNet => convnet(),
        }
        .share_buffers()
    }
}

/// The classes of MNIST.
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
/// The classes of CIFAR-10, in its order.
const PHOTOGRAPHS: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

fn lenet() -> Plan {
    let window = Window { kernel: 5, stride: 1, padding: 0 };
    let mut plan = Plan::default();
    let mut x = plan.input(1, 28, 28);
    for (name, channels) in [("conv1", 20), ("conv2", 50)] {
        x = plan.convolve_biased(x, name, channels, window);
        x = plan.tanh(x);
        x = plan.max_pool(x);
    }
    x = plan.flatten(x);
    for (name, outputs) in [("dense1", 500), ("dense2", 10)] {
        x = plan.dense(x, name, outputs);
        x = plan.tanh(x);
    }
    plan
}

fn convnet() -> Plan {
    let mut plan = Plan::default();
    let mut x = plan.input(1, 28, 28);
    for (number, channels, pools) in [(1, 16, true), (2, 32, true), (3, 64, false)] {
        x = plan.convolve(x, &format!("conv{number}"), channels, three_by_three(1));
        x = plan.normalise(x, &format!("norm{number}"), None);
        if pools {
            x = plan.max_pool(x);
        }
    }
    x = plan.flatten(x);
    plan.dense(x, "dense", 10);
    plan
}

fn residual_network([channels, height, width]: [usize; 3], blocks: usize) -> Plan {
    let mut plan = Plan::default();
    let image = plan.input(channels, height, width);
    let mut x = plan.convolve(image, "conv", 16, three_by_three(1));
    x = plan.normalise(x, "norm", None);
    for (stage, channels) in [(1, 16), (2, 32), (3, 64)] {
        for block in 1..=blocks {
            let stride = if stage > 1 && block == 1 { 2 } else { 1 };
            x = residual(&mut plan, x, &format!("stage{stage}.block{block}"), channels, stride);
        }
    }
    x = plan.average(x);
    plan.dense(x, "dense", 10);
    plan
}

fn residual(plan: &mut Plan, input: Slot, name: &str, channels: usize, stride: usize) -> Slot {
    let mut x = plan.convolve(input, &format!("{name}.conv1"), channels, three_by_three(stride));
    x = plan.normalise(x, &format!("{name}.norm1"), None);
    x = plan.convolve(x, &format!("{name}.conv2"), channels, three_by_three(1));
    plan.normalise(x, &format!("{name}.norm2"), Some(input))
}

fn three_by_three(stride: usize) -> Window {
    Window { kernel: 3, stride, padding: 1 }
}
