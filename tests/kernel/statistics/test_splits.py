"""Cross-validation: every one tested once, and learners compared fold by fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import KFold

from cranfield import cross_validate
from cranfield.comparison.compare import compare_samples as compare
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.splits import halves, holdout, k_fold, leave_one_out, named_splits


def test_ten_in_five_folds_are_five_pairs_of_eight_and_two():
    splits = k_fold(10, 5)
    assert len(splits) == 5
    assert {(len(split.train), len(split.test)) for split in splits} == {(8, 2)}
    assert len(leave_one_out(10)) == 10


@given(n=st.integers(2, 40), k=st.integers(2, 40), seed=st.integers(0, 99))
def test_each_is_tested_once_and_learnt_from_in_all_other_folds(n, k, seed):
    splits = k_fold(n, min(k, n), seed=seed)
    assert sorted(np.concatenate([split.test for split in splits])) == list(range(n))
    assert all(sorted([*split.train, *split.test]) == list(range(n)) for split in splits)
    sizes = [len(split.test) for split in splits]
    assert max(sizes) - min(sizes) <= 1


@given(seed=st.integers(0, 99))
def test_strata_are_shared_out_evenly(seed):
    classes = np.array(["yes"] * 7 + ["no"] * 23)
    for split in k_fold(30, 5, seed=seed, strata=classes):
        assert (classes[split.test] == "yes").sum() in (1, 2)
        assert len(split.test) == 6


@given(seed=st.integers(0, 99))
def test_groups_stay_whole(seed):
    topic = np.random.default_rng(seed).integers(0, 9, 60)
    for split in k_fold(60, 4, seed=seed, groups=topic):
        assert not set(topic[split.train]) & set(topic[split.test])


def test_a_seed_gives_the_same_splits_and_another_gives_others():
    first, again, other = (np.concatenate([s.test for s in k_fold(30, 3, seed=seed)]).tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_queries_are_split_by_name():
    names = [f"q{n}" for n in range(6)]
    for train, test in named_splits(names, k_fold(6, 3)):
        assert sorted(train + test) == names


def test_halves_come_in_pairs_that_change_places():
    splits = halves(12)
    assert len(splits) == 10
    for first, second in zip(splits[::2], splits[1::2], strict=True):
        assert first.train.tolist() == second.test.tolist()


def mean_learner():
    return (lambda x, y: y.mean(), lambda learnt, x: np.full(len(x), learnt))


def line_learner():
    return (lambda x, y: np.polyfit(x, y, 1), lambda learnt, x: np.polyval(learnt, x))


def test_two_learners_are_compared_fold_by_fold():
    x = np.linspace(0, 1, 60)
    y = 2 * x + np.random.default_rng(0).normal(0, 0.1, 60)
    learners = {"line": line_learner(), "mean": mean_learner()}
    values = cross_validate(
        learners, x, y, k_fold(60, 10), lambda true, said: float(np.mean((true - said) ** 2)), lower_is_better=True
    )
    assert values.values.shape == (2, 10)
    assert values.overlap == pytest.approx(6 / 54)
    assert (values.values[0] < values.values[1]).all()
    plain = compare({"error": values}, baseline="mean")
    fair = compare({"error": values}, baseline="mean", test="corrected t")
    assert plain.rows[0].wins == 10
    assert abs(fair.rows[0].statistic) < abs(plain.rows[0].statistic)
    assert "over folds like these 10" in plain.steps()
    ten = cross_validate(
        learners, x, y, halves(60), lambda true, said: float(np.mean((true - said) ** 2)), lower_is_better=True
    )
    assert compare({"error": ten}, test="5x2cv").rows[0].p < 0.001


def test_what_cannot_be_divided_is_said():
    with pytest.raises(BadSetting, match="divided into 2 to 5 folds, not 6"):
        k_fold(5, 6)
    with pytest.raises(BadSetting, match="must be an integer"):
        k_fold(5, 2.5)
    with pytest.raises(BadSetting, match="seed must be a non-negative integer"):
        k_fold(5, 2, seed=-1)
    with pytest.raises(BadSetting, match="at least 2 items are needed; got 1"):
        k_fold(1, 2)
    with pytest.raises(BadSetting, match="2 groups can be divided"):
        k_fold(5, 3, groups=[1, 1, 1, 2, 2])
    with pytest.raises(BadSetting, match="2 groups can be divided into 2 to 2 folds, not 1"):
        k_fold(5, 1, groups=[1, 1, 1, 2, 2])
    with pytest.raises(BadInput, match="4 strata for 5"):
        k_fold(5, 2, strata=[1, 1, 2, 2])
    with pytest.raises(BadSetting, match="either strata or groups"):
        k_fold(4, 2, strata=[1, 1, 2, 2], groups=[1, 1, 2, 2])
    with pytest.raises(BadSetting, match="leave-one-out needs at least 2 items"):
        leave_one_out(1)
    with pytest.raises(BadInput, match="there are no splits"):
        cross_validate({"mean": mean_learner()}, [1], [1], [], lambda true, said: 0.0, lower_is_better=True)
    with pytest.raises(BadInput, match="mean: the score on fold 1 is nan"):
        cross_validate(
            {"mean": mean_learner()},
            [1, 2],
            [1, 2],
            leave_one_out(2),
            lambda true, said: float("nan"),
            lower_is_better=True,
        )


X, Y = np.arange(12.0), np.arange(12.0) * 2


def error(true, said):
    return float(np.mean((np.asarray(true) - said) ** 2))


def masks():
    for train, test in k_fold(12, 3):
        yield np.isin(np.arange(12), train), np.isin(np.arange(12), test)


@pytest.mark.parametrize(
    "splits",
    [
        list(KFold(3).split(X)),
        KFold(3).split(X),
        [(train.tolist(), test.tolist()) for train, test in k_fold(12, 3)],
        masks(),
    ],
    ids=["scikit-learn", "generator", "lists", "masks"],
)
def test_splits_may_be_plain_pairs_of_places_or_masks(splits):
    found = cross_validate({"mean": mean_learner()}, X, Y, splits, error, lower_is_better=True)
    assert found.values.shape == (1, 3)
    assert found.overlap == pytest.approx(0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: pd.DataFrame({"x": x}, index=x[::-1]),
        lambda x: pl.DataFrame({"x": x}),
        lambda x: pa.table({"x": x}),
        lambda x: sparse.csr_array(x[:, None]),
        lambda x: sparse.coo_matrix(x[:, None]),
    ],
    ids=["pandas", "polars", "arrow", "sparse", "sparse triples"],
)
def test_examples_reach_the_learner_as_what_they_are(make):
    seen = []

    def fit(x, y):
        seen.append((type(x), x.shape))
        assert y.tolist() == [2 * value for value in _column(x)]
        return 0.0

    cross_validate(
        {"none": (fit, lambda learnt, x: np.zeros(x.shape[0]))}, make(X), Y, k_fold(12, 3), error, lower_is_better=True
    )
    kind = type(make(X).tocsr()) if hasattr(make(X), "tocsr") else type(make(X))
    assert seen == [(kind, (8, 1))] * 3


def _column(x):
    return x.toarray()[:, 0].tolist() if sparse.issparse(x) else np.asarray(x["x"]).tolist()


def test_texts_and_rows_of_unequal_length_are_examples_too():
    longest = (lambda x, y: max(map(len, x)), lambda learnt, x: np.full(len(x), learnt))
    for examples in (["a", "bb", "ccc", "d"], [[1], [1, 2], [1, 2, 3], [1]]):
        found = cross_validate(
            {"longest": longest}, examples, [1.0, 2, 3, 1], k_fold(4, 2), error, lower_is_better=True
        )
        assert found.values.shape == (1, 2)


def never(*_):
    raise AssertionError("nothing may be fitted")


@pytest.mark.parametrize(
    ("learners", "examples", "splits", "said"),
    [
        ({}, X, k_fold(12, 3), "there are no learners"),
        ({"odd": never}, X, k_fold(12, 3), "odd: a learner must be two functions"),
        ({"odd": (never, 1)}, X, k_fold(12, 3), "odd: a learner must be two functions"),
        (None, X[:5], k_fold(12, 3), "got 5 examples but 12 answers"),
        (None, X, KFold(3), "KFold does not contain splits"),
        (None, X, [1, 2], "split 1 must be a pair"),
        (None, X, [([0], [1], [2])], "split 1 must be a pair"),
        (None, X, [([0, 1], [2]), ([0], [12])], "split 2: there is no row 12; rows are numbered 0 to 11"),
        (None, X, [([0], [-1])], "no row -1"),
        (None, X, [([0], [])], "the training or the test set is empty"),
        (None, X, [([0, 1, 2], [2, 1])], "2 items are in both sets, such as 1"),
        (None, X, [([0.5], [1])], "expected row numbers, or a mask"),
        (None, X, [([True, False], [False, True])], "expected row numbers, or a mask"),
    ],
)
def test_bad_input_is_refused_before_anything_is_fitted(learners, examples, splits, said):
    learners = {"never": (never, never)} if learners is None else learners
    with pytest.raises(BadInput, match=said):
        cross_validate(learners, examples, Y, splits, error, lower_is_better=True)


def test_a_score_that_is_no_number_is_said():
    with pytest.raises(BadInput, match="mean: the score on fold 1 is 'good', which is not a number"):
        cross_validate({"mean": mean_learner()}, X, Y, k_fold(12, 3), lambda true, said: "good", lower_is_better=True)


@pytest.mark.parametrize(
    ("divide", "said"),
    [
        (lambda: halves(10, -1), "at least 1 division is needed; got -1"),
        (lambda: halves(10, 2.5), "the number of divisions must be an integer"),
        (lambda: halves(10, True), "the number of divisions must be an integer, not True"),
        (lambda: holdout(2, stratify=[("a", 1), ("b", 2)]), r"strata: the value of item 1 is \('a', 1\)"),
        (lambda: k_fold(2, 2, groups=[("a", 1), ("b", 2)]), "a text or a number per item is needed"),
        (lambda: k_fold(4.0, 2), "the number of items must be an integer"),
        (lambda: leave_one_out(4.0), "the number of items must be an integer"),
        (lambda: k_fold(4, 2, strata=["a", None, "a", "b"]), "strata: the value of item 2 is None"),
        (lambda: k_fold(3, 2, groups=[1.0, np.nan, 2.0]), "groups: the value of item 2 is nan"),
        (lambda: list(named_splits(["q1", "q2"], k_fold(3, 3))), "there is no row 2; rows are numbered 0 to 1"),
    ],
)
def test_divisions_that_make_no_sense_are_refused(divide, said):
    with pytest.raises((BadSetting, BadInput), match=said):
        divide()


def test_the_offsets_between_knock_and_door():
    offsets = np.array([3, 2, 2, 4])
    assert offsets.mean() == pytest.approx(2.75)
    found = compare({"offset": _one(offsets)}, baseline=0)
    assert found.rows[0].mean == pytest.approx(2.75, abs=1e-9)
    assert found.rows[0].mean / found.rows[0].d_z == pytest.approx(0.9574271077563381, abs=1e-9)


def _one(values: np.ndarray):
    from cranfield.evidence.samples import samples

    return samples({"offsets": values}, unit="sentence")


def test_answers_of_several_columns_are_validated_fold_by_fold_in_folds_of_any_size():
    x, y = np.arange(7.0), np.stack([np.arange(7.0), np.arange(7.0) % 2], axis=1)
    splits = [([0, 1, 2, 3, 4], [5, 6]), ([3, 4, 5, 6], [0, 1, 2])]
    fitted: list[np.ndarray] = []

    def fit(examples: np.ndarray, answers: np.ndarray) -> np.ndarray:
        fitted.append(answers)
        return answers.mean(axis=0)

    learner = fit, lambda learnt, examples: np.tile(learnt, (len(examples), 1))
    found = cross_validate(
        {"mean": learner}, x, y, splits, lambda true, said: float(np.abs(true - said).sum()), lower_is_better=True
    )
    for place, (train, test) in enumerate(splits):
        assert fitted[place].tolist() == y[train].tolist()
        assert found.values[0, place] == pytest.approx(np.abs(y[test] - y[train].mean(axis=0)).sum())
    assert found.overlap == pytest.approx((2 / 5 + 3 / 4) / 2)
    assert (found.systems, found.units, found.unit) == (("mean",), ("fold 1", "fold 2"), "fold")


@pytest.mark.parametrize(
    ("n", "proportion", "n_test"),
    [(2, 0.01, 1), (2, 0.99, 1), (10, 0.2, 2), (10, 0.24, 2), (10, 0.26, 3), (10, 0.04, 1), (10, 0.99, 9), (3, 0.5, 2)],
)
def test_a_holdout_set_has_the_nearest_size_and_leaves_both_sets_an_item(n, proportion, n_test):
    split = holdout(n, proportion)
    assert len(split.test) == n_test
    assert sorted([*split.train, *split.test]) == list(range(n))
    assert (np.diff(split.train) > 0).all()
    assert (np.diff(split.test) > 0).all()


def test_a_holdout_set_is_a_fifth_of_random_items_by_default():
    assert len(holdout(100).test) == 20
    order = np.random.default_rng(0).permutation(10)
    assert holdout(10).test.tolist() == sorted(order[[4, 9]])
    assert holdout(10, seed=2).test.tolist() == sorted(np.random.default_rng(2).permutation(10)[[4, 9]])


@pytest.mark.parametrize("seed", range(5))
def test_a_stratified_holdout_set_has_every_stratum_in_proportion(seed):
    strata = np.array(list("aaaaabbbbbbbbbbccccc"))
    tested = strata[holdout(20, 0.2, seed=seed, stratify=strata).test]
    assert "".join(sorted(tested)) == "abbc"


@pytest.mark.parametrize(
    ("n", "proportion", "said"),
    [
        (1, 0.5, "1 cannot be divided into two sets"),
        (10, 0, "between 0 and 1, not 0"),
        (10, 1, "between 0 and 1, not 1"),
        (10, "0.2", "between 0 and 1, not '0.2'"),
        (2.0, 0.5, "the number to divide must be an integer, not 2.0"),
    ],
)
def test_holdout_sets_that_cannot_be_are_refused(n, proportion, said):
    with pytest.raises(BadSetting, match=said):
        holdout(n, proportion)


def test_examples_and_answers_in_another_order_are_refused() -> None:
    examples = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}, index=[3, 2, 1, 0])
    answers = pd.Series([1.0, 2.0, 3.0, 4.0], index=[3, 2, 1, 0])
    learners = {"same": (lambda x, y: None, lambda model, x: x["x"].to_numpy())}
    wrong = lambda y, p: float(np.abs(y - p).mean())  # noqa: E731
    assert (cross_validate(learners, examples, answers, k_fold(4, 2), wrong, lower_is_better=True).values == 0).all()
    with pytest.raises(BadInput, match="the index of answers has the same labels in another order"):
        cross_validate(learners, examples, answers[::-1], k_fold(4, 2), wrong, lower_is_better=True)


def test_a_learner_answers_every_example() -> None:
    learners = {"mean": (lambda x, y: y.mean(), lambda model, x: np.array([model]))}
    with pytest.raises(BadInput, match="mean: on fold 1, got 1 predictions for 2 examples"):
        cross_validate(
            learners, range(4), range(4), k_fold(4, 2), lambda y, p: float(np.abs(y - p).mean()), lower_is_better=True
        )


def test_a_column_of_predictions_is_not_paired_with_every_answer():
    flat, column = (lambda model, x: np.arange(len(x)) + model), (lambda model, x: np.arange(len(x))[:, None] + model)
    answers, folds = np.array([1.0, 5.0, 2.0, 4.0]), k_fold(4, 2)
    for predict, known in ((column, answers), (flat, answers[:, None])):
        with pytest.raises(BadInput, match=r"shape .* would not pair one by one"):
            cross_validate(
                {"a": (lambda x, y: 0, predict)},
                range(4),
                known,
                folds,
                lambda y, p: abs(y - p).mean(),
                lower_is_better=True,
            )


def test_a_series_of_predictions_is_paired_with_the_answers_row_by_row():
    answers, folds = pd.Series([1.0, 5.0, 2.0, 4.0, 3.0, 9.0]), [([1, 2, 4], [0, 3, 5]), ([0, 3, 5], [1, 2, 4])]
    counted, array = (lambda model, x: pd.Series([1.0, 2.0, 3.0])), (lambda model, x: np.array([1.0, 2.0, 3.0]))
    learners = {"series": (lambda x, y: 0, counted), "array": (lambda x, y: 0, array)}
    found = cross_validate(
        learners, range(6), answers, folds, lambda y, p: abs(y - p).mean(), lower_is_better=True
    ).values
    assert found.tolist() == [[8 / 3, 4 / 3], [8 / 3, 4 / 3]]
    other = {"other": (lambda x, y: 0, lambda model, x: pd.Series([1.0, 2.0, 3.0], list("abc")))}
    with pytest.raises(BadInput, match="index"):
        cross_validate(other, range(6), answers, folds, lambda y, p: abs(y - p).mean(), lower_is_better=True)


def test_learners_whose_names_are_the_same_text_are_refused():
    learner = (lambda x, y: 0, lambda model, x: [0] * len(x))
    with pytest.raises(BadInput, match="duplicate '1' among the learners"):
        cross_validate(
            {1: learner, "1": learner}, range(4), [1, 2, 3, 4], k_fold(4, 2), lambda y, p: 0, lower_is_better=True
        )
