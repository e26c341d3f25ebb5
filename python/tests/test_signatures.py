"""Signatures say everything: every keyword has a name and a default, and the defaults are those of Rust."""

import inspect

import gradless
import pytest
from gradless import _gradless

PUBLIC = {name: getattr(gradless, name) for name in gradless.__all__}
CALLABLE = {name: value for name, value in PUBLIC.items() if callable(value)}
LOSSES = {f"losses.{name}": value for name, value in vars(gradless.losses).items() if getattr(value, "__module__", "") == "gradless.losses"}
#: Dictionaries and tuples take what those take.
CONTAINERS = {"OptimizeResult"}


@pytest.mark.parametrize("name", sorted({**CALLABLE, **LOSSES}.keys() - CONTAINERS))
def test_no_public_name_hides_its_keywords(name):
    owner = {**CALLABLE, **LOSSES}[name]
    methods = inspect.isclass(owner) and inspect.getmembers(owner, inspect.isfunction)
    callables = {name: owner}
    # An executor takes what the function that it submits takes.
    callables |= {method: function for method, function in methods or () if method[0] != "_" and method not in ("submit", "map")}
    for what, function in callables.items():
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, what


def shown(function):
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}


@pytest.mark.parametrize("function", [gradless.minimize, gradless.Optimizer, gradless.scipy_method])
def test_defaults_of_a_run_are_those_of_rust(function):
    expected, _ = _gradless.defaults()
    assert expected["maxfev"] == 5000
    assert {name: shown(function)[name] for name in expected} == expected


@pytest.mark.parametrize("function", [gradless.explain, gradless.explain_many])
def test_defaults_of_an_explanation_are_those_of_rust(function):
    _, expected = _gradless.defaults()
    # Of regions fewer, so that it depends on what is explained.
    assert expected.pop("max_queries") == 5000 and shown(function)["max_queries"] is None
    assert {name: shown(function)[name] for name in expected} == expected


def test_the_ways_in_take_the_same_keywords():
    explain, many = shown(gradless.explain), shown(gradless.explain_many)
    # What has switches of its own needs no input.
    assert explain.pop("x") is None
    # Many searches at once are not looked at.
    assert explain.pop("progress") is None and explain == many
    optimizer, minimize, scipy = (shown(function) for function in (gradless.Optimizer, gradless.minimize, gradless.scipy_method))
    assert optimizer.items() <= minimize.items() and optimizer.items() <= scipy.items()


def test_the_paper_has_two_words():
    for word in ("paper", "seed"):
        run = gradless.Optimizer([0.0] * 4, method="zo-ada-exp-grad+", preset=word)
        first = run.ask()
        assert first is not None and (word == "paper" or first.tobytes() == known)
        known = first.tobytes()
