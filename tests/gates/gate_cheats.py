"""Ways to get a bad run through a gate, or a good one with no evidence, and an honest collection to cheat with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

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

RELEVANT = {q: {d: g for d, g in of.items() if g > 0} for q, of in QRELS.items()}
IRRELEVANT = dict.fromkeys(QRELS["q0"], 0)
TOP_OF_WINNER = {
    q: {d: g for d, g in of.items() if d in sorted(GOOD[q], key=GOOD[q].__getitem__)[-6:]} for q, of in RELEVANT.items()
}
BOTH_ENDS = [
    {"query": f"q{q}", "subtopic": "1", "document": d, "grade": int(d[0] in "az")}
    for q in range(N_QUERIES)
    for d in ("a1", "m1", "m2", "z1")
]


def copies(data: dict[str, Any], n: int, times: int) -> dict[str, Any]:
    """The first queries, each under several names."""
    return {f"{q}-{copy}": of for q, of in first(data, n).items() for copy in range(times)}


SPELLINGS = ("q{}", "Q{}", "q0{}", "q00{}")


def alike(data: dict[str, Any]) -> dict[str, Any]:
    """Five queries, each under several names that differ only in spelling."""
    return {spelling.format(n): data[f"q{n}"] for n in range(1, 6) for spelling in SPELLINGS}


def alike_values(values: list[float]) -> dict[str, float]:
    return {spelling.format(n): value for n, value in enumerate(values) for spelling in SPELLINGS}


def shortened(run: dict[str, Any], n: int) -> dict[str, Any]:
    return {q: dict(sorted(of.items(), key=lambda item: -item[1])[:n]) for q, of in run.items()}


def padded(run: dict[str, Any]) -> dict[str, Any]:
    """The run with unjudged documents after the ninth."""
    top = shortened(run, 9)
    return {
        q: top[q] | {f"j{n}": -50.0 - n for n in range(60)} | {d: s - 200 for d, s in of.items() if d not in top[q]}
        for q, of in run.items()
    }


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
    "no document has the grade": lambda: runs(BAD, GOOD, not_worse("AP(rel=3)"), at_most(0.1, "MissRate(rel=3)@10")),
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
    "documents scored by distance": lambda: runs(
        BAD, {q: {d: 9 - s for d, s in of.items()} for q, of in GOOD.items()}, better(), not_worse()
    ),
    "lower is better for a measure where higher is": lambda: table(
        varied(30, 0.3), varied(31, 0.6)[:30], better("nDCG@10"), lower_is_better=["nDCG@10"]
    ),
    "times and word error rates as gains": lambda: table(
        varied(30, 0.8), varied(31, 0.3)[:30], better("responseTime_p95"), better("WER"), not_worse("mean_rank")
    ),
    # few, although there are many
    "one query under thirty names": lambda: runs(
        copies(GOOD, 1, 30), copies(BAD, 1, 30), better(), at_least(0.3), not_worse(), qrels=copies(QRELS, 1, 30)
    ),
    "three queries under thirty names": lambda: runs(
        copies(GOOD, 3, 10), copies(BAD, 3, 10), better(), at_least(0.3), not_worse(), qrels=copies(QRELS, 3, 10)
    ),
    "queries whose names look alike": lambda: runs(
        alike(FEW_RISE), alike(ALL_LOW), better("RR"), at_least(0.3, "RR"), qrels=alike(QRELS)
    ),
    "rows whose names look alike": lambda: {
        "values": {"new": alike_values(near(varied(5), 0.02)), "old": alike_values(varied(5))},
        "run": "new",
        "baseline": "old",
        "gate": [better("value"), not_worse("value"), at_least(0.1, "value")],
    },
    "every row five times, and one more": lambda: table(
        [*near(varied(12), 0.02) * 5, 0.5], [*varied(12) * 5, 0.49], better("value"), not_worse("value")
    ),
    "one query that makes up the mean": lambda: table([*[0.01] * 39, 100.0], [0.0] * 40, at_least(1, "hits")),
    "one query that makes up the mean, below 0": lambda: table([*[10.0] * 39, -999.0], [0.0] * 40, at_most(1, "hits")),
    "the same value everywhere": lambda: table([0.73] * 30, varied(30), at_least(0.7, "value")),
    "queries on which both fail": lambda: table(
        [0.0] * 52 + varied(8, 0.3), [0.0] * 52 + varied(9, 0.6)[:8], not_worse("value", 0.05)
    ),
    "many queries on which both fail": lambda: table(
        [0.0] * 180 + near(varied(20), -0.1), [0.0] * 180 + varied(20), not_worse("value", 0.05)
    ),
    # nothing that could fail
    "a value that every system reaches": lambda: runs(BAD, GOOD, at_least(0)),
    "a value that no system exceeds": lambda: runs(BAD, GOOD, at_most(1, "MissRate@10")),
    "a baseline that no system is worse than": lambda: runs(BAD, 0.0, better()),
    "a margin as large as the baseline, a number": lambda: runs(BAD, 0.31, not_worse(margin=0.4)),
    "a margin as large as the baseline, a run": lambda: runs(BAD, ranked(0.2, 9), not_worse(margin=0.5)),
    "a gain in a count that is no gain": lambda: runs(
        {q: of | {f"j{n}": -9.0 - n for n in range(40)} for q, of in BAD.items()}, GOOD, better("NumRet")
    ),
    "documents that were not judged count as nothing": lambda: runs(
        {q: {f"j{n}": 30.0 - n for n in range(20)} | {"d0": 0.5} for q in QRELS},
        GOOD,
        at_least(0.9, "RR(unjudged='skip')"),
        at_least(0.9, "Bpref"),
        at_most(2, "NumNonrelRet@10"),
        qrels=RELEVANT,
    ),
    "documents that were not judged count as relevant": lambda: runs(
        {q: {f"j{n}": 30.0 - n for n in range(20)} | {"d0": 0.5} for q in QRELS},
        None,
        at_least(0.9, "P(unjudged=2)@10"),
        qrels=RELEVANT,
    ),
    "half of the documents were not judged and count as relevant": lambda: runs(
        {q: {f"j{n}": n % 3 - 1.0 + n / 99 for n in range(9)} | of for q, of in GOOD.items()},
        None,
        at_least(0.3, "P(unjudged=2)@10"),
    ),
    "documents judged not relevant count as relevant": lambda: runs(BAD, None, at_least(0.9, "P(rel=0)@10")),
    "a baseline without a hit": lambda: table(varied(30, 0.1), [0.0] * 30, better("nDCG@10"), not_worse("nDCG@10")),
    # made from the judgments, or favoured by them
    "the judgments as the run": lambda: runs(
        {q: {d: float(g) for d, g in of.items()} for q, of in QRELS.items()}, BAD, at_least(0.9), better()
    ),
    "the relevant documents as the run": lambda: runs(
        {q: {d: g + ord(d[1]) / 99 for d, g in of.items()} for q, of in RELEVANT.items()},
        BAD,
        at_least(0.9),
        better(),
        qrels=RELEVANT,
    ),
    "grades that begin at 1": lambda: runs(
        BAD, None, at_least(0.9, "P@10"), qrels={q: {d: g + 1 for d, g in of.items()} for q, of in QRELS.items()}
    ),
    "a run filtered by the judgments": lambda: runs(ranked(1.0, 8), padded(ranked(1.05, 9)), better("AP")),
    "relevant documents of the winner only": lambda: runs(GOOD, ranked(1.5, 77), better(), qrels=TOP_OF_WINNER),
    "a baseline of few documents": lambda: runs(
        ranked(1.2, 3), shortened(ranked(1.25, 4), 5), better("AP"), better("R@1000")
    ),
    # undefined, and settings that hide it
    "undefined values that lower a mean": lambda: runs(
        BAD, None, at_most(0.36, "AP"), qrels={q: QRELS[q] if n % 12 else IRRELEVANT for n, q in enumerate(QRELS)}
    ),
    "ties in the best order": lambda: runs(
        FLAT, None, at_least(0.9, "AP"), qrels=WITH_NAMES, settings={"ties": "best"}
    ),
    "ties at both ends of the names": lambda: runs(
        {f"q{q}": dict.fromkeys(("a1", "m1", "m2", "z1"), 1.0) for q in range(N_QUERIES)},
        None,
        at_least(0.9, "alpha_nDCG@1"),
        qrels=BOTH_ENDS,
    ),
    "ties of a measure without expected values": lambda: runs(
        {f"q{q}": dict.fromkeys(("a1", "m1", "m2", "z1"), 1.0) for q in range(N_QUERIES)},
        None,
        at_least(0.9, "alpha_nDCG@1"),
        qrels=BOTH_ENDS,
        settings={"ties": "expected"},
    ),
    # copies and other scales
    "a copy with fewer decimals": lambda: table(
        varied(40), [math.floor(v * 1e3) / 1e3 for v in varied(40)], better("value"), not_worse("value")
    ),
    "a copy in single precision": lambda: table(
        varied(40), [float(np.float32(v)) - 1e-8 for v in varied(40)], better("value"), not_worse("value")
    ),
    "a copy on another scale": lambda: table(
        [1.02 * v for v in varied(40)], varied(40), better("value"), not_worse("value")
    ),
    "nearly the same gain everywhere": lambda: table(
        near([v + 0.125 for v in varied(20)], 1e-9), varied(20), better("value"), not_worse("value")
    ),
    "columns that were sorted": lambda: table(
        sorted(varied(30, 0.52)), sorted(varied(31, 0.5)[:30]), better("value"), not_worse("value", 0.1)
    ),
    "values that the measure cannot have": lambda: table(
        varied(30, 0.2)[:20] + [200.0] * 10, varied(30, 0.6), at_least(0.5), better()
    ),
    "percentages beside a required proportion": lambda: table(
        [100.0 * (n % 7 == 0) for n in range(30)], varied(30), at_least(1, "nDCG@10")
    ),
    "right and wrong as 100 and 0, and as 1 and 0": lambda: table(
        [100.0 * (n % 3 == 0) for n in range(31)], [float(n % 2) for n in range(31)], better("value")
    ),
}

# what is said of each cheat, as a reason or in the error that refuses it
SAID = {
    "judgments of one query": "1 query, but a verdict needs 10 (min_queries)",
    "judgments of nine queries": "9 queries, but a verdict needs 10 (min_queries)",
    "a table of four folds": "but a verdict needs 10 (min_queries)",
    "a lead that few queries show": "do not show that the improvement exceeds -0.01",
    "a limit that the value reaches by chance": "the one-sided 95 % confidence limit is 0.3669",
    "three queries that differ": "only 3 queries differ: too few",
    "nothing is relevant": "is undefined on 60 of 60 queries",
    "nothing is relevant for most queries": "is undefined on 48 of 60 queries",
    "no document has the grade": "no document has grade 3 or higher",
    "empty rankings": "answers 8 of 60 judged queries",
    "both runs truncated": "answers 8 of 60 judged queries",
    "both truncated, missing queries left out": "answers 12 of 60 judged queries",
    "the baseline truncated": "answers 8 of 60 judged queries",
    "the run truncated to what it does best": "answers 20 of 60 judged queries",
    "errors that only answers can have": "answers 5 of 60 judged queries",
    "all scores equal": "the order of tied documents decides",
    "all scores equal, beside a baseline": "the order of tied documents decides",
    "all scores equal, with subtopics": "the order of tied documents decides",
    "scores of two values": "the order of tied documents decides",
    "a copy of the baseline": "has the same values as",
    "a rescaled copy of the baseline": "has the same values as",
    "the same gain everywhere": "the difference is the same on all 20",
    "every row five times": "nearly every value occurs 5 times",
    "a document twice": "duplicate document 'd0'",
    "a judgment twice": "duplicate judgment of document 'd9'",
    "other names of documents": "no retrieved document is judged",
    "other names of all queries": "which differ only by upper and lower case",
    "other names of half of the queries": "answers 30 of 60 judged queries",
    "documents whose names differ by a prefix": "no retrieved document is judged",
    "values that are not numbers": "has no value",
    "scores that are not numbers": "which cannot be ranked",
    "percentages beside proportions": "are some of them percentages?",
    "a limit in percent": "are some of them percentages?",
    "a margin in percent": "for 2 % use 0.02",
    "judgments of the winner only": "unjudged documents count as not relevant, which could decide",
    "one judged document in a condensed list": "a verdict needs 50 % (min_judged)",
    "judgments and run swapped": "are judgments and run swapped?",
    "a run as its own baseline": "own baseline",
    "higher latency as an improvement": "set lower_is_better, or rename it",
    "no queries needed": "min_queries must be a whole number of 1 or more",
    "documents scored by distance": "are lower scores better?",
    "lower is better for a measure where higher is": "higher values of nDCG@10 are better",
    "times and word error rates as gains": "set lower_is_better, or rename it",
    "one query under thirty names": "only 1 of 30 queries differ",
    "three queries under thirty names": "only 3 of 30 queries differ",
    "queries whose names look alike": "differ by more than the spelling of their names",
    "rows whose names look alike": "differ by more than the spelling of their names",
    "every row five times, and one more": "nearly every value occurs 5 times",
    "one query that makes up the mean": "makes up more than half of the value",
    "one query that makes up the mean, below 0": "makes up more than half of the value",
    "the same value everywhere": "nothing varies",
    "queries on which both fail": "both have the worst value, 0, on 52 of 60",
    "many queries on which both fail": "the others do not show this margin",
    "a value that every system reaches": "so every system passes",
    "a value that no system exceeds": "so every system passes",
    "a baseline that no system is worse than": "so every system passes",
    "a margin as large as the baseline, a number": "so every system passes",
    "a margin as large as the baseline, a run": "so that the worst possible system would pass",
    "a gain in a count that is no gain": "neither higher nor lower values are better",
    "documents that were not judged count as nothing": "so nothing could",
    "documents that were not judged count as relevant": "counts unjudged documents of run as relevant",
    "half of the documents were not judged and count as relevant": "counts unjudged documents of run as relevant",
    "documents judged not relevant count as relevant": "counts documents of grade 0 as relevant",
    "a baseline without a hit": "has the worst value, 0, on every",
    "the judgments as the run": "in the order of their grades: was it made from them?",
    "the relevant documents as the run": "retrieves is relevant: was it made from the judgments?",
    "grades that begin at 1": "retrieves is relevant: was it made from the judgments?",
    "a run filtered by the judgments": "were its rankings filtered by the judgments?",
    "relevant documents of the winner only": "was it pooled alone?",
    "a baseline of few documents": "has 5 documents per query",
    "undefined values that lower a mean": "is undefined on 5 queries",
    "ties in the best order": "the order of tied documents decides",
    "ties at both ends of the names": "the order of tied documents decides",
    "ties of a measure without expected values": "the order of tied documents decides",
    "a copy with fewer decimals": "has the same values as",
    "a copy in single precision": "has the same values as",
    "a copy on another scale": "is it the same on another scale?",
    "nearly the same gain everywhere": "is it the same on another scale?",
    "columns that were sorted": "the values of both are sorted",
    "values that the measure cannot have": "but nDCG@10 lies between 0 and 1",
    "percentages beside a required proportion": "are some of them percentages?",
    "right and wrong as 100 and 0, and as 1 and 0": "are some of them percentages?",
}
