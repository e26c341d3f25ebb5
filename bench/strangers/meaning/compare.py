"""Parts beside attributions: insertion and deletion curves, what another network says, how many pixels are needed.

Every attribution is turned into an order of the ink of a digit, the most important first. Of that order the first pixels that keep
the class with the confidence that our parts keep are its part.
"""

import argparse
import json
import os
import pathlib
import struct
import sys

import numpy as np
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page  # noqa: E402
from attributions import PEERS  # noqa: E402

# The share of the input's margin that a part keeps where scores lie between -1 and 1: gradless's default.
SHARE = 0.97


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("judge", type=pathlib.Path)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("--queries", type=int, default=485)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def network(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    name = session.get_inputs()[0].name
    return lambda rows: session.run(None, {name: np.asarray(rows, np.float32).reshape(-1, 1, 28, 28)})[0]


def digits(folder):
    raw = (folder / "mnist" / "t10k-images-idx3-ubyte").read_bytes()
    count, rows, columns = struct.unpack(">III", raw[4:16])
    return np.frombuffer(raw, np.uint8, offset=16).reshape(count, rows * columns) / 255.0


def margins(ask, rows, label):
    scores = ask(rows)
    others = np.delete(scores, label, axis=1).max(axis=1)
    return scores[:, label] - others


def curves(ask, picture, order, label, own):
    """Areas under the insertion and the deletion curve of the margin, as a share of the digit's own, between 0 and 1."""
    inserted, deleted = np.zeros((len(order) + 1, picture.size)), np.repeat(picture[None], len(order) + 1, 0)
    for step, pixel in enumerate(order, 1):
        inserted[step:, pixel] = picture[pixel]
        deleted[step:, pixel] = 0
    share = lambda rows: np.clip(margins(ask, rows, label) / own, 0, 1)  # noqa: E731
    return share(inserted).mean(), share(deleted).mean(), inserted


def main():
    asked = arguments()
    ask, judge = network(asked.model), network(asked.judge)
    pictures = digits(pathlib.Path(os.environ.get("GRADLESS_DATA", "data")))
    answers = [json.loads(line) for line in (asked.answers / "answers.jsonl").open()]
    parts = [answer for answer in answers if answer["kind"] == "part"]
    measured = {name: [] for name in ["gradless", *PEERS]}
    for part in parts:
        picture, label = pictures[part["index"]], part["class"]
        own = margins(ask, picture[None], label)[0]
        ink = np.flatnonzero(picture)
        ours = np.array(part["after"])
        maps = {"gradless": (ours > 0) * 2.0 + picture}
        maps |= {name: peer(ask, picture, asked.queries) for name, peer in PEERS.items()}
        for name, worth in maps.items():
            # Pixels of equal worth in the order of their ink.
            order = ink[np.lexsort((-picture[ink], -worth[ink]))]
            insertion, deletion, inserted = curves(ask, picture, order, label, own)
            if name == "gradless":
                shown, valid, queries = ours, part["valid"], part["queries"]
            else:
                enough = margins(ask, inserted, label) >= SHARE * own
                shown, valid, queries = inserted[np.argmax(enough)], enough.any(), asked.queries
            agrees = bool(valid and np.argmax(judge(shown[None])[0]) == label)
            measured[name].append((insertion, deletion, np.count_nonzero(shown), agrees, queries))
    rows = []
    for name, numbers in measured.items():
        insertion, deletion, pixels, agrees, queries = map(np.array, zip(*numbers))
        low, middle, high = np.percentile(pixels, [25, 50, 75])
        rows.append([
            f"**{name}**" if name == "gradless" else name, f"{insertion.mean():.3f}", f"{deletion.mean():.3f}",
            f"{middle:.0f} ({low:.0f}, {high:.0f})", f"{agrees.mean():.0%}".replace("%", " %"), f"{np.median(queries):.0f}",
        ])  # fmt: skip
    header = ["", "insertion (higher is better)", "deletion (lower is better)", "pixels of the part", "judge agrees", "queries"]
    text = page.table(header, rows) + f"\n\n(commit {page.commit()}, {len(parts)} digits, `bench/strangers/meaning/run`)\n"
    print(text)
    if asked.write:
        page.put("docs/benchmarks/meaning.md", "peers", text)


main()
