"""ResNet20 in double precision: the few operators of its ONNX file, in numpy."""

import numpy as np
import onnx
from onnx import numpy_helper


class Network:
    """An ONNX file of convolutions, normalisations and rectifiers, every number widened to 64 bits."""

    def __init__(self, path):
        graph = onnx.load(path).graph
        self.weights = {weight.name: numpy_helper.to_array(weight).astype(np.float64) for weight in graph.initializer}
        self.nodes, self.input, self.output = list(graph.node), graph.input[0].name, graph.output[0].name

    def __call__(self, images):
        values = {self.input: np.asarray(images, np.float64), **self.weights}
        for node in self.nodes:
            settings = {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}
            values[node.output[0]] = OPERATORS[node.op_type](*(values[name] for name in node.input), **settings)
        return values[self.output]


def convolve(x, weight, bias=None, pads=(0, 0, 0, 0), strides=(1, 1), **_):
    # Channels last: one product for each place of the kernel, without copying all windows.
    padded = np.pad(x.transpose(0, 2, 3, 1), ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)))
    height, width = weight.shape[2:]
    rows, columns = ((size - length) // stride + 1 for size, length, stride in zip(padded.shape[1:3], (height, width), strides, strict=True))
    out = 0
    for down in range(height):
        for right in range(width):
            part = padded[:, down : down + rows * strides[0] : strides[0], right : right + columns * strides[1] : strides[1]]
            out += part.reshape(-1, part.shape[-1]) @ weight[:, :, down, right].T
    out = out.reshape(len(x), rows, columns, -1).transpose(0, 3, 1, 2)
    return out if bias is None else out + bias[:, None, None]


def normalise(x, gamma, beta, mean, variance, epsilon=1e-5, **_):
    scale = gamma / np.sqrt(variance + epsilon)
    return x * scale[:, None, None] + (beta - mean * scale)[:, None, None]


OPERATORS = {
    "Conv": convolve,
    "BatchNormalization": normalise,
    "Relu": lambda x: np.maximum(x, 0),
    "Add": np.add,
    "GlobalAveragePool": lambda x: x.mean(axis=(2, 3), keepdims=True),
    "Flatten": lambda x, **_: x.reshape(len(x), -1),
    "Gemm": lambda x, weight, bias, **_: x @ weight.T + bias,
}
