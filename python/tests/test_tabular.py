"""Tables: names, units, categories that stay valid, features that stay as they are."""

import gradless
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

NAMES = ["age", "income", "children", "job: none", "job: part", "job: full", "town: small", "town: large"]
JOB, TOWN = [3, 4, 5], [6, 7]


@pytest.fixture(scope="module")
def table():
    """People and whether they get a credit: income counts, a full job counts, the town does not."""
    rng = np.random.default_rng(0)
    n = 1500
    age = rng.integers(18, 80, n)
    income = rng.gamma(4, 800, n)
    children = rng.integers(0, 5, n)
    job, town = rng.integers(0, 3, n), rng.integers(0, 2, n)
    X = np.column_stack([age, income, children, np.eye(3)[job], np.eye(2)[town]]).astype(float)
    y = np.where(income / 1000 + 1.5 * (job == 2) - 0.3 * children + 0.01 * age > 3.5, "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def logistic(table):
    X, y = table
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)


def refused(model, X):
    """Somebody who is refused, not by far."""
    share = model.predict_proba(X)[:, 1]
    return X[np.argsort(np.abs(share - 0.2))[0]]


def refused_for_the_job(model, X):
    """Somebody who is refused, and would not be with a full job."""
    candidates = X[(X[:, 5] == 0) & (model.predict(X) == "no")]
    switched = candidates.copy()
    switched[:, JOB] = [0, 0, 1]
    return candidates[model.predict(switched) == "yes"][0]


def valid_groups(rows):
    rows = np.atleast_2d(rows)
    return all(
        (np.sort(rows[:, group], axis=1)[:, :-1] == 0).all() and (rows[:, group].max(axis=1) == 1).all() for group in (JOB, TOWN)
    )


def test_a_change_is_told_by_names_and_keeps_categories_valid(table, logistic):
    X, _ = table
    x = refused(logistic, X)
    shown = []

    class Watched:
        classes_ = logistic.classes_

        def predict_proba(self, rows):
            shown.append(np.array(rows))
            return logistic.predict_proba(rows)

    pn = gradless.explain(
        Watched(), x, mode="pn", data=X, feature_names=NAMES, categorical=[JOB, ["town: small", "town: large"]],
        integers=["age", "children"], freeze=["age", "children"],
    )
    assert pn.valid and pn.label_name == "yes" and logistic.predict(pn.after[None])[0] == "yes"
    assert valid_groups(pn.after) and valid_groups(np.concatenate(shown)), "the model never sees an impossible input"
    assert pn.after[0] == x[0] and pn.after[2] == x[2]
    assert (pn.after >= X.min(axis=0)).all() and (pn.after <= X.max(axis=0)).all()
    names = [name for name, _, _ in pn.changes()]
    assert set(names) <= set(NAMES) and not {"age", "children"} & set(names)
    shown_html = pn._repr_html_()
    assert "columns" in pn.sentence and "<svg" in shown_html and names[0] in shown_html


def test_whole_numbers_stay_whole(table, logistic):
    X, _ = table
    x = refused(logistic, X)
    pn = gradless.explain(
        logistic, x, mode="pn", data=X, feature_names=NAMES, categorical=[JOB, TOWN], integers=["age", "children"],
        freeze=["income", *NAMES[3:6]],
    )
    assert (pn.after[[0, 2]] == np.rint(pn.after[[0, 2]])).all() and valid_groups(pn.after)
    assert pn.after[1] == x[1] and (pn.after[JOB] == x[JOB]).all()


def test_a_category_alone_can_be_the_change(table, logistic):
    X, _ = table
    x = refused_for_the_job(logistic, X)
    pn = gradless.explain(logistic, x, mode="pn", data=X, feature_names=NAMES, categorical=[JOB, TOWN], freeze=NAMES[:3])
    assert pn.valid and pn.after[JOB].tolist() == [0, 0, 1] and valid_groups(pn.after)
    assert (pn.after[:3] == x[:3]).all() and (pn.after[TOWN] == x[TOWN]).all()


def test_a_part_falls_back_to_the_background(table, logistic):
    X, _ = table
    x = X[logistic.predict_proba(X)[:, 1].argmax()]
    pp = gradless.explain(logistic, x, mode="pp", data=X, feature_names=NAMES, categorical=[JOB, TOWN])
    assert pp.valid and pp.label_name == "yes" and valid_groups(pp.after)
    median = np.median(X, axis=0)
    for place in (0, 1, 2):
        low, high = sorted((median[place], x[place]))
        assert low <= pp.after[place] <= high
    assert pp.nonzeros <= 4


def test_both_questions_about_trees(table):
    X, y = table
    forest = RandomForestClassifier(40, random_state=0).fit(X, y)
    x = refused(forest, X)
    found = gradless.explain(forest, x, data=X, feature_names=NAMES, categorical=[JOB, TOWN], max_queries=3000)
    assert found.pn.valid and forest.predict(found.pn.after[None])[0] == found.pn.label_name
    assert valid_groups(found.pn.after) and valid_groups(found.pp.after)
    assert found.to_html().count("<table") >= 3


def test_units_do_not_matter(table, logistic):
    """Euros or cents: the same answer, for bounds are the measure."""
    X, _ = table
    x = refused(logistic, X)
    factor = np.array([1, 100.0, 1, 1, 1, 1, 1, 1])

    def in_cents(rows):
        return logistic.predict_proba(rows / factor)

    euros = gradless.explain(logistic, x, mode="pn", data=X, freeze=[0, 2, 3, 4, 5, 6, 7])
    cents = gradless.explain(in_cents, x * factor, mode="pn", data=X * factor, freeze=[0, 2, 3, 4, 5, 6, 7])
    assert euros.valid and cents.valid
    assert cents.after / factor == pytest.approx(euros.after, rel=1e-3)


def test_a_category_counts_once(table, logistic):
    X, _ = table
    x = refused_for_the_job(logistic, X)
    pn = gradless.explain(
        logistic, x, question="change", data=X, feature_names=NAMES, categorical=[JOB, TOWN], freeze=NAMES[:3]
    )
    assert pn.norm_l1 == 1.0, "a category is one unit away from another"
    assert pn.features == {"kind": "columns", "total": 5, "used": 1} and pn.nonzeros == 1
    assert np.count_nonzero(pn.x) == 2 and "one of 5 columns" in pn.sentence


def test_an_onnx_file_explains_tables_too(table, logistic, tmp_path):
    """The same numbers, whether Rust runs the model or Python does."""
    onnx = pytest.importorskip("onnx")
    X, _ = table
    scaler, line = logistic[0], logistic[1]
    weights = np.outer(line.coef_[0] / scaler.scale_, [-0.5, 0.5]).astype(np.float32)
    offset = np.array([-0.5, 0.5]) * (line.intercept_[0] - line.coef_[0] @ (scaler.mean_ / scaler.scale_))
    tensors = [onnx.numpy_helper.from_array(weights, "w"), onnx.numpy_helper.from_array(offset.astype(np.float32), "b")]
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", size]) for name, size in (("x", 8), ("y", 2))]
    node = onnx.helper.make_node("Gemm", ["x", "w", "b"], ["y"])
    graph = onnx.helper.make_graph([node], "credit", ends[:1], ends[1:], tensors)
    path = tmp_path / "credit.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    model = gradless.load_model(path)
    asked = dict(question="change", data=X, categorical=[JOB, TOWN], max_queries=1500)
    rust = gradless.explain(model, refused(logistic, X), **asked)
    python = gradless.explain(lambda rows: model(rows), refused(logistic, X), **asked)
    assert rust.valid and rust.x.tobytes() == python.x.tobytes() and rust.nfev == python.nfev


def test_labels_alone_are_enough_if_they_are_named(table, logistic):
    X, _ = table
    x = refused(logistic, X)
    pn = gradless.explain(
        logistic.predict, x, mode="pn", labels=["no", "yes"], data=X, categorical=[JOB, TOWN], target="yes"
    )
    assert pn.warning is not None and "labels only" in pn.warning
    assert pn.valid and logistic.predict(pn.after[None])[0] == "yes" and valid_groups(pn.after)


def test_a_model_that_fails_leaves_what_was_found_in_the_tables_own_units(table, logistic):
    X, _ = table
    x = refused(logistic, X)
    asked = []

    class Fails:
        classes_ = logistic.classes_

        def predict_proba(self, rows):
            asked.append(len(rows))
            if sum(asked) > limit:
                raise OSError("the service is away")
            return logistic.predict_proba(rows)

    def run(**options):
        asked.clear()
        return gradless.explain(
            Fails(), x, data=X, feature_names=NAMES, categorical=[JOB, TOWN], max_queries=400, prune=False, **options
        )

    limit = np.inf
    whole = run(mode="pp")
    limit = sum(asked) - 1
    with pytest.raises(OSError) as caught:
        run(mode="pp")
    found = caught.value.gradless_result
    assert found.mode == "pp" and valid_groups(found.after) and found.after.shape == whole.after.shape
    # Into the second question: the first is whole.
    limit += 160
    with pytest.raises(OSError) as caught:
        run(mode="both")
    first, second = caught.value.gradless_result
    assert (first.after == whole.after).all() and second.mode == "pn" and valid_groups(second.after)
