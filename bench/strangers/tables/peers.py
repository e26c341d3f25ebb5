"""Those who find changed rows: gradless, and tools from the Python registry as their documents say they are used."""

import io
import contextlib
import logging
import warnings

import numpy as np
import pandas as pd

import gradless

logging.getLogger("dice_ml").setLevel(logging.ERROR)


class Gradless:
    """The smallest change that alters the class at all, as the others look for it."""

    name = "gradless"
    options = {"confidence": 0, "stability": "off"}

    def __init__(self, problem, counted):
        self.problem, self.counted = problem, counted

    def change(self, row):
        found = gradless.explain(
            self.counted, row, data=self.problem.train, question="change", freeze=list(self.problem.table.frozen) or None, **self.options
        )
        self.queries = found.nfev
        self.hint = found.sentence
        return found.after if found.valid else None


class ByDefault(Gradless):
    """With the confidence and stability that it asks for by default."""

    name = "gradless, by default"
    options = {}


class Dice:
    """DiCE: one counterfactual of a model behind scikit-learn's interface."""

    method = "random"

    def __init__(self, problem, counted):
        import dice_ml

        self.train = problem.train
        numbers = [c for c in self.train.columns if pd.api.types.is_numeric_dtype(self.train[c])]
        frame = self.train.assign(outcome=problem.labels)
        data = dice_ml.Data(dataframe=frame, continuous_features=numbers, outcome_name="outcome")
        model = dice_ml.Model(model=counted, backend="sklearn")
        self.dice = dice_ml.Dice(data, model, method=self.method)
        self.vary = [c for c in self.train.columns if c not in problem.table.frozen]
        self.counted, self.classes = counted, list(counted.classes_)

    def change(self, row):
        arguments = {"total_CFs": 1, "features_to_vary": self.vary, "verbose": False}
        if len(self.classes) > 2:
            scores = self.counted.predict_proba(row)[0]
            arguments["desired_class"] = int(self.classes[int(np.argsort(scores)[-2])])
        else:
            arguments["desired_class"] = "opposite"
        if self.method == "random":
            arguments["random_seed"] = 0
        try:
            with silence():
                found = self.dice.generate_counterfactuals(row, **arguments).cf_examples_list[0].final_cfs_df
        except Exception as error:  # noqa: BLE001 (its exceptions are of many kinds; none is an answer)
            if type(error).__name__ != "UserConfigValidationException":
                self.error = repr(error)
            return None
        if found is None or not len(found):
            return None
        return found.iloc[[0]][list(self.train.columns)].astype(row.dtypes.to_dict(), errors="ignore")


class DiceRandom(Dice):
    name = "DiCE, random"


class DiceGenetic(Dice):
    name, method = "DiCE, genetic", "genetic"


class Nice:
    """NICE, optimised for sparsity: from the nearest row of another class, column by column."""

    name = "NICE"

    def __init__(self, problem, counted):
        from nice import NICE

        self.columns, self.dtypes = list(problem.train.columns), problem.train.dtypes
        strings = [i for i, c in enumerate(self.columns) if not pd.api.types.is_numeric_dtype(problem.train[c])]
        numbers = [i for i in range(len(self.columns)) if i not in strings]
        classes = list(counted.classes_)
        labels = np.array([classes.index(label) for label in problem.labels])
        with silence():
            self.nice = NICE(
                X_train=problem.train.to_numpy(dtype=object), y_train=labels, predict_fn=lambda x: counted.predict_proba(self.framed(x)),
                cat_feat=strings, num_feat=numbers, distance_metric="HEOM", num_normalization="minmax", optimization="sparsity",
                justified_cf=True,
            )  # fmt: skip

    def framed(self, x):
        frame = pd.DataFrame(np.atleast_2d(x), columns=self.columns)
        return frame.astype(self.dtypes.to_dict())

    def change(self, row):
        with silence():
            return self.framed(self.nice.explain(row.to_numpy(dtype=object)))


class TreeCf:
    """treecf, which reads the trees: for boosted trees on numbers with two classes, and asks the model nothing."""

    name = "treecf (reads the trees)"

    def __init__(self, problem, counted):
        import treecf

        if problem.model_name not in ("xgboost", "lightgbm") or len(counted.classes_) != 2 or problem.strings():
            raise NotImplementedError
        self.problem, self.counted, self.treecf = problem, counted, treecf
        estimator = problem.model[-1]
        names = [str(c) for c in problem.model[:-1].transform(problem.train.iloc[:1]).columns] if problem.model_name == "lightgbm" else [
            f"f{i}" for i in range(problem.train.shape[1])
        ]
        low, high = problem.train.min(), problem.train.max()
        columns = list(problem.train.columns)
        ranges = [treecf.Range(name, float(low[c]), float(high[c])) for name, c in zip(names, columns) if c not in problem.table.frozen]
        frozen = [treecf.Freeze(name) for name, c in zip(names, columns) if c in problem.table.frozen]
        whole = {name: "integer" for name, c in zip(names, columns) if (problem.train[c] % 1 == 0).all()}
        self.explainer = treecf.Explainer(
            estimator, background=problem.train.to_numpy(dtype=float), constraints=[*ranges, *frozen], value_policy=whole
        )

    def change(self, row):
        below = self.counted.model.predict_proba(row)[0, 1] < 0.5
        target = self.treecf.Target.probability(range=(0.5, 1.0) if below else (0.0, 0.4999999))
        with silence():
            found = self.explainer.explain(row.to_numpy(dtype=float)[0], target, sparsity_weight=1.0, seed=0, time_budget_s=2.0)
        if not hasattr(found, "x_cf"):
            return None
        return pd.DataFrame([found.x_cf], columns=row.columns).astype(row.dtypes.to_dict(), errors="ignore")


PEERS = {peer.name: peer for peer in (Gradless, ByDefault, DiceRandom, DiceGenetic, Nice, TreeCf)}


@contextlib.contextmanager
def silence():
    """Without progress bars and warnings of others."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


class Exhaustive:
    """The limit: is one column enough, are two? Every value that occurs, thinned out to GRID quantiles."""

    name = "exhaustive"
    GRID = {1: 64, 2: 16}
    CHUNK = 20_000

    def __init__(self, problem, counted):
        self.problem, self.counted = problem, counted
        self.columns = [c for c in problem.train.columns if c not in problem.table.frozen]

    def values(self, column, own, most):
        known = self.problem.train[column]
        values = known.unique()
        if len(values) > most and pd.api.types.is_numeric_dtype(known):
            values = np.unique(np.quantile(known, np.linspace(0, 1, most), method="nearest"))
        return [value for value in values if value != own]

    def fewest(self, row, most_features=2):
        """The fewest columns that suffice, up to `most_features`; one more if none do."""
        own = self.counted.predict(row)[0]
        single = {c: self.values(c, row.iloc[0][c], self.GRID[1]) for c in self.columns}
        if self.any_other(row, own, ([(c, v)] for c in self.columns for v in single[c])):
            return 1
        if most_features < 2:
            return 2
        double = {c: self.values(c, row.iloc[0][c], self.GRID[2]) for c in self.columns}
        pairs = (
            [(a, v), (b, w)]
            for i, a in enumerate(self.columns)
            for b in self.columns[i + 1 :]
            for v in double[a]
            for w in double[b]
        )
        return 2 if self.any_other(row, own, pairs) else 3

    def any_other(self, row, own, changes):
        """Whether one of the changes alters the class."""
        waiting = []
        for change in changes:
            waiting.append(change)
            if len(waiting) == self.CHUNK:
                if self.alters(row, own, waiting):
                    return True
                waiting = []
        return bool(waiting) and self.alters(row, own, waiting)

    def alters(self, row, own, changes):
        columns = {c: np.repeat(row[c].to_numpy(), len(changes)) for c in row.columns}
        for at, change in enumerate(changes):
            for column, value in change:
                if columns[column].dtype.kind == "i" and value != int(value):
                    columns[column] = columns[column].astype(float)
                columns[column][at] = value
        return bool((self.counted.predict(pd.DataFrame(columns).astype(row.dtypes.to_dict(), errors="ignore")) != own).any())
