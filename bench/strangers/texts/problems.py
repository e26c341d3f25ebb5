"""Texts that ship in wheels and in the standard library, and classifiers of them.

A text is a docstring; its class is the package it comes from, whose own name is taken out. Half of the texts train the classifiers; of the other
half those of 120 to 300 words are explained, as many of each class as wanted, in an order that a seed fixes.
"""

import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

SEED = 0
#: Sets of packages; constants may be chosen on the texts of the first, the others are reported.
SETS = {
    "tuning": ("scipy", "networkx"),
    "arrays or tables": ("numpy", "pandas"),
    "four packages": ("numpy", "pandas", "sklearn", "sympy"),
}
WORDS = re.compile(r"\w+(?:['’-]\w+)*")


def docstrings(package):
    """All docstrings of a package of at least 40 words, each once."""
    root = importlib.import_module(package)
    found = {}
    modules = [root]
    for module in pkgutil.walk_packages(root.__path__, package + ".", onerror=lambda name: None):
        if any(part in module.name for part in (".tests", "test_", ".conftest", "._pyinstaller", ".f2py", ".distutils", "benchmarks")):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                modules.append(importlib.import_module(module.name))
        except BaseException:  # noqa: BLE001 (some modules need what is not installed)
            continue
    for module in modules:
        for _, member in inspect.getmembers(module, lambda m: inspect.isfunction(m) or inspect.isclass(m)):
            if not getattr(member, "__module__", "").startswith(package):
                continue
            text = inspect.getdoc(member) or ""
            text = re.sub(rf"\b({package}|np|pd|sp|nx|sk)\b\.?", "", text, flags=re.I)
            if len(WORDS.findall(text)) >= 40:
                found.setdefault(text, None)
    return list(found)


def texts(name, count):
    """Training texts and their classes, and the texts that are explained."""
    packages = SETS[name]
    train, labels, asked = [], [], []
    for label, package in enumerate(packages):
        all_texts = sorted(docstrings(package))
        order = np.random.default_rng(SEED).permutation(len(all_texts))
        half = len(order) // 2
        train += [all_texts[i] for i in order[:half]]
        labels += [label] * half
        fits = [all_texts[i] for i in order[half:] if 120 <= len(WORDS.findall(all_texts[i])) <= 300]
        asked += fits[: count // len(packages)]
    return train, np.array(labels), asked


def models():
    """Classifiers by name."""
    return {
        "logistic": make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=10, max_iter=1000)),
        "naive Bayes": make_pipeline(TfidfVectorizer(), MultinomialNB(alpha=0.01)),
    }


def problems(sets, count):
    """Every set of texts with every classifier."""
    for name in sets:
        train, labels, asked = texts(name, count)
        for model_name, model in models().items():
            yield f"{name}, {model_name}", model.fit(train, labels), asked


class Counted:
    """A classifier that counts the texts it was asked about."""

    def __init__(self, model):
        self.model, self.texts = model, 0

    def __call__(self, texts):
        texts = [str(text) for text in texts]
        self.texts += len(texts)
        return self.model.predict_proba(texts)
