"""Asks Python's onnxruntime about saved explanations.

    cargo run --release -p bench --bin explanations -- --save target/explanations
    python3 -m venv target/confirm-venv && target/confirm-venv/bin/pip install numpy onnxruntime pillow
    target/confirm-venv/bin/python bench/confirm.py target/explanations

Every answer marked valid must meet its class condition twice: with the exact values, and with the 8-bit picture as
saved. Ends with 1 if one does not.
"""

import pathlib
import sys

import numpy as np
import onnxruntime
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parents[1]
# As in the descriptions beside the networks: what turns pixels in 0..1 into inputs.
SHAPES = {"lenet": (1, 28, 28), "resnet20": (3, 32, 32)}
MEAN = {"lenet": [0.0], "resnet20": [0.4914, 0.4822, 0.4465]}
STD = {"lenet": [1.0], "resnet20": [0.2023, 0.1994, 0.201]}


class Network:
    def __init__(self, name):
        self.session = onnxruntime.InferenceSession(str(HERE / "assets" / f"{name}.onnx"))
        self.input = self.session.get_inputs()[0].name
        self.mean = np.array(MEAN[name]).reshape(-1, 1, 1)
        self.std = np.array(STD[name]).reshape(-1, 1, 1)

    def scores(self, pixels):
        x = ((pixels - self.mean) / self.std).astype(np.float32)
        return self.session.run(None, {self.input: x[None]})[0][0]


def picture(path, shape):
    pixels = np.asarray(Image.open(path), dtype=np.float64) / 255
    return pixels.reshape(shape) if shape[0] == 1 else pixels.transpose(2, 0, 1)


def main():
    networks, counted, confirmed = {}, 0, 0
    least = np.inf
    for line in sorted(pathlib.Path(sys.argv[1]).glob("*.txt")):
        name, network, condition, original, valid = line.read_text().split()
        if valid != "valid":
            continue
        counted += 1
        model = networks.setdefault(network, Network(network))
        shape = SHAPES[network]
        exact = np.fromfile(line.with_suffix(".f64"), "<f8").reshape(shape)
        margins = []
        for pixels in (exact, picture(line.with_suffix(".png"), shape)):
            scores = model.scores(pixels)
            others = np.delete(scores, int(original)).max()
            lead = scores[int(original)] - others
            margins.append(lead if condition == "keeps" else -lead)
        least = min(least, *margins)
        if min(margins) > 0:
            confirmed += 1
        else:
            print(f"{name}: margins {margins[0]:.2e} exactly, {margins[1]:.2e} as a picture")
    print(f"confirmed {confirmed} of {counted} by onnxruntime {onnxruntime.__version__}, least margin {least:.1e}")
    sys.exit(confirmed != counted)


main()
