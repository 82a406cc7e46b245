"""Judgments and runs as plain rows and dicts, with the ranks found the slow way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names

Row = tuple[str, str, str, float]  # query, group, document, grade
Run = Mapping[str, Mapping[str, float]]


def judged(rows: Sequence[Row], subgroups: Sequence[str] | None = None) -> Judgments:
    """The judgments in these rows."""
    query, group, document, grade = zip(*rows, strict=True)
    return judgments(
        Names.of(query),
        Names.of(document),
        np.array(grade, np.float64),
        Names.of(group),
        None if subgroups is None else Names.of(subgroups),
    )


def ranking(scores: Mapping[str, float]) -> list[str]:
    """The documents, highest score first, and of equal ones the last by name first."""
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def found(judgments: Judgments, run: Run) -> JudgedRanks:
    """Where a run has the judged documents."""
    places = []
    for name, unit in zip(judgments.documents.tolist(), judgments.document_unit, strict=True):
        scores = run.get(judgments.queries[unit].decode(), {})
        document = name.decode()
        if document in scores:
            tied = [other for other in scores.values() if other == scores[document]]
            above = [other for other in scores.values() if other > scores[document]]
            places.append((ranking(scores).index(document) + 1, len(above) + 1, len(tied)))
        else:
            places.append((0, 0, 0))
    rank, tie, tied_with = np.array(places, np.int64).reshape(-1, 3).T
    answered = [query.decode() in run for query in judgments.queries]
    n_retrieved = [len(run.get(query.decode(), {})) for query in judgments.queries]
    return JudgedRanks(np.array(n_retrieved, np.int64), rank, tie, tied_with, np.array(answered, np.bool_))
