"""Photographs: regions of them, images of PIL, channels first and last, functions and ONNX files."""

import gradless
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROWS, COLUMNS = 80, 96
SQUARE = (slice(20, 40), slice(30, 50))


def photograph():
    """Noise, with a red square in it: rows, columns, channels, as bytes."""
    picture = np.random.default_rng(0).integers(60, 110, (ROWS, COLUMNS, 3)).astype(np.uint8)
    picture[SQUARE] = (250, 10, 10)
    return picture


def redness(pictures, bright=255.0):
    """Logits of "nothing" and "a red square", of pictures with their channels last."""
    seen = np.asarray(pictures, dtype=np.float64)[:, SQUARE[0], SQUARE[1], :] / bright
    score = 8 * (seen[..., 0] - seen[..., 1]).mean(axis=(1, 2)) - 4
    return np.stack([-score, score], axis=1)


def ask(model, x, **options):
    options = {"question": "part", "absent": "mean", "stability": "off", "max_queries": 600, **options}
    return gradless.explain(model, x, **options)




@pytest.mark.parametrize("last", [True, False])
def test_a_photograph_is_cut_into_regions_and_given_to_the_function_as_it_was(last):
    x = photograph() if last else np.ascontiguousarray(np.moveaxis(photograph(), -1, 0))
    seen = set()

    def predict(pictures):
        seen.add((pictures.shape[1:], pictures.dtype))
        return redness(pictures if last else np.moveaxis(pictures, 1, -1))

    part = ask(predict, x)
    assert seen == {(x.shape, np.dtype(np.uint8))}
    assert part.valid and part.features["kind"] == "regions" and part.after.shape == x.shape
    assert part.area < 0.15 and predict(part.after[None]).argmax() == 1
    assert part.heat.shape == part.heat_error.shape == (ROWS, COLUMNS)
    outside = part.heat.copy()
    outside[SQUARE] = np.nan
    assert part.heat[SQUARE].mean() > np.nanmax(np.abs(np.nanmean(outside)))


def test_images_of_pil_of_all_kinds_are_read():
    rgb = Image.fromarray(photograph())
    expected = ask(redness, photograph()).used
    assert ask(redness, rgb).used == expected
    transparent = rgb.copy()
    transparent.putalpha(7)
    assert ask(redness, transparent).used == expected
    turned = rgb.transpose(Image.Transpose.ROTATE_90)
    exif = turned.getexif()
    exif[0x0112] = 6  # "rotate by 90 degrees clockwise to see it"
    turned.info["exif"] = exif.tobytes()
    assert ask(redness, turned).used == expected
    assert ask(redness, rgb.convert("CMYK")).valid
    wide = Image.fromarray(np.full((ROWS, COLUMNS), 30_000, np.uint16))
    assert ask(lambda x: np.stack([x.mean(axis=(1, 2, 3)), np.full(len(x), 50.0)], axis=1), wide).original_label == 0


def test_regions_are_superpixels_squares_or_labels():
    labels = np.zeros((ROWS, COLUMNS), int)
    labels[SQUARE] = 5
    part = ask(redness, photograph(), features=gradless.Regions(labels=labels))
    assert part.valid and part.features == {"kind": "regions", "total": 2, "used": 1} and part.area == pytest.approx(400 / labels.size)
    assert ask(redness, photograph(), features=gradless.Regions(grid=8)).features["total"] == 64
    assert 30 < ask(redness, photograph(), features=gradless.Regions(50)).features["total"] < 80
    with pytest.raises(ValueError, match=r"labels have shape \(4, 4\).*they are not resized"):
        ask(redness, photograph(), features=gradless.Regions(labels=np.zeros((4, 4))))
    with pytest.raises(ValueError, match="nothing can be told apart"):
        ask(redness, photograph(), features=gradless.Regions(labels=np.ones((ROWS, COLUMNS))))
    with pytest.raises(TypeError, match="not both"):
        ask(redness, photograph(), features=gradless.Regions(grid=3, labels=labels))
    with pytest.raises(ValueError, match="whole numbers"):
        ask(redness, photograph(), features=gradless.Regions(labels=labels - 1))


@pytest.mark.parametrize("absent", ["blur", "blur=0.1", "mean", "diffusion", 100.0, (90, 90, 90), np.zeros((ROWS, COLUMNS, 3))])
def test_what_is_absent_is_a_background(absent):
    part = ask(redness, photograph(), absent=absent, max_queries=300)
    assert part.valid and redness(part.after[None]).argmax() == 1
    if isinstance(absent, float):
        assert (part.after[0, 0] == 100).all()


def test_what_is_no_background_is_refused():
    with pytest.raises(ValueError, match="absent is 'fog': blur, mean, diffusion"):
        ask(redness, photograph(), absent="fog")


def test_small_pictures_keep_their_pixels():
    small = np.random.default_rng(1).random((1, 28, 28))
    found = gradless.explain(lambda x: np.stack([x.mean(axis=(1, 2, 3)), np.full(len(x), 0.1)], axis=1), small, question="part")
    assert found.features["kind"] == "pixels"


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The redness of the square as an ONNX file of 3 x 80 x 96 numbers from 0 to 1."""
    weights = np.zeros((3 * ROWS * COLUMNS, 2), np.float32).reshape(3, ROWS, COLUMNS, 2)
    weights[0, SQUARE[0], SQUARE[1]] = np.array([-8, 8]) / 400
    weights[1, SQUARE[0], SQUARE[1]] = np.array([8, -8]) / 400
    tensors = [numpy_helper.from_array(weights.reshape(-1, 2), "w"), numpy_helper.from_array(np.array([4, -4], np.float32), "b")]
    nodes = [helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("Gemm", ["f", "w", "b"], ["y"])]
    shape = lambda name, of: helper.make_tensor_value_info(name, TensorProto.FLOAT, of)  # noqa: E731
    graph = helper.make_graph(nodes, "red", [shape("x", ["n", 3, ROWS, COLUMNS])], [shape("y", ["n", 2])], tensors)
    path = tmp_path_factory.mktemp("onnx") / "red.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


def test_an_onnx_file_takes_images_of_any_size(network):
    same = ask(network, Image.fromarray(photograph()))
    assert same.valid and same.used == ask(network, photograph()).used
    large = Image.fromarray(photograph()).resize((4 * COLUMNS, 4 * ROWS), Image.Resampling.NEAREST)
    assert ask(network, large, resize="squash").valid
    # The middle of a picture is seen larger, and the square is not where it was.
    assert ask(network, large).original_label in (0, 1)
    assert ask(network, Image.new("RGB", (1, 1), (255, 0, 0))).original_label == 1
    with pytest.raises(ValueError, match="resize is 'stretch'"):
        ask(network, large, resize="stretch")
    with pytest.raises(TypeError, match="arrays must have the model's size"):
        ask(network, photograph(), resize="crop")


def test_a_function_and_an_onnx_file_with_the_same_numbers_give_answers_of_the_same_size(network):
    x = np.moveaxis(photograph(), -1, 0) / 255.0

    def function(pictures):
        return redness(np.moveaxis(pictures, 1, -1), bright=1.0)

    # One rounds to 32 bits and the other does not, and squares of one colour are as good as each other.
    one, other = ask(function, x, bounds=(0, 1)), ask(network, x)
    assert one.valid and other.valid and one.area == pytest.approx(other.area, rel=0.2)


def test_several_answers_have_no_region_in_common_and_say_so():
    def either(pictures):
        """Two squares, either of which is enough."""
        left, right = (np.asarray(pictures, float)[:, 20:40, at : at + 20, 0].mean(axis=(1, 2)) for at in (10, 60))
        score = np.maximum(left, right) - 180
        return np.stack([-score, score], axis=1) / 10

    x = photograph()
    x[20:40, 10:30] = x[20:40, 60:80] = (250, 10, 10)
    part = ask(either, x, count=3, confidence=0)
    assert part.valid and len(part.alternatives) == 1
    assert not set(part.used) & set(part.alternatives[0].used)
