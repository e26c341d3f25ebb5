"""How much of a difference of two scores is rounding, for the probes of Acc-ZOM and of ZO-ExpStorm; and Acc-ZOM in double precision.

    python bench/reproduction/rounding.py MODEL.onnx IMAGES.json --data data [--runs N] [--write]

The question is the paper's pertinent negative of CIFAR-10 by the conventions of the authors' scripts, asked at its start, the image itself.
The network is computed once in single precision by onnxruntime, as in the experiments, and once in double precision. Needs numpy, onnx, onnxruntime and gradless.
"""

import argparse
import csv
import json
import pathlib
import sys

import gradless
import numpy as np
import onnxruntime
from network import Network

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "strangers"))
import page  # noqa: E402

MEAN = np.array([0.4914, 0.4822, 0.4465])[:, None, None]
DEVIATION = np.array([0.2023, 0.1994, 0.2010])[:, None, None]
DIM, STEPS, WEIGHT, GAMMA = 3072, 200, 0.5, 0.001
# The radii of the authors' scripts: Acc-ZOM adds its m0 of 7.04 to the steps.
RADII = {"Acc-ZOM": 1 / (DIM * (7.04 + STEPS) ** (2 / 3)), "ZO-ExpStorm": 1 / (DIM * STEPS ** (2 / 3))}
LOOKS = [10, 25, 50, 100, 200]
FOLDER = "docs/reproduction/cifar10-precision"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
    parser.add_argument("--directions", type=int, default=100)
    parser.add_argument("--runs", type=int, default=0, help="images on which Acc-ZOM is run in both precisions")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def single(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    name = session.get_inputs()[0].name
    # One size of batch: engines round other sizes otherwise.
    def scores(images):
        images = np.asarray(images, np.float32)
        padded = np.concatenate([images, np.repeat(images[-1:], -len(images) % 32, axis=0)])
        blocks = [session.run(None, {name: padded[at : at + 32]})[0] for at in range(0, len(padded), 32)]
        return np.concatenate(blocks)[: len(images)].astype(np.float64)

    return scores


def question(scores, image):
    """The loss of a pertinent negative, for rows of changes."""
    label = int(scores(image[None])[0].argmax())

    def loss(changes):
        out = []
        for at in range(0, len(changes), 64):
            found = scores(image + np.asarray(changes[at : at + 64]).reshape(-1, 3, 32, 32))
            lead = found[:, label] - np.delete(found, label, axis=1).max(axis=1)
            out.append(np.maximum(lead, 0) + np.log1p(np.exp(-abs(lead))))
        return np.concatenate(out)

    return loss


def share(losses, radius, directions):
    """The error of differences in single precision, beside the differences in double precision."""
    points = np.concatenate([np.zeros((1, DIM)), radius * directions])
    exact, rounded = (values[1:] - values[0] for values in (losses[1](points), losses[0](points)))
    return float(np.sqrt(np.mean((rounded - exact) ** 2) / np.mean(exact**2)))


def acc_zom(loss, image):
    """The curve of F(x_t)/F(x_1) that Acc-ZOM takes."""
    low, high = ((level - MEAN) / DEVIATION - image for level in (0.0, 1.0))
    values = []
    gradless.minimize(
        loss, np.zeros(DIM), regularizer=gradless.ElasticNet(WEIGHT, WEIGHT), bounds=(low.ravel(), high.ravel()), method="acc-zom",
        preset="authors", step_weight=1 / GAMMA, radius=RADII["Acc-ZOM"], maxiter=STEPS + 1, maxfev=np.inf, rng=1,
        callback=lambda progress: values.append(progress.fun),
    )  # fmt: skip
    return [value / values[0] for value in values]


def main():
    asked = arguments()
    records = np.fromfile(asked.data / "cifar10" / "test_batch.bin", np.uint8).reshape(-1, 1 + DIM)
    chosen = [of_class[0] for of_class in json.loads(asked.images.read_text())["cifar10"]["images"]]
    networks = single(asked.model), Network(asked.model)
    shares, curves = {name: [] for name in RADII}, []
    for number, place in enumerate(chosen):
        image = (records[place, 1:].reshape(3, 32, 32) / 255 - MEAN) / DEVIATION
        losses = [question(network, image) for network in networks]
        random = np.random.default_rng(place)
        signs = random.choice([-1.0, 1.0], (asked.directions, DIM))
        sphere = random.standard_normal((asked.directions, DIM))
        sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
        shares["Acc-ZOM"].append(share(losses, RADII["Acc-ZOM"], sphere))
        shares["ZO-ExpStorm"].append(share(losses, RADII["ZO-ExpStorm"], signs))
        print(place, {name: f"{values[-1]:.3f}" for name, values in shares.items()}, flush=True)
        if number < asked.runs:
            for precision, loss in zip(("single", "double"), losses, strict=True):
                curve = acc_zom(loss, image)
                curves.append([place, precision, *(f"{curve[step]:.4f}" for step in LOOKS)])
                print(*curves[-1], flush=True)
    rows = []
    for name, values in shares.items():
        step = RADII[name] / (np.sqrt(DIM) if name == "Acc-ZOM" else 1)
        low, middle, high = np.percentile(values, [0, 50, 100])
        rows.append([name, f"{step:.1e}", f"{low:.3f}", f"{middle:.3f}", f"{high:.3f}"])
    header = ["method", "step per coordinate", "least", "median", "most"]
    text = page.table(header, rows)
    if curves:
        text += "\n\n" + page.table(["image", "precision", *(f"t = {step}" for step in LOOKS)], curves)
    text += f"\n\n(commit {page.commit()}, {len(chosen)} images, {asked.directions} directions each, `bench/reproduction/rounding.py`)"
    print(text)
    if asked.write:
        page.put("docs/reproduction/README.md", "rounding", text)
        with (page.ROOT / FOLDER / "rounding.csv").open("w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["image", *(name for name in shares)])
            table.writerows([place, *(f"{values[number]:.6f}" for values in shares.values())] for number, place in enumerate(chosen))
        with (page.ROOT / FOLDER / "double.csv").open("w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["image", "precision", *(f"t{step}" for step in LOOKS)])
            table.writerows(curves)


main()
