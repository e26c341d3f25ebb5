"""A number for every pixel of a digit, from as many queries as allowed: how much it speaks for the class."""

import warnings

import numpy as np

SIDE = 28


def lime(ask, picture, queries):
    from lime import lime_image
    from skimage.segmentation import quickshift

    def segments(image):
        return quickshift(image, kernel_size=1, max_dist=200, ratio=0.2)

    def classify(images):
        return ask(np.asarray(images)[:, :, :, 0].reshape(len(images), -1))

    rgb = np.repeat(picture.reshape(SIDE, SIDE, 1), 3, axis=2)
    explainer = lime_image.LimeImageExplainer(random_state=0, verbose=False)
    found = explainer.explain_instance(
        rgb, classify, top_labels=1, hide_color=0, num_samples=queries - 1, segmentation_fn=segments
    )
    weights = dict(found.local_exp[found.top_labels[0]])
    return np.vectorize(lambda segment: weights.get(segment, 0.0))(found.segments).reshape(-1)


def shap_partition(ask, picture, queries):
    import shap

    masker = shap.maskers.Image(np.zeros((SIDE, SIDE, 1)), (SIDE, SIDE, 1))
    label = int(np.argmax(ask(picture[None])[0]))

    def score(images):
        return ask(np.asarray(images).reshape(len(images), -1))[:, label]

    explainer = shap.Explainer(score, masker, algorithm="partition")
    found = explainer(picture.reshape(1, SIDE, SIDE, 1), max_evals=queries, batch_size=64, silent=True)
    return found.values.reshape(-1)


def shap_kernel(ask, picture, queries):
    """On squares of 4 x 4: with 784 pixels and a few hundred queries there would be more unknowns than equations."""
    import shap

    square = (np.arange(SIDE)[:, None] // 4 * 7 + np.arange(SIDE)[None] // 4).reshape(-1)
    label = int(np.argmax(ask(picture[None])[0]))

    def score(masks):
        return ask(masks[:, square] * picture)[:, label]

    explainer = shap.KernelExplainer(score, np.zeros((1, 49)), silent=True)
    np.random.seed(0)
    return explainer.shap_values(np.ones((1, 49)), nsamples=queries, silent=True).reshape(-1)[square]


def occlusion(ask, picture, queries):
    """How much the score falls where a square of 7 x 7 is black, averaged over the squares that cover a pixel."""
    label = int(np.argmax(ask(picture[None])[0]))
    corners = [(row, column) for row in range(SIDE - 6) for column in range(SIDE - 6)]
    copies = np.repeat(picture[None], len(corners), 0).reshape(-1, SIDE, SIDE)
    for copy, (row, column) in zip(copies, corners):
        copy[row : row + 7, column : column + 7] = 0
    assert len(corners) + 1 <= queries, (len(corners), queries)
    fall = ask(picture[None])[0, label] - ask(copies.reshape(len(corners), -1))[:, label]
    total, count = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    for worth, (row, column) in zip(fall, corners):
        total[row : row + 7, column : column + 7] += worth
        count[row : row + 7, column : column + 7] += 1
    return (total / count).reshape(-1)


PEERS = {"lime": lime, "shap, partition": shap_partition, "shap, kernel on squares": shap_kernel, "occlusion": occlusion}
warnings.filterwarnings("ignore")
