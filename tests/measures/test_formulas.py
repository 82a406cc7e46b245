"""The formulas that the documentation shows give the values of the measures, on random data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
import pytest

from cranfield import agree, classify, evaluate, evaluate_answers, regress
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.ranked_items import RankedItems
from cranfield.evidence.system_values import Gains
from cranfield.measures.declaration import Kind
from cranfield.measures.formulas import formulas
from cranfield.measures.registry import declarations

SEEDS = range(3)


def _of(kind: Kind) -> list[str]:
    return [name for one, name in formulas() if one == kind]


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


MATHS = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "prod": math.prod, "mean": mean}


def value(kind: Kind, name: str, names: dict[str, Any]) -> float:
    """The formula evaluated with these names, and with the default settings of the measure."""
    expression, _, meaning = formulas()[kind, name].partition(" where ")
    known: dict[str, Any] = {setting.name: setting.default for setting in declarations(kind)[name].settings.values()}
    known |= MATHS | names
    if meaning.startswith("E = "):
        known["E"] = eval(meaning.removeprefix("E = "), known)
    elif meaning:
        left, _, right = meaning.partition(" = ")
        assert left == "s[i]"
        known["s"] = {i: eval(right, known | {"i": i}) for i in known["ranks"]}
    return float(eval(expression, known))


def test_every_formula_is_of_a_measure() -> None:
    assert [key for key in formulas() if key[1] not in declarations(key[0])] == []  # type: ignore[arg-type]
    assert {kind for kind, _ in formulas()} == {*get_args(Kind)}


def scored(seed: int) -> tuple[list[int], list[float]]:
    random = np.random.default_rng(seed)
    actual = [1, 1, 1, 0, 0, 0, *random.integers(0, 2, 24).tolist()]
    score = [0.9, 0.6, 0.2, 0.8, 0.4, 0.1, *(random.integers(1, 20, 24) / 20).tolist()]  # with ties
    return actual, score


@pytest.mark.parametrize("name", _of("binary"))
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
        "thresholds": score,
        "precision": lambda t: cell(1, t, True) / (cell(0, t, True) + cell(1, t, True)),
        "false_positive_rate": lambda t: cell(0, t, True) / actual.count(0),
    }
    if name in ("KS", "RecallAtFallout", "ElevenPoint"):  # elsewhere it may be a setting
        names["recall"] = lambda t: cell(1, t, True) / actual.count(1)
    mine = classify(actual, probability=score, measures=name, threshold=0.5)[name]
    assert mine == pytest.approx(value("binary", name, names), abs=1e-12)


@pytest.mark.parametrize("name", _of("values"))
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


@pytest.mark.parametrize("name", _of("forecasts"))
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


@pytest.mark.parametrize("name", _of("answers"))
@pytest.mark.parametrize("seed", SEEDS)
def test_answers(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    support = dict(enumerate(random.choice([0, 0.5, 1], 7).tolist()))
    cited = dict(enumerate(random.choice([0, 0.5, 1], 6).tolist()))
    citations_of, length = {0: [0, 1], 1: [2, 3], 2: [4, 5]}, 650
    judged = [
        {"query": "q", "nugget": n, "importance": "vital", "support": one, "length": length}
        for n, one in support.items()
    ]
    sentences = [
        {"query": "q", "sentence": s, "citation": c, "support": cited[c]}
        for s, own in citations_of.items()
        for c in own
    ]
    names = {"support": support, "nuggets": support, "length": length, "cited": cited, "citations": cited,
             "citations_of": citations_of, "sentences": citations_of}  # fmt: skip
    mine = evaluate_answers([judged, sentences], name).per_query(name)["q"]
    assert mine == pytest.approx(value("answers", name, names), abs=1e-12)


@pytest.mark.parametrize("name", _of("classes"))
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


@pytest.mark.parametrize("name", _of("ratings"))
@pytest.mark.parametrize("seed", SEEDS)
def test_ratings(name: str, seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 20, (3, 3))
    total = table.sum()
    first, second = table.sum(axis=1) / total, table.sum(axis=0) / total
    names = {"A": np.trace(table) / total, "first": first, "second": second, "pooled": (first + second) / 2, "N": total}
    mine = agree(table.tolist(), counts="contingency", measures=name)[name]
    assert mine == pytest.approx(value("ratings", name, names | {"categories": range(3)}), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in _of("ranking") if declarations()[name].evidence is Gains])
@pytest.mark.parametrize("seed", SEEDS)
def test_gains(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks = {system: random.integers(1, 6, 8).tolist() for system in ("new", "old")}
    runs = {
        system: {f"q{q}": {"+" if at == rank else f"-{at}": -at for at in range(1, 6)} for q, rank in enumerate(each)}
        for system, each in ranks.items()
    }
    gain = {q: 1 / new - 1 / old for q, (new, old) in enumerate(zip(*ranks.values()))}  # AP of one relevant document
    mine = evaluate({f"q{q}": {"+": 1} for q in range(8)}, runs, name, baseline="old").aggregated()[0, 0]
    assert mine == pytest.approx(value("ranking", name, {"gain": gain, "queries": range(8)}), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in _of("ranking") if declarations()[name].evidence is not Gains])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cut", [False, True])
def test_rankings(name: str, seed: int, cut: bool) -> None:
    random = np.random.default_rng(seed)
    documents = [f"d{n:02}" for n in random.permutation(40)]
    ranked = documents[:25]
    grades = {"d-lost": 2, **{document: int(random.integers(0, 4)) for document in documents[::2]}}
    settings = declarations()[name].settings
    k = 10 if cut and "k" in settings else len(ranked)
    grade = {i: grades.get(document, 0) for i, document in enumerate(ranked, 1)}
    rel = {i: int(one > 0) for i, one in grade.items()}
    relevant = sum(one > 0 for one in grades.values())
    best = sorted(grades.values(), reverse=True)

    def hits(i: int) -> int:
        return sum(rel.get(rank, 0) for rank in range(1, i + 1))

    names = {
        "k": k,
        "R": relevant,
        "N": sum(one == 0 for one in grades.values()),
        "rel": rel,
        "grade": grade,
        "ideal": dict(enumerate(best, 1)) | dict.fromkeys(range(len(best) + 1, 100), 0),
        "judged": {i: int(document in grades) for i, document in enumerate(ranked, 1)},
        "ranks": range(1, k + 1),
        "popularity": {i: int(document[1:]) + 1 for i, document in enumerate(ranked, 1)},
        "total": sum(range(1, 41)),
        "precision": lambda i: hits(i) / i,
        "recall": lambda i: hits(i) / relevant,
    }
    if any(setting.required for setting in settings.values()):
        assert {setting.name for setting in settings.values() if setting.required} == {"collection"}
        names["collection"] = 200
    sized = f"{name}(collection=200)" if "collection" in names else name
    limited = "k" in settings and (cut or settings["k"].default is not None)
    asked = f"{sized}@{k}" if limited else sized
    run = {"q": {document: 100.0 - i for i, document in enumerate(ranked)}}
    items = {document: {"popularity": int(document[1:]) + 1} for document in documents}
    needed = {"item_info": items} if declarations()[name].evidence is RankedItems else {}
    mine = float(evaluate({"q": grades}, run, asked, **needed).aggregated()[0][0])
    assert mine == pytest.approx(value("ranking", name, names), abs=1e-12)
