"""Marks on precision-recall curves: area, ideal point with the distance from it, break-even point, single queries."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.curves import precision_recall as curves
from cranfield.curves.precision_recall import Form
from cranfield.evidence.hits import Hits
from cranfield.measures.ranking import precision_at_recall
from cranfield.measures.sets import precision, recall
from cranfield.present.plots.layers import data, diagonal, inline, path, placed
from cranfield.present.plots.series import coloured
from cranfield.present.plots.vega import Chart, alt

AREA, NEAREST, BREAK_EVEN, CURVE, VALUE = "area", "nearest to the ideal", "break-even", "query", "query at level"
SHADE = 0.18
Spot = tuple[float, float]  # recall and precision


class Marks(NamedTuple):
    """Which marks to draw."""

    shade: bool = False
    ideal: bool = False
    break_even: bool = False
    each_query: bool = False


def marked(
    table: pa.Table, by_system: Mapping[str, Sequence[Spot]], areas: Mapping[str, Sequence[Spot]], marks: Marks
) -> pa.Table:
    """The table with rows for the marks on the curve of each system, through these points, and for its area."""
    rows: list[dict[str, Any]] = []
    for system, spots in by_system.items():
        if marks.shade:
            rows += [_row(system, AREA, spot) for spot in areas[system]]
        if marks.ideal and spots:
            rows.append(_row(system, NEAREST, min(spots, key=_distance)))
        even = _equal(spots) if marks.break_even else None
        rows += [_row(system, BREAK_EVEN, even)] if even else []
    return pa.concat_tables([table, pa.Table.from_pylist(rows, schema=table.schema)])


def _row(system: str, part: str, spot: Spot) -> dict[str, Any]:
    return {"system": system, "part": part, "recall": spot[0], "precision": spot[1]}


def _distance(spot: Spot) -> float:
    """The distance from recall 1 and precision 1."""
    return float(np.hypot(1 - spot[0], 1 - spot[1]))


def _equal(spots: Sequence[Spot]) -> Spot | None:
    """Where precision equals recall: at a point of the curve, or else on the line between two."""
    for recall_, precision_ in spots:
        if recall_ == precision_ > 0:
            return recall_, precision_
    for (r0, p0), (r1, p1) in itertools.pairwise(spots):
        before, after = p0 - r0, p1 - r1
        if before > 0 > after:
            way = before / (before - after)
            level = r0 + way * (r1 - r0)
            return level, level
    return None


def steps(hits: Hits, place: int, rel: float) -> list[Spot]:
    """The corners of the steps whose area is the average precision of a query, from left to right."""
    relevant = hits.relevant(rel) & (hits.unit == place)
    count, total = hits.running(relevant)[relevant], hits.n_relevant(rel)[place]
    spots = [(float(n / total), float(n / rank)) for n, rank in zip(count, hits.rank[relevant], strict=True)]
    return [(0.0, spots[0][1]), *spots] if spots else []


def figures(table: pa.Table, names: Sequence[str], marks: Marks) -> dict[str, str]:
    """The figures for each system: distance from the ideal, efficiency, and break-even point."""
    texts = dict.fromkeys(names, "")
    for row in table.to_pylist():
        if row["part"] == NEAREST:
            far = _distance((row["recall"], row["precision"]))
            texts[row["system"]] += f", d {far:.3f}, efficiency {1 - far / np.sqrt(2):.3f}"
        if row["part"] == BREAK_EVEN:
            texts[row["system"]] += f", break-even {row['precision']:.3f}"
    if marks.break_even:
        known = {row["system"] for row in table.to_pylist() if row["part"] == BREAK_EVEN}
        texts |= {name: text + ", no break-even point" for name, text in texts.items() if name not in known}
    return texts


def each_query(
    schema: pa.Schema, system: str, hits: Hits, queries: Sequence[str], form: Form, rel: float, points: Sequence[float]
) -> pa.Table:
    """The curve of every query, and its values at the recall levels or cutoffs over which the mean is taken."""
    answerable = np.flatnonzero(hits.n_relevant(rel) > 0)
    rows: list[dict[str, Any]] = []
    for place, (level, ranks, across, up) in itertools.product(answerable.tolist(), _values(hits, form, rel, points)):
        row = _row(system, VALUE, (level if across is None else float(across[place]), float(up[place])))
        rows.append(row | {"query": queries[place], "rank": ranks})
    if form == "recalls":
        known = curves.interpolated(hits, rel=rel)
        for place in answerable.tolist():
            in_query = known.unit == place
            spots = [*zip(known.recall[in_query].tolist(), known.precision[in_query].tolist(), strict=True)]
            spots = [(0.0, spots[0][1]), *spots, (spots[-1][0], 0.0), (1.0, 0.0)] if spots else [(0.0, 0.0), (1.0, 0.0)]
            rows += [_row(system, CURVE, spot) | {"query": queries[place]} for spot in spots]
    else:
        rows += [row | {"part": CURVE} for row in rows]
    return pa.Table.from_pylist(rows, schema=schema)


def _values(hits: Hits, form: Form, rel: float, points: Sequence[float]) -> list[tuple[float, int | None, Any, Any]]:
    """For each recall level or cutoff: the recall or rank, and the recall and precision of each query there."""
    if form == "recalls":
        return [
            (level, None, None, precision_at_recall(hits, recall=level, rel=rel, reading="highest")) for level in points
        ]
    return [(0.0, int(k), recall(hits, k=int(k), rel=rel), precision(hits, k=int(k), rel=rel)) for k in points]


def layers(names: Sequence[str], marks: Marks, form: str, x: alt.X, up: dict[str, Any]) -> list[Chart]:
    """The marks, in the order in which they are drawn."""
    y, colour = alt.Y(**up), coloured(names)
    drawn: list[Chart] = []
    if marks.shade:
        shape: Literal["step-before", "linear"] = "linear"
        if form in ("ranks", "interpolated", "every threshold"):
            shape = "step-before"
        area = data(part=AREA).mark_area(opacity=SHADE / len(names) ** 0.5, line=False, interpolate=shape)
        drawn.append(area.encode(x=x, y=alt.Y(**up, stack=None), y2=alt.Y2Datum(0), color=colour))
    if marks.each_query:
        line = path(part=CURVE).mark_line(
            strokeWidth=1, opacity=0.35, interpolate="step-before" if form == "recalls" else "linear"
        )
        dots = data(part=VALUE).mark_point(size=18, opacity=0.6)
        drawn += [
            line.encode(x=x, y=y, color=colour, detail=alt.Detail("query:N")),
            dots.encode(x=x, y=y, color=colour),
        ]
    if marks.break_even:
        drawn.append(diagonal("recall", "precision"))
        drawn.append(data(part=BREAK_EVEN).mark_point(style="hollow", size=90, opacity=1).encode(x=x, y=y))
    if marks.ideal:
        ways = data(part=NEAREST).mark_rule(style="ink", strokeWidth=1.2, strokeDash=[2, 2])
        drawn.append(ways.encode(x=x, y=y, x2=alt.X2Datum(1), y2=alt.Y2Datum(1)))
        star = inline([{"recall": 1, "precision": 1}]).mark_point(style="ink", shape="diamond", size=110)
        drawn.append(star.encode(**placed("recall", "precision")))
    return drawn


def key(marks: Marks, form: str) -> str:
    """The meaning of the marks."""
    texts = [
        "shaded: average precision" if marks.shade and form in ("ranks", "every threshold") else "",
        "diamond: ideal point, dotted: distance d from it" if marks.ideal else "",
        "dashed: precision equals recall, ring: break-even point" if marks.break_even else "",
        f"thin: single queries, dots: the averaged values at each {'recall' if form == 'recalls' else 'cutoff'}"
        if marks.each_query
        else "",
    ]
    return "; ".join(text for text in texts if text)
