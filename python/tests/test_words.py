"""Texts as words that are there or not, switches of the user's own, sparse rows."""

import gradless
import numpy as np
import pytest

TEXT = "The film was good, really good; but the ending was not bad at all. I liked it."


def sentiment(texts):
    """Counts good and liked for, bad and boring against."""
    texts = [str(text).lower() for text in texts]
    score = np.array([1.0 * t.count("good") + t.count("liked") - 2.0 * t.count("bad") - t.count("boring") for t in texts])
    return np.stack([-score, score - 0.5], axis=1)


def ask(text=TEXT, question="part", **options):
    options = {"features": gradless.Words(), "confidence": 0, "stability": "off", "labels": ["bad", "good"], **options}
    return gradless.explain(sentiment, text, question=question, **options)


def test_a_part_keeps_the_fewest_words_and_a_change_takes_the_fewest():
    part = ask()
    assert part.valid and part.words == ["good"] and sentiment([part.after]).argmax() == 1
    change = ask(question="change")
    assert change.valid and change.words == ["good"] and "good" not in change.after and change.nfev < 60
    assert change.after == "The film was, really; but the ending was not bad at all. I liked it."


def test_every_occurrence_may_be_a_word_of_its_own():
    alone = ask(question="change", features=gradless.Words(together=False))
    assert alone.valid and len(alone.used) == 1 and alone.features["total"] == 17


def test_sentences_masks_tokenizers_and_candidates():
    sentences = ask(features=gradless.Words("sentences"))
    assert sentences.valid and sentences.features["total"] == 2
    masked = ask(question="change", features=gradless.Words(mask="[MASK]"))
    assert masked.after.count("[MASK]") == 2
    pairs = ask(features=gradless.Words(lambda text: [(0, 8), (9, 17), (19, 30)]))
    assert pairs.valid and pairs.features["total"] == 3
    given = ask(question="change", features=gradless.Words(lambda text: text.split()))
    assert given.valid
    swapped = ask("a good film", question="change", features=gradless.Words(candidates={"good": ["boring"]}), freeze=["film"])
    assert swapped.valid and swapped.words == ["good"]
    with pytest.raises(ValueError, match="does not follow"):
        ask(features=gradless.Words(lambda text: ["nowhere"]))


def test_what_is_left_is_one_minimal_and_holds_when_others_are_missing():
    rng = np.random.default_rng(0)
    known = [f"word{i}" for i in range(150)]
    weights = dict(zip(known, rng.normal(size=150)))

    def classify(texts):
        score = np.array([sum(weights.get(word, 0.0) for word in text.split()) for text in texts])
        return np.stack([-score, score], axis=1)

    text = " ".join(rng.permutation(known))
    for question in "part", "change":
        found = gradless.explain(classify, text, features=gradless.Words(), question=question, confidence=0, stability="off")
        assert found.valid and found.minimal == "checked" and found.nfev <= 260
        label = classify([text]).argmax()
        states = np.zeros(150) if question == "part" else np.ones(150)
        for left_out in [None, *found.used]:
            row = states.copy()
            row[[i for i in found.used if i != left_out]] = 1 - states[0]
            told = classify([found.setting.text.built(row.astype(int))]).argmax()
            holds = (told == label) == (question == "part")
            assert holds == (left_out is None)
    stable = gradless.explain(classify, text, features=gradless.Words(), question="change")
    assert stable.stability["held"] >= 90 and "missing" in stable.stability["disturbance"]


def test_texts_that_make_no_sense_get_a_sentence():
    with pytest.raises(ValueError, match="no words"):
        ask("")
    with pytest.raises(ValueError, match="no words"):
        ask(" ... !")
    one = ask("good")
    assert one.words == ["good"]
    with pytest.raises(TypeError, match="a text is needed"):
        gradless.explain(sentiment, np.ones(3), features=gradless.Words())
    with pytest.raises(ValueError, match="unit is"):
        gradless.Words("letters")


def test_a_hundred_thousand_words_are_no_reason_to_fail():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(100_000)]
    words[40_000] = "good"
    text = " ".join(words)
    found = gradless.explain(sentiment, text, features=gradless.Words(), question="part", confidence=0, stability="off", max_queries=1500)
    assert found.valid and found.words == ["good"], found
    assert rng is not None and found.nfev <= 1500


def test_the_page_and_the_notebook_mark_the_words(tmp_path):
    found = gradless.explain(sentiment, TEXT, features=gradless.Words(), labels=["bad", "good"])
    page = found.to_html(tmp_path / "text.html")
    assert '<mark class="kept">good</mark>' in page and '<del class="removed">' in page
    assert "<mark" in found._repr_html_() and "<del" in found._repr_html_()


def test_switches_of_the_users_own():
    sound = np.array([0.0, 0.2, 3.0, 0.1, 0.0])
    seen = []

    def apply(masks):
        assert masks.dtype == bool and masks.shape[1] == 5
        return masks * sound

    def loud(sounds):
        seen.append(sounds)
        return np.stack([np.full(len(sounds), 1.0), sounds.sum(axis=1)], axis=1)

    both = gradless.explain(loud, features=gradless.Mask(5, apply, names=list("abcde")), confidence=0, stability="off")
    assert both.part.words == ["c"] and both.change.words == ["c"]
    assert all(set(np.unique(rows)) <= set(sound) for rows in seen)
    with pytest.raises(ValueError, match="at least one switch"):
        gradless.Mask(0, apply)


def test_a_row_of_a_sparse_matrix_has_as_many_switches_as_numbers():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    weights = rng.normal(size=20_000)
    row = sparse.random(1, 20_000, density=0.004, random_state=1, format="csr")

    def predict(rows):
        assert sparse.issparse(rows) and rows.shape[1] == 20_000
        score = np.asarray(rows @ weights).reshape(-1)
        return np.stack([-score, score], axis=1)

    found = gradless.explain(predict, row, question="change", confidence=0, stability="off")
    assert found.valid and found.features["total"] == row.nnz and found.words[0].startswith("column ")
