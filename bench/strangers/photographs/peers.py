"""What other tools show of a photograph: a number for every pixel, and the smallest part their number leads to.

None of them but ReX looks for a part. A part is made of their map as ReX makes it of its own: what they think most of is added until the
network says the class. Queries of both are counted.
"""

import numpy as np
from skimage.segmentation import slic
from skimage.transform import resize

from photographs import SIDE

# Steps in which a map of pixels is added: one in a hundred of the picture.
STEPS = 100
# Superpixels of the greedy insertion.
PATCHES = 90


def by_pixels(photograph, worth):
    """The best pixels of a map that are enough."""
    order = np.argsort(-worth.reshape(-1), kind="stable")
    mask = np.zeros(SIDE * SIDE, bool)
    for some in np.array_split(order, STEPS):
        mask[some] = True
        if photograph.ask(mask.reshape(1, SIDE, SIDE))[0].argmax() == photograph.label:
            break
    return mask.reshape(SIDE, SIDE)


def by_segments(photograph, segments, worth):
    """The best segments that are enough."""
    mask = np.zeros((SIDE, SIDE), bool)
    for segment in np.argsort(-worth, kind="stable"):
        mask |= segments == segment
        if photograph.ask(mask[None])[0].argmax() == photograph.label:
            break
    return mask


def lime(photograph, queries):
    """Its image explainer as it comes (quickshift, ridge regression), with our background as what is hidden."""
    from lime import lime_image

    last = photograph.picture.transpose(1, 2, 0).astype(np.float64)
    explainer = lime_image.LimeImageExplainer(random_state=0, verbose=False)

    def classify(images):
        # What is hidden has a colour that no pixel has; the background stands there instead.
        return photograph.ask(np.asarray(images)[:, :, :, 0] >= 0)

    found = explainer.explain_instance(
        last, classify, labels=(photograph.label,), top_labels=None, hide_color=-1.0, num_samples=queries - 1, batch_size=16,
        random_seed=0,
    )  # fmt: skip
    weights = np.zeros(found.segments.max() + 1)
    for segment, weight in found.local_exp[photograph.label]:
        weights[segment] = weight
    return weights[found.segments], by_segments(photograph, found.segments, weights)


def shap_partition(photograph, queries):
    """Its partition explainer; the background is given to it as the value that masks."""
    import shap

    last = photograph.picture.transpose(1, 2, 0).astype(np.float64)
    masker = shap.maskers.Image(photograph.background.transpose(1, 2, 0).astype(np.float64), last.shape)

    def classify(images):
        return photograph.network(np.asarray(images).transpose(0, 3, 1, 2))[:, photograph.label]

    explainer = shap.Explainer(classify, masker, algorithm="partition")
    found = explainer(last[None], max_evals=queries, batch_size=16, silent=True)
    worth = found.values.reshape(SIDE, SIDE, 3).sum(2)
    return worth, by_pixels(photograph, worth)


def rise(photograph, queries, cells=7, share=0.5):
    """Petsiuk, Das and Saenko 2018: the mean probability over random smooth masks, for every pixel."""
    rng = np.random.default_rng(0)
    cell = int(np.ceil(SIDE / cells))
    worth = np.zeros((SIDE, SIDE))
    for at in range(0, queries, 16):
        masks = []
        for _ in range(min(16, queries - at)):
            coarse = (rng.random((cells, cells)) < share).astype(float)
            wide = resize(coarse, ((cells + 1) * cell,) * 2, order=1, mode="reflect", anti_aliasing=False)
            down, right = rng.integers(0, cell, 2)
            masks.append(wide[down : down + SIDE, right : right + SIDE])
        masks = np.array(masks)
        mixed = masks[:, None] * photograph.picture + (1 - masks[:, None]) * photograph.background
        worth += np.tensordot(photograph.network(mixed)[:, photograph.label], masks, 1)
    worth /= queries * share
    return worth, by_pixels(photograph, worth)


def occlusion(photograph, queries):
    """What the probability falls by without each of ninety superpixels; then the one joins that raises it most, as long as queries last."""
    segments = slic(photograph.picture.transpose(1, 2, 0), n_segments=PATCHES, compactness=10, start_label=0)
    count = segments.max() + 1
    each = segments[None] == np.arange(count)[:, None, None]
    worth = photograph.own - photograph.probability(~each)
    mask, left, used = np.zeros((SIDE, SIDE), bool), list(np.argsort(-worth, kind="stable")), count
    while left:
        tried = left[: max(queries - used, 0)] or left[:1]
        said = photograph.ask(mask | each[tried])
        used += len(tried)
        best = int(said[:, photograph.label].argmax())
        mask |= each[tried[best]]
        left.remove(tried[best])
        if said[best].argmax() == photograph.label:
            break
    return worth[segments], mask


PEERS = {"lime": lime, "shap, partition": shap_partition, "RISE": rise, "occlusion, greedy insertion": occlusion}
