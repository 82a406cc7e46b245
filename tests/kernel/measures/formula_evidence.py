"""Random evidence for every kind of measure, and what the names in formulas stand for, read from it slowly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import ceil, floor, inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from cranfield import agree, classify, evaluate, evaluate_answers, regress
from cranfield.evidence.answers import Citations, Nuggets
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.hits import Hits
from cranfield.evidence.items import LabelRankings, LabelSets
from cranfield.evidence.preferences import Preferences
from cranfield.evidence.ranked_items import RankedItems
from cranfield.evidence.ratings import Ratings
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.subtopics import Aspects, Groups
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.registry import Measure, bound, declarations
from kernel.measures.formula_values import value

Measures = list[Measure]
Points = list[tuple[float, float]]
TOP = 4  # the highest grade of all judgments, which another query has


class Example(NamedTuple):
    """Random data: the values of measures, and what the names in their formulas are for a measure."""

    values: Callable[[Measures], list[float]]
    names: Callable[[Measure], dict[str, Any]]


class AtRank(dict[Any, Any]):
    """What is known by rank; 0 at an empty one."""

    def __missing__(self, key: Any) -> int:
        return 0


def by_rank(values: Iterable[Any]) -> AtRank:
    return AtRank(enumerate(values, 1))


def scored(ranked: Sequence[str]) -> dict[str, float]:
    return {document: 100.0 - rank for rank, document in enumerate(ranked)}


# rankings


def _aggregated(result: Any, measures: Measures) -> list[float]:
    return [float(one) for one in result.aggregated()[0]]


def _hits(random: np.random.Generator) -> Example:
    documents = [f"d{n}" for n in random.permutation(14)]
    ranked = documents[:9]
    levels = random.choice([-1, 0, 0.5, 1, 2], 10, p=[0.1, 0.4, 0.1, 0.2, 0.2]).tolist()
    grades = dict(zip(documents[::2] + documents[1:6:2], levels)) | {ranked[4]: 2, documents[-1]: 3}
    judged = {"q": grades, "missing": {"d": TOP}}

    def values(measures: Measures) -> list[float]:
        result = evaluate(judged, {"q": scored(ranked)}, measures, missing="skip", undefined="skip")
        return _aggregated(result, measures)

    return Example(values, lambda measure: _ranking(measure, ranked, grades))


def _ranking(measure: Measure, ranked: Sequence[str], judged: Mapping[str, float]) -> dict[str, Any]:
    options, grades = measure.options, dict(judged)
    gain = options.get("gain")
    k, unjudged = options.get("k"), options.get("unjudged")
    if unjudged == "skip":
        ranked = [document for document in ranked if grades.get(document, -1) >= 0]
    elif unjudged is not None:
        grades |= {d: unjudged for d in ranked[:k] if grades.get(d, -1) < 0}  # type: ignore[misc]
    grades = dict(sorted(grades.items(), key=lambda pair: (-pair[1], [*ranked, *grades].index(pair[0]))))
    at = [grades.get(document, -1) for document in ranked]
    rel = 1 if options.get("rel") is None else options["rel"]
    best = [one for d, one in grades.items() if one >= 0 and (options.get("ideal") != "retrieved" or d in ranked)]
    asked: Any = options.get("top", "judgments")
    top: Any = {"judgments": TOP, "query": max(grades.values())}.get(asked, asked)
    bottom: Any = options.get("bottom", 0)
    relevant = by_rank(int(one >= max(rel, 0)) for one in at)  # type: ignore[call-overload, type-var]
    n_ranks = len(ranked) if k is None else k
    names = {
        "k": n_ranks,
        "ranks": range(1, n_ranks + 1),
        "ideal_ranks": range(1, (len(best) if k is None else k) + 1),
        "R": sum(one >= rel for one in grades.values()),
        "N": sum(0 <= one < rel for one in grades.values()),
        "retrieved": by_rank(1 for _ in ranked),
        "judged": by_rank(int(one >= 0) for one in at),
        "pooled": by_rank(sum(document in grades for document in ranked[:i]) for i in range(len(ranked))),
        "rel": relevant,
        "grade": by_rank(max(one, 0) for one in at),
        "gain": by_rank(_gain(one, measure) for one in at),
        "ideal": by_rank(sorted(best, reverse=True)),
        "ideal_gain": by_rank(sorted((max(_gain(one, measure), 0) for one in best), reverse=True)),
        "scaled": by_rank((min(max(one, bottom), top) - bottom) / (top - bottom) for one in at),
        "top": top,
        "largest_gain": max(1, _gain(top, measure), *dict(gain).values()) if isinstance(gain, tuple) else None,
        "ideal_rank": by_rank([*grades].index(document) + 1 if document in grades else inf for document in ranked),
        "queries": ["q"],
        "precision": lambda i: sum(relevant[j] for j in range(1, i + 1)) / i,
    }
    if "recall" not in options:
        names["recall"] = lambda i: sum(relevant[j] for j in range(1, i + 1)) / names["R"]
    for mean, one in (("GMAP", "AP"), ("GMBpref", "Bpref")):
        if measure.name == mean:
            names[one] = {"q": value(bound(declarations()[one], dict(measure.settings)), names)}
    return names


def _gain(grade: float, measure: Measure) -> float:
    rel: Any = measure.options["rel"] if measure.name in ("DCG", "IDCG", "nDCG") else None
    gain = measure.options.get("gain")
    if grade < 0 or (rel is not None and grade < rel):
        return 0
    if isinstance(gain, tuple):
        return float(dict(gain).get(grade, grade))
    return 2**grade - 1 if gain == "exp2" else grade


def _several_judgments(random: np.random.Generator, forms: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """A ranking, and grades of its documents and others by aspect or judgment group."""
    documents = [f"d{n:02}" for n in random.permutation(10)]
    grades = {name: dict(zip(documents[1:], random.choice([0, 1, 2], 9).tolist())) for name in forms}
    for own in grades.values():
        own |= {documents[2]: 1, documents[9]: 2}
        del own[documents[4]]
    return documents[:8], grades


def _from_file(lines: Iterable[str], run: dict[str, float], measures: Measures, form: Any) -> list[float]:
    with TemporaryDirectory() as folder:
        Path(folder, "judgments").write_text("".join(lines))
        result = evaluate(f"{folder}/judgments", {"q": run}, measures, form=form, undefined="skip")
    return _aggregated(result, measures)


def _aspects(random: np.random.Generator) -> Example:
    ranked, grades = _several_judgments(random, "123")
    lines = [f"q {a} {d} {grade}\n" for a, own in grades.items() for d, grade in own.items()]

    def names(measure: Measure) -> dict[str, Any]:
        rel, k, alpha = (measure.options.get(name) for name in ("rel", "k", "alpha"))
        covers = {d: {a for a in grades if grades[a][d] >= rel} for d in grades["1"]}  # type: ignore[operator]
        shown = [d for d in ranked if d in covers or measure.options["unjudged"] != "skip"]
        best = _greedy(covers, 0.5 if alpha is None else float(alpha))  # type: ignore[arg-type]
        n_ranks = len(shown) if k is None else int(k)  # type: ignore[call-overload]
        return {
            "k": n_ranks,
            "ranks": range(1, n_ranks + 1),
            "ideal_ranks": range(1, (len(best) if k is None else n_ranks) + 1),
            "aspects": [*grades],
            "covers": _covered(shown, covers, grades),
            "best": _covered(best, covers, grades),
            "R_of": {a: sum(a in own for own in covers.values()) for a in grades},
        }

    return Example(lambda measures: _from_file(lines, scored(ranked), measures, "qrels"), names)


def _covered(ranked: list[str], covers: Mapping[str, set[str]], names: Iterable[str]) -> AtRank:
    return AtRank({(i, a): int(a in covers.get(d, ())) for i, d in enumerate(ranked, 1) for a in names})


def _greedy(covers: Mapping[str, set[str]], alpha: float) -> list[str]:
    """At each rank the document that gains most there; of equals the last by name."""
    chosen: list[str] = []
    left = {d for d, own in covers.items() if own}
    while left:
        times = {a: sum(a in covers[d] for d in chosen) for a in "123"}
        chosen.append(max(left, key=lambda d: (round(sum((1 - alpha) ** times[a] for a in covers[d]), 9), d)))
        left.remove(chosen[-1])
    return chosen


def _groups(random: np.random.Generator) -> Example:
    ranked, grades = _several_judgments(random, "uvw")
    lines = [f"q {g} {d} {grade}\n" for g, own in grades.items() for d, grade in own.items()]

    def names(measure: Measure) -> dict[str, Any]:
        rel, k, skipped = measure.options["rel"], measure.options.get("k"), measure.options["unjudged"] == "skip"
        covers, ranks = AtRank(), {}
        for group, own in grades.items():
            shown = [document for document in ranked if document in own or not skipped]
            covers |= {(i, group): int(own.get(d, 0) >= rel) for i, d in enumerate(shown, 1)}
            ranks[group] = range(1, (len(shown) if k is None else k) + 1)  # type: ignore[operator]
        relevant = {group: sum(one >= rel for one in own.values()) for group, own in grades.items()}
        return {"groups": [*grades], "ranks_of": ranks, "covers": covers, "R_of": relevant}

    return Example(lambda measures: _from_file(lines, scored(ranked), measures, "qrels"), names)


def _preferences(random: np.random.Generator) -> Example:
    documents, groups = "abcdefgh", "uvw"
    grades = {group: dict(zip(documents, random.integers(0, 4, 8).tolist())) for group in groups}
    lines = [f"q {group} s {d} {grade}\n" for group, own in grades.items() for d, grade in own.items()]
    lines += [f"q w2 s {d} 1\n" for d in documents]  # a group without preferences
    ranked = random.permutation([*documents])[:6].tolist()

    def names(measure: Measure) -> dict[str, Any]:
        fewest = {"both": 2, "either": 1, "all": 0}[str(measure.options["pairs"])]
        counted = {pair for pair in product(documents, repeat=2) if sum(d in ranked for d in pair) >= fewest}
        stated = {g: [(a, b) for a, b in sorted(counted) if own[a] > own[b]] for g, own in grades.items()}
        on = {pair: [(a, b) for own in stated.values() for a, b in own if {a, b} == {*pair}]
              for pair in combinations(documents, 2)}  # fmt: skip
        return {
            "groups": [*groups, "w2"],
            "preferences": stated | {"w2": []},
            "preferences_on": {pair: own for pair, own in on.items() if own},
            "rank": {d: ranked.index(d) + 1 if d in ranked else inf for d in documents},
            "judgments": "".join(lines).encode(),
            "run": "".join(f"q Q0 {d} 0 {score} r\n" for d, score in scored(ranked).items()).encode(),
        }

    return Example(lambda measures: _from_file(lines, scored(ranked), measures, "prefs"), names)


def _items(random: np.random.Generator) -> Example:
    documents, tags = [f"d{n:02}" for n in range(12)], "xyz"
    items = {
        document: {"popularity": n and int(random.integers(1, 9)), "group": ("g", "h", "")[n % 3], "genres": genres}
        for n, (document, genres) in enumerate(zip(documents, random.choice(["", "x", "x|y", "y|z"], 12).tolist()))
    }
    ranked = {user: random.permutation([*documents, "new"])[:9].tolist() for user in ("u", "v")}
    grades = {user: {d: int(random.integers(0, 3)) for d in own[::2]} | {own[0]: 2} for user, own in ranked.items()}

    def values(measures: Measures) -> list[float]:
        runs = {user: scored(own) for user, own in ranked.items()}
        result = evaluate(grades, runs, measures, item_info=items, undefined="skip")
        return [result.per_query(one)["u"] if one.declaration.per_unit else float(result[one]) for one in measures]

    def names(measure: Measure) -> dict[str, Any]:
        k, rel = measure.options["k"], measure.options.get("rel", 1)
        shown = {user: own[:k] for user, own in ranked.items()}  # type: ignore[misc]
        known = {i: document for i, document in enumerate(shown["u"], 1) if document in items}
        relevant = [d for d, one in grades["u"].items() if one >= rel and d in items]  # type: ignore[operator]
        return {
            "places": [*known],
            "rel": {i: int(document in relevant) for i, document in known.items()},
            "popularity": {i: items[document]["popularity"] for i, document in known.items()},
            "group": {i: items[document]["group"] for i, document in known.items()},
            "features": {i: [int(tag in str(items[d]["genres"])) for tag in tags] for i, d in known.items()},
            "items": {document: item["popularity"] for document, item in items.items()},
            "catalogue": _proportions(items, items),
            "relevant": _proportions(items, relevant),
            "times": {document: sum(document in own for own in shown.values()) for document in items},
        }

    return Example(values, names)


def _proportions(items: Mapping[str, Mapping[str, Any]], some: Iterable[str]) -> dict[str, float]:
    groups = [items[document]["group"] for document in some if items[document]["group"]]
    return {group: groups.count(group) / max(len(groups), 1) for group in "gh"}


def _systems(random: np.random.Generator) -> Example:
    ranks = {system: random.integers(1, 6, 8).tolist() for system in ("new", "old", "other")}
    runs = {
        system: {f"q{q}": {"+" if at == rank else f"-{at}": -at for at in range(1, 6)} for q, rank in enumerate(each)}
        for system, each in ranks.items()
    }

    def values(measures: Measures) -> list[float]:
        baseline = "old" if measures[0].declaration.evidence is Gains else None
        result = evaluate({f"q{q}": {"+": 1} for q in range(8)}, runs, measures, baseline=baseline)
        return _aggregated(result, measures)

    def names(measure: Measure) -> dict[str, Any]:
        of = {"AP": lambda rank: 1 / rank, "P@3": lambda rank: (rank <= 3) / 3}[str(measure.options["of"])]
        each = {(system, q): of(rank) for system, own in ranks.items() for q, rank in enumerate(own)}
        baseline = measure.options.get("baseline") or "old"
        change = {q: each["new", q] - each[baseline, q] for q in range(8)}  # type: ignore[index]
        return {"change": change, "queries": range(8), "value": each, "s": "new", "systems": [*ranks]}

    return Example(values, names)


# labels and scores


def _classified(actual: Any, **given: Any) -> Callable[[Measures], list[float]]:
    def values(measures: Measures) -> list[float]:
        result = classify(actual, measures=measures, **given)
        return [float(result[str(one)]) for one in measures]

    return values


def _binary(random: np.random.Generator) -> Example:
    actual = [1, 1, 1, 0, 0, 0, *random.integers(0, 2, 22).tolist()]
    score = [0.9, 0.6, 1.0, 0.8, 0.0, 1.0, *(random.integers(0, 20, 22) / 20).tolist()]  # with ties
    items = list(zip(actual, score))

    def cell(true: int, t: float, above: bool) -> int:
        return sum(y == true and (s >= t) == above for y, s in items)

    path = [(cell(0, t, True), cell(1, t, True)) for t in [2, *sorted(set(score), reverse=True)]]
    n_negative, n_positive = path[-1]
    roc = [(fp / n_negative, tp / n_positive) for fp, tp in path]

    def gains(curve: Points) -> Points:
        """Precision gain by recall gain; a line from the origin is of one precision."""
        odds = n_positive / n_negative
        points = [(1 - odds * (1 - tpr) / tpr, 1 - fpr / tpr) for fpr, tpr in curve if tpr]
        return [(min(0.0, points[0][0]), points[0][1]), *points]

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
        "false_positive_rate": lambda t: cell(0, t, True) / n_negative,
        "true_positive_rate": lambda t: cell(1, t, True) / n_positive,
        "roc": roc,
        "hull": _hull(roc),
        "gains": gains,
        "integral": integral,
        "quantile": quantile,
    }

    def of(measure: Measure) -> dict[str, Any]:
        return names if "recall" in measure.options else names | {"recall": names["true_positive_rate"]}

    return Example(_classified(actual, probability=score, threshold=0.5), of)


def _hull(curve: Points) -> Points:
    """The corners of the convex hull of a ROC curve."""
    corners: Points = []
    for x, y in curve:
        while len(corners) > 1 and _turns_left(*corners[-2:], (x, y)):
            corners.pop()
        corners.append((x, y))
    return corners


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0])


def integral(curve: Points, low: float, high: float) -> float:
    """The area below the points joined by straight lines."""
    area = 0.0
    for (x1, y1), (x2, y2) in pairwise(curve):
        start, end = max(x1, low), min(x2, high)
        if start < end:
            area += (end - start) * (y1 + (y2 - y1) * ((start + end) / 2 - x1) / (x2 - x1))
    return area


def quantile(values: Iterable[float], proportion: float) -> float:
    """The quantile, with linear interpolation."""
    ordered = sorted(values)
    place = proportion * (len(ordered) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    return low + (high - low) * (place - floor(place))


def _label_rankings(random: np.random.Generator) -> Example:
    labels = ["a", "b", "c", "d"]
    true = [{*random.choice(labels, size).tolist()} for size in (1, 2, 3, 3, 3)]
    scores = (random.integers(0, 5, (5, 4)) / 5).tolist()  # with ties
    names = {"items": [(own, dict(zip(labels, row))) for own, row in zip(true, scores)], "labels": labels}
    return Example(_classified(true, score=scores, labels=labels, threshold=0.5), lambda _: names)


def _label_sets(random: np.random.Generator) -> Example:
    true, predicted = ([set(row) for row in random.choice([*"abc"], (6, 2)).tolist()] for _ in "tp")
    predicted[0] = true[0]
    return Example(_classified(true, predicted=predicted), lambda _: {"items": list(zip(true, predicted))})


def _classes(random: np.random.Generator, with_scores: bool) -> Example:
    actual = [*"abc", *random.choice([*"abc"], 24).tolist()]
    predicted = [*"abc", *random.choice([*"abc"], 24).tolist()]
    pairs = list(zip(actual, predicted))
    table = random.multinomial(10, [0.3, 0.3, 0.4], len(actual)) / 10  # with ties, zeros and ones
    names = {
        "n": {(a, p): pairs.count((a, p)) for a in "abc" for p in "abc"},
        "classes": "abc",
        "N": len(pairs),
        "items": [(y, dict(zip("abc", row))) for y, row in zip(actual, table.tolist())],
        "actual": {c: actual.count(c) for c in "abc"},
        "predicted": {c: predicted.count(c) for c in "abc"},
        "quantile": quantile,
    }
    given: dict[str, Any] = {"probability": table, "labels": [*"abc"]} if with_scores else {"predicted": predicted}
    return Example(_classified(actual, **given), lambda _: names)


ARRAYS = {"log": np.log, "abs": np.abs, "mean": np.mean, "median": np.median, "var": np.var, "max": np.max,
          "sum": np.sum, "sqrt": np.sqrt, "maximum": np.maximum}  # fmt: skip


def _residuals(random: np.random.Generator) -> Example:
    actual, predicted = random.gamma(3, 2, (2, 12))

    def values(measures: Measures) -> list[float]:
        result = regress(actual, predicted, measures=measures)
        return [float(result[str(one)]) for one in measures]

    return Example(values, lambda _: ARRAYS | {"actual": actual, "predicted": predicted})


def _forecasts(random: np.random.Generator, of_samples: bool) -> Example:
    actual, levels = random.normal(0, 2, 9), (0.1, 0.25, 0.5, 0.75, 0.9)
    quantiles = dict(zip(levels, np.sort(random.normal(0, 2, (5, 9)), axis=0)))
    samples = random.normal(0, 2, (9, 7)).round(1)

    def values(measures: Measures) -> list[float]:
        given: dict[str, Any] = {"samples": samples} if of_samples else {"quantiles": quantiles}
        result = regress(actual, measures=measures, **given)
        return [float(result[str(one)]) for one in measures]

    def names(measure: Measure) -> dict[str, Any]:
        own = samples.tolist() if of_samples else [{t: q[i] for t, q in quantiles.items()} for i in range(9)]
        known: dict[str, Any] = {"items": list(zip(actual.tolist(), own)), "levels": levels}
        if "level" in measure.options:
            level = float(measure.options["level"])  # type: ignore[arg-type]
            known |= {"lower": quantiles[round((1 - level) / 2, 9)], "upper": quantiles[round((1 + level) / 2, 9)]}
        if "quantile" in measure.options:
            known["predicted"] = quantiles[measure.options["quantile"]]  # type: ignore[index]
        arrays = {} if measure.name in ("CRPS", "WIS", "QuantileCalibrationError") else ARRAYS
        return known | arrays | {"actual": actual}

    return Example(values, names)


# judgments of people


def _answers(random: np.random.Generator) -> Example:
    support = dict(enumerate([1.0, 0.5, *random.choice([0, 0.5, 1], 5).tolist()]))
    cited = dict(enumerate([1.0, 0.5, *random.choice([0, 0.5, 1], 4).tolist()]))
    citations_of: dict[int, list[int]] = {0: [0, 1], 1: [2, 3], 2: [4, 5], 3: []}
    judged = [
        {"query": "q", "nugget": n, "importance": "vital" if n < 4 else "okay", "support": one, "length": 650}
        for n, one in support.items()
    ]
    sentences = [
        {"query": "q", "sentence": s, "citation": c, "support": None if c is None else cited[c]}
        for s, own in citations_of.items()
        for c in own or [None]
    ]

    def values(measures: Measures) -> list[float]:
        result = evaluate_answers([judged, sentences], measures)
        return [result.per_query(one)["q"] for one in measures]

    def names(measure: Measure) -> dict[str, Any]:
        strict = measure.options["strict"]
        nuggets, citations = ({n: float(one == 1) if strict else one for n, one in x.items()} for x in (support, cited))
        return {"support": nuggets, "nuggets": nuggets, "vital": range(4), "length": 650,
                "cited": citations, "citations": citations, "citations_of": citations_of, "sentences": citations_of,
                }  # fmt: skip

    return Example(values, names)


def _ratings(random: np.random.Generator, raters: int) -> Example:
    scale, places = [0, 1, 2, 4], range(9)
    table = random.choice([0, 1, 2, 4], (9, raters), p=[0.2, 0.4, 0.3, 0.1])
    table[:4] = table[:4, :1]  # where all agree
    given = {f"r{r}": {f"i{i}": int(table[i, r]) for i in places if (i + r) % 5 or raters == 2} for r in range(raters)}
    items = [[own[f"i{i}"] for own in given.values() if f"i{i}" in own] for i in places]
    every = [a for own in items for a in own]
    names = {
        "items": items,
        "categories": scale,
        "place": {a: at for at, a in enumerate(scale)},
        "first": {c: [own[0] for own in items].count(c) / len(items) for c in scale},
        "second": {c: [own[-1] for own in items].count(c) / len(items) for c in scale},
        "of_ratings": {c: every.count(c) / len(every) for c in scale},
        "of_items": {c: sum(own.count(c) / len(own) for own in items) / len(items) for c in scale},
    }

    def values(measures: Measures) -> list[float]:
        result = agree(given, measures, order=scale, per=("all",), resamples=0)
        return [float(result[str(one)]) for one in measures]

    return Example(values, lambda _: names)


EXAMPLES: dict[type, Callable[[Measure, np.random.Generator], Example]] = {
    Hits: lambda _, random: _hits(random),
    Aspects: lambda _, random: _aspects(random),
    Groups: lambda _, random: _groups(random),
    Preferences: lambda _, random: _preferences(random),
    RankedItems: lambda _, random: _items(random),
    Gains: lambda _, random: _systems(random),
    SystemValues: lambda _, random: _systems(random),
    Cells: lambda _, random: _binary(random),
    Thresholds: lambda _, random: _binary(random),
    LabelRankings: lambda _, random: _label_rankings(random),
    LabelSets: lambda _, random: _label_sets(random),
    Confusion: lambda _, random: _classes(random, with_scores=False),
    ClassScores: lambda _, random: _classes(random, with_scores=True),
    Residuals: lambda _, random: _residuals(random),
    Forecasts: lambda measure, random: _forecasts(random, of_samples=measure.name == "CRPS"),
    Nuggets: lambda _, random: _answers(random),
    Citations: lambda _, random: _answers(random),
    Ratings: lambda measure, random: _ratings(random, raters=2 if measure.name == "Kappa" else 3),
}
