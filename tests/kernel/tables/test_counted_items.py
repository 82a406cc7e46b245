"""Counted items: a row that stands for several identical items gives what these items give, bit for bit."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield
from classification.generated import SAMPLES
from cranfield import classify
from cranfield.classification.intervals import intervals
from cranfield.classification.result import Classification
from cranfield.errors import BadInput
from cranfield.evidence.arithmetic import exact_sums, summed, summed_items
from cranfield.evidence.thresholds import Thresholds, pooled, thresholds
from cranfield.measures.registry import bound, declarations
from cranfield.plot import drawable_plots
from cranfield.reporting.classification import items_data as items
from cranfield.reporting.classification import together
from cranfield.statistics.areas import independent_areas
from cranfield.statistics.item_resampling import resampled
from cranfield.statistics.thresholds import STANDARD, parse_goal

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

UNWEIGHTED = {name: sample for name, sample in SAMPLES.items() if sample.weight is None}


def rows(columns: dict[str, list[Any]]) -> tuple[dict[str, list[Any]], np.ndarray]:
    """The distinct rows of columns, in a random order, and how often each occurs."""
    counts = list(Counter(zip(*columns.values(), strict=True)).items())
    np.random.default_rng(3).shuffle(counts)  # type: ignore[arg-type]
    distinct = {name: [row[place] for row, _ in counts] for place, name in enumerate(columns)}
    return distinct, np.array([n for _, n in counts])


def both(columns: dict[str, list[Any]], **settings: Any) -> tuple[Classification, Classification]:
    """The classification of the items, and that of their distinct rows with counts."""
    distinct, count = rows(columns)
    goal = settings.pop("goal", None)
    expanded = classify("actual", data=columns, goal=goal, **settings)
    first = classify("actual", data=distinct, **settings)
    evaluated = [replace(one, predictions=one.predictions.counted(count)) for one in first.evaluated]
    if goal is not None:
        evaluated = [one.chosen_for(parse_goal(goal)) for one in evaluated]
    measures, settings = expanded.measures, expanded.settings
    return expanded, replace(first, evaluated=tuple(evaluated), measures=measures, settings=settings)


def messy(n: int = 3000, seed: int = 5) -> dict[str, list[Any]]:
    """Labels that look like numbers, scores of two systems with ties, and groups."""
    random = np.random.default_rng(seed)
    yes = random.random(n) < 0.3
    one = np.round(np.clip(random.normal(0.35 + 0.3 * yes, 0.2), 0, 1), 2)
    other = np.round(np.clip(random.normal(0.4 + 0.1 * yes, 0.3), 0, 1), 1)
    return {
        "actual": np.where(yes, "01", "1").tolist(),
        "said": np.where(random.random(n) < 0.8, yes, ~yes).astype(int).astype(str).tolist(),
        "one": one.tolist(),
        "other": other.tolist(),
        "fold": random.choice(["a", "b", "文"], n).tolist(),
    }


SETTINGS: dict[str, dict[str, Any]] = {
    "scores": {"score": "one", "positive": "01", "threshold": 0.4},
    "scores alone": {"score": "one", "positive": "01"},
    "a threshold": {"score": "one", "positive": "01", "threshold": 0.5, "strict": True},
    "a goal": {"score": "one", "positive": "01", "goal": "Recall where Specificity >= 0.9"},
    "inverted": {"score": "other", "positive": "1", "invert": True, "threshold": -0.4},
    "probabilities": {"probability": "one", "positive": "01"},
    "two systems": {"probability": {"one": "one", "other": "other"}, "positive": "01"},
    "groups": {"probability": "one", "positive": "01", "by": "fold"},
    "labels and scores": {"predicted": "said", "score": "one", "labels": ["0", "1", "01"], "positive": "01"},
    "labels": {"predicted": "fold"},
}
settings = pytest.mark.parametrize("named", SETTINGS, ids=str)


def columns_of(named: str) -> dict[str, list[Any]]:
    """The columns that a classification uses; as labels, folds are predicted for folds shifted at times."""
    columns = messy()
    if named == "labels":
        fold = np.array(columns["fold"])
        guess = np.where(np.arange(len(fold)) % 5 < 3, fold, np.roll(fold, 1))
        return {"actual": fold.tolist(), "fold": guess.tolist()}
    used = json.dumps(SETTINGS[named])
    return {name: column for name, column in columns.items() if name == "actual" or f'"{name}"' in used}


def measures(result: Classification) -> list[Any]:
    """Every measure of the catalogue that applies to a result."""
    declared = {(kind, name) for kind in result.evaluated[0].kinds for name in declarations(kind)}
    chosen = []
    for kind, name in sorted(declared):
        declaration = declarations(kind)[name]
        needed = {word: 0.3 for word, setting in declaration.settings.items() if setting.required}
        measure = bound(declaration, needed)
        try:
            result.evaluated[0].require_evidence(measure)
        except cranfield.errors.BadSetting:
            continue
        chosen.append(measure)
        if "by" in declaration.settings:
            chosen.append(bound(declaration, {**needed, "by": "count", "bins": 7}))
    return chosen


def content(result: Classification) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.loads(result.to_json())


@settings
def test_every_value_and_interval_is_that_of_the_items(named):
    expanded, counted = both(columns_of(named), **SETTINGS[named])
    assert all(one.predictions.count is not None for one in counted.evaluated) or named == "a goal"
    assert len(counted.evaluated[0].predictions) == 3000
    asked = measures(expanded)
    assert len(asked) > (15 if named == "scores alone" else 30)
    for one, other in zip(expanded.evaluated, counted.evaluated, strict=True):
        for measure in asked:
            assert repr(one.value(measure)) == repr(other.value(measure)), measure
        first, second = (intervals(evaluated, asked, resamples=50) for evaluated in (one, other))
        assert repr(first) == repr(second)


@settings
def test_documents_and_plots_are_those_of_the_items(named):
    expanded, counted = both(columns_of(named), **SETTINGS[named])
    assert content(expanded) == content(counted)
    assert expanded.records(goals=STANDARD, every=True) == counted.records(goals=STANDARD, every=True)
    assert expanded.steps() == counted.steps()
    assert str(expanded) == str(counted)
    first, second = drawable_plots(expanded), drawable_plots(counted)
    assert list(first) == list(second)
    assert first
    for name, plot in first.items():
        assert plot.data.equals(second[name].data), name
        assert (plot.subtitle, plot.notes) == (second[name].subtitle, second[name].notes)


@settings
def test_findings_are_those_of_the_items(named):
    expanded, counted = both(columns_of(named), **SETTINGS[named])
    assert str(cranfield.examine(expanded)) == str(cranfield.examine(counted))


@pytest.mark.parametrize("method", ["auto", "delong", "logit"])
def test_intervals_by_every_method(method):
    for result in zip(*[iter(both(columns_of("scores"), **SETTINGS["scores"]))] * 2, strict=True):
        first, second = (one.interval("AUC", method=method, resamples=50) for one in result)
        assert first == second


def test_tests_of_two_scorers_and_of_their_labels():
    expanded, counted = both(columns_of("two systems"), **SETTINGS["two systems"])
    assert expanded.compare_areas("one", "other") == counted.compare_areas("one", "other")
    first, second = (cranfield.compare(result, test="mcnemar") for result in (expanded, counted))
    assert first.to_dict() == second.to_dict()
    scores = [result.of("one").thresholds for result in (expanded, counted)]
    others = [result.of("other").thresholds for result in (expanded, counted)]
    tests = [independent_areas(one, other, 0.95, "two-sided") for one, other in zip(scores, others, strict=True)]
    assert tests[0] == tests[1]


def side(scores: Thresholds) -> Thresholds:
    """The same scores, counted."""
    (yes, n_yes), (no, n_no) = (np.unique(one, return_counts=True) for one in (scores.positive, scores.negative))
    return Thresholds(yes, no, positive_count=n_yes, negative_count=n_no)


@pytest.mark.parametrize("name", UNWEIGHTED)
def test_every_part_of_the_evidence(name):
    sample = UNWEIGHTED[name]
    plain = thresholds(sample.actual == 1, sample.score)
    counted = side(plain)
    for one, other in ((plain, counted), (plain.inverted, counted.inverted)):
        for part in ("steps", "from_nothing", "every", "best", "path", "rises", "hull"):
            for column, same in zip(getattr(one, part), getattr(other, part), strict=True):
                assert np.array_equal(column, same), part
                assert column.dtype == same.dtype
        assert (one.ordered, one.disordered) == (other.ordered, other.disordered)
        assert (one.n_positive, one.n_negative, one.n_items) == (other.n_positive, other.n_negative, other.n_items)
        for column in ("above", "at_score", "missed"):
            assert np.array_equal(getattr(one, column), getattr(other, column))
    assert not counted.weighted
    twice = (plain + plain, counted + counted, pooled([plain, counted]))
    assert len({float(both.ordered) for both in twice}) == 1


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(1, 40_000)), max_size=12),
    st.integers(0, 3),
)
def test_sums_over_items_are_the_same_bits(pairs, extra):
    value = np.array([value for value, _ in pairs] + [0.1] * extra)
    count = np.array([n for _, n in pairs] + [1] * extra, np.int64)
    assert summed_items(np.square, count, value) == summed(np.square, np.repeat(value, count))


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**33)), max_size=20))
def test_sums_of_squares_are_exact(pairs):
    value, count = (np.array(column, np.int64) for column in (zip(*pairs, strict=True) if pairs else ((), ())))
    total = sum(v * n for v, n in pairs), sum(v * v * n for v, n in pairs)
    assert exact_sums(value, count) == total
    small = value % 2**31, count % 2**20
    expected = zip(small[0].tolist(), small[1].tolist(), strict=True)
    total = [0, 0]
    for v, n in expected:
        total[0] += v * n
        total[1] += v * v * n
    assert exact_sums(*small) == tuple(total)
    assert exact_sums(value) == (sum(v for v, _ in pairs), sum(v * v for v, _ in pairs))


def test_many_counted_items_are_resampled_by_their_counts(monkeypatch):
    monkeypatch.setattr("cranfield.statistics.item_resampling.ONE_BY_ONE", 100)
    plain = thresholds(np.array(messy()["actual"]) == "01", np.array(messy()["one"]))
    drawn = list(resampled(side(plain), 400, 1))
    assert {sum(scores.n_items) for scores in drawn} == {3000}
    assert all((scores.positive_count > 0).all() and (scores.negative_count > 0).all() for scores in drawn)
    area = [float(bound(declarations("binary")["AUC"], {}).values(scores)) for scores in drawn]
    one_by_one = [float(bound(declarations("binary")["AUC"], {}).values(s)) for s in resampled(plain, 400, 2)]
    assert np.mean(area) == pytest.approx(np.mean(one_by_one), abs=4 * np.std(one_by_one) / 20)
    assert np.std(area) == pytest.approx(np.std(one_by_one), rel=0.2)


def test_many_counted_items_are_cross_validated(monkeypatch):
    _, counted = both(columns_of("scores alone"), **SETTINGS["scores alone"])
    exact = counted.cross_validated("Accuracy")
    monkeypatch.setattr("cranfield.statistics.thresholds.ONE_BY_ONE", 100)
    drawn = counted.cross_validated("Accuracy")
    assert drawn.cells.counts != exact.cells.counts
    assert sum(cell.item() for cell in drawn.cells.counts) == 3000
    assert drawn.value == pytest.approx(exact.value, abs=0.01)


def test_weighted_rows_and_tables_of_scores_are_repeated():
    one = classify([0, 1, 1], score=[0.1, 0.2, 0.3], weight=[1, 2, 3]).evaluated[0].predictions
    repeated = one.counted(np.array([2, 0, 3]))
    assert repeated.count is None
    assert repeated.weight is not None
    assert repeated.weight.tolist() == [1, 1, 3, 3, 3]


def test_the_items_of_a_report_are_listed_only_if_they_are_few(monkeypatch):
    matrix = classify(counts="TP=2 FP=1 FN=0 TN=4")
    listed = items(matrix)
    assert listed is not None
    assert listed["total"] == 7
    monkeypatch.setattr("cranfield.reporting.classification.ONE_BY_ONE", 6)
    assert items(matrix) is None


def test_counted_items_of_two_results_are_not_matched():
    matrix = classify(counts="TP=2 FP=1 FN=0 TN=4")
    with pytest.raises(BadInput, match="counted, without their order"):
        together({"one": matrix, "other": matrix})


def test_a_matrix_of_a_billion_items():
    n = 10**9
    result = classify(counts={"a": {"a": n, "b": 1}, "b": {"a": 0, "b": n}}, measures=["Accuracy", "Kappa"])
    assert result["Accuracy"] == 2 * n / (2 * n + 1)
    assert result["Kappa"] == pytest.approx(1 - (2 * n + 1) / (n * n + (n + 1) ** 2), abs=1e-15)
    assert len(result.evaluated[0].predictions) == 2 * n + 1
    assert (result.intervals().low <= 1).all()


def test_ratings_that_are_counted_are_still_single_ratings():
    with pytest.raises(BadInput, match="more than 50,000,000 items"):
        cranfield.agree([[10**8, 1], [0, 3]], counts="contingency")
