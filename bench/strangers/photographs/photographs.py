"""Twenty-four photographs that nobody here took, the network that sees them, and the blurred copy that stands where something is absent."""

import pathlib
import re

import numpy as np
import onnxruntime
from PIL import Image
from scipy.ndimage import gaussian_filter, uniform_filter1d

SIDE = 224
MEAN = np.array([0.485, 0.456, 0.406], np.float32).reshape(1, 3, 1, 1)
STD = np.array([0.229, 0.224, 0.225], np.float32).reshape(1, 3, 1, 1)
# gradless's default: a Gaussian with a deviation of a sixteenth of the side.
BLUR = SIDE / 16


class Network:
    """EfficientNet-Lite0 on one thread: probabilities of pictures with numbers from 0 to 1, channels first. Counts what it is shown."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.name = self.session.get_inputs()[0].name
        self.queries = 0

    def __call__(self, pictures):
        rows = (np.asarray(pictures, np.float32) - MEAN) / STD
        self.queries += len(rows)
        scores = np.concatenate([self.session.run(None, {self.name: rows[at : at + 16]})[0] for at in range(0, len(rows), 16)])
        scores = np.exp(scores - scores.max(1, keepdims=True))
        return scores / scores.sum(1, keepdims=True)


def cropped(image):
    """The middle of a picture as classifiers of ImageNet are tested: the shorter side 256 pixels, of which the middle 224."""
    if image.size == (SIDE, SIDE):
        return image
    scale = 256 / min(image.size)
    width, height = (max(256, round(side * scale)) for side in image.size)
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    left, top = (width - SIDE) // 2, (height - SIDE) // 2
    return image.crop((left, top, left + SIDE, top + SIDE))


def originals(foolbox):
    """Name and picture of each: those of ImageNet in foolbox's wheel, unpacked, then those of scikit-image and scikit-learn."""
    from skimage import data
    from sklearn.datasets import load_sample_image

    for path in sorted((foolbox / "foolbox" / "data").glob("imagenet_*.jpg")):
        number = re.fullmatch(r"imagenet_(\d+)_\d+", path.stem).group(1)
        yield f"imagenet-{number}", Image.open(path)
    for name in ("chelsea", "coffee", "rocket"):
        yield name, Image.fromarray(getattr(data, name)())
    yield "flower", Image.fromarray(load_sample_image("flower.jpg"))


def prepare(folder, foolbox):
    """Writes every photograph and its background as PNG; their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, image in originals(foolbox):
        image = cropped(image.convert("RGB"))
        image.save(folder / f"{name}.png")
        planes = np.asarray(image, np.float64)
        blurred = np.stack([gaussian_filter(planes[:, :, c], BLUR, mode="nearest") for c in range(3)], 2)
        Image.fromarray(np.rint(blurred).astype(np.uint8)).save(folder / f"{name}-background.png")
        names.append(name)
    return names


def by_boxes(picture):
    """The same blur as gradless makes it, a level or two apart: three boxes of 27, 27 and 29 pixels, in steps of a byte."""
    for width in (27, 27, 29):
        for axis in (2, 1):
            picture = uniform_filter1d(np.asarray(picture, np.float64), width, axis, mode="nearest")
    return (np.rint(255 * picture) / 255).astype(np.float32)


def read(path):
    return np.asarray(Image.open(path).convert("RGB"), np.float32).transpose(2, 0, 1) / 255


class Photograph:
    """A photograph over its background, as one network sees it."""

    def __init__(self, network, folder, name):
        self.network, self.name, self.path = network, name, pathlib.Path(folder) / f"{name}.png"
        self.picture, self.background = read(self.path), read(self.path.with_name(f"{name}-background.png"))
        own = network(self.picture[None])[0]
        self.label, self.own = int(own.argmax()), float(own.max())

    def shown(self, masks, background=None):
        """The pictures of which only what the masks say is there."""
        masks = np.asarray(masks)[:, None]
        return np.where(masks, self.picture, self.background if background is None else background)

    def ask(self, masks, background=None):
        """Probabilities of all classes for masks."""
        return self.network(self.shown(masks, background))

    def probability(self, masks):
        return self.ask(masks)[:, self.label]
