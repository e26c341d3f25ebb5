//! The authors' two networks: what their parameters are called, and how they are put together.

use super::parameters::Parameters;
use crate::data::DataSet;
use crate::onnx::{Graph, OnnxError, Tensor, Value};

/// What is added to a variance before its root is taken: that of the authors' library.
const EPSILON: f32 = 1e-5;

/// A network of the authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// For digits: two convolutions of 5 x 5 (20 and 50 channels) with tanh and 2 x 2 max-pooling, a dense layer of 500 with tanh, a dense
    /// layer of 10 with tanh.
    LeNet,
    /// For photographs: a convolution, three stages of three residual blocks with 16, 32 and 64 channels, a dense layer of 10. No
    /// rectifier behind the first normalisation; shortcuts between stages are convolutions of 1 x 1.
    ResNet20,
}

impl Network {
    /// Both.
    pub const ALL: [Self; 2] = [Self::LeNet, Self::ResNet20];

    /// What its files are called here, without ending.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeNet => "lenet",
            Self::ResNet20 => "resnet20",
        }
    }

    /// What its parameters are called in the authors' repository.
    pub fn file(self) -> &'static str {
        match self {
            Self::LeNet => "LeNet on MNist.model",
            Self::ResNet20 => "resnet20.params",
        }
    }

    /// What it was trained on.
    pub fn set(self) -> DataSet {
        match self {
            Self::LeNet => DataSet::Mnist,
            Self::ResNet20 => DataSet::Cifar10,
        }
    }

    /// What its ONNX file does not say: how pixels become its input.
    pub fn description(self) -> &'static str {
        match self {
            Self::LeNet => "# Inputs are pixels in 0..=1.\nscores = \"logits\"\n",
            Self::ResNet20 => concat!(
                "# Inputs are pixels in 0..=1, channel first.\n",
                "mean = [0.4914, 0.4822, 0.4465]\nstd = [0.2023, 0.1994, 0.201]\nscores = \"logits\"\n",
            ),
        }
    }

    /// The network with these parameters as an ONNX file.
    pub fn to_onnx(self, parameters: Parameters) -> Result<Vec<u8>, NetworkError> {
        let shape: &[usize] = match self {
            Self::LeNet => &[1, 28, 28],
            Self::ResNet20 => &[3, 32, 32],
        };
        let mut graph = Graph::new(self.name(), "image", shape);
        graph.metadata("source", self.file());
        let mut build = Build { graph, parameters };
        let scores = match self {
            Self::LeNet => build.lenet()?,
            Self::ResNet20 => build.resnet20()?,
        };
        if let Some(name) = build.parameters.names().next() {
            return Err(NetworkError::Foreign { network: self.name(), name: name.to_owned() });
        }
        Ok(build.graph.finish(scores, 10)?)
    }
}

struct Build {
    graph: Graph,
    parameters: Parameters,
}

impl Build {
    fn lenet(&mut self) -> Result<Value, NetworkError> {
        let mut x = self.graph.input();
        for name in ["conv1", "conv2"] {
            let (weight, bias) = self.weight_and_bias(name)?;
            x = self.graph.conv(x, &weight, Some(&bias), [0, 0], [1, 1])?;
            x = self.graph.tanh(x)?;
            x = self.graph.max_pool(x, [2, 2], [2, 2])?;
        }
        x = self.graph.flatten(x)?;
        for name in ["fc1", "fc2"] {
            x = self.dense(x, name)?;
            x = self.graph.tanh(x)?;
        }
        Ok(x)
    }

    fn resnet20(&mut self) -> Result<Value, NetworkError> {
        let mut x = self.convolve(self.graph.input(), "features.0", 1)?;
        x = self.normalise(x, "features.1")?;
        for stage in 2..=4 {
            for block in 0..3 {
                let stride = if stage > 2 && block == 0 { 2 } else { 1 };
                x = self.residual(x, &format!("features.{stage}.{block}"), stride)?;
            }
        }
        x = self.graph.global_average_pool(x)?;
        x = self.graph.flatten(x)?;
        self.dense(x, "output")
    }

    fn residual(&mut self, input: Value, name: &str, stride: usize) -> Result<Value, NetworkError> {
        let mut x = self.convolve(input, &format!("{name}.body.0"), stride)?;
        x = self.normalise(x, &format!("{name}.body.1"))?;
        x = self.graph.relu(x)?;
        x = self.convolve(x, &format!("{name}.body.3"), 1)?;
        x = self.normalise(x, &format!("{name}.body.4"))?;
        let mut around = input;
        if stride > 1 {
            around = self.convolve(input, &format!("{name}.downsample.0"), stride)?;
            around = self.normalise(around, &format!("{name}.downsample.1"))?;
        }
        let sum = self.graph.add(around, x)?;
        Ok(self.graph.relu(sum)?)
    }

    /// A convolution without bias that keeps the size but for its stride.
    fn convolve(&mut self, x: Value, name: &str, stride: usize) -> Result<Value, NetworkError> {
        let weight = self.take(name, "weight")?;
        let around = |axis: usize| weight.shape.get(axis).map_or(0, |length| length / 2);
        let pads = [around(2), around(3)];
        Ok(self.graph.conv(x, &weight, None, pads, [stride, stride])?)
    }

    fn normalise(&mut self, x: Value, name: &str) -> Result<Value, NetworkError> {
        let [gamma, beta, mean, variance] = ["gamma", "beta", "running_mean", "running_var"];
        let (gamma, beta) = (self.take(name, gamma)?.values, self.take(name, beta)?.values);
        let (mean, variance) = (self.take(name, mean)?.values, self.take(name, variance)?.values);
        Ok(self.graph.batch_norm(x, &gamma, &beta, &mean, &variance, EPSILON)?)
    }

    fn dense(&mut self, x: Value, name: &str) -> Result<Value, NetworkError> {
        let (weight, bias) = self.weight_and_bias(name)?;
        Ok(self.graph.dense(x, &weight, Some(&bias))?)
    }

    fn weight_and_bias(&mut self, name: &str) -> Result<(Tensor, Vec<f32>), NetworkError> {
        Ok((self.take(name, "weight")?, self.take(name, "bias")?.values))
    }

    fn take(&mut self, layer: &str, part: &str) -> Result<Tensor, NetworkError> {
        let name = format!("{layer}.{part}");
        self.parameters.take(&name).ok_or(NetworkError::Missing { name })
    }
}

/// Parameters that are not those of the network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum NetworkError {
    #[error("does not hold {name}: it is another network, or its parameters have other names")]
    Missing { name: String },
    #[error("holds {name}, which {network} does not have: it is another network")]
    Foreign { network: &'static str, name: String },
    #[error("is another network: {0}")]
    Unfit(#[from] OnnxError),
}
