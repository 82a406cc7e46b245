"""The data of the interactive table of queries: values, and the top documents of each ranking with grades."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from cranfield.evidence.hits import Hits
from cranfield.present.report.texts import Texts
from cranfield.present.table import visible
from cranfield.results.rankings import Result
from cranfield.results.records import number
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.number_spelling import short_number

DEEPEST, SHALLOWEST = 20, 5
BUDGET = 200_000  # maximum number of documents in a page
Firsts = Mapping[str, Mapping[bytes, list[bytes]]]  # by system and query


def explorer(result: Result, judged: Judgments, first: Firsts, depth: int, texts: Texts) -> dict[str, Any]:
    """Compact data for JSON: each query lists its documents once, and the rankings refer to them by index."""
    documents, lists = _listed(result, judged, first)
    return {
        "systems": [*map(visible, result.systems)],
        "measures": [*map(str, result.measures)],
        "lower": [measure.declaration.higher_is_better is False for measure in result.measures],
        "queries": [*map(visible, result.units)],
        "values": [[[*map(number, row)] for row in rows] for rows in result.values.tolist()],
        "counted": result.counted.astype(int).tolist(),
        "relevant": _relevant(result),
        "depth": depth,
        "documents": documents,
        "lists": lists,
        "titles": texts.of_queries(result.units),
        "texts": texts.of_documents(decode(name) for by_query in first.values() for name in chain(*by_query.values())),
    }


def _relevant(result: Result) -> list[int | None]:
    """The number of relevant documents, at the relevance level of the first measure with one, otherwise at grade 1."""
    hits: Hits | None = next(iter(result.evidence.values()), None)
    if hits is None:
        return [None] * len(result.units)
    levels = [measure.options["rel"] for measure in result.measures if measure.options.get("rel")]
    level = float(levels[0]) if levels and isinstance(levels[0], int | float) else 1.0
    return [int(count) for count in hits.n_relevant(level)]


def _listed(result: Result, judged: Judgments, first: Firsts) -> tuple[list[dict[str, Any]], list[list[list[int]]]]:
    documents: list[dict[str, Any]] = []
    lists: list[list[list[int]]] = [[] for _ in result.systems]
    for q, query in enumerate(judged.queries):
        grade_of = judged.grades_of(q)
        place: dict[bytes, int] = {}
        for s, system in enumerate(result.systems):
            lists[s].append([place.setdefault(name, len(place)) for name in first[system].get(query, ())])
        grades = [_grade(grade_of.get(name)) for name in place]
        documents.append({"names": [visible(decode(name)) for name in place], "grades": grades})
    return documents, lists


def _grade(grade: float | None) -> float | None:
    """A grade as written; a negative one means pooled but not judged."""
    return None if grade is None or not grade >= 0 else short_number(grade)


def depth_for(n_systems: int, n_queries: int) -> int:
    """The number of documents per ranking that fit into a page."""
    return int(np.clip(BUDGET // max(1, n_systems * n_queries), SHALLOWEST, DEEPEST))
