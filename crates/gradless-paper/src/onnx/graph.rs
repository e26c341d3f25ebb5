//! A network as a graph of operators, built one after the other and written at the end.

use super::fold::check_norm;
use super::node::{Attribute, FLOAT, Node};
use super::wire::Message;
use super::{OnnxError, Tensor, check_values};

/// The version of the file format: what runtimes of 2022 and later read.
const IR_VERSION: i64 = 8;
/// The version of the operators.
const OPSET: i64 = 17;
/// The name of the output.
const OUTPUT: &str = "scores";

/// The largest kernel of a shortcut: 4096 to 4096 channels, far beyond the networks this is for.
const MAX_SHORTCUT: usize = 1 << 24;

/// A tensor that flows through the graph: its input, or the output of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(usize);

/// A network under construction: one `f32` input with a free batch axis, operators, one output.
///
/// Shapes are followed on the way, so an operator that does not fit is refused where it is added. Names are made from
/// the operator and its number: the first convolution is `conv_1`, its weights are `conv_1.weight`.
///
/// ```
/// use gradless_paper::onnx::{Graph, Tensor};
/// # fn main() -> Result<(), gradless_paper::onnx::OnnxError> {
/// let mut graph = Graph::new("net", "input", &[1, 4, 4]);
/// let weight = Tensor { shape: vec![2, 1, 3, 3], values: vec![0.5; 18] };
/// let x = graph.conv(graph.input(), &weight, None, [0, 0], [1, 1])?;
/// let x = graph.tanh(x)?;
/// let x = graph.flatten(x)?;
/// let x = graph.dense(x, &Tensor { shape: vec![3, 8], values: vec![0.25; 24] }, Some(&[0.0, 1.0, 2.0]))?;
/// graph.metadata("seed", "7");
/// let bytes = graph.finish(x, 3)?;
/// # assert!(bytes.len() > 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    /// Name and shape, without the batch axis, of every value; the input is the first.
    values: Vec<(String, Vec<usize>)>,
    nodes: Vec<Node>,
    initialisers: Vec<Message>,
    metadata: Vec<(String, String)>,
}

impl Graph {
    /// A graph whose input has `shape` after the batch axis, say `[channels, height, width]`.
    pub fn new(name: &str, input_name: &str, shape: &[usize]) -> Self {
        Self {
            name: name.to_owned(),
            values: vec![(input_name.to_owned(), shape.to_vec())],
            nodes: Vec::new(),
            initialisers: Vec::new(),
            metadata: Vec::new(),
        }
    }

    /// The input.
    pub fn input(&self) -> Value {
        Value(0)
    }

    /// The shape of a value without the batch axis, if it belongs to this graph.
    pub fn shape(&self, value: Value) -> Option<&[usize]> {
        self.values.get(value.0).map(|(_, shape)| shape.as_slice())
    }

    /// A note to be stored in the file: seed, commit, accuracy.
    pub fn metadata(&mut self, key: &str, value: &str) {
        self.metadata.push((key.to_owned(), value.to_owned()));
    }

    /// Convolution with `weight` of shape `[out, in, height, width]`; `pads` zeros above and below, left and right.
    pub fn conv(
        &mut self,
        x: Value,
        weight: &Tensor,
        bias: Option<&[f32]>,
        pads: [usize; 2],
        strides: [usize; 2],
    ) -> Result<Value, OnnxError> {
        let node = self.node("Conv", "conv");
        weight.check(&format!("the weight of {}", node.name), 4)?;
        if let Some(bias) = bias {
            check_values(&format!("the bias of {}", node.name), weight.shape[0], bias)?;
        }
        let [channels, height, width] = self.image(&node, x)?;
        if channels != weight.shape[1] {
            return Err(self.refuse(&node, x, format!("{} channels are needed", weight.shape[1])));
        }
        let kernel = [weight.shape[2], weight.shape[3]];
        let padded = [
            height.saturating_add(pads[0].saturating_mul(2)),
            width.saturating_add(pads[1].saturating_mul(2)),
        ];
        let [height, width] = self.windows(&node, x, padded, kernel, strides)?;
        let node = node
            .weight(&mut self.initialisers, "weight", &weight.shape, &weight.values)
            .attribute("kernel_shape", Attribute::Sizes(kernel.to_vec()))
            .attribute("pads", Attribute::Sizes([pads, pads].concat()))
            .attribute("strides", Attribute::Sizes(strides.to_vec()));
        let node = match bias {
            Some(bias) => node.weight(&mut self.initialisers, "bias", &[bias.len()], bias),
            None => node,
        };
        Ok(self.add_node(node, &[x], vec![weight.shape[0], height, width]))
    }

    /// Batch normalisation with fixed statistics, one number of each kind per channel.
    pub fn batch_norm(
        &mut self,
        x: Value,
        gamma: &[f32],
        beta: &[f32],
        mean: &[f32],
        variance: &[f32],
        epsilon: f32,
    ) -> Result<Value, OnnxError> {
        let node = self.node("BatchNormalization", "batch_norm");
        let shape = self.image(&node, x)?;
        check_norm(&node.name, shape[0], [gamma, beta, mean, variance], epsilon)?;
        let node = node
            .weight(&mut self.initialisers, "gamma", &[gamma.len()], gamma)
            .weight(&mut self.initialisers, "beta", &[beta.len()], beta)
            .weight(&mut self.initialisers, "mean", &[mean.len()], mean)
            .weight(&mut self.initialisers, "variance", &[variance.len()], variance)
            .attribute("epsilon", Attribute::Float(epsilon));
        Ok(self.add_node(node, &[x], shape.to_vec()))
    }

    /// $\max(x, 0)$.
    pub fn relu(&mut self, x: Value) -> Result<Value, OnnxError> {
        self.elementwise("Relu", "relu", x)
    }

    /// $\tanh x$.
    pub fn tanh(&mut self, x: Value) -> Result<Value, OnnxError> {
        self.elementwise("Tanh", "tanh", x)
    }

    /// The largest value in each window; windows that would reach over the edge are left out.
    pub fn max_pool(&mut self, x: Value, kernel: [usize; 2], stride: [usize; 2]) -> Result<Value, OnnxError> {
        let node = self.node("MaxPool", "max_pool");
        let [channels, height, width] = self.image(&node, x)?;
        let [height, width] = self.windows(&node, x, [height, width], kernel, stride)?;
        let node = node
            .attribute("kernel_shape", Attribute::Sizes(kernel.to_vec()))
            .attribute("strides", Attribute::Sizes(stride.to_vec()));
        Ok(self.add_node(node, &[x], vec![channels, height, width]))
    }

    /// The sum of two values of the same shape.
    pub fn add(&mut self, a: Value, b: Value) -> Result<Value, OnnxError> {
        let node = self.node("Add", "add");
        let (left, right) = (self.shape_for(&node, a)?.to_vec(), self.shape_for(&node, b)?);
        if left != right {
            return Err(self.refuse(&node, b, format!("the other has shape {left:?}")));
        }
        Ok(self.add_node(node, &[a, b], left))
    }

    /// The mean of each channel, as an image of one pixel.
    pub fn global_average_pool(&mut self, x: Value) -> Result<Value, OnnxError> {
        let node = self.node("GlobalAveragePool", "global_average_pool");
        let [channels, ..] = self.image(&node, x)?;
        Ok(self.add_node(node, &[x], vec![channels, 1, 1]))
    }

    /// All values of an example in one row.
    pub fn flatten(&mut self, x: Value) -> Result<Value, OnnxError> {
        let node = self.node("Flatten", "flatten");
        let count =
            self.shape_for(&node, x)?.iter().fold(1, |count: usize, length| count.saturating_mul(*length));
        Ok(self.add_node(node, &[x], vec![count]))
    }

    /// $W x + b$ with `weight` of shape `[out, in]`.
    pub fn dense(&mut self, x: Value, weight: &Tensor, bias: Option<&[f32]>) -> Result<Value, OnnxError> {
        let node = self.node("Gemm", "dense");
        weight.check(&format!("the weight of {}", node.name), 2)?;
        let (outputs, inputs) = (weight.shape[0], weight.shape[1]);
        if let Some(bias) = bias {
            check_values(&format!("the bias of {}", node.name), outputs, bias)?;
        }
        if self.shape_for(&node, x)? != [inputs] {
            return Err(self.refuse(&node, x, format!("a row of {inputs} is needed")));
        }
        let node = node
            .weight(&mut self.initialisers, "weight", &weight.shape, &weight.values)
            .attribute("transB", Attribute::Int(1));
        let node = match bias {
            Some(bias) => node.weight(&mut self.initialisers, "bias", &[outputs], bias),
            None => node,
        };
        Ok(self.add_node(node, &[x], vec![outputs]))
    }

    /// ResNet's shortcut without weights to learn (option A): every `stride`-th pixel of every `stride`-th row, with
    /// `zeros[0]` channels of zeros before the given ones and `zeros[1]` behind.
    ///
    /// Written as a 1 x 1 convolution with a kernel of zeros and ones. `Slice` and `Pad` would say the same, but
    /// engines may keep images in a layout of their own between convolutions and leave it for other operators. Measured on
    /// ResNet20, batch 201, one thread: onnxruntime 1.31 is 4 to 7 % faster with the convolution, rten .27 is 1 %
    /// slower; the kernels are 10 kB of 1.1 MB. Products with one and sums with zero are exact, so nothing is lost.
    pub fn shortcut(&mut self, x: Value, stride: usize, zeros: [usize; 2]) -> Result<Value, OnnxError> {
        let node = self.node("Conv", "conv");
        let [channels, ..] = self.image(&node, x)?;
        let outputs = channels.saturating_add(zeros[0]).saturating_add(zeros[1]);
        if outputs.checked_mul(channels).is_none_or(|count| count > MAX_SHORTCUT) {
            return Err(self.refuse(&node, x, format!("a shortcut to {outputs} channels is too large")));
        }
        let mut values = vec![0.0; outputs * channels];
        for channel in 0..channels {
            values[(zeros[0] + channel) * channels + channel] = 1.0;
        }
        let weight = Tensor { shape: vec![outputs, channels, 1, 1], values };
        self.conv(x, &weight, None, [0, 0], [stride, stride])
    }

    /// The file, with `output` as its output `scores` of `classes` numbers per example.
    pub fn finish(mut self, output: Value, classes: usize) -> Result<Vec<u8>, OnnxError> {
        let node = Node::new(OUTPUT.to_owned(), OUTPUT);
        if self.shape_for(&node, output)? != [classes] {
            return Err(self.refuse(&node, output, format!("a row of {classes} scores is needed")));
        }
        let input = &self.values[0].0;
        let taken = self.nodes.iter().any(|node| node.name == *input || node.weights.contains(input));
        if output == self.input() || input.is_empty() || input == OUTPUT || taken {
            return Err(OnnxError::Name { name: input.clone() });
        }
        OUTPUT.clone_into(&mut self.values[output.0].0);
        // Every node has one output: the value that was pushed with it, behind the input.
        let nodes = self.nodes.iter().zip(&self.values[1..]);
        let graph = nodes.fold(Message::default(), |graph, (node, (output, _))| {
            let inputs = node.inputs.iter().map(|input| self.values[input.0].0.as_str());
            graph.message(1, &node.encode(inputs, output))
        });
        let graph = graph.text(2, &self.name);
        let graph = self.initialisers.iter().fold(graph, |graph, tensor| graph.message(5, tensor));
        let graph = graph.message(11, &self.value_info(self.input())).message(12, &self.value_info(output));
        let model = Message::default()
            .int(1, IR_VERSION)
            .text(2, "gradless")
            .text(3, env!("CARGO_PKG_VERSION"))
            .message(7, &graph)
            .message(8, &Message::default().text(1, "").int(2, OPSET));
        let model = self.metadata.iter().fold(model, |model, (key, value)| {
            model.message(14, &Message::default().text(1, key).text(2, value))
        });
        Ok(model.finish())
    }

    fn elementwise(&mut self, operator: &'static str, word: &str, x: Value) -> Result<Value, OnnxError> {
        let node = self.node(operator, word);
        let shape = self.shape_for(&node, x)?.to_vec();
        Ok(self.add_node(node, &[x], shape))
    }

    /// A node with the next free number of its operator.
    fn node(&self, operator: &'static str, word: &str) -> Node {
        let number = 1 + self.nodes.iter().filter(|node| node.operator == operator).count();
        Node::new(format!("{word}_{number}"), operator)
    }

    fn add_node(&mut self, mut node: Node, inputs: &[Value], shape: Vec<usize>) -> Value {
        node.inputs = inputs.to_vec();
        self.values.push((node.name.clone(), shape));
        self.nodes.push(node);
        Value(self.values.len() - 1)
    }

    fn shape_for(&self, node: &Node, x: Value) -> Result<&[usize], OnnxError> {
        self.shape(x).ok_or_else(|| OnnxError::Foreign {
            node: node.name.clone(),
            index: x.0,
            count: self.values.len(),
        })
    }

    fn image(&self, node: &Node, x: Value) -> Result<[usize; 3], OnnxError> {
        let shape = self.shape_for(node, x)?;
        shape.try_into().map_err(|_| self.refuse(node, x, "[channels, height, width] is needed".to_owned()))
    }

    /// How often `kernel` fits into `image`, moved by `strides`.
    fn windows(
        &self,
        node: &Node,
        x: Value,
        image: [usize; 2],
        kernel: [usize; 2],
        strides: [usize; 2],
    ) -> Result<[usize; 2], OnnxError> {
        let fit = |axis: usize| {
            let room = image[axis].checked_sub(kernel[axis])?;
            (kernel[axis] > 0).then_some(room)?.checked_div(strides[axis]).map(|count| count + 1)
        };
        match (fit(0), fit(1)) {
            (Some(height), Some(width)) => Ok([height, width]),
            _ => Err(self.refuse(
                node,
                x,
                format!("{image:?} with pads, kernel {kernel:?}, strides {strides:?}"),
            )),
        }
    }

    fn refuse(&self, node: &Node, x: Value, reason: String) -> OnnxError {
        let shape = self.shape(x).unwrap_or_default().to_vec();
        OnnxError::Input { node: node.name.clone(), shape, reason }
    }

    fn value_info(&self, value: Value) -> Message {
        let (name, shape) = &self.values[value.0];
        let batch = Message::default().message(1, &Message::default().text(2, "batch"));
        let shape = shape.iter().fold(batch, |m, length| m.message(1, &Message::default().size(1, *length)));
        let tensor = Message::default().int(1, FLOAT).message(2, &shape);
        Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
    }
}
