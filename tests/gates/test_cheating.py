"""Ways to get a bad run through a gate, or a good one with no evidence: none may pass."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting, CranfieldError

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

N_QUERIES, N_DOCUMENTS = 60, 20

Gates = dict[str, Any]


def ranked(quality: float, seed: int) -> dict[str, dict[str, float]]:
    """A run that ranks the five relevant documents higher, the higher the quality."""
    chance = np.random.default_rng(seed)
    scores = chance.normal(size=(N_QUERIES, N_DOCUMENTS)) + quality * (np.arange(N_DOCUMENTS) < 5)
    return {f"q{q}": {f"d{d}": float(score) for d, score in enumerate(row)} for q, row in enumerate(scores)}


QRELS = {f"q{q}": {f"d{d}": int(d < 5) + int(d < 2) for d in range(N_DOCUMENTS)} for q in range(N_QUERIES)}
GOOD, BAD = ranked(1.5, 1), ranked(0.2, 2)
WITH_NAMES = {
    q: {f"z{d}" if d in ("d0", "d1", "d2", "d3", "d4") else d: g for d, g in of.items()} for q, of in QRELS.items()
}
FLAT = {q: dict.fromkeys(WITH_NAMES[q], 1.0) for q in WITH_NAMES}  # ties are broken by name: zd0 … zd4 come first


def first(run: dict[str, Any], n: int) -> dict[str, Any]:
    return dict(list(run.items())[:n])


def runs(run: Any, baseline: Any, *gates: Gates, qrels: Any = QRELS, **settings: Any) -> Gates:
    return {"qrels": qrels, "run": run, "baseline": baseline, "gate": list(gates), **settings}


def not_worse(measure: str = "nDCG@10", margin: float = 0.02, **terms: Any) -> Gates:
    return {"measure": measure, "require": "not worse", "margin": margin, **terms}


def better(measure: str = "nDCG@10", **terms: Any) -> Gates:
    return {"measure": measure, "require": "better", **terms}


def at_least(value: float, measure: str = "nDCG@10", **terms: Any) -> Gates:
    return {"measure": measure, "require": "at least", "value": value, **terms}


def at_most(value: float, measure: str, **terms: Any) -> Gates:
    return {"measure": measure, "require": "at most", "value": value, **terms}


def table(new: Any, old: Any, *gates: Gates, **settings: Any) -> Gates:
    units = [f"q{n}" for n in range(len(new))]
    values = {"new": dict(zip(units, new, strict=True)), "old": dict(zip(units, old, strict=True))}
    return {"values": values, "run": "new", "baseline": "old", "gate": list(gates), **settings}


def varied(n: int, mean: float = 0.5) -> list[float]:
    return list(np.clip(np.random.default_rng(n).normal(mean, 0.1, n), 0.01, 0.99))


def near(values: list[float], by: float) -> list[float]:
    """The values moved by about this much."""
    return list(np.array(values) + np.random.default_rng(3).normal(by, abs(by) / 2, len(values)))


STALE = {
    q: {d: g for d, g in of.items() if d in sorted(GOOD[q], key=GOOD[q].__getitem__)[-8:]} for q, of in QRELS.items()
}
FEW_RISE = {f"q{q}": ({"d0": 9.0, "d9": 1.0} if q < 3 else {"d9": 2.0, "d0": 1.0}) for q in range(N_QUERIES)}
ALL_LOW = {f"q{q}": {"d9": 2.0, "d0": 1.0} for q in range(N_QUERIES)}
SUBTOPICS = [
    {"query": f"q{q}", "subtopic": str(1 + d % 3), "document": f"z{d}" if d < 5 else f"a{d}", "grade": int(d < 5)}
    for q in range(N_QUERIES)
    for d in range(9)
]
UPPER = {q.upper() if n % 2 else q: of for n, (q, of) in enumerate(GOOD.items())}

CHEATS: dict[str, Callable[[], Gates]] = {
    # small
    "judgments of one query": lambda: runs(GOOD, BAD, at_least(0.1), qrels=first(QRELS, 1)),
    "judgments of nine queries": lambda: runs(GOOD, BAD, better(), not_worse(), at_least(0.1), qrels=first(QRELS, 9)),
    "a table of four folds": lambda: table(varied(4, 0.8), varied(4, 0.2), better("value"), at_least(0.1, "value")),
    "a lead that few queries show": lambda: table(varied(12, 0.52), varied(13)[:12], not_worse("value", 0.01)),
    "a limit that the value reaches by chance": lambda: runs(BAD, GOOD, at_least(0.39, confidence=0.95)),
    "three queries that differ": lambda: runs(FEW_RISE, ALL_LOW, better("RR")),
    # empty
    "nothing is relevant": lambda: runs(
        BAD,
        GOOD,
        not_worse(),
        at_most(0.1, "MissRate@10"),
        not_worse("MissRate@10"),
        qrels={q: dict.fromkeys(of, 0) for q, of in QRELS.items()},
    ),
    "nothing is relevant for most queries": lambda: runs(
        BAD,
        GOOD,
        not_worse(),
        at_most(0.3, "MissRate@10"),
        qrels={q: of if n % 5 == 0 else dict.fromkeys(of, 0) for n, (q, of) in enumerate(QRELS.items())},
    ),
    "no document has the grade": lambda: runs(
        BAD, GOOD, not_worse("AP(rel=3)"), at_most(0.1, "MissRate(rel=3)@10"), at_least(0, "nDCG(rel=3)@10")
    ),
    "empty rankings": lambda: runs(
        {q: of if n < 8 else {} for n, (q, of) in enumerate(BAD.items())}, GOOD, at_least(0.01)
    ),
    # truncated
    "both runs truncated": lambda: runs(first(BAD, 8), first(GOOD, 8), not_worse(margin=0.2)),
    "both truncated, missing queries left out": lambda: runs(
        first(GOOD, 12), first(GOOD, 12) | first(BAD, 11), not_worse(margin=0.3), settings={"missing": "skip"}
    ),
    "the baseline truncated": lambda: runs(BAD, first(GOOD, 8), better(), not_worse()),
    "the run truncated to what it does best": lambda: runs(
        first(GOOD, 20), BAD, at_least(0.3), better(), settings={"missing": "skip"}
    ),
    "errors that only answers can have": lambda: runs(first(BAD, 5), GOOD, at_most(2, "NumNonrelRet@10")),
    # tied
    "all scores equal": lambda: runs(FLAT, FLAT, at_least(0.99, "AP"), qrels=WITH_NAMES),
    "all scores equal, beside a baseline": lambda: runs(
        FLAT,
        {q: {f"z{d}" if f"z{d}" in WITH_NAMES[q] else d: s for d, s in of.items()} for q, of in GOOD.items()},
        better("AP"),
        not_worse("AP"),
        qrels=WITH_NAMES,
    ),
    "all scores equal, with subtopics": lambda: runs(
        {
            f"q{q}": dict.fromkeys([f"z{d}" for d in range(5)] + [f"a{d}" for d in range(5, 9)], 1.0)
            for q in range(N_QUERIES)
        },
        None,
        at_least(0.9, "alpha_nDCG@5"),
        qrels=SUBTOPICS,
    ),
    "scores of two values": lambda: runs(
        {q: {d: float(d[0] == "z" or n % 2) for n, d in enumerate(of)} for q, of in WITH_NAMES.items()},
        None,
        at_least(0.9, "P@3"),
        qrels=WITH_NAMES,
    ),
    # duplicated
    "a copy of the baseline": lambda: runs(GOOD, {q: dict(of) for q, of in GOOD.items()}, not_worse(), better()),
    "a rescaled copy of the baseline": lambda: runs(
        {q: {d: 2 * s + 7 for d, s in of.items()} for q, of in GOOD.items()}, GOOD, not_worse()
    ),
    "the same gain everywhere": lambda: table(
        [v + 0.125 for v in varied(20)], varied(20), better("value"), not_worse("value")
    ),
    "every row five times": lambda: table(
        near(varied(12), 0.02) * 5, varied(12) * 5, better("value"), not_worse("value")
    ),
    "a document twice": lambda: runs(
        [(q, d, s) for q, of in GOOD.items() for d, s in [*of.items(), ("d0", 9.0)]], BAD, better()
    ),
    "a judgment twice": lambda: runs(
        GOOD, BAD, better(), qrels=[*((q, d, g) for q, of in QRELS.items() for d, g in of.items()), ("q0", "d9", 2)]
    ),
    # renamed
    "other names of documents": lambda: runs(
        {q: {f"x{d}": s for d, s in of.items()} for q, of in BAD.items()}, None, at_most(2, "NumNonrelRet@10")
    ),
    "other names of all queries": lambda: runs({q.upper(): of for q, of in GOOD.items()}, BAD, better()),
    "other names of half of the queries": lambda: runs(
        UPPER, {q: of for q, of in BAD.items() if q in UPPER}, better(), not_worse()
    ),
    "documents whose names differ by a prefix": lambda: runs(
        BAD, {q: {f"doc/{d}": s for d, s in of.items()} for q, of in GOOD.items()}, better(), not_worse()
    ),
    # not a number, percentages
    "values that are not numbers": lambda: table([float("nan")] * 30, varied(30), not_worse("value")),
    "scores that are not numbers": lambda: runs(
        {q: dict.fromkeys(of, float("nan")) for q, of in BAD.items()}, GOOD, not_worse()
    ),
    "percentages beside proportions": lambda: table(
        [100 * v for v in varied(30, 0.3)], varied(30, 0.6), better("value")
    ),
    "a limit in percent": lambda: table(varied(30, 0.9), varied(30), at_most(5, "value")),
    "a margin in percent": lambda: runs(BAD, GOOD, not_worse(margin=2)),
    # stale
    "judgments of the winner only": lambda: runs(
        GOOD, ranked(1.4, 5), better(level=0.2), not_worse(margin=0.1), qrels=STALE
    ),
    "one judged document in a condensed list": lambda: runs(
        {q: {f"new{n}": 99.0 - n for n in range(15)} | {"d0": 1.0} for q in QRELS},
        None,
        at_least(0.9, "RR(unjudged='skip')"),
    ),
    # swapped
    "judgments and run swapped": lambda: runs(QRELS, BAD, better(), qrels=GOOD),
    "a run as its own baseline": lambda: runs(BAD, BAD, not_worse()),
    "higher latency as an improvement": lambda: table(varied(30, 0.7), varied(30, 0.3), better("latency")),
    "no queries needed": lambda: runs(GOOD, BAD, better(), qrels=first(QRELS, 1), min_queries=0),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_gate_passes(cheat):
    specified = CHEATS[cheat]()
    specified = {name: value for name, value in specified.items() if value is not None}
    with suppress(BadInput, BadSetting):  # what cannot be evaluated at all is refused
        checked = cranfield.check(specified)
        assert [gate.gate for gate in checked.gates if gate.passed] == []
        assert all(gate.reasons for gate in checked.undecided)


@pytest.mark.parametrize(("cheat", "reason"), [
    ("both runs truncated", "answers 8 of 60 judged queries"),
    ("nothing is relevant", "is undefined on 60 of 60 queries"),
    ("no document has the grade", "no document has grade 3 or higher"),
    ("all scores equal", "the order of tied documents decides"),
    ("all scores equal, with subtopics", "the order of tied documents decides"),
    ("a rescaled copy of the baseline", "has the same values as baseline on all 60 queries"),
    ("the same gain everywhere", "the difference is the same on all 20"),
    ("every row five times", "every value occurs 5 times"),
    ("three queries that differ", "only 3 queries differ"),
    ("judgments of the winner only", "of those of baseline: unjudged documents count as not relevant"),
    ("one judged document in a condensed list", "a verdict needs 50 % (min_judged)"),
    ("higher latency as an improvement", "set lower_is_better"),
])  # fmt: skip
def test_the_reason_is_said(cheat, reason):
    specified = {name: value for name, value in CHEATS[cheat]().items() if value is not None}
    gates = cranfield.check(specified).gates
    assert any(reason in said for gate in gates for said in gate.reasons), [gate.reasons for gate in gates]


def test_honest_gates_pass():
    honest = runs(GOOD, BAD, better(), not_worse(), at_least(0.5), at_least(0.5, confidence=0.95), better("AP"),
                  at_most(0.4, "MissRate@10"), not_worse("MissRate@10"), better(baseline=0.5))  # fmt: skip
    assert [gate.outcome for gate in cranfield.check(honest).gates] == ["passed"] * 8
    assert cranfield.check(table(near(varied(40), 0.05), varied(40), better("value"), not_worse("value"))).passed
    nearly = {q: {d: s + 0.01 * (d == "d1") for d, s in of.items()} for q, of in GOOD.items()}
    assert cranfield.check(runs(nearly, GOOD, not_worse(margin=0.02), unchanged="pass")).passed


def test_needs_below_the_default_are_printed():
    lowered = cranfield.check(runs(first(GOOD, 30), None, at_least(0.2), complete=0.5) | {"baseline": 0.5})
    assert lowered.passed
    assert "a verdict needs: complete 0.5" in str(lowered)
    assert json.loads(lowered.to_json())["gates"][0]["needs"] == "complete 0.5"
    assert "needs" not in str(cranfield.check(runs(GOOD, BAD, better())))


def test_bad_runs_fail_rather_than_being_undecided():
    bad = runs(BAD, GOOD, better(), not_worse(), at_least(0.9), at_most(0.1, "MissRate@10"))
    assert [gate.outcome for gate in cranfield.check(bad).gates] == ["failed"] * 4


def test_every_output_has_the_number_of_queries_the_interval_the_reason_and_the_warnings():
    checked = cranfield.check(runs(first(BAD, 8), GOOD, at_least(0.01)))
    (gate,) = checked.gates
    bounds = f"{gate.low:.3f}–{gate.high:.3f}"
    reason, warning = "run answers 8 of 60 judged queries", "52 of 60 judged queries are missing"
    (failure,) = ET.fromstring(checked.to_junit()).iter("failure")
    assert failure.attrib["type"] == "undecided"
    assert reason in failure.attrib["message"]
    for text in (str(checked), checked.to_markdown(), failure.text):
        assert all(said in text for said in ("60", bounds, reason, warning)), text
    row = json.loads(checked.to_json())["gates"][0]
    assert (row["outcome"], row["n"], row["low"], row["high"]) == ("undecided", 60, gate.low, gate.high)
    assert reason in row["reasons"][0]
    assert warning in row["warnings"][0]
    assert checked.table().to_pylist()[0]["outcome"] == "undecided"


@pytest.mark.parametrize("needs", [
    {"complete": 1.5}, {"min_queries": 2.5}, {"min_defined": -1}, {"min_judged": "half"}, {"unchanged": "fail"},
    {"complete": True}, {"gate": [at_least(0.1, confidence=0.3)]}, {"gate": [better(confidence=0.95)]},
])  # fmt: skip
def test_needs_that_mean_nothing_are_refused(needs):
    with pytest.raises(CranfieldError, match=r"complete|min_|unchanged|confidence"):
        cranfield.check(runs(GOOD, BAD, better()) | needs)
