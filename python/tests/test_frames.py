"""Tables as people have them: strings, categories, truth values, dates, missing values; rules, ranges, directions; several answers."""

import pickle
import warnings

import gradless
import numpy as np
import pytest

pd = pytest.importorskip("pandas")
sklearn = pytest.importorskip("sklearn")
from sklearn.compose import make_column_selector, make_column_transformer  # noqa: E402
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402


@pytest.fixture(scope="module")
def people():
    """People and whether they get a credit; everything a table can hold."""
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.round(rng.gamma(4, 800, n), 2),
            "rent": np.round(rng.gamma(3, 200, n), 2),
            "job": rng.choice(["none", "part", "full"], n),
            "town": pd.Categorical(rng.choice(["small", "large"], n)),
            "owner": rng.random(n) < 0.3,
            "since": pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), unit="D"),
            "score": np.where(rng.random(n) < 0.2, np.nan, np.round(rng.normal(50, 10, n), 1)),
        }
    )
    frame["rent"] = np.minimum(frame["rent"], frame["income"])
    good = frame["income"] / 1000 + 1.5 * (frame["job"] == "full") - frame["rent"] / 500 + 0.5 * frame["owner"]
    return frame, np.where(good > 2.5, "yes", "no")


def pipeline(estimator):
    words = make_column_selector(dtype_include=[object, "string", "category", "bool"])
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), (numbers, make_column_selector(dtype_include="number"))),
        estimator,
    )


@pytest.fixture(scope="module")
def model(people):
    frame, y = people
    return pipeline(LogisticRegression()).fit(frame, y)


def refused(model, frame):
    share = model.predict_proba(frame)[:, 1]
    return int(np.argsort(np.abs(share - 0.2))[0])


def test_a_pipeline_is_shown_rows_like_its_own(people, model):
    frame, _ = people
    seen = []

    class Watched:
        classes_ = model.classes_

        def predict_proba(self, rows):
            seen.append(rows)
            return model.predict_proba(rows)

    i = refused(model, frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gradless.explain(Watched(), frame.iloc[[i]], data=frame)
    assert found.part.valid and found.change.valid
    for rows in seen:
        assert list(rows.columns) == list(frame.columns) and (rows.dtypes == frame.dtypes).all()
    shown = pd.concat(seen)
    assert set(shown["job"]) <= {"none", "part", "full"} and set(shown["owner"]) <= {True, False}
    assert shown["income"].between(frame["income"].min(), frame["income"].max()).all()
    change = found.change
    assert model.predict(change.after)[0] == change.label_name == "yes"
    assert list(change.after.columns) == list(frame.columns) and (change.after.dtypes == frame.dtypes).all()
    changed = {name for name in frame.columns if not _same(change.after[name].iloc[0], frame[name].iloc[i])}
    assert changed == set(change.words) == {name for name, _, _ in change.changes()} and len(changed) <= 3
    assert change.features["used"] == len(changed) and change.input is not None


def _same(a, b):
    return a == b or (a != a and b != b)


def test_values_are_those_that_occur(people, model):
    frame, _ = people
    for i in np.flatnonzero(model.predict(frame) == "no")[:10]:
        change = gradless.explain(model, frame.iloc[[i]], data=frame, question="change", confidence=0, stability="off")
        assert change.valid
        for name, _, after in change.changes():
            assert (frame[name] == after).any(), (name, after)


def test_what_is_asked_of_columns_is_kept(people, model):
    frame, _ = people
    i = refused(model, frame)
    seen = []

    def predict(rows):
        seen.append(rows)
        return model.predict_proba(rows)

    options = {"freeze": ["job", "age"], "increase": ["rent"], "ranges": {"income": (None, 4000)}, "rules": ["rent <= income"]}
    change = gradless.explain(predict, frame.iloc[[i]], data=frame, question="change", labels=["no", "yes"], **options)
    shown, row = pd.concat(seen[1:]), frame.iloc[i]
    assert change.valid and set(change.words).isdisjoint({"job", "age"})
    # Disturbed copies have measurement errors; the points themselves have not.
    assert (shown["job"] == row["job"]).all() and (shown["age"] == row["age"]).all()
    after = change.after.iloc[0]
    assert after["rent"] >= row["rent"] and after["income"] <= 4000 and after["rent"] <= after["income"]


def test_where_nothing_is_possible_it_says_what_is_in_the_way(people, model):
    frame, _ = people
    i = refused(model, frame)
    everything = [name for name in frame.columns if name != "age"]
    miss = gradless.explain(model, frame.iloc[[i]], data=frame, question="change", freeze=everything)
    assert not miss.valid and "It becomes possible if" in miss.sentence and "may change" in miss.sentence
    age = gradless.explain(model, frame.iloc[[i]], data=frame, question="change", freeze=everything, decrease=["age"])
    assert not age.valid


def test_several_answers_share_no_column_if_they_can(people, model):
    frame, _ = people
    i = refused(model, frame)
    change = gradless.explain(model, frame.iloc[[i]], data=frame, question="change", count=3, confidence=0, stability="off")
    answers = [change, *change.alternatives]
    assert len(answers) >= 2 and all(one.valid for one in answers)
    assert not set(change.used) & set(change.alternatives[0].used)
    assert [one.alternative for one in answers] == list(range(len(answers)))
    assert "another answer" in change.to_html()
    again = pickle.loads(pickle.dumps(change))
    assert [one.words for one in again.alternatives] == [one.words for one in change.alternatives]


def test_a_part_is_made_of_whole_columns_whatever_the_others_are(people):
    frame, y = people
    forest = pipeline(RandomForestClassifier(50, random_state=0)).fit(frame, y)
    i = int(np.flatnonzero(forest.predict_proba(frame)[:, 1] > 0.95)[0])
    part = gradless.explain(forest, frame.iloc[[i]], data=frame, question="part")
    assert part.valid and 0 < len(part.used) < len(frame.columns)
    row, after = frame.iloc[i], part.after.iloc[0]
    for name in part.words:
        assert _same(after[name], row[name])
    # Other columns come from other rows: the class holds in most of them.
    others = frame.sample(200, random_state=1).copy()
    for name in part.words:
        others[name] = row[name]
    assert (forest.predict(others.astype(frame.dtypes)) == "yes").mean() > 0.85
    assert part.stability["draws"] == 100 and "other columns from other rows" in part.stability["disturbance"]


def test_a_number_that_is_predicted_is_brought_beyond_a_threshold(people):
    frame, _ = people
    target = frame["income"] * 2 - frame["rent"]
    forest = pipeline(RandomForestRegressor(20, random_state=0)).fit(frame, target)
    i = int(np.argsort(np.abs(target - 4000))[0])
    found = gradless.explain(forest, frame.iloc[[i]], data=frame, question="change", threshold=6000)
    assert found.valid and found.label_name == "6000 or more" and forest.predict(found.after)[0] >= 6000


def test_missing_values_stay_missing_or_become_known(people, model):
    frame, _ = people
    i = int(np.flatnonzero(frame["score"].isna() & (model.predict(frame) == "no"))[0])
    change = gradless.explain(model, frame.iloc[[i]], data=frame, question="change", freeze=["score"])
    assert change.valid and np.isnan(change.after["score"].iloc[0])
    free = gradless.explain(lambda X: np.stack([X["score"].isna(), X["score"].notna()], axis=1).astype(float), frame.iloc[[i]], data=frame,
                            question="change", labels=["unknown", "known"], confidence=0)  # fmt: skip
    assert free.valid and free.words == ["score"] and np.isfinite(free.after["score"].iloc[0])


def test_required_rows_are_close_to_known_ones(people, model):
    frame, _ = people
    i = refused(model, frame)
    options = {"data": frame, "question": "change", "confidence": 0, "stability": "off"}
    free = gradless.explain(model, frame.iloc[[i]], **options)
    strict = gradless.explain(model, frame.iloc[[i]], plausible="strict", **options)
    assert free.plausibility["examples"] == len(frame)
    assert not strict.valid or strict.plausibility["nearest"] <= free.plausibility["nearest"] + 0.05


def test_rules_are_understood_and_nonsense_is_refused(people, model):
    frame, _ = people
    row = frame.iloc[[0]]

    def ask(**options):
        return gradless.explain(model, row, data=frame, question="change", **options)

    for rule, words in [
        ("rent income", "one of <=, >= and =="),
        ("rent <= salary", "no column at 'salary'"),
        ("rent 3 <= income", "+ or - is needed"),
        ("3 <= 4", "names no column"),
        ("rent <=", "on both sides"),
    ]:
        with pytest.raises(ValueError, match="rule"):
            try:
                ask(rules=[rule])
            except ValueError as error:
                assert words in str(error), error
                raise
    with pytest.raises(ValueError, match="breaks the rule"):
        ask(rules=["rent >= 2 * income"])
    with pytest.raises(ValueError, match="may only rise and only fall"):
        ask(increase=["age"], decrease=["age"])
    with pytest.raises(ValueError, match="no feature 'shoe size'"):
        ask(freeze=["shoe size"])
    with pytest.raises(TypeError, match="bounds are for arrays"):
        ask(bounds=(0, 1))
    with pytest.raises(ValueError, match="plausible"):
        ask(plausible="perhaps")


def test_bad_tables_get_a_sentence(people, model):
    frame, _ = people
    with pytest.raises(ValueError, match="data is needed"):
        gradless.explain(model, frame.iloc[[0]])
    with pytest.raises(ValueError, match="2 rows: one is explained"):
        gradless.explain(model, frame.iloc[:2], data=frame)
    with pytest.raises(ValueError, match="lacks the columns age"):
        gradless.explain(model, frame.iloc[[0]], data=frame.drop(columns="age"))
    with pytest.raises(TypeError, match="column 'age' holds"):
        gradless.explain(model, frame.iloc[[0]].assign(age="old"), data=frame)
    with pytest.raises(ValueError, match="has no rows"):
        gradless.explain(model, frame.iloc[[0]], data=frame.iloc[:0])
    with pytest.raises(TypeError, match="no plain values"):
        gradless.explain(model, frame.iloc[[0]].assign(job=[[1]]), data=frame.assign(job=[[1]] * len(frame)))
    with pytest.raises(ZeroDivisionError):
        gradless.explain(lambda rows: 1 / 0, frame.iloc[[0]], data=frame)
    with pytest.raises(ValueError, match="shape"):
        gradless.explain(lambda rows: np.zeros((len(rows) + 1, 2)), frame.iloc[[0]], data=frame)
    # A column of numbers and strings holds names, whatever the row has.
    mixed = frame.assign(code=np.resize(np.array([1, "x", 2.5, None], dtype=object), len(frame)))
    assert gradless.explain(lambda rows: model.predict_proba(rows), mixed.iloc[[2]], data=mixed, question="change").nfev > 0
    # What nobody has seen, and what is missing everywhere, is no reason to fail.
    odd = frame.assign(never=np.nan)
    unseen = odd.iloc[[0]].assign(job="astronaut")
    assert gradless.explain(lambda rows: model.predict_proba(rows), unseen, data=odd, question="change", labels=["no", "yes"]).nfev > 0


def test_a_series_and_polars_are_rows_too(people):
    frame, y = people
    numbers = frame[["age", "income", "rent"]]
    logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, y)
    i = refused(logistic, numbers)
    whole = gradless.explain(logistic, numbers.iloc[[i]], data=numbers, question="change")
    series = gradless.explain(logistic, numbers.iloc[i], data=numbers, question="change")
    assert series.valid and series.words == whole.words
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({name: frame[name].to_list() for name in ["age", "income", "rent", "job", "owner"]})
    seen = []

    def predict(rows):
        seen.append(rows)
        good = rows["income"].to_numpy() / 1000 + 1.5 * (rows["job"].to_numpy() == "full") - 3.5
        return np.stack([-good, good], axis=1)

    row = table.filter(pl.col("income") < 1500)[:1]
    found = gradless.explain(predict, row, data=table, question="change", labels=["no", "yes"])
    assert found.valid and isinstance(found.after, pl.DataFrame)
    assert all(rows.schema == table.schema for rows in seen)


def test_boosted_trees_take_their_own_categories():
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"kind": pd.Categorical(rng.choice(list("abcd"), 400)), "size": rng.normal(size=400)})
    y = ((frame["kind"] == "a") ^ (frame["size"] > 0)).astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1).fit(frame, y)
    found = gradless.explain(model, frame.iloc[[0]], data=frame, question="change", confidence=0, stability="off")
    assert found.valid and model.predict(found.after)[0] != model.predict(frame.iloc[[0]])[0] and len(found.used) == 1


def test_the_page_and_the_notebook_show_a_table(people, model, tmp_path):
    frame, _ = people
    found = gradless.explain(model, frame.iloc[[refused(model, frame)]], data=frame)
    page = found.to_html(tmp_path / "page.html")
    for name, before, after in found.change.changes():
        assert name in page and str(after) in page, (name, before, after)
    assert "<table" in found._repr_html_() and "before" in found._repr_html_()
    assert "What is enough" in page and "typical" in page
