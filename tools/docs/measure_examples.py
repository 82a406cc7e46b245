"""The value of every measure on one small example, and which other tools compute it; for the reference of measures."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cranfield import agree, classify, evaluate, evaluate_answers, regress
from cranfield.engines.baselines import sees_systems
from cranfield.engines.evaluation import sees_items
from cranfield.errors import CranfieldWarning
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.items import LabelRankings, LabelSets
from cranfield.evidence.system_values import Gains
from cranfield.measures.declaration import Declaration, Kind
from cranfield.measures.registry import Measure, bound

QRELS = "q 1 a 2\nq 2 b 0\nq 1 c 1\nq 2 d 3\nq 1 e 0\nq 2 f 1\n"
RUN = "q 0 a 1 6 r\nq 0 b 2 5 r\nq 0 x 3 4 r\nq 0 d 4 3 r\nq 0 c 5 2 r\nq 0 e 6 1 r\n"
COMPARED = {"new": (1, 1, 4), "old": (2, 4, 1)}  # ranks of the only relevant document of each query
ITEMS = {
    item: {"popularity": popularity, "group": group, "genres": genres}
    for item, popularity, group, genres in (
        ("a", 8, "g", "x"), ("b", 1, "h", "x|y"), ("c", 4, "g", "y"), ("d", 2, "h", "z"), ("e", 1, "h", "x|z"),
        ("f", 16, "g", "y"),
    )
}  # fmt: skip
PREFERENCES = "".join(f"q 1 g {document} {grade}\n" for _, _, document, grade in map(str.split, QRELS.splitlines()))
ACTUAL = [1, 1, 0, 1, 0, 0, 0, 1, 0, 0]
PROBABILITY = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.25, 0.2, 0.1, 0.05]
CLASSES, PREDICTED = ["a", "a", "b", "b", "c", "c"], ["a", "b", "b", "b", "c", "a"]
TABLE = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [0.5, 0.2, 0.3]]
NUMBERS, GUESSES = [1, 2, 3, 4], [1, 2, 5, 3]
NUGGETS = [
    {"query": "q", "nugget": nugget, "importance": importance, "support": support, "length": 350}
    for nugget, importance, support in (("a", "vital", "full"), ("b", "vital", "partial"), ("c", "okay", "no"))
]
SENTENCES = [
    {"query": "q", "sentence": sentence, "citation": citation, "support": support}
    for sentence, citation, support in ((1, "d1", "full"), (1, "d2", "partial"), (2, None, None))
]
QUANTILES = {0.05: -1.5, 0.5: 0.0, 0.95: 1.5}
RATINGS = [[20, 12], [4, 4]]

INTRODUCTION = {
    "ranking": """\
The examples use one query with the judged documents a (grade 2), b (0), c (1), d (3), e (0) and f (1), and the ranking
a, b, x, d, c, e: x is unjudged, and f is missing. For measures of aspects and groups, a, c and e belong to the first,
b, d and f to the second; preferences follow from the grades. For measures that compare systems there are three queries
with one relevant document, which the system has at ranks 1, 1 and 4, and the baseline, the only other system, at ranks
2, 4 and 1. For measures of items, a to f have the popularities 8, 1, 4, 2, 1 and 16, a, c and f belong to group g, the
others to group h, and the genres are x, x and y, y, z, x and z, and y.

In formulas,

- `ranks` are the first k ranks, also those that stay empty, or without k the ranks with a document; `ideal_ranks` are
  the first k ranks of the ideal ranking, or without k all of them. k is the number of `ranks`, R the number of relevant
  documents, and N the number of documents judged not relevant. Grades, relevance and the ideal ranking are those after
  the settings `rel`, `unjudged` and `ideal` were applied;
- `retrieved[i]` is 1 if there is a document at rank i, `judged[i]` if it is judged, and `rel[i]` if it is relevant,
  otherwise 0. `grade[i]` is its grade, 0 without one or if negative, and `ideal[i]` the grade at rank i of the ideal
  ranking; `gain[i]` and `ideal_gain[i]` are the gains of these grades: the grade (`'linear'`), 2 to its power minus 1
  (`'exp2'`), or what a table of gains has for it; in DCG, IDCG and nDCG, 0 for grades below `rel`. `top` is the
  top grade as a number: with `'judgments'` the highest of all judgments, with `'query'` the highest of the query.
  `scaled[i]` is (grade - bottom) / (top - bottom), from 0 to 1, and `largest_gain` the highest of the gains in the
  table, the gain of the top grade, and 1;
- `precision(i)` and `recall(i)` are those of the first i ranks, `pooled[i]` is the number of pooled documents above
  rank i, and `ideal_rank[i]` the rank of the document at rank i in the ideal ranking, in which documents of the same
  grade are as in the run;
- `aspects` are those with a relevant document. `covers[i, a]` is 1 if the document at rank i is relevant to aspect or
  judgment group a, `best[i, a]` the same for the ideal ranking, which is built greedily, and `R_of[a]` the number of
  documents relevant to a; `ranks_of[g]` are the `ranks` of the ranking for group g;
- `preferences[g]` are the preferences of judgment group g that count, pairs of a preferred and another document,
  `preferences_on[pair]` those of all groups on two documents, and `rank[d]` is the rank of document d, infinite if it
  is missing;
- `places` are the `ranks` with an item of the table; `popularity[i]`, `features[i]` and `group[i]` belong to the item
  at rank i, `items` are all items with their popularities, `catalogue[g]` is the proportion of items in group g,
  `relevant[g]` that of the relevant items, and `times[x]` the number of rankings with item x among the first k;
- `change[q]` is the difference from the baseline on query q, and `value[s, q]` the value of system s, the one that is
  evaluated.
""",
    "binary": """\
The examples use ten items with the labels 1 1 0 1 0 0 0 1 0 0 and the probabilities 0.9 0.8 0.7 0.6 0.4 0.3 0.25 0.2
0.1 0.05. Items with a probability of 0.5 or more are predicted positive: TP = 3, FP = 1, FN = 1, TN = 5. The example of
`SubsetAccuracy` has two items with the labels {a, b} and {b}, predicted as {a} and {b}; those of label rankings have
scores 0.2 0.9 0.4 and 0.1 0.6 0.8 for the labels a b c of the same items. In formulas, `items` are pairs
of a label and a probability, for label rankings of the true labels and the scores of all labels. A threshold t predicts
scores at or above t as positive. `roc` is the curve of recall by false positive rate through the points of all
thresholds, joined by straight lines, `hull` its convex hull, `gains(curve)` the precision gain by recall gain along a
curve, and `integral(curve, low, high)` the area below it. `quantile` interpolates linearly.
""",
    "classes": """\
The examples use six items of the classes a a b b c c, predicted as a b b b c a. In formulas, `n[a, p]` is the number of
items of class a that were predicted as p, `actual[a]` the number of items of class a, `predicted[p]` the number of
items that were predicted as p, N the number of all items, `items` are pairs of a class and its probabilities, and
`classes` are in the order of the labels.
""",
    "values": """\
The examples use the actual values 1 2 3 4 and the predictions 1 2 5 3.
""",
    "forecasts": """\
The examples use the actual values 1 2 3 4 and the predicted medians 1 2 5 3, with quantiles at 0.05 and 0.95 that are
1.5 lower and higher. In formulas, `lower` and `upper` are the bounds of the central interval, that is, the quantiles at
(1 - level) / 2 and (1 + level) / 2, `predicted` are the predicted values of the quantile, and `items` are pairs of an
actual value and its forecast: samples, or the quantile q[t] of each level t.
""",
    "answers": """\
The examples use one answer of 350 characters. It contains the first of two vital nuggets fully, the second partially,
and the only other nugget, which is okay, not at all. Its first sentence has two citations, one with full and one with
partial support, and its second sentence none. In formulas, `support[n]` is the support of nugget n and `cited[c]` that
of citation c: 1 if full, 0.5 if partial and not `strict`, otherwise 0; `citations_of[s]` are the citations of
sentence s.
""",
    "ratings": """\
The examples use two raters and forty documents: both call 20 relevant, only the first 12, only the second 4, and
neither 4. In formulas, `items` are the ratings of each item, `first[c]` and `second[c]` the proportions of category c
in the ratings of two raters, `of_ratings[c]` its proportion of all ratings, `of_items[c]` the mean over items of its
proportion of their ratings, and `place[c]` its place in the order of `categories`.
""",
}
_SETTINGS = {"collection": 100, "k": 5, "recall": 0.5, "level": 0.9, "quantile": 0.95}
_PREFERENCES = ("Prefs", "PrefPairs", "PrefGroups", "PrefGroupsEven", "NumPrefs", "NumPrefsMet")


def example(declared: Declaration) -> str:
    """The measure on the example of its kind, with the settings that it needs."""
    measure = bound(
        declared, {name: _SETTINGS[name] for name, setting in declared.settings.items() if setting.required}
    )
    if "k" in measure.options and declared.aggregate != "sum" and measure.options["k"] is None:
        measure = measure @ 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        value = _VALUES[declared.kind](measure)
    return f"{measure} is undefined" if np.isnan(value) else f"{measure} = {value:.4g}"


def _ranking(measure: Measure) -> float:
    if sees_systems(measure):
        return _compared(measure)
    preferences = measure.name in _PREFERENCES
    return _evaluated(measure, PREFERENCES if preferences else QRELS, RUN)


def _items(measure: Measure) -> dict[str, Any] | None:
    return ITEMS if sees_items(measure) else None


def _compared(measure: Measure) -> float:
    """The value of the first of two systems, with the second as the baseline."""
    qrels = {str(q): {"r": 1} for q in range(3)}
    runs = {
        system: {str(q): {"r" if at == rank else f"d{at}": -at for at in range(1, 5)} for q, rank in enumerate(ranks)}
        for system, ranks in COMPARED.items()
    }
    baseline = "old" if measure.declaration.evidence is Gains else None
    return float(evaluate(qrels, runs, measure, baseline=baseline).aggregated()[0, 0])


def _evaluated(measure: Measure, judgments: str, run: str) -> float:
    """The value for the query, NaN if it is undefined."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "judgments"), Path(folder, "run")
        for path, text in zip(paths, (judgments, run)):
            path.write_text(text)
        form: Any = "prefs" if measure.name in _PREFERENCES else "qrels"
        result = evaluate(*map(str, paths), measure, form=form, undefined="skip", item_info=_items(measure))
    if not measure.declaration.per_unit:
        return float(result[measure])
    return float(result.per_query(measure)["q"])


def undefined(declared: Declaration) -> str:
    """When a measure of rankings has no value, tried out; other kinds declare it."""
    if declared.kind != "ranking" or declared.undefined:
        return declared.undefined
    required = {name: _SETTINGS[name] for name, setting in declared.settings.items() if setting.required}
    measure, without = bound(declared, required), list[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for case, texts in _cases(declared).items():
            whole = measure(collection=len(QRELS.splitlines())) if "every document" in case else measure
            if np.isnan(_evaluated(whole, *texts)) and not any(known in case for known in without):
                without.append(case)
    return ", or ".join(without) or "never"


def _cases(declared: Declaration) -> dict[str, tuple[str, str]]:
    """Judgments and runs on which a measure may be undefined."""
    if declared.name in _PREFERENCES:
        return {"there are no preferences": (re.sub(r"\S+$", "0", PREFERENCES, flags=re.MULTILINE), RUN)}
    irrelevant, relevant = (re.sub(r"\d$", grade, QRELS, flags=re.MULTILINE) for grade in "01")
    another, other_run = "other 0 a 1\n", "other 0 a 1 1 r\n"
    cases = {
        "no document is relevant": (irrelevant, RUN),
        "nothing was retrieved": (QRELS + another, other_run),
        "no document is relevant and nothing was retrieved": (irrelevant + another, other_run),
    }
    if "collection" in declared.settings:
        cases["every document of the collection is relevant"] = relevant, "q 0 a 1 1 r\n"
        cases["every document of the collection was retrieved"] = QRELS, RUN.replace(" x ", " f ")
    return cases


def _binary(measure: Measure) -> float:
    if measure.declaration.evidence is LabelRankings:
        return classify(
            [{"a", "b"}, {"b"}],
            score=[[0.2, 0.9, 0.4], [0.1, 0.6, 0.8]],
            labels=["a", "b", "c"],
            threshold=0.5,
            measures=measure,
        )[str(measure)]
    if measure.declaration.evidence is LabelSets:
        return classify([{"a", "b"}, {"b"}], [{"a"}, {"b"}], measures=measure)[str(measure)]
    return classify(ACTUAL, probability=PROBABILITY, measures=measure)[str(measure)]


def _classes(measure: Measure) -> float:
    scored = measure.declaration.evidence is ClassScores
    inputs: dict[str, Any] = {"probability": TABLE, "labels": ["a", "b", "c"]} if scored else {"predicted": PREDICTED}
    return classify(CLASSES, measures=measure, **inputs)[str(measure)]


def _values(measure: Measure) -> float:
    return regress(NUMBERS, GUESSES, measures=measure)[str(measure)]


def _forecasts(measure: Measure) -> float:
    quantiles = {level: [guess + shift for guess in GUESSES] for level, shift in QUANTILES.items()}
    return regress(NUMBERS, quantiles=quantiles, measures=measure)[str(measure)]


def _answers(measure: Measure) -> float:
    return float(evaluate_answers([NUGGETS, SENTENCES], measure).per_query(measure)["q"])


def _ratings(measure: Measure) -> float:
    return agree(RATINGS, counts="contingency", order=["1", "0"], measures=measure, resamples=100)[str(measure)]


_VALUES: dict[Kind, Callable[[Measure], float]] = {
    "ranking": _ranking,
    "binary": _binary,
    "classes": _classes,
    "values": _values,
    "forecasts": _forecasts,
    "answers": _answers,
    "ratings": _ratings,
}
