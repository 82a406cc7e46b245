"""Precision against recall: after every rank, interpolated, averaged over queries; with lines of equal F-measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cranfield import api
from cranfield.curves import prg
from cranfield.engines.evaluation import Ties
from cranfield.errors import BadSetting
from cranfield.measures.scores import average_precision
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Scorers, curve, points, scorers
from cranfield.present.plots.series import (
    SQUARE,
    coloured,
    dashed,
    data,
    inline,
    named_beside,
    named_inside,
    quantity,
    shaped,
    told,
)
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

LEVELS = (0.2, 0.4, 0.6, 0.8)

_SAID: dict[api.Form, str] = {
    "at recalls": "mean over the queries of the interpolated precision at levels of recall",
    "at cutoffs": "mean precision and mean recall over the queries after so many documents",
    "every rank": "query {query}, after every rank; as steps, the highest precision there or beyond",
    "interpolated": "query {query}, the highest precision at each recall or beyond it",
}


def precision_recall(
    qrels: Any,
    runs: Any,
    *,
    form: api.Form = "at recalls",
    query: str | None = None,
    points: Sequence[float] | None = None,
    rel: float = 1,
    beta: float = 1,
    ties: Ties = "trec",
) -> Plot:
    """Precision against recall of runs: averaged over queries, or for one query after every rank."""
    alone = form in ("every rank", "interpolated")
    if query is not None and not alone:
        raise BadSetting(f"{form!r} averages over the queries; one query is drawn with form='every rank'")
    table = api.precision_recall(qrels, runs, form=form, points=points, rel=rel, ties=ties)
    names = pc.unique(table["system"]).to_pylist()
    query = _chosen(table, query) if alone else None
    parts = [_curve(table, form, query)]
    if form == "every rank":
        steps = api.precision_recall(qrels, runs, form="interpolated", rel=rel, ties=ties)
        parts.append(_curve(steps, "interpolated", query))
    return Plot(
        "precision-recall",
        "Precision and recall",
        pa.concat_tables(parts),
        partial(_drawn, pa.concat_tables(parts), names, beta),
        sketch=Lines("recall", "precision", by="system", only=("part", form)),
        subtitle=_SAID[form].format(query=query),
    )


def precision_recall_of_scores(given: Scorers, *, beta: float = 1) -> Plot:
    """Precision against recall of scorers, at every threshold."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    areas: dict[str, float] = {}
    for name, scores in known.items():
        found = prg.precision_recall(scores)
        kept, said = curve(name, found.recall, found.precision, pixels=SQUARE)
        parts.append(points(name, "every threshold", **{f: column[kept] for f, column in found._asdict().items()}))
        notes += said
        areas[name] = float(average_precision(scores))
    return Plot(
        "precision-recall",
        "Precision and recall",
        pa.concat_tables(parts),
        partial(_drawn, pa.concat_tables(parts), list(known), beta, areas),
        sketch=Lines("recall", "precision", by="system"),
        subtitle="at every threshold",
        notes=tuple(notes),
    )


def _chosen(table: pa.Table, query: str | None) -> str:
    there = pc.unique(table["query"]).to_pylist()
    if query is None and len(there) == 1:
        return str(there[0])
    if query is None or query not in there:
        shown = ", ".join(map(str, there[:5])) + (" …" if len(there) > 5 else "")
        what = "say which query to draw" if query is None else f"query {query!r} has no curve"
        raise BadSetting(f"{what}: there are {len(there)} ({shown})")
    return query


def _curve(table: pa.Table, form: str, query: str | None) -> pa.Table:
    own = table if query is None else table.filter(pc.equal(table["query"], query))
    return own.add_column(1, "part", pa.array([form] * own.num_rows, pa.string()))


def _drawn(table: pa.Table, names: Sequence[str], beta: float, areas: Mapping[str, float] | None = None) -> Chart:
    axes = {
        "x": alt.X(**quantity("recall", "recall", 0, 1)),
        "y": alt.Y(**quantity("precision", "precision", 0, 1)),
        "color": coloured(names),
    }
    order = [alt.Order("recall:Q"), alt.Order("precision:Q", sort="descending")]
    beside = "threshold" if "threshold" in table.column_names else "rank"
    tips = told("system", numbers=(beside, "recall", "precision"))
    drawn = set(table["part"].to_pylist())
    layers = [*isolines(beta)]
    if "interpolated" in drawn:
        wide: dict[str, Any] = {"strokeWidth": 4, "opacity": 0.35} if len(drawn) > 1 else {}
        steps = data(part="interpolated").mark_line(interpolate="step-before", **wide)
        layers.append(steps.encode(**axes, order=order, **({} if wide else {"strokeDash": dashed(names)})))
    for part in sorted(drawn - {"interpolated"}):
        line = data(part=part).mark_line(point={"size": 22} if table.num_rows < 300 else False)
        layers.append(line.encode(**axes, strokeDash=dashed(names), shape=shaped(names), order=order, tooltip=tips))
    if areas:
        texts = [f"{name}, AP {area:.3f}" if len(names) > 1 else f"AP {area:.3f}" for name, area in areas.items()]
        layers.append(named_inside(names, texts, x="recall", y="precision", left=0.05, bottom=0.05))
    else:
        ends = [_end(table, name) for name in names]
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


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
        first = level / (1 + weight - weight * level)  # where precision is 1
        for recall in np.geomspace(first, 1, 60):
            precision = level * recall / ((1 + weight) * recall - weight * level)
            rows.append({"level": level, "recall": float(recall), "precision": min(float(precision), 1.0)})
        labels.append({"recall": first, "precision": 1.0, "label": f"F{'' if beta == 1 else f'{beta:g}'} = {level:g}"})
    x, y = alt.X("recall:Q"), alt.Y("precision:Q")
    lines = inline(rows).mark_line(style="isoline", strokeWidth=1).encode(x=x, y=y, detail="level:N")
    texts = inline(labels).mark_text(style="isoline-name", dy=-7).encode(x=x, y=y, text="label:N")
    return [lines, texts]
