"""The formulas of ranking measures that the documentation shows give the values of the measures, on random data."""

from __future__ import annotations

from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.evidence.aspects import Aspects
from cranfield.evidence.groups import Groups
from cranfield.evidence.hits import Hits
from cranfield.evidence.preferences import Preferences
from cranfield.evidence.ranked_items import RankedItems
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.measures.registry import bound, declarations
from measures.formula_values import SEEDS, names_of, value
from measures.oracles_diversity import ideal

_REQUIRED = {"collection": 200, "recall": 0.3}


def seen_as(*evidence: type) -> list[str]:
    return [name for name in names_of("ranking") if declarations()[name].evidence in evidence]


@pytest.mark.parametrize("name", seen_as(Gains, SystemValues))
@pytest.mark.parametrize("seed", SEEDS)
def test_systems(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks = {system: random.integers(1, 6, 8).tolist() for system in ("new", "old")}
    runs = {
        system: {f"q{q}": {"+" if at == rank else f"-{at}": -at for at in range(1, 6)} for q, rank in enumerate(each)}
        for system, each in ranks.items()
    }
    gain = {q: 1 / new - 1 / old for q, (new, old) in enumerate(zip(*ranks.values()))}  # AP of one relevant document
    baseline = "old" if declarations()[name].evidence is Gains else None
    mine = evaluate({f"q{q}": {"+": 1} for q in range(8)}, runs, name, baseline=baseline).aggregated()[0, 0]
    values = {(system, q): 1 / rank for system, each in ranks.items() for q, rank in enumerate(each)}
    names = {"gain": gain, "queries": range(8), "value": values, "s": "new", "systems": [*ranks]}
    assert mine == pytest.approx(value("ranking", name, names), abs=1e-12)


@pytest.mark.parametrize("name", seen_as(Hits))
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
    order = sorted(grades, key=lambda document: (-grades[document], [*ranked, *grades].index(document)))

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
        "pooled": {i: sum(document in grades for document in ranked[: i - 1]) for i in range(1, k + 1)},
        "ideal_rank": {i: order.index(document) + 1 for i, document in enumerate(ranked, 1) if document in grades},
        "queries": ["q"],
        "precision": lambda i: hits(i) / i,
        "recall": lambda i: hits(i) / relevant,
    }
    if name in ("GMAP", "GMBpref"):
        one = {"GMAP": "AP", "GMBpref": "Bpref"}[name]
        names[one] = {"q": value("ranking", one, names)}
    required = {setting: _REQUIRED[setting] for setting in settings if settings[setting].required}
    limited = {"k": k} if "k" in settings and (cut or settings["k"].default is not None) else {}
    asked = bound(declarations()[name], required | limited)
    run = {"q": {document: 100.0 - i for i, document in enumerate(ranked)}}
    mine = float(evaluate({"q": grades}, run, asked).aggregated()[0][0])
    assert mine == pytest.approx(value("ranking", name, names | required), abs=1e-12)


@pytest.mark.parametrize("name", seen_as(Aspects, Groups))
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cut", [False, True])
def test_aspects(name: str, seed: int, cut: bool, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    documents = [f"d{n:02}" for n in random.permutation(14)]
    ranked, aspects = documents[:12], ["1", "2", "3"]
    covers = {document: {a for a in aspects if random.random() < 0.4} for document in documents[2:]}
    covers[documents[0]] = {*aspects}  # every aspect has a relevant document
    judgments = [f"q {a} {d} {int(a in own)}\n" for d, own in covers.items() for a in aspects]
    k = 5 if cut and "k" in declarations()[name].settings else len(ranked)
    first, best = dict(enumerate(ranked, 1)), dict(enumerate(ideal(covers, 0.5), 1))
    names = {
        "k": k,
        "ranks": range(1, k + 1),
        "aspects": aspects,
        "groups": aspects,
        "covers": {(i, a): int(a in covers.get(first[i], ())) for i in first for a in aspects},
        "best": {(i, a): int(a in covers.get(best.get(i, ""), ())) for i in first for a in aspects},
        "R_of": {a: sum(a in own for own in covers.values()) for a in aspects},
    }
    run = {"q": {document: 100.0 - i for i, document in enumerate(ranked)}}
    mine = evaluated(tmp_path, judgments, run, f"{name}@{k}" if k == 5 else name, "qrels")
    assert mine == pytest.approx(value("ranking", name, names), abs=1e-12)


@pytest.mark.parametrize("name", seen_as(Preferences))
@pytest.mark.parametrize("seed", SEEDS)
def test_preferences(name: str, seed: int, tmp_path: Path) -> None:
    random, documents, groups = np.random.default_rng(seed), "abcdefgh", "uvw"
    grades = {group: dict(zip(documents, random.integers(0, 4, 8).tolist())) for group in groups}
    judgments = [f"q {group} s {d} {grade}\n" for group, own in grades.items() for d, grade in own.items()]
    ranked = random.permutation([*documents])[:6].tolist()
    stated = {group: [(a, b) for a in documents for b in documents if own[a] > own[b]] for group, own in grades.items()}
    pairs = {pair: [(a, b) for own in stated.values() for a, b in own if {a, b} == {*pair}]
             for pair in combinations(documents, 2)}  # fmt: skip
    names = {
        "groups": groups,
        "preferences": stated,
        "preferences_on": {pair: own for pair, own in pairs.items() if own},
        "rank": {d: ranked.index(d) + 1 if d in ranked else inf for d in documents},
    }
    mine = evaluated(tmp_path, judgments, {"q": {d: 100.0 - i for i, d in enumerate(ranked)}}, name, "prefs")
    assert mine == pytest.approx(value("ranking", name, names), abs=1e-12)


def evaluated(folder: Path, judgments: list[str], run: Any, measure: str, form: Any) -> float:
    path = folder / "judgments"
    path.write_text("".join(judgments))
    return evaluate(str(path), run, measure, form=form).per_query(measure)["q"]


@pytest.mark.parametrize("name", seen_as(RankedItems))
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [4, 9])
def test_items(name: str, seed: int, k: int) -> None:
    random, documents, tags = np.random.default_rng(seed), [f"d{n:02}" for n in range(15)], "xyz"
    items = {
        document: {"popularity": int(random.integers(1, 50)), "group": "gh"[n % 2], "genres": genres}
        for n, (document, genres) in enumerate(zip(documents, random.choice(["x", "y", "x|y", "y|z"], 15).tolist()))
    }
    ranked = {user: random.permutation(documents)[:9].tolist() for user in ("u", "v")}
    grades = {user: {document: int(random.integers(0, 2)) for document in own[::2]} for user, own in ranked.items()}
    own = dict(enumerate(ranked["u"], 1))
    names = {
        "ranks": range(1, k + 1),
        "rel": {i: grades["u"].get(document, 0) for i, document in own.items()},
        "popularity": {i: items[document]["popularity"] for i, document in own.items()},
        "group": {i: items[document]["group"] for i, document in own.items()},
        "features": {i: [int(tag in str(items[document]["genres"])) for tag in tags] for i, document in own.items()},
        "items": {document: item["popularity"] for document, item in items.items()},
        "total": sum(int(item["popularity"]) for item in items.values()),
        "catalogue": {"g": 8 / 15, "h": 7 / 15},
        "times": {document: sum(document in each[:k] for each in ranked.values()) for document in documents},
    }
    measure = f"{name}@{k}"
    runs = {user: {document: 100.0 - i for i, document in enumerate(each)} for user, each in ranked.items()}
    result = evaluate(grades, runs, measure, item_info=items)
    mine = result.per_query(measure)["u"] if declarations()[name].per_unit else result[measure]
    assert mine == pytest.approx(value("ranking", name, names), abs=1e-12)
