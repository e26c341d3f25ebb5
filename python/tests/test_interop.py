"""Other people's tools: SciPy's front door, onnxruntime, scikit-learn through ONNX, torch, static types, the command."""

import subprocess
import sys
from pathlib import Path

import gradless
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
LENET = ROOT / "assets" / "lenet.onnx"


def test_scipys_minimize_takes_our_method():
    optimize = pytest.importorskip("scipy.optimize")
    seen = []
    res = optimize.minimize(
        lambda x, shift: ((x - shift) ** 2).sum(),
        np.zeros(10),
        args=(0.3,),
        method=gradless.scipy_method,
        bounds=[(0, 0.2)] * 5 + [(None, None)] * 5,
        callback=lambda x: seen.append(x.shape),
        options={"maxfev": 2000, "rng": 2, "regularizer": gradless.L1(0.001)},
    )
    assert isinstance(res, optimize.OptimizeResult) and res.success and res.nfev <= 2000
    assert res.x[:5].max() <= 0.2 and abs(res.x[5:] - 0.3).max() < 0.05
    assert set(seen) == {(10,)}
    ours = gradless.minimize(
        lambda x: ((x - 0.3) ** 2).sum(), np.zeros(10), vectorized=False, maxfev=2000, rng=2,
        bounds=[(0, 0.2)] * 5 + [(None, None)] * 5, regularizer=gradless.L1(0.001),
    )
    assert res.x.tobytes() == ours.x.tobytes()
    with pytest.raises(ValueError, match="constraints are not supported"):
        optimize.minimize(
            lambda x: x.sum(), [0.0], method=gradless.scipy_method, constraints={"type": "eq", "fun": lambda x: x[0]}
        )


def digit():
    image = np.zeros((1, 28, 28), dtype=np.float32)
    image[0, 4:24, 13:16] = 1.0  # a stroke: LeNet calls it a 1
    return image


def test_an_onnx_model_through_onnxruntime():
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(LENET), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    seen = []

    def predict(X):
        seen.append(X.dtype)
        return session.run(None, {name: X})[0]

    pn = gradless.explain(predict, digit(), mode="pn", max_queries=1500)
    assert set(seen) == {np.dtype(np.float32)}, "a float32 input is asked about in float32"
    assert pn.valid and pn.original_label == 1
    assert predict(pn.after[None].astype(np.float32)).argmax() == pn.label != 1
    # Our own engine agrees about what was found.
    assert gradless.load_model(LENET)(pn.after[None]).argmax() == pn.label


def test_a_scikit_learn_model_as_an_onnx_file(tmp_path):
    pytest.importorskip("skl2onnx")
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from skl2onnx import to_onnx

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    path = tmp_path / "iris.onnx"
    proto = to_onnx(model, X[:1].astype(np.float32), options={"zipmap": False})
    path.write_bytes(proto.SerializeToString())
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def predict(rows):
        return session.run(["probabilities"], {"X": rows.astype(np.float32)})[0]

    names = ["sepal length", "sepal width", "petal length", "petal width"]
    found = gradless.explain(predict, X[60], data=X, feature_names=names, labels=["setosa", "versicolor", "virginica"])
    assert found.pn.valid and model.predict(found.pn.after[None])[0] == found.pn.label
    assert found.pp.valid and found.pp.original_label_name == "versicolor"


def test_a_sparse_attack_by_minimize():
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(max_iter=2000).fit(X / 16, y)
    x = X[3] / 16
    label = int(model.predict(x[None])[0])
    fun = gradless.losses.Scored(model.decision_function, gradless.losses.Untargeted(label, kappa=0.1), around=x)
    res = gradless.minimize(fun, np.zeros(64), regularizer=gradless.L1(0.2), bounds=(-x, 1 - x), maxfev=4000, rng=1)
    assert model.predict((x + res.x)[None])[0] != label
    assert np.count_nonzero(res.x) < 32
    goal = (label + 5) % 10
    fun = gradless.losses.Scored(model.decision_function, gradless.losses.Targeted(goal, kappa=0.1), around=x)
    res = gradless.minimize(fun, np.zeros(64), regularizer=gradless.L1(0.1), bounds=(-x, 1 - x), maxfev=4000, rng=1)
    assert model.predict((x + res.x)[None])[0] == goal


def test_losses_of_scores():
    losses = gradless.losses
    scores = np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 1.0]])
    assert losses.Untargeted(1, kappa=0.5)(scores).tolist() == [2.5, 0.0]
    assert losses.Targeted(1, kappa=0.5)(scores).tolist() == [0.0, 2.5]
    assert losses.CrossEntropy(0)(np.zeros((1, 4)))[0] == pytest.approx(np.log(4))
    assert losses.CrossEntropy(0, away=True)(np.zeros((1, 4)))[0] == pytest.approx(-np.log(4))


def test_a_torch_model():
    torch = pytest.importorskip("torch", reason="torch is not installed (GRADLESS_TORCH=1 python/run-tests)")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(20, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3)).eval()

    @torch.no_grad()
    def predict(X):
        return net(torch.from_numpy(X)).numpy()

    x = np.random.default_rng(0).random(20, dtype=np.float32)
    found = gradless.explain(predict, x, max_queries=2000)
    for one in found:
        if one.valid:
            assert predict(one.after[None].astype(np.float32)).argmax() == one.label
    assert found.pp.valid


def test_the_package_is_typed(tmp_path):
    pytest.importorskip("mypy")
    usage = tmp_path / "usage.py"
    usage.write_text(
        "import numpy as np\n"
        "import gradless\n"
        "res = gradless.minimize(lambda X: X.sum(axis=1), np.zeros(3), regularizer=gradless.L1(0.1))\n"
        "n: int = res.nfev\n"
        "opt = gradless.Optimizer([0.0, 0.0], method='auto')\n"
        "batch = opt.ask()\n"
        "if batch is not None:\n"
        "    opt.tell(batch.sum(axis=1))\n"
        "names: list[str] = [method.name for method in gradless.methods()]\n"
        "wrong: str = res.nfev\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(usage)],
        capture_output=True, text=True, timeout=300,
    )
    lines = [line for line in done.stdout.splitlines() if "error" in line and "usage.py" in line]
    assert len(lines) == 1 and "usage.py:10" in lines[0], done.stdout


def test_the_package_itself_passes_a_strict_check(tmp_path):
    pytest.importorskip("mypy")
    folder = ROOT / "python"
    words = ["--config-file", str(folder / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"), str(folder / "gradless")]
    done = subprocess.run([sys.executable, "-m", "mypy", *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--version"], 0, gradless.__version__),
        (["methods"], 0, "zo-ada-exp-grad+"),
        (["explain", "--model", "missing.onnx"], 2, "missing.onnx"),
        (["--nonsense"], 2, "--nonsense"),
    ],
)
def test_the_command_line_is_there(words, code, said, tmp_path):
    done = subprocess.run([sys.executable, "-m", "gradless", *words], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == code and said in done.stdout + done.stderr


def test_control_c_ends_the_command_and_keeps_the_best_so_far(tmp_path):
    import signal

    words = [sys.executable, "-m", "gradless", "explain", "--max-queries", "100000000", "--agree", "1000", "--out", "run"]
    child = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        # The folder is made when the command has taken over Ctrl-C and the search begins.
        for _ in range(600):
            if (tmp_path / "run" / "config.json").exists():
                break
            try:
                child.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=300)
        assert child.returncode in (0, 1)
        assert (tmp_path / "run" / "result.json").exists()
        config = (tmp_path / "run" / "config.json").read_text()
        assert "gradless explain --max-queries 100000000" in config
    finally:
        child.kill()
