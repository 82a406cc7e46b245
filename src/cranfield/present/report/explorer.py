"""What a reader can look through query by query: the values, and the first documents of each ranking with grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cranfield.evidence.hits import Hits
from cranfield.present.table import visible
from cranfield.results.values import Result
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode

Firsts = Mapping[str, Mapping[bytes, list[bytes]]]  # by system and query


def explorer(result: Result, judged: Judgments, first: Firsts, depth: int) -> dict[str, Any]:
    """All of it, small and ready for JSON: a document is named once a query, and lists hold its place."""
    documents, lists = _listed(result, judged, first)
    return {
        "systems": [*map(visible, result.systems)],
        "measures": [*map(str, result.measures)],
        "lower": [measure.family.higher_is_better is False for measure in result.measures],
        "queries": [*map(visible, result.queries)],
        "values": [[_plain(row) for row in rows] for rows in result.values],
        "counted": result.counted.astype(int).tolist(),
        "relevant": _relevant(result),
        "depth": depth,
        "documents": documents,
        "lists": lists,
    }


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _relevant(result: Result) -> list[int | None]:
    """How many documents were judged relevant, as the first measure that needs a grade has it, else from 1 on."""
    hits: Hits | None = next(iter(result.evidence.values()), None)
    if hits is None:
        return [None] * len(result.queries)
    levels = [measure.options["rel"] for measure in result.measures if measure.options.get("rel")]
    level = float(levels[0]) if levels and isinstance(levels[0], int | float) else 1.0
    return [int(count) for count in hits.n_relevant(level)]


def _listed(result: Result, judged: Judgments, first: Firsts) -> tuple[list[dict[str, Any]], list[list[list[int]]]]:
    grades = np.full(len(judged.documents), np.nan)
    grades[judged.document] = judged.grade
    names = judged.documents.tolist()
    documents: list[dict[str, Any]] = []
    lists: list[list[list[int]]] = [[] for _ in result.systems]
    for q, query in enumerate(judged.queries):
        start, end = int(judged.starts[q]), int(judged.starts[q + 1])
        known = dict(zip(names[start:end], grades[start:end].tolist(), strict=True))
        place: dict[bytes, int] = {}
        for s, system in enumerate(result.systems):
            lists[s].append([place.setdefault(name, len(place)) for name in first[system].get(query, ())])
        documents.append(
            {"names": [visible(decode(name)) for name in place], "grades": [_grade(known.get(name)) for name in place]}
        )
    return documents, lists


def _grade(grade: float | None) -> float | None:
    """A grade as it is written; one below 0 stands for a document that was pooled and not judged."""
    if grade is None or not grade >= 0:
        return None
    return int(grade) if grade.is_integer() else grade
