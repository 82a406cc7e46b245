"""The formulas that the documentation shows give the values of the measures, on random data."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pytest

from cranfield import agree, classify, evaluate_answers, regress
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.label_rankings import LabelRankings
from cranfield.evidence.label_sets import LabelSets
from cranfield.measures.declaration import Kind
from cranfield.measures.formulas import algorithms, formulas
from cranfield.measures.registry import declarations
from measures.formula_values import SEEDS, names_of, value


def test_every_measure_has_a_formula_or_an_algorithm() -> None:
    declared = [(kind, name) for kind in get_args(Kind) for name in declarations(kind)]
    assert sorted([*formulas(), *algorithms()]) == sorted(declared)


def evidence(name: str) -> type:
    return declarations("binary")[name].evidence


def scored(seed: int) -> tuple[list[int], list[float]]:
    random = np.random.default_rng(seed)
    actual = [1, 1, 1, 0, 0, 0, *random.integers(0, 2, 24).tolist()]
    score = [0.9, 0.6, 0.2, 0.8, 0.4, 0.1, *(random.integers(1, 20, 24) / 20).tolist()]  # with ties
    return actual, score


@pytest.mark.parametrize(
    "name", [name for name in names_of("binary") if evidence(name) not in (LabelRankings, LabelSets)]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_binary(name: str, seed: int) -> None:
    actual, score = scored(seed)
    items = list(zip(actual, score))

    def cell(true: int, t: float, above: bool) -> int:
        return sum(y == true and (s >= t) == above for y, s in items)

    names = {
        "TP": cell(1, 0.5, True),
        "FP": cell(0, 0.5, True),
        "FN": cell(1, 0.5, False),
        "TN": cell(0, 0.5, False),
        "items": items,
        "positive_scores": [s for y, s in items if y],
        "negative_scores": [s for y, s in items if not y],
        "thresholds": sorted(set(score)),
        "precision": lambda t: cell(1, t, True) / (cell(0, t, True) + cell(1, t, True)),
        "false_positive_rate": lambda t: cell(0, t, True) / actual.count(0),
        "true_positive_rate": lambda t: cell(1, t, True) / actual.count(1),
        "integral": integral,
    }
    path = [(cell(1, t, True), cell(0, t, True)) for t in [2, *sorted(set(score), reverse=True)]]
    positives, negatives = path[-1]
    names["roc"] = [(fp / negatives, tp / positives) for tp, fp in path]
    odds = positives / negatives
    names["precision_gain"] = [(1 - odds * (positives - tp) / tp, 1 - odds * fp / tp) for tp, fp in path if tp]
    recall = declarations("binary")[name].settings.get("recall")
    if recall is None:
        names["recall"] = names["true_positive_rate"]
    elif recall.required:
        names["recall"] = 0.4
    asked = f"{name}@0.4" if recall and recall.required else name
    mine = classify(actual, probability=score, measures=asked, threshold=0.5)[asked]
    assert mine == pytest.approx(value("binary", name, names), abs=1e-12)


def integral(curve: list[tuple[float, float]], low: float, high: float) -> float:
    """The area below the points joined by straight lines."""
    area = 0.0
    for (x1, y1), (x2, y2) in pairwise(curve):
        start, end = max(x1, low), min(x2, high)
        if start < end:
            area += (end - start) * (y1 + (y2 - y1) * ((start + end) / 2 - x1) / (x2 - x1))
    return area


@pytest.mark.parametrize("name", [name for name in names_of("binary") if evidence(name) is LabelRankings])
@pytest.mark.parametrize("seed", SEEDS)
def test_label_rankings(name: str, seed: int) -> None:
    random, labels = np.random.default_rng(seed), ["a", "b", "c", "d"]
    true = [{*random.choice(labels, size).tolist()} for size in (1, 2, 3, 3, 3)]
    scores = (random.integers(0, 5, (5, 4)) / 5).tolist()  # with ties
    items = [(own, dict(zip(labels, row))) for own, row in zip(true, scores)]
    mine = classify(true, score=scores, labels=labels, threshold=0.5, measures=name)[name]
    assert mine == pytest.approx(value("binary", name, {"items": items, "labels": labels}), abs=1e-12)


def test_label_sets() -> None:
    true, predicted = [{"a", "b"}, {"b"}, {"c"}, {"a"}], [{"a"}, {"b"}, {"c"}, {"a", "c"}]
    mine = classify(true, predicted, measures="SubsetAccuracy")["SubsetAccuracy"]
    assert mine == value("binary", "SubsetAccuracy", {"items": list(zip(true, predicted))}) == 0.5


@pytest.mark.parametrize("name", names_of("values"))
@pytest.mark.parametrize("seed", SEEDS)
def test_values(name: str, seed: int) -> None:
    actual, predicted = np.random.default_rng(seed).gamma(3, 2, (2, 25))
    arrays = {
        "log": np.log,
        "abs": np.abs,
        "mean": np.mean,
        "median": np.median,
        "var": np.var,
        "max": np.max,
        "sum": np.sum,
        "sqrt": np.sqrt,
    }
    theirs = value("values", name, arrays | {"actual": actual, "predicted": predicted})
    assert regress(actual, predicted, measures=name)[name] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_distributions(seed: int) -> None:
    random = np.random.default_rng(seed)
    actual, samples = random.normal(0, 2, 6), random.normal(0, 2, (6, 7)).round(1)
    drawn = {"items": list(zip(actual.tolist(), samples.tolist()))}
    assert regress(actual, samples=samples, measures="CRPS")["CRPS"] == pytest.approx(value("forecasts", "CRPS", drawn))
    quantiles = dict(zip((0.1, 0.25, 0.6, 0.9), np.sort(random.normal(0, 2, (4, 6)), axis=0)))
    items = [(y, {level: own[at] for level, own in quantiles.items()}) for at, y in enumerate(actual.tolist())]
    for name in ("WIS", "QuantileCalibrationError"):
        mine = regress(actual, quantiles=quantiles, measures=name)[name]
        assert mine == pytest.approx(value("forecasts", name, {"items": items, "levels": list(quantiles)}))


@pytest.mark.parametrize("name", sorted({*names_of("forecasts")} - {"CRPS", "WIS", "QuantileCalibrationError"}))
@pytest.mark.parametrize("seed", SEEDS)
def test_forecasts(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    actual, median = random.normal(0, 2, (2, 25))
    lower, upper = median - random.gamma(2, 1, 25), median + random.gamma(2, 1, 25)
    arrays = {"abs": np.abs, "mean": np.mean, "maximum": np.maximum, "level": 0.8, "predicted": upper}
    theirs = value("forecasts", name, {"actual": actual, "median": median, "lower": lower, "upper": upper} | arrays)
    at = {"IntervalScore": "@0.8", "IntervalCoverage": "@0.8", "IntervalWidth": "@0.8", "QuantileCoverage": "@0.9"}
    measure = name + at.get(name, "")
    found = regress(actual, median, intervals={0.8: (lower, upper)}, quantiles={0.5: median}, measures=measure)
    assert found[measure] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", names_of("answers"))
@pytest.mark.parametrize("seed", SEEDS)
def test_answers(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    support = dict(enumerate(random.choice([0, 0.5, 1], 7).tolist()))
    cited = dict(enumerate(random.choice([0, 0.5, 1], 6).tolist()))
    citations_of, length = {0: [0, 1], 1: [2, 3], 2: [4, 5]}, 650
    judged = [
        {"query": "q", "nugget": n, "importance": "vital" if n < 4 else "okay", "support": one, "length": length}
        for n, one in support.items()
    ]
    sentences = [
        {"query": "q", "sentence": s, "citation": c, "support": cited[c]}
        for s, own in citations_of.items()
        for c in own
    ]
    names = {"support": support, "nuggets": support, "length": length, "cited": cited, "citations": cited,
             "citations_of": citations_of, "sentences": citations_of, "vital": range(4)}  # fmt: skip
    mine = evaluate_answers([judged, sentences], name).per_query(name)["q"]
    assert mine == pytest.approx(value("answers", name, names), abs=1e-12)


@pytest.mark.parametrize("name", names_of("classes"))
@pytest.mark.parametrize("seed", SEEDS)
def test_classes(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    actual = [*"abc", *random.choice([*"abc"], 30).tolist()]
    predicted = [*"abc", *random.choice([*"abc"], 30).tolist()]
    pairs = list(zip(actual, predicted))
    n = {(a, p): pairs.count((a, p)) for a in "abc" for p in "abc"}
    sizes = {"actual": {c: actual.count(c) for c in "abc"}, "predicted": {c: predicted.count(c) for c in "abc"}}
    table = random.dirichlet(np.ones(3), len(actual))
    scored = declarations("classes")[name].evidence is ClassScores
    inputs: dict[str, Any] = {"probability": table, "labels": [*"abc"]} if scored else {"predicted": predicted}
    items = [(y, dict(zip("abc", p))) for y, p in zip(actual, table.tolist())]
    theirs = value("classes", name, {"n": n, "classes": "abc", "N": len(pairs), "items": items, **sizes})
    assert classify(actual, measures=name, **inputs)[name] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", names_of("ratings"))
@pytest.mark.parametrize("seed", SEEDS)
def test_ratings(name: str, seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 20, (3, 3))
    total = table.sum()
    first, second = table.sum(axis=1) / total, table.sum(axis=0) / total
    names = {"A": np.trace(table) / total, "first": first, "second": second, "pooled": (first + second) / 2, "N": total,
             "n": table}  # fmt: skip
    mine = agree(table.tolist(), counts="contingency", order=["0", "1", "2"], measures=name)[name]
    assert mine == pytest.approx(value("ratings", name, names | {"categories": range(3)}), abs=1e-12)
