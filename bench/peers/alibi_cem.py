"""Alibi's black-box CEM on the LeNet shipped here, MNIST test image 15, with the settings of its documentation.

    python3 -m venv target/alibi-venv
    target/alibi-venv/bin/pip install alibi click "tensorflow<2.17" "tf_keras<2.17" onnxruntime
    target/alibi-venv/bin/python bench/peers/alibi_cem.py DATA [--iterations 100] [--image 15] [--modes PN,PP]

The documentation's settings without the autoencoder: kappa 0, beta 0.1, c_init 1, c_steps 10, learning rate 0.01,
numerical gradients with eps 0.01; pixels in 0..1 with 0 as no information (it asks the network about differences of
images, which must be images); its 1000 iterations are cut to 100. PP runs as shipped, with the sign error of its
gradient.
"""

import argparse
import os
import pathlib
import time

# Alibi asks Keras for a session, which only the older Keras has.
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import onnxruntime
import tensorflow as tf

tf.compat.v1.disable_v2_behavior()

from alibi.explainers import CEM  # noqa: E402  (TensorFlow 1 behaviour must be chosen before)

HERE = pathlib.Path(__file__).resolve().parents[2]


class Counted:
    """The network as Alibi wants it: channels last, to scores."""

    def __init__(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(HERE / "assets" / "lenet.onnx"), options)
        self.name = self.session.get_inputs()[0].name
        self.queries = 0

    def __call__(self, x):
        self.queries += len(x)
        x = np.asarray(x, dtype=np.float32).reshape(-1, 1, 28, 28)
        return self.session.run(None, {self.name: x})[0]


def digit(folder, index):
    raw = (pathlib.Path(folder) / "mnist" / "t10k-images-idx3-ubyte").read_bytes()
    pixels = np.frombuffer(raw, np.uint8, 784, 16 + 784 * index)
    return pixels.reshape(1, 28, 28, 1).astype(np.float32) / 255


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--image", type=int, default=15)
    parser.add_argument("--modes", default="PN,PP")
    arguments = parser.parse_args()
    x = digit(arguments.data, arguments.image)
    for mode in arguments.modes.split(","):
        model = Counted()
        explainer = CEM(
            model, mode, shape=(1, 28, 28, 1), kappa=0.0, beta=0.1, feature_range=(0.0, 1.0), gamma=0.0,
            max_iterations=arguments.iterations, c_init=1.0, c_steps=10, learning_rate_init=1e-2,
            clip=(-1000.0, 1000.0), eps=(1e-2, 1e-2), no_info_val=0.0, update_num_grad=1,
        )
        began = time.process_time()
        explanation = explainer.explain(x)
        seconds = time.process_time() - began
        found = getattr(explanation, mode, None)
        if found is None:
            print(f"{mode}: nothing found, {model.queries} queries, {seconds:.0f} CPU s", flush=True)
            continue
        change = np.asarray(found) - (x if mode == "PN" else 0)
        change[np.abs(change) < 1e-6] = 0
        before = model(x)[0]
        after = model(np.asarray(found))[0]
        met = (after.argmax() == before.argmax()) == (mode == "PP")
        print(
            f"{mode}: condition {'met' if met else 'NOT met'} ({before.argmax()} -> {after.argmax()}), "
            f"l1 {np.abs(change).sum():.2f}, l2 {np.sqrt((change ** 2).sum()):.2f}, pixels {(change != 0).sum()}, "
            f"{model.queries} queries, {seconds:.0f} CPU s",
            flush=True,
        )


main()
