"""Writes tutorial.ipynb: the notebook's text lives here, where differences can be read."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CELLS = [
    "# gradless in ten minutes\n\nMinimises what can only be queried, and explains what can only be queried. Every cell runs in seconds.",
    "## Minimise a black box\n\nA thousand coordinates, of which the function cares about two. It takes `(n, 1000)` points and gives `n` values; "
    "nothing else is known of it.",
    ">import numpy as np\nimport gradless\n\ndef black_box(X):\n    return (X[:, 3] - 0.8) ** 2 + (X[:, 700] + 0.5) ** 2\n\n"
    "res = gradless.minimize(black_box, np.zeros(1000), regularizer=gradless.L1(0.01), bounds=(-1, 1))\nres",
    "The budget of 5,000 queries is exact, and the answer is sparse. `res.history` is one array per column.",
    ">ax = res.plot()\nax.set_yscale('log')",
    "## Drive it yourself\n\nWhere the black box lives elsewhere, ask and tell.",
    ">opt = gradless.Optimizer(np.zeros(50), regularizer=gradless.L1(0.05), maxfev=2000, rng=1)\n"
    "while (X := opt.ask()) is not None:\n    opt.tell((X[:, 3] - 1) ** 2)\nopt.result().x[3]",
    "## Explain a table\n\nWho gets a credit? A forest knows. Its columns have units, and the job is a category in three columns.",
    ">from sklearn.ensemble import RandomForestClassifier\n\nrng = np.random.default_rng(0)\nn = 1500\n"
    "income, age, job = rng.gamma(4, 800, n), rng.integers(18, 80, n), rng.integers(0, 3, n)\n"
    "people = np.column_stack([income, age, np.eye(3)[job]])\n"
    "credit = np.where(income / 1000 + 1.5 * (job == 2) > 3.5, 'yes', 'no')\n"
    "names = ['income', 'age', 'job: none', 'job: part', 'job: full']\n"
    "forest = RandomForestClassifier(20, random_state=0).fit(people, credit)\n"
    "someone = people[(credit == 'no') & (income > 2000)][0]",
    ">pn = gradless.explain(forest, someone, mode='pn', data=people, feature_names=names,\n"
    "                      categorical=[names[2:]], freeze=['age'], max_queries=2000)\npn",
    ">for name, before, after in pn.changes():\n    print(f'{name}: {before:g} -> {after:g}')",
    "The model was only shown people with exactly one job, and the age stayed as it was.",
    "## Explain a picture\n\nA small network for handwritten digits, asked through its probabilities and nothing else.",
    ">from sklearn.datasets import load_digits\nfrom sklearn.neural_network import MLPClassifier\n\n"
    "digits = load_digits()\nX = digits.images[:, None] / 16\n"
    "net = MLPClassifier((32,), max_iter=100, random_state=0).fit(X.reshape(len(X), -1), digits.target)\n\n"
    "def predict(pictures):\n    return net.predict_proba(pictures.reshape(len(pictures), -1))\n\n"
    "found = gradless.explain(predict, X[5], max_queries=1500)\nfound",
    "What is enough for the class, and what small change would alter it; both checked, and with no pixel that could be left out.",
    ">import matplotlib.pyplot as plt\n\nfig, axes = plt.subplots(1, 3, figsize=(12, 4))\n"
    "axes[0].imshow(X[5, 0], cmap='gray'); axes[0].set_axis_off(); axes[0].set_title(f'the network says {found.pp.original_label_name}')\n"
    "found.plot(axes[1:]);",
    "`found.to_html('page.html')` writes a page that stands alone. `workers=` spreads queries over processes, Dask or Ray; "
    "`gradless.explain_many` spreads inputs.",
]


def notebook() -> nbformat.NotebookNode:
    """The notebook without outputs."""
    cells = [new_code_cell(text[1:]) if text.startswith(">") else new_markdown_cell(text) for text in CELLS]
    for index, cell in enumerate(cells):
        cell.id = f"cell-{index}"
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})


if __name__ == "__main__":
    nbformat.write(notebook(), Path(__file__).with_name("tutorial.ipynb"))
