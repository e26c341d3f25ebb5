"""Training without gradients: a network is fitted to shifted digits from forward passes alone.

LeNet knows white digits on black that stand upright. Shown inverted or turned digits it is often wrong, and a few labelled ones are all there
is. What is searched is a *difference* of its weights, as sparse as the l1 norm makes it: of the last layer (5,010 numbers), or of all
layers (431,080). A forward pass takes weights and pictures and gives a loss; no gradient is ever computed.

    GRADLESS_DATA=data python python/examples/finetune.py          # data/mnist, as `gradless data mnist` leaves it

Needs the packages onnx and onnxruntime.
"""

import os
import pathlib
import struct

import gradless
import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

LENET = pathlib.Path(__file__).resolve().parents[2] / "assets" / "lenet.onnx"
# What the last layer is given.
FEATURES = "tanh_3"


def digits(folder, part, rows):
    """Pictures between 0 and 1, ``(n, 1, 28, 28)``, and their labels; ``part`` is ``train`` or ``t10k``."""
    raw = (pathlib.Path(folder) / "mnist" / f"{part}-images-idx3-ubyte").read_bytes()
    count, height, width = struct.unpack(">III", raw[4:16])
    pictures = np.frombuffer(raw, np.uint8, offset=16).reshape(count, 1, height, width)[rows]
    labels = (pathlib.Path(folder) / "mnist" / f"{part}-labels-idx1-ubyte").read_bytes()
    return pictures.astype(np.float32) / 255, np.frombuffer(labels, np.uint8, offset=8)[rows].astype(int)


def inverted(pictures):
    """Black on white."""
    return 1 - pictures


def turned(pictures, degrees=45):
    """Turned about the middle; between pixels in proportion."""
    angle, size = np.deg2rad(degrees), pictures.shape[-1]
    down, right = np.mgrid[:size, :size] - (size - 1) / 2
    y = np.cos(angle) * down - np.sin(angle) * right + (size - 1) / 2
    x = np.sin(angle) * down + np.cos(angle) * right + (size - 1) / 2
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    sum_ = np.zeros_like(pictures)
    for dy in (0, 1):
        for dx in (0, 1):
            inside = (0 <= top + dy) & (top + dy < size) & (0 <= left + dx) & (left + dx < size)
            share = (1 - abs(y - top - dy)) * (1 - abs(x - left - dx)) * inside
            corner = pictures[..., np.clip(top + dy, 0, size - 1), np.clip(left + dx, 0, size - 1)]
            sum_ += (share * corner).astype(np.float32)
    return sum_


class Network:
    """LeNet with its weights as one vector, which may be another one at every forward pass."""

    def __init__(self, path=LENET):
        model = onnx.load(path)
        weights = model.graph.initializer
        self.names = [weight.name for weight in weights]
        self.shapes = [tuple(weight.dims) for weight in weights]
        self.ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        self.weights = np.concatenate([numpy_helper.to_array(weight).ravel() for weight in weights]).astype(float)
        # Weights that are inputs too can be given anew with every run.
        for weight in weights:
            model.graph.input.append(onnx.helper.make_tensor_value_info(weight.name, onnx.TensorProto.FLOAT, weight.dims))
        model.graph.output.append(onnx.helper.make_tensor_value_info(FEATURES, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        self.image, self.output = self.session.get_inputs()[0].name, self.session.get_outputs()[0].name

    def scores(self, weights, pictures):
        """The scores of pictures by a network with these weights."""
        parts = np.split(weights.astype(np.float32), self.ends[:-1])
        given = {name: part.reshape(shape) for name, shape, part in zip(self.names, self.shapes, parts, strict=True)}
        return self.session.run([self.output], {self.image: pictures, **given})[0]

    def features(self, pictures):
        """What the last layer is given: it does not change while only the last layer does."""
        blocks = [pictures[start : start + 500] for start in range(0, len(pictures), 500)]
        return np.concatenate([self.session.run([FEATURES], {self.image: block})[0] for block in blocks])


class AllWeights:
    """Every weight may change."""

    def __init__(self, network, pictures, labels):
        self.start, self.labels = network.weights, labels
        self.network, self.pictures = network, pictures

    def scores(self, weights, rows=slice(None)):
        return self.network.scores(weights, self.pictures[rows])


class LastLayer:
    """The weights of the last layer may change. What goes into it is computed once: the numbers are those of whole passes."""

    def __init__(self, network, pictures, labels):
        self.start, self.labels = network.weights[network.ends[-3] :], labels
        self.features = network.features(pictures)

    def scores(self, weights, rows=slice(None)):
        features = self.features[rows]
        matrix, bias = np.split(weights.astype(np.float32), [10 * features.shape[1]])
        return np.tanh(features @ matrix.reshape(10, -1).T + bias)


def loss(task, weights, rows=slice(None)):
    """The mean cross-entropy of one forward pass: what LeNet was trained with."""
    scores, labels = task.scores(weights, rows).astype(float), task.labels[rows]
    return float(np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(labels)), labels]))


def accuracy(task, weights):
    return float(np.mean(task.scores(weights).argmax(axis=1) == task.labels))


def fit(task, l1, passes, seed=0, callback=None):
    """The sparse difference of the weights that ``passes`` forward passes find."""

    def black_box(differences):
        return np.array([loss(task, task.start + difference) for difference in differences])

    return gradless.minimize(
        black_box, np.zeros(len(task.start)), regularizer=gradless.L1(l1), bounds=(-1, 1), maxfev=passes, rng=seed, callback=callback
    )


def main(few=250, passes=2000):
    folder = os.environ.get("GRADLESS_DATA", "data")
    network = Network()
    for shift in (turned, inverted):
        train, test = digits(folder, "train", slice(few)), digits(folder, "t10k", slice(2000))
        for what, l1 in ((LastLayer, 4e-4), (AllWeights, 3e-4)):
            fitted, judged = (what(network, shift(pictures), labels) for pictures, labels in (train, test))
            found = fit(fitted, l1, passes)
            before, after = accuracy(judged, judged.start), accuracy(judged, judged.start + found.x)
            changed = np.count_nonzero(found.x)
            print(f"{shift.__name__:<9} {what.__name__:<11} {before:.1%} -> {after:.1%}, {changed} of {found.x.size} weights changed, "
                  f"{found.nfev} forward passes of {few} pictures", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
