"""ReX with its defaults on photographs that are laid out in a folder; runs in an environment of its own, since it needs torch.

    rex.py MODEL.onnx FOLDER OUT

For every PNG of FOLDER with a background beside it, OUT gets NAME.npz with the mask, the map, and what was asked.
"""

import pathlib
import sys
import time

import numpy as np
import onnxruntime
import torch
from PIL import Image
from rex_xai.explanation.explanation import Explanation
from rex_xai.explanation.rex import calculate_responsibility
from rex_xai.input.config import CausalArgs
from rex_xai.input.input_data import Data
from rex_xai.responsibility.prediction import from_pytorch_tensor

MEAN = np.array([0.485, 0.456, 0.406], np.float32).reshape(1, 3, 1, 1)
STD = np.array([0.229, 0.224, 0.225], np.float32).reshape(1, 3, 1, 1)


def main():
    model, folder, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    asked = [0]

    def predict(tensors, target=None, raw=False, binary_threshold=None):
        rows = tensors.numpy().reshape(-1, 3, 224, 224).astype(np.float32)
        asked[0] += len(rows)
        return from_pytorch_tensor(torch.from_numpy(session.run(None, {name: (rows - MEAN) / STD})[0]), target=target)

    for path in sorted(folder.glob("*-background.png")):
        photograph = path.name.removesuffix("-background.png")
        if (out / f"{photograph}.npz").exists():
            continue
        picture, background = (
            torch.from_numpy(np.asarray(Image.open(file).convert("RGB"), np.float32).transpose(2, 0, 1)[None] / 255)
            for file in (folder / f"{photograph}.png", path)
        )
        began = time.perf_counter()
        asked[0] = 0
        args = CausalArgs()
        args.seed, args.progress_bar, args.gpu = 0, False, False
        data = Data(Image.open(folder / f"{photograph}.png").convert("RGB"), (1, 3, 224, 224), "cpu")
        data.data = picture
        # Where something is hidden the background stands, as for everybody else.
        data.mask_value = lambda mask, shown: torch.where(mask, shown, background)  # noqa: B023
        data.target = predict(picture)[0]
        maps, stats = calculate_responsibility(data, args, predict)
        found = Explanation(maps, predict, data, args, stats)
        found.extract()
        mask = found.sufficiency_mask.numpy().reshape(-1, 224, 224)[0]
        temporary = out / f"{photograph}.tmp.npz"
        np.savez_compressed(
            temporary, mask=mask, worth=found.target_map.numpy(), queries=asked[0], seconds=time.perf_counter() - began
        )
        temporary.rename(out / f"{photograph}.npz")
        print(photograph, asked[0], f"{mask.mean():.3f}", flush=True)


main()
