"""The working of rankings as tables: one per system and query."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.ranking_steps import CLOSING, COLUMNS, RankingSteps
from cranfield.tables.number_spelling import short_number

_WHOLE = ("gain", "CG", "ideal_gain")  # no decimals if the gains are integers
_NAMED = 20  # documents named; others are only counted


def tables(steps: RankingSteps, *, digits: int) -> Iterator[Table]:
    """One row per rank, with the missed documents below."""
    for ranking in steps.rankings:
        title, rows = f"{ranking.system}, query {ranking.query}", steps.rows(ranking)
        retrieved = [step for step in rows if step["rank"] is not None or step["outcome"] in CLOSING]
        named = any(step["document"] is not None for step in rows)
        heads = (
            *numbers("rank"),
            *([Column("document")] if named else []),
            *numbers("grade"),
            Column(""),
            Column("outcome"),
            *_columns(retrieved, digits),
        )
        lines = tuple(
            row(
                step["rank"],
                *([step["document"]] if named else []),
                None if step["grade"] is None else short_number(step["grade"]),
                "" if step["outcome"] in CLOSING else "+" if step["relevant"] else "-",
                step["outcome"],
                *(step[name] for name in COLUMNS),
            )
            for step in retrieved
        )
        yield Table(heads, lines, title=title, notes=tuple(_notes(steps, rows, digits)))


def _columns(retrieved: list[dict[str, Any]], digits: int) -> Iterator[Column]:
    """The figures of each rank; gains without decimals if all are whole numbers."""
    gains = [step[name] for step in retrieved for name in _WHOLE if step[name] is not None]
    whole = all(float(gain).is_integer() for gain in gains)
    for name in COLUMNS:
        yield from numbers(name.replace("_", " "), digits=0 if whole and name in _WHOLE else digits)


def _notes(steps: RankingSteps, rows: list[dict[str, Any]], digits: int) -> Iterator[str]:
    how = steps.conventions
    relevant = [step for step in rows if step["relevant"]]
    parts = [step["AP_part"] or 0 for step in rows if step["outcome"] == "TP"]
    at = "" if steps.k is None else f"@{steps.k}"
    yield f"+ relevant at grade {how.rel:g} or higher: {len(relevant)} documents; – unjudged, counted as not relevant"
    if relevant:
        yield f"AP{at} = {' + '.join(f'{part:.{digits}f}' for part in parts) or 0} = {math.fsum(parts):.{digits}f}"
    log = "log(rank + 1)" if how.discount == "log(i+1)" else "max(1, log(rank))"
    gain = "the grade" if how.gain == "linear" else "2^grade - 1" if how.gain == "exp2" else f"{dict(how.gain)}"
    yield f"AP part: P / number of relevant documents; F: beta {how.beta:g}"
    yield f"gain: {gain}; discount: 1 / {log}, base {how.base:g}; nCG: CG / (rank × top grade)"
    documents = "all judged documents" if how.ideal == "judged" else "the retrieved documents"
    yield f"DCG part: gain × discount; DCG: their sum; ideal gain: for the best order of {documents}; nDCG: DCG / IDCG"
    if any(step["outcome"] == "empty" for step in rows):
        yield "empty: the values at a cutoff below the last document; empty ranks are not relevant"
    if any(step["outcome"] == "end" for step in rows):
        yield "end: the values of the whole ranking, whose ideal ranking is longer"
    for outcome, what in (("TP", "retrieved and relevant"), ("FP", "retrieved, not relevant"),
                          ("FN", "missed"), ("TN", "judged not relevant, not retrieved")):  # fmt: skip
        listed = [step["document"] for step in rows if step["outcome"] == outcome]
        yield f"{outcome} ({what}): {len(listed)}" + _names(listed)


def _names(documents: list[str | None]) -> str:
    names = [name for name in documents[:_NAMED] if name is not None]
    more = f" and {len(documents) - _NAMED} more" if len(documents) > _NAMED else ""
    return f": {', '.join(names)}{more}" if names else ""
