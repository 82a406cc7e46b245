"""Precision against recall: after every rank, interpolated, averaged over queries; with lines of equal F-measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cranfield.api import Form
from cranfield.curves import precision_recall as curves
from cranfield.curves import prg
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.measures.ranking import ELEVEN
from cranfield.measures.scores import average_precision
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.rankings import Rankings
from cranfield.present.plots.scorers import Scorers, coarse, curve, of_coarse, points, scorers
from cranfield.present.plots.series import (
    SQUARE,
    coloured,
    dashed,
    data,
    inline,
    named_below,
    named_beside,
    path,
    quantity,
    shaped,
    told,
    with_figures,
)
from cranfield.present.plots.thinning import BOX, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.present.table import visible

LEVELS = (0.2, 0.4, 0.6, 0.8)
RECALLS = levels(0, 1, SQUARE, BOX)

_SAID: dict[Form, str] = {
    "at recalls": "mean over the queries of the interpolated precision at levels of recall",
    "at cutoffs": "mean precision and mean recall over the queries after as many documents as is written",
    "every rank": "query {query}, after every rank; as steps, the highest precision there or beyond",
    "interpolated": "query {query}, the highest precision at each recall or beyond it",
}


def precision_recall_of_rankings(
    given: Rankings,
    *,
    form: Form = "at recalls",
    query: str | None = None,
    points: Sequence[float] | None = None,
    rel: float = 1,
    beta: float = 1,
) -> Plot:
    """Precision against recall of rankings: averaged over queries, or for one query after every rank."""
    place = _place(given, form, query)
    forms: list[Form] = [form, "interpolated"] if form == "every rank" else [form]
    table = pa.concat_tables(
        [
            _points(name, own, _curve(hits, own, rel, points), place)
            for own in forms
            for name, hits in given.evidence.items()
        ]
    )
    return Plot(
        "precision-recall",
        "Precision and recall",
        table,
        partial(_drawn, table, given.systems, beta),
        sketch=Lines("recall", "precision", by="system", only=("part", form)),
        about=_SAID[form].format(query=given.queries[place]),
    )


def _place(given: Rankings, form: Form, query: str | None) -> int:
    """The place of the query that is drawn, or -1 for the mean over all."""
    if form not in _SAID:
        raise BadSetting(f"form must be one of {', '.join(map(repr, _SAID))}, not {form!r}")
    if form in ("every rank", "interpolated"):
        return given.place(query)
    if query is not None:
        raise BadSetting(f"{form!r} averages over the queries; one query is drawn with form='every rank'")
    return -1


def _curve(hits: Hits, form: Form, rel: float, points: Sequence[float] | None) -> curves.PrecisionRecall:
    if form == "every rank":
        return curves.at_every_rank(hits, rel=rel, k=int(points[0]) if points else None)
    if form == "interpolated":
        return curves.interpolated(hits, rel=rel)
    if form == "at cutoffs":
        return curves.averaged_at_cutoffs(hits, rel=rel, cutoffs=[int(k) for k in points or curves.CUTOFFS])
    return curves.averaged_at_recalls(hits, rel=rel, levels=points or ELEVEN)


def _points(system: str, part: str, found: curves.PrecisionRecall, place: int) -> pa.Table:
    """The points of one query, or of the mean over all; interpolated precision is known from a recall of 0 on."""
    own = np.flatnonzero(found.unit == place)
    rank, recall, precision = found.rank[own], found.recall[own], found.precision[own]
    if part == "interpolated" and len(own):
        rank, recall, precision = np.append(0, rank), np.append(0.0, recall), np.append(precision[0], precision)
    kept, _ = curve(system, recall, precision, pixels=SQUARE)
    return pa.table(
        {
            "system": pa.array([system] * len(kept), pa.string()),
            "part": pa.array([part] * len(kept), pa.string()),
            "rank": pa.array([place or None for place in rank[kept].tolist()], pa.int64()),
            "recall": recall[kept],
            "precision": precision[kept],
        }
    )


def precision_recall_of_scores(given: Scorers, *, beta: float = 1) -> Plot:
    """Precision against recall of scorers, at every threshold."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    areas: dict[str, float] = {}
    for name, scores in known.items():
        drawn = coarse(scores, RECALLS, SQUARE)
        found = prg.precision_recall(drawn, every=True)
        kept, said = of_coarse(name, drawn, scores, found.recall, found.precision, pixels=SQUARE)
        parts.append(points(name, "every threshold", **{f: column[kept] for f, column in found._asdict().items()}))
        notes += said
        areas[name] = float(average_precision(scores))
    return Plot(
        "precision-recall",
        "Precision and recall",
        pa.concat_tables(parts),
        partial(_drawn, pa.concat_tables(parts), list(known), beta, areas),
        sketch=Lines("recall", "precision", by="system"),
        about="at every threshold",
        notes=tuple(notes),
    )


def _drawn(table: pa.Table, names: Sequence[str], beta: float, areas: Mapping[str, float] | None = None) -> Chart:
    axes = {
        "x": alt.X(**quantity("recall", "recall", 0, 1)),
        "y": alt.Y(**quantity("precision", "precision", 0, 1)),
        "color": coloured(names),
    }
    beside = "threshold" if "threshold" in table.column_names else "rank"
    tips = told("system", numbers=(beside, "recall", "precision"))
    drawn = set(table["part"].to_pylist())
    layers = [*isolines(beta)]
    if "interpolated" in drawn:
        wide: dict[str, Any] = {"strokeWidth": 4, "opacity": 0.35} if len(drawn) > 1 else {}
        steps = path(part="interpolated").mark_line(interpolate="step-before", **wide)
        layers.append(steps.encode(**axes, **({} if wide else {"strokeDash": dashed(names)})))
    for part in sorted(drawn - {"interpolated"}):
        line = path(part=part).mark_line(point={"size": 22} if table.num_rows < 300 else False)
        layers.append(line.encode(**axes, strokeDash=dashed(names), shape=shaped(names), tooltip=tips))
    if "at cutoffs" in drawn:
        layers.append(_cutoffs(axes, min(names, key=lambda name: _mean(table, name))))
    if areas:
        texts = with_figures(areas, "AP")
        layers.append(named_below(names, texts))
    else:
        ends = [_end(table, name) for name in names]
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _cutoffs(axes: Mapping[str, Any], lowest: str) -> Chart:
    """The numbers of documents, below the points of the lowest system; those of the others follow in the same order."""
    marks = data(part="at cutoffs", system=visible(lowest)).mark_text(style="aside", align="right", dx=-7, dy=5)
    return marks.encode(x=axes["x"], y=axes["y"], text="rank:Q")


def _mean(table: pa.Table, name: str) -> float:
    return float(np.mean(table.filter(pc.equal(table["system"], name))["precision"].to_numpy()))


def _end(table: pa.Table, name: str) -> float:
    """The precision at the highest recall of a system."""
    own = table.filter(pc.equal(table["system"], name))
    recall, precision = own["recall"].to_numpy(), own["precision"].to_numpy()
    return float(precision[recall == recall.max()].min()) if len(recall) else 0.0


def isolines(beta: float = 1) -> list[Chart]:
    """Lines along which the F-measure is the same, named where they leave the frame."""
    rows, labels = [], []
    weight = beta**2
    for level in LEVELS:
        first = weight * level / (1 + weight - level)  # the recall where precision is 1
        for recall in np.geomspace(first, 1, 60):
            precision = level * recall / ((1 + weight) * recall - weight * level)
            rows.append({"level": level, "recall": float(recall), "precision": min(float(precision), 1.0)})
        labels.append({"recall": first, "precision": 1.0, "label": f"F{'' if beta == 1 else f'{beta:g}'} = {level:g}"})
    x, y = alt.X("recall:Q"), alt.Y("precision:Q")
    lines = inline(rows).mark_line(style="isoline", strokeWidth=1).encode(x=x, y=y, detail="level:N")
    texts = inline(labels).mark_text(style="isoline-name", dy=-7).encode(x=x, y=y, text="label:N")
    return [lines, texts]
