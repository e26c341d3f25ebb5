"""Pictures as users have them: arrays with their channels first or last, and PIL images; and the regions they are cut into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Array, count, numbers, per_coordinate
from ._predict import Model

#: Pictures with a longer side than this are cut into regions unless something else is asked for.
SMALL = 64
#: Classifiers of ImageNet are tested with the middle 224 of 256 pixels.
MIDDLE = 224 / 256
#: The bars beside a picture that does not reach.
BARS = 128
#: Backgrounds by name; ``blur=SHARE`` is another.
BACKGROUNDS = ("blur", "mean", "diffusion")


@dataclass(frozen=True)
class Regions:
    """Regions of a picture: each is there, all channels of it together, or it is not.

    Parameters
    ----------
    n
        About so many patches of similar colour (superpixels).
    grid
        Squares instead, so many each way.
    labels
        A region for every pixel instead: an array of rows and columns with whole numbers, equal ones being one region.

    >>> import numpy as np, gradless
    >>> photo = np.zeros((3, 96, 96)); photo[:, 30:60, 30:60] = 1.0        # a white square
    >>> def predict(X):                                                    # how white its middle is
    ...     s = 8 * X[:, :, 40:50, 40:50].mean(axis=(1, 2, 3)) - 6
    ...     return np.stack([-s, s], axis=1)
    >>> part = gradless.explain(predict, photo, question="part", features=gradless.Regions(grid=8), absent=0.0)
    >>> part.valid, part.features["kind"], part.area < 0.1
    (True, 'regions', True)
    """

    n: int = 256
    grid: int | None = None
    labels: ArrayLike | None = None

    def partition(self, shape: Sequence[int]) -> tuple[str, list[int] | None]:
        """How Rust is told: a word, and the labels if there are any."""
        if self.grid is not None and self.labels is not None:
            raise TypeError("regions are squares or have labels: give grid or labels, not both")
        if self.grid is not None:
            return f"grid={count('grid', self.grid, 2)}", None
        if self.labels is None:
            return f"regions={count('n', self.n, 2)}", None
        labels = numbers("labels", self.labels)
        if labels.shape != tuple(shape[1:]):
            raise ValueError(f"labels have shape {labels.shape}, the picture has {tuple(shape[1:])}: they are not resized")
        if not (np.isfinite(labels).all() and (labels >= 0).all() and (labels == np.rint(labels)).all()):
            raise ValueError("labels are whole numbers from 0")
        _, whole = np.unique(labels, return_inverse=True)
        return "labels", whole.reshape(-1).tolist()


@dataclass
class Picture:
    """The numbers of a picture, channels first, and how the user had it."""

    input: Array
    #: Whether its channels stand last.
    last: bool
    dtype: Any
    #: What is black and white, if the picture says so.
    range: tuple[float, float] | None

    def decode(self, points: Array) -> Any:
        """Rows of numbers as pictures like the one given."""
        return self.shown(points.reshape(len(points), *self.input.shape))

    def shown(self, pictures: Any) -> Any:
        """One picture or several, channels first, as the user had it."""
        turned = np.moveaxis(pictures, -3, -1) if self.last else pictures
        if np.issubdtype(self.dtype, np.integer):
            turned = np.rint(turned)
        return np.ascontiguousarray(turned, dtype=self.dtype)


def is_image(x: Any) -> bool:
    """Whether it is an image of PIL."""
    return type(x).__module__.split(".")[0] == "PIL" and hasattr(x, "convert")


def is_photograph(x: Any, onnx: Model | None = None) -> bool:
    """Whether an array or image is cut into regions unless something else is asked for."""
    if is_image(x):
        # It is brought to the size of a model that has one.
        size = onnx.shape[1:] if onnx is not None and len(onnx.shape) == 3 else x.size
        return bool(max(size) > SMALL)
    shape = getattr(x, "shape", None)
    if shape is None or len(shape) != 3:
        return False
    if shape[0] in (1, 3):
        return bool(max(shape[1:]) > SMALL)
    return bool(shape[2] in (1, 3) and max(shape[:2]) > SMALL)


def picture_of(x: Any, onnx: Model | None, resize: str | None) -> Picture:
    """A picture, channels first. Images of PIL are brought to the size of an ONNX model; arrays must have it."""
    if is_image(x):
        x = _image(x, onnx, resize)
    elif resize is not None:
        raise TypeError("resize is for images of PIL: arrays must have the model's size")
    array = np.asarray(x)
    whole = array.dtype == np.uint8
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(f"x has shape {array.shape}: regions are those of a picture, (channels, rows, columns) or (rows, columns, channels)")
    last = array.shape[0] not in (1, 3) and array.shape[2] in (1, 3)
    if onnx is not None and len(onnx.shape) == 3:
        # A shape that reads both ways is the model's own.
        last = array.shape != onnx.shape and (*array.shape[2:], *array.shape[:2]) == onnx.shape
    input = numbers("x", np.moveaxis(array, -1, 0) if last else array)
    if onnx is None:
        return Picture(input, last, array.dtype, (0.0, 255.0) if whole else None)
    if whole:
        # Bytes stand for black to white over the model's range.
        low, high = onnx.range
        input = low + (high - low) * input / 255.0
    return Picture(np.ascontiguousarray(input), last, np.float64, onnx.range)


def _image(image: Any, onnx: Model | None, resize: str | None) -> NDArray[np.uint8]:
    """An image of PIL as bytes, turned the way its camera was held, in the size of the model if that is known."""
    from PIL import Image, ImageOps  # what made the image is there

    image = ImageOps.exif_transpose(image)
    channels = onnx.shape[0] if onnx is not None and len(onnx.shape) == 3 else 3
    if channels not in (1, 3):
        raise ValueError(f"the model takes {channels} channels, an image of PIL has 1 or 3: pass an array")
    if image.mode.startswith(("I", "F")):
        # 16 bits and more: the highest 8 of them.
        wide = np.asarray(image, dtype=np.float64)
        image = Image.fromarray(np.clip(wide / max(wide.max(), 65535.0) * 255.0, 0, 255).astype(np.uint8))
    image = image.convert("L" if channels == 1 else "RGB")
    if onnx is None or len(onnx.shape) != 3:
        if resize is not None:
            raise TypeError("resize is for ONNX models: a function says nothing of the size it takes")
        return np.asarray(image)
    _, rows, columns = onnx.shape
    how = resize or "trained"
    if how == "trained":
        how = onnx.resize or ("crop" if max(rows, columns) > SMALL else "squash")
    if how not in ("crop", "letterbox", "squash"):
        raise ValueError(f"resize is {how!r}: 'trained', 'crop', 'letterbox' or 'squash' is needed")
    if image.size == (columns, rows):
        return np.asarray(image)
    bilinear = Image.Resampling.BILINEAR
    if how == "squash":
        return np.asarray(image.resize((columns, rows), bilinear))
    scales = (columns / image.width, rows / image.height)
    scale = max(scales) / MIDDLE if how == "crop" else min(scales)
    width, height = (max(1, round(side * scale)) for side in image.size)
    if how == "crop":
        width, height = max(width, columns), max(height, rows)
        left, top = (width - columns) // 2, (height - rows) // 2
        return np.asarray(image.resize((width, height), bilinear).crop((left, top, left + columns, top + rows)))
    width, height = min(width, columns), min(height, rows)
    whole = Image.new(image.mode, (columns, rows), BARS if image.mode == "L" else (BARS,) * 3)
    whole.paste(image.resize((width, height), bilinear), ((columns - width) // 2, (rows - height) // 2))
    return np.asarray(whole)


def background_of(absent: Any, picture: Picture) -> tuple[str | None, Any]:
    """What stands where a region is absent: a word, or numbers."""
    if absent is None or isinstance(absent, str):
        word = "blur" if absent is None else absent
        if word not in BACKGROUNDS and not word.startswith("blur="):
            raise ValueError(f"absent is {absent!r}: {', '.join(BACKGROUNDS)}, blur=SHARE, a number, a colour or a picture is needed")
        return word, None
    array = np.asarray(absent)
    channels = picture.input.shape[0]
    if array.shape == (channels,) and channels > 1:
        return None, np.repeat(numbers("absent", array), picture.input[0].size)
    if picture.last and array.ndim == 3:
        array = np.moveaxis(array, -1, 0)
    return None, per_coordinate("absent", array, picture.input.size)
