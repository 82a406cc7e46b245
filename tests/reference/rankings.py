"""Rankings evaluated from the bytes of two TREC files, line by line, with dicts and `sorted`.

It shares no step with cranfield: it splits the lines, matches the ids, breaks the ties and counts by itself. What each
measure is of one ranking comes from the definitions in `oracles`, which are plain Python too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, permutations, product
from math import exp, isnan, log
from typing import Any, Literal

import oracles.graded
import oracles.incomplete
import oracles.ranking
import oracles.sets
import oracles.trec
import oracles.users  # noqa: F401, each declares its measures
from oracles.declared import expected
from reference.measures import MEASURES
from reference.ranking import Ranking

Values = dict[bytes, dict[bytes, float]]
Ties = Literal["trec", "name", "given"]


def fields(text: bytes) -> list[list[bytes]]:
    """The fields of each line that holds something; `#` begins a comment."""
    lines = (line.split() for line in text.split(b"\n"))
    return [line for line in lines if line and not line[0].startswith(b"#")]


def read_qrels(text: bytes) -> Values:
    """Grades by query and document."""
    grades: Values = {}
    for query, _, document, grade in fields(text):
        grades.setdefault(query, {})[document] = float(grade)
    return grades


def read_run(text: bytes) -> Values:
    """Scores by query and document, documents in the order of the file."""
    scores: Values = {}
    for query, _, document, _, score, *_ in fields(text):
        scores.setdefault(query, {})[document] = float(score)
    return scores


def ranked(scores: dict[bytes, float], ties: Ties = "trec") -> list[bytes]:
    """The documents, highest score first; of equals, as in trec_eval, the one whose name comes last."""
    order = list(scores) if ties == "given" else sorted(scores, reverse=ties == "trec")
    return sorted(order, key=lambda document: -scores[document])


def orders(scores: dict[bytes, float]) -> Iterator[list[bytes]]:
    """All orders of the documents that their scores allow."""
    alike = [list(group) for _, group in groupby(ranked(scores), key=lambda document: scores[document])]
    for chosen in product(*map(permutations, alike)):
        yield [document for group in chosen for document in group]


def ranking(grades: dict[bytes, float], order: list[bytes]) -> Ranking:
    """The grades in the order of the documents, and those of the judged documents that are not among them."""
    retrieved = set(order)
    missed = tuple(grade for document, grade in grades.items() if document not in retrieved)
    return Ranking(tuple(grades.get(document) for document in order), missed)


def on_scale(settings: dict[str, Any], grades: list[float]) -> dict[str, Any]:
    """The settings, with the top grade of all judgments where they leave it to them; 1 if none is above 0."""
    highest = max([0.0, *grades]) or 1.0
    return settings | ({"top": highest} if settings.get("top") == "judgments" else {})


@dataclass(frozen=True)
class Evaluation:
    """The values of measures for one run."""

    rankings: dict[bytes, Ranking]
    answered: set[bytes]

    @cached_property
    def values(self) -> dict[str, dict[bytes, float]]:
        """The value of each measure for each judged query; NaN where it is undefined."""
        return {measure: self.per_query(measure) for measure in MEASURES}

    def per_query(self, measure: str) -> dict[bytes, float]:
        """The value of each judged query; NaN where it is undefined."""
        name, settings = MEASURES[measure]
        scale = on_scale(settings, [grade for ranking in self.rankings.values() for grade in ranking.pool])
        return {query: expected(name, ranking, scale) for query, ranking in self.rankings.items()}

    def mean(self, measure: str, *, skip_missing: bool = False, skip_undefined: bool = False) -> float:
        """The mean over the judged queries, undefined values counting as 0 unless they are left out."""
        values = {
            query: value
            for query, value in self.values[measure].items()
            if (query in self.answered or not skip_missing) and not (isnan(value) and skip_undefined)
        }
        counted = [0 if isnan(value) else value for value in values.values()]
        name, _ = MEASURES[measure]
        if name.startswith("Num"):
            return sum(counted)
        if not counted:
            return float("nan")
        if name.startswith("GM") and name != "GMeasure":
            return exp(sum(log(max(value, 0.00001)) for value in counted) / len(counted))
        return sum(counted) / len(counted)


def evaluate(qrels: bytes, run: bytes, *, ties: Ties = "trec", depth: int | None = None) -> Evaluation:
    """What a run comes to: the judged queries count, whether the run has them or not; others do not."""
    grades, scores = read_qrels(qrels), read_run(run)
    rankings = {
        query: ranking(judged, ranked(scores.get(query, {}), ties)[:depth]) for query, judged in sorted(grades.items())
    }
    return Evaluation(rankings, set(scores))


def over_orders(qrels: bytes, run: bytes, measure: str) -> dict[bytes, list[float]]:
    """The values of a measure for each judged query over all orders that its ties allow."""
    grades, scores = read_qrels(qrels), read_run(run)
    name, settings = MEASURES[measure]
    scale = on_scale(settings, [grade for judged in grades.values() for grade in judged.values()])
    return {
        query: [expected(name, ranking(judged, order), scale) for order in orders(scores.get(query, {}))]
        for query, judged in grades.items()
    }
