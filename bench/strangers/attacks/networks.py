"""The networks that are attacked: ours, and those that the paper's authors published (folder in GRADLESS_AUTHORS)."""

import os
import pathlib

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What turns pixels in 0..1 into inputs.
PLAIN = ([0.0], [1.0])
CIFAR = ([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010])


class Network:
    """A classifier of pictures, channels first, with numbers from 0 to 1."""

    def __init__(self, name, path, data, shape, preprocessing):
        self.name, self.path, self.data, self.shape = name, path, data, shape
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options)
        self.input = self.session.get_inputs()[0].name
        self.mean, self.std = (np.array(numbers, np.float64).reshape(-1, 1, 1) for numbers in preprocessing)

    def __call__(self, rows):
        """Scores of pictures, one row each."""
        rows = np.asarray(rows, np.float64).reshape(-1, *self.shape)
        x = ((rows - self.mean) / self.std).astype(np.float32)
        return self.session.run(None, {self.input: x})[0].astype(np.float64)


def load(name):
    """A network by its name."""
    authors = os.environ.get("GRADLESS_AUTHORS")
    folder = ROOT / "assets"
    if name.startswith("authors-"):
        if not authors:
            raise SystemExit("GRADLESS_AUTHORS must name the folder with the networks of the paper's authors")
        folder = pathlib.Path(authors)
    kind = name.removeprefix("authors-")
    if kind == "lenet":
        return Network(name, folder / "lenet.onnx", "mnist", (1, 28, 28), PLAIN)
    if kind == "resnet20":
        return Network(name, folder / "resnet20.onnx", "cifar10", (3, 32, 32), CIFAR)
    raise SystemExit(f"there is no network {name}")


NAMES = ["lenet", "authors-lenet", "resnet20", "authors-resnet20"]
