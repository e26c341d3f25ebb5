"""Which pictures are attacked. The rule was written down before anything was tuned.

Constants of our searches and settings of the others are chosen on test pictures 0 to 2,999 (`tuning`). What is reported is of test pictures
3,000 to 4,999 (`held-back`), which were used for no choice anywhere in the repository: of every class the first pictures that the network gets
right, ten of each for MNIST, five for CIFAR-10.
"""

import os
import pathlib
import struct

import numpy as np

RANGES = {"tuning": (0, 3_000), "held-back": (3_000, 5_000)}
PER_CLASS = {"mnist": 10, "cifar10": 5}


def read(data):
    """All test pictures with numbers from 0 to 1, and their labels."""
    folder = pathlib.Path(os.environ.get("GRADLESS_DATA", "data")) / data
    if not folder.is_dir():
        raise SystemExit(f"{folder} is missing: GRADLESS_DATA must name the folder of the data sets (`gradless data {data}`)")
    if data == "mnist":
        raw = (folder / "t10k-images-idx3-ubyte").read_bytes()
        count, rows, columns = struct.unpack(">III", raw[4:16])
        images = np.frombuffer(raw, np.uint8, offset=16).reshape(count, 1, rows, columns)
        return images / 255.0, np.frombuffer((folder / "t10k-labels-idx1-ubyte").read_bytes(), np.uint8, offset=8)
    raw = np.frombuffer((folder / "test_batch.bin").read_bytes(), np.uint8).reshape(-1, 3073)
    return raw[:, 1:].reshape(-1, 3, 32, 32) / 255.0, raw[:, 0]


def choose(network, which, per_class=None):
    """Numbers, pictures and labels, class by class in turns, so that a beginning of the list has all classes."""
    images, labels = read(network.data)
    begin, end = RANGES[which]
    per_class = per_class or PER_CLASS[network.data]
    chosen = {label: [] for label in range(10)}
    for number in range(begin, end):
        label = int(labels[number])
        if len(chosen[label]) < per_class and int(np.argmax(network(images[number])[0])) == label:
            chosen[label].append(number)
    order = [numbers[turn] for turn in range(per_class) for numbers in chosen.values() if turn < len(numbers)]
    return [(number, images[number].copy(), int(labels[number])) for number in order]
