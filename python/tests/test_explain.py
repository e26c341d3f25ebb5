"""explain: parts and changes of pictures and tables, the same as the command's, for any classifier."""

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path

import gradless
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
LENET = ROOT / "assets" / "lenet.onnx"
RESNET = ROOT / "assets" / "resnet20.onnx"
DIGITS = ROOT / "assets" / "digits"


def scale(X):
    """Class 1 if the first three numbers outweigh the others."""
    total = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    return np.stack([-total, total], axis=1)


@pytest.fixture(scope="module")
def lenet():
    return gradless.load_model(LENET)


def told_by_command(folder, *more):
    """What the command says about the embedded digit, and the arrays it writes."""
    words = [sys.executable, "-m", "gradless", "explain", "--format", "json", "--seed", "3", "--examples", "none"]
    words += ["--model", str(LENET), "--out", str(folder), *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    return [(told, np.load(told["files"]["x"])) for told in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """What the command says with its defaults."""
    return told_by_command(tmp_path_factory.mktemp("command") / "run")


@pytest.fixture(scope="module")
def digit(command):
    """The embedded digit: what the part was taken from."""
    original = Path(command[0][0]["files"]["report"]).parent / "original.png"
    pyplot = pytest.importorskip("matplotlib.pyplot")
    bytes_ = np.rint(pyplot.imread(original).astype(np.float64) * 255)
    return (bytes_ / 255.0).reshape(1, 28, 28)


#: What is the command's own: names, files, and the journal, which does not send again what it remembers.
OWN = {"input", "input_sha256", "files", "seconds", "sent"}


def agree(found, command):
    for one, (told, x) in zip(found, command, strict=True):
        assert one.x.tobytes() == x.tobytes() and one.x.shape == x.shape
        record = json.loads(one.to_json())
        if record["stability"] is not None:
            # An array, which the command has on its page only.
            assert len(record["stability"].pop("copies")) == 8
        assert {key: record[key] for key in told if key not in OWN} == {key: told[key] for key in told if key not in OWN}
        assert (one.mode, one.nfev, one.valid, one.margin) == (told["mode"], told["queries"], told["valid"], told["margin"])
        assert (one.label, one.nonzeros) == (told["explanation"]["class"], told["nonzeros"])
        assert one.scores.tolist() == told["explanation"]["scores"]
        assert one.floor == told["noise_floor"]


def test_the_command_and_the_package_find_the_same_bytes(lenet, command, digit):
    agree(gradless.explain(lenet, digit, rng=3), command)


def test_the_engine_is_onnxruntime_where_it_is_installed_and_can_be_named(lenet, command, digit):
    installed = importlib.util.find_spec("onnxruntime") is not None
    assert lenet.engine == ("ort" if installed else "rten") == command[0][0]["engine"]
    rten = gradless.load_model(LENET, engine="rten")
    assert rten.engine == "rten" and pickle.loads(pickle.dumps(rten)).engine == "rten"
    assert np.abs(rten(digit[None]) - lenet(digit[None])).max() < 1e-5
    with pytest.raises(ValueError, match="engine is 'tpu'"):
        gradless.load_model(LENET, engine="tpu")


@pytest.mark.parametrize("method", ["auto", "zo-ada-exp-grad+"])
@pytest.mark.parametrize("strategy", [None, "direct", "penalised", "fixed"])
def test_a_strategy_and_a_method_are_the_same_in_the_command_and_the_package(lenet, digit, tmp_path, method, strategy):
    words = ["--method", method, *(["--strategy", strategy] if strategy else []), "--max-queries", "1200"]
    command = told_by_command(tmp_path / "run", *words)
    assert all(told["method"] == method for told, _ in command)
    found = gradless.explain(lenet, digit, rng=3, method=method, strategy=strategy, max_queries=1200)
    agree(found, command)
    usual = "eliminate" if method == "auto" else "penalised"
    assert [one.strategy for one in found] == [strategy or usual] * 2


def test_the_record_is_the_answer(tmp_path):
    found = gradless.explain(scale, np.ones(20), agree=2, title="twenty ones")
    records = json.loads(found.to_json(tmp_path / "found.json"))
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == records
    for one, record in zip(found, records, strict=True):
        assert json.loads(one.to_json()) == record and record["schema"].startswith("gradless-explain-")
        assert (record["input"], record["sentence"], record["strategy"]) == ("twenty ones", one.sentence, one.strategy)
        assert record["x"] == one.x.tolist() and record["after"] == one.after.tolist() and record["change"] == one.change.tolist()
        assert len(record["steps"]) == len(one.history["nfev"])
        assert record["agreement"] == one.agreement and one.agreement["seeds"] == 2
        assert record["features"] == one.features and one.features["total"] == 20
    assert [one.question for one in found] == ["part", "change"] and found.part is found[0] and found.change is found[1]


def test_a_question_has_a_word_and_an_abbreviation():
    x = np.ones(20)
    for word, abbreviation in (("part", "pp"), ("change", "pn")):
        one = gradless.explain(scale, x, question=word, max_queries=600)
        assert (one.question, one.mode) == (word, abbreviation)
        for same in (dict(question=abbreviation), dict(mode=word), dict(mode=abbreviation)):
            assert gradless.explain(scale, x, max_queries=600, **same).x.tobytes() == one.x.tobytes()
    with pytest.raises(TypeError, match="two words for one thing"):
        gradless.explain(scale, x, question="part", mode="pn")


def test_a_path_and_workers_give_the_same_answer_as_the_model(lenet, digit):
    one = gradless.explain(str(LENET), digit, mode="pn", max_queries=1500)
    assert one.valid and one.label != one.original_label
    # The blocks of the engine see to it that a row's scores do not depend on its batch.
    called = gradless.explain(lambda X: lenet(X), digit, mode="pn", max_queries=1500, scores="logits")
    assert called.x.tobytes() == one.x.tobytes() and called.nfev == one.nfev


def test_the_answer_is_what_the_model_says(lenet, digit):
    pp, pn = gradless.explain(lenet, digit, max_queries=2500)
    assert lenet(pp.after[None]).argmax() == pp.original_label == pp.label
    assert lenet(pn.after[None]).argmax() == pn.label != pn.original_label
    assert np.allclose(pn.after - digit, pn.x) and pp.nonzeros == np.count_nonzero(pp.x)
    assert ((pp.x == 0) | ((pp.x > 0) & (pp.x <= digit))).all()


def test_pictures_are_shown_as_pictures(lenet, digit, tmp_path):
    found = gradless.explain(lenet, digit, max_queries=1500, title="a five")
    assert found.pp.png().startswith(b"\x89PNG") and found.pn.image().startswith(b"\x89PNG")
    for shown in (found.pp._repr_html_(), found._repr_html_()):
        assert "data:image/png;base64," in shown and "pixels" in shown and "http" not in shown
    page = found.to_html(tmp_path / "five.html")
    assert "a five" in page and "pertinent negative" in page and "What is enough" in page
    assert (tmp_path / "five.html").read_text(encoding="utf-8") == page
    again = pickle.loads(pickle.dumps(found))
    assert again.pn.x.tobytes() == found.pn.x.tobytes() and again._repr_html_() == found._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert len(found.plot()) == 2


def test_what_is_frozen_stays_and_targets_are_reached(lenet, digit):
    freeze = np.zeros((1, 28, 28), dtype=bool)
    freeze[:, :14] = True
    pn = gradless.explain(lenet, digit, mode="pn", freeze=freeze, max_queries=2500)
    assert (pn.x[freeze] == 0).all()
    towards = gradless.explain(lenet, digit, mode="pn", target=3, max_queries=4000)
    assert towards.valid and towards.label == 3
    added = gradless.explain(lenet, digit, mode="pn", set="add", max_queries=2500)
    assert (added.x >= 0).all()


def test_background_and_bounds_are_kept():
    x = np.ones(20)
    pp = gradless.explain(scale, x, mode="pp", background=0.25)
    assert pp.valid and (pp.x[3:] == 0.25).all()
    pn = gradless.explain(scale, x, mode="pn", bounds=(0.2, 1.0))
    assert pn.valid and pn.after.min() >= 0.2


def test_same_seed_same_answer_whatever_the_batches_and_workers():
    x = np.linspace(0.2, 1, 20)
    one = gradless.explain(scale, x, mode="pn", rng=4)
    other = gradless.explain(scale, x, mode="pn", rng=4, batch_size=5)
    with_threads = gradless.explain(scale, x, mode="pn", rng=4, workers=map)
    assert one.x.tobytes() == other.x.tobytes() == with_threads.x.tobytes()


def test_exceptions_of_predict_come_back_with_what_was_found():
    asked = [0]

    class Gone(Exception):
        pass

    def predict(X):
        asked[0] += len(X)
        if asked[0] > 30:
            raise Gone("the service is away")
        return scale(X)

    with pytest.raises(Gone, match="away") as caught:
        gradless.explain(predict, np.ones(20), mode="pp")
    assert caught.value.gradless_result.mode == "pp"
    with pytest.raises(ZeroDivisionError) as caught:
        gradless.explain(lambda X: 1 / 0, np.ones(20))
    assert caught.value.gradless_result is None


def test_control_c_ends_a_search():
    script = """if True:
        import numpy as np, gradless, os, signal, threading, time
        def predict(X):
            time.sleep(0.01)
            s = X[:, :3].sum(axis=1) - 1
            return np.stack([-s, s], axis=1)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            gradless.explain(predict, np.ones(400), mode="pp", max_queries=10**7, batch_size=1)
        except KeyboardInterrupt:
            print("stopped")
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stdout == "stopped\n", done.stderr


BAD = [
    (dict(question="pq"), ValueError, "'part', 'change', 'both'"),
    (dict(mode="pq"), ValueError, "'part', 'change', 'both'"),
    (dict(strategy="wild"), ValueError, "'direct', 'penalised', 'fixed'"),
    (dict(agree=-1), ValueError, "agree"),
    (dict(x=[]), ValueError, "empty"),
    (dict(set="less"), ValueError, "'two-sided', 'add'"),
    (dict(predict=3), TypeError, "predict must be a function"),
    (dict(predict="no-such-file.onnx"), ValueError, "no-such-file.onnx"),
    (dict(predict=lambda X: None), TypeError, "returned None"),
    (dict(predict=lambda X: np.zeros((len(X) + 1, 2))), ValueError, "shape"),
    (dict(predict=lambda X: np.full((len(X), 2), np.nan)), ValueError, "not finite"),
    (dict(predict=lambda X: np.zeros((len(X), 2))), ValueError, "shared by two classes"),
    (dict(predict=lambda X: np.zeros(len(X), dtype=int)), ValueError, "pass labels="),
    (dict(x=[object()]), TypeError, "x must be numbers"),
    (dict(x=np.full(20, np.nan)), ValueError, "finite"),
    (dict(target=7, mode="pn"), ValueError, "no class 7"),
    (dict(target="cat", mode="pn"), ValueError, "pass labels"),
    (dict(bounds=(1.0, 0.0)), ValueError, "below"),
    (dict(bounds=[0, 1]), TypeError, "tuple"),
    (dict(max_queries=-5), ValueError, "max_queries"),
    (dict(max_queries=10), ValueError, "at least"),
    (dict(max_seconds=-1.0), ValueError, "max_seconds"),
    (dict(kappa="lots"), ValueError, "5%"),
    (dict(feature_names=["a"]), ValueError, "1 names for 20"),
    (dict(freeze=["age"]), ValueError, "feature_names"),
    (dict(freeze=[99]), ValueError, "no column 99"),
    (dict(categorical=[[0, 1]]), ValueError, "single 1"),
    (dict(categorical=[[0, 1]], x=np.eye(20)[0], bounds=(0.0, np.inf)), ValueError, "infinity"),
    (dict(categorical=[[0, 1], [1, 2]], x=np.eye(20)[1]), ValueError, "two categories"),
    (dict(categorical=[0, 1]), TypeError, "list of groups"),
    (dict(method="newton"), ValueError, "no method"),
    (dict(method="fo-ada-exp-grad+"), ValueError, "asks for gradients"),
    (dict(start="here"), ValueError, "start"),
    (dict(scores="odds"), ValueError, "scores"),
    (dict(background=[1.0, 2.0]), ValueError, "2 entries"),
]


@pytest.mark.parametrize(("wrong", "error", "sentence"), BAD, ids=lambda value: str(value)[:40])
def test_wrong_questions_are_refused(wrong, error, sentence):
    with pytest.raises(error, match=sentence):
        gradless.explain(**{"predict": scale, "x": np.ones(20), **wrong})


def test_examples_opinions_and_stability_are_told(digit):
    """Changes begin at examples, other models are asked about them, and disturbed copies are counted."""
    model = gradless.load_model(LENET)
    rows = np.stack([np.roll(digit[:, ::-1], shift, axis=2) for shift in range(-2, 3)])
    opinions = [LENET, lambda X: -np.asarray(model(X))]
    found = gradless.explain(LENET, digit, examples=rows, second_opinion=opinions, max_queries=2000)
    for one in found:
        assert one.stability["draws"] == 100 and one.stability["held"] >= 90
        assert one.stability["lower_bound"] <= one.stability["held"] / 100
        same, opposite = one.second_opinions
        assert same["agrees"] and same["answer"] == one.label and not opposite["agrees"]
        assert one.plausibility["examples"] == 5 and one.plausibility["nearest"] is not None
    plain = gradless.explain(LENET, digit, question="part", stability=False, confidence=0, max_queries=1000)
    assert plain.stability is None and plain.strategy == "direct" and plain.features["used"] < found[0].features["used"]
    for wrong in ({"stability": "much"}, {"confidence": "sure"}, {"examples": np.ones((2, 3))}):
        with pytest.raises(ValueError):
            gradless.explain(LENET, digit, **wrong)
    with pytest.raises(ValueError, match="takes inputs of"):
        gradless.explain(model, np.zeros((1, 28, 28)), second_opinion=RESNET)
