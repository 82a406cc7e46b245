"""Precision-recall curves of rankings and of scores, with F-measure isolines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cranfield.arrays import Floats
from cranfield.classification.plots.scorers import Drawn, Scorers, coarse, curves_of, of_coarse, points, scores_by_name
from cranfield.classification.result import Classification
from cranfield.engines.protocol import Ties
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence import curves as prg
from cranfield.evidence.hits import Hits
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.ranking import average_precision as average_precision_of_ranking
from cranfield.measures.ranking import precision_at_recall
from cranfield.measures.scores import average_precision
from cranfield.measures.sets import precision, recall
from cranfield.present.plots.data import BOX, Lines, levels, table_of, thinned
from cranfield.present.plots.drawing import (
    LETTER,
    ROOM,
    SQUARE,
    coloured,
    dashed,
    data,
    diagonal,
    inline,
    isolines,
    named_below,
    named_beside,
    path,
    placed,
    quantity,
    shaped,
    texts,
    tooltip,
    with_figures,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.rankings import precision_recall as curves
from cranfield.rankings.plots.ranks import Rankings, place_of, rankings
from cranfield.rankings.precision_recall import Form, PrecisionRecallCurves
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.settings import ELEVEN_RECALLS

# Cutoff labels for the points of a precision-recall curve, where there is room


def cutoff_labels(axes: Mapping[str, Any], table: pa.Table) -> Chart:
    """The cutoffs below the points of the lowest system; the points of the others are in the same order."""
    rows = _lowest(table)
    marks = inline([rows[place] for place in _labelled(rows)])
    texts = marks.mark_text(style="aside", align="right", dx=-7, dy=5)
    return texts.encode(x=axes["x"], y=axes["y"], text=alt.Text("rank:Q"))


def _lowest(table: pa.Table) -> list[dict[str, Any]]:
    """The points at cutoffs of the system with the lowest precision."""
    points: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(["system", "part", "rank", "recall", "precision"]).to_pylist():
        if row["part"] == "cutoffs":
            points.setdefault(row["system"], []).append(row)
    return min(points.values(), key=lambda rows: fmean(row["precision"] for row in rows), default=[])


def _labelled(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The points whose labels do not overlap: the first, the last, and those in between with enough room."""
    uncrowded_places: list[int] = []
    end = [row["recall"] * SQUARE for row in rows]
    start = [right - LETTER * len(str(row["rank"])) - 2 for right, row in zip(end, rows, strict=True)]
    height = [row["precision"] * SQUARE for row in rows]
    for place in dict.fromkeys([0, len(rows) - 1, *range(len(rows))] if rows else []):
        free = (
            abs(height[place] - height[other]) >= ROOM or start[place] >= end[other] or start[other] >= end[place]
            for other in uncrowded_places
        )
        if all(free):
            uncrowded_places.append(place)
    return sorted(uncrowded_places)


def left_out(table: pa.Table) -> str:
    """A note if some cutoffs are not labelled."""
    rows = _lowest(table)
    return "" if len(_labelled(rows)) == len(rows) else "labels of cutoffs that would overlap are left out"


# Marks on precision-recall curves: area, ideal point with the distance from it, break-even point, single queries


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


def mark_layers(names: Sequence[str], marks: Marks, form: str, x: alt.X, up: dict[str, Any]) -> list[Chart]:
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


LEVELS = (0.2, 0.4, 0.6, 0.8)
THRESHOLDS = "every threshold"
RECALLS = levels(0, 1, SQUARE, BOX)

_ABOUT: dict[Form, str] = {
    "recalls": "interpolated precision at standard recall levels, mean over queries",
    "cutoffs": "mean precision and mean recall over queries at the cutoffs shown",
    "ranks": "query {query}, after every rank; steps: interpolated precision",
    "interpolated": "query {query}, interpolated precision (the maximum at this or a higher recall)",
}


@plot_of(Result, Classification, PrecisionRecallCurves)
def precision_recall(
    source: Any,
    runs: Any = None,
    *,
    form: Form = "recalls",
    query: str | None = None,
    points: Sequence[float] | None = None,
    rel: float = 1,
    beta: float = 1,
    ties: Ties = "trec",
    shade: bool = False,
    ideal: bool = False,
    break_even: bool = False,
    each_query: bool = False,
) -> Plot:
    """Precision against recall, for judgments and runs, a ranking result, curves, or scores.

    Rankings are averaged over queries `"recalls"` or `"cutoffs"`, or drawn for one query at `"ranks"` or
    `"interpolated"`; `points` are the recall levels or cutoffs. `beta` sets the F-measure isolines. `shade` fills
    the area under the curve, which is average precision for one query; `ideal` marks the ideal point and the distance
    from it; `break_even` where precision equals recall; `each_query` the curves behind a mean.
    """
    marks = Marks(shade, ideal, break_even, each_query)
    if runs is None and isinstance(source, Classification | Thresholds | Mapping):
        if each_query:
            raise BadSetting("scores have no queries; each_query requires judgments and runs")
        return _of_scores(source, beta, marks)
    if isinstance(source, PrecisionRecallCurves):
        if (runs, form, points, rel, ties) != (None, "recalls", None, 1, "trec"):
            raise BadSetting("form, points, rel and ties are settings of cranfield.precision_recall, not of its plot")
        if any(marks):
            raise BadSetting("shade, ideal, break_even and each_query need judgments and runs, not only curves")
        return _of_curves(source, query, beta)
    ranked = rankings(source, runs, ties)
    place = _place(form, query, ranked.queries)
    if each_query and place >= 0:
        raise BadSetting(f"{form!r} shows one query; each_query applies to 'recalls' and 'cutoffs'")
    forms: list[Form] = [form, "interpolated"] if form == "ranks" else [form]
    shown = None if place < 0 else ranked.queries[place]
    tables = [
        _points(name, part, curves.precision_recall_points(hits, part, rel=rel, points=points), place, shown)
        for part in forms
        for name, hits in ranked.evidence.items()
    ]
    table = _marked(pa.concat_tables(tables), ranked, form, place, rel, points, marks)
    precisions = {
        name: _mean_of(average_precision_of_ranking(hits, rel=rel), place) for name, hits in ranked.evidence.items()
    }
    return Plot(
        "Precision-recall curves",
        table,
        partial(_drawn, table, ranked.systems, beta, marks, form, precisions if place >= 0 or any(marks) else None),
        sketch=Lines("recall", "precision", by="system", only=("part", form)),
        about=_ABOUT[form].format(query=ranked.queries[place]),
        key="; ".join(filter(None, [left_out(table), key(marks, form)])),
    )


def _of_curves(source: PrecisionRecallCurves, query: str | None, beta: float) -> Plot:
    """The points of curves, which are averages or belong to one query."""
    form: Form = source.provenance.settings["form"]
    queries = [*map(decoded, source.queries)]
    place = _place(form, query, queries)
    shown = None if place < 0 else queries[place]
    names = [*map(decoded, source.curves)]
    tables = [
        _points(name, form, curve, place, shown) for name, curve in zip(names, source.curves.values(), strict=True)
    ]
    table = pa.concat_tables(tables)
    return Plot(
        "Precision-recall curves",
        table,
        partial(_drawn, table, names, beta, Marks(), form),
        sketch=Lines("recall", "precision", by="system"),
        about=_ABOUT[form].format(query=queries[place]).removesuffix("; steps: interpolated precision"),
        key=left_out(table),
    )


def _marked(
    table: pa.Table,
    ranked: Rankings,
    form: Form,
    place: int,
    rel: float,
    points: Sequence[float] | None,
    marks: Marks,
) -> pa.Table:
    """The table with the rows of the marks and of single queries."""
    if not any(marks):
        return table
    spots = {name: _spots(table, name, form) for name in ranked.systems}
    areas = spots
    if place >= 0:
        every = {name: curves.at_every_rank(hits, rel=rel) for name, hits in ranked.evidence.items()}
        in_query = {name: curve.unit == place for name, curve in every.items()}
        spots = {
            name: [*zip(curve.recall[in_query[name]].tolist(), curve.precision[in_query[name]].tolist(), strict=True)]
            for name, curve in every.items()
        }
    if form == "ranks":
        areas = {name: steps(hits, place, rel) for name, hits in ranked.evidence.items()}
    table = marked(table, spots, areas, marks)
    if not marks.each_query:
        return table
    levels_ = points or (ELEVEN_RECALLS if form == "recalls" else curves.CUTOFFS)
    parts = [
        each_query(table.schema, name, hits, ranked.queries, form, rel, levels_)
        for name, hits in ranked.evidence.items()
    ]
    return pa.concat_tables([table, *parts])


def _spots(table: pa.Table, name: str, part: str) -> list[tuple[float, float]]:
    """The points of a system's curve."""
    rows = (row for row in table.to_pylist() if row["system"] == name and row["part"] == part)
    return [(row["recall"], row["precision"]) for row in rows]


def _mean_of(values: Floats, place: int) -> float:
    """The value of a query, or the mean over the queries where it is defined."""
    defined = values[~np.isnan(values)]
    return float(values[place] if place >= 0 else defined.mean() if len(defined) else np.nan)


def _place(form: Form, query: str | None, queries: Sequence[str]) -> int:
    """The index of the query to plot, or -1 for the mean over all."""
    require_one_of("form", form, Form)
    if form in ("ranks", "interpolated"):
        return place_of(query, queries)
    if query is not None:
        raise BadSetting(f"{form!r} averages over queries; use form='ranks' to plot one query")
    return -1


def _points(system: str, part: str, curve_points: curves.PrecisionRecall, place: int, query: str | None) -> pa.Table:
    """The points of one query, or of the mean over all; interpolated precision starts at recall 0."""
    unit = curve_points.unit == place
    rank, recall, precision = curve_points.rank[unit], curve_points.recall[unit], curve_points.precision[unit]
    if part == "interpolated" and unit.any():
        rank, recall, precision = np.append(0, rank), np.append(0.0, recall), np.append(precision[0], precision)
    thin = thinned(recall, precision, domain=(0, 1), pixels=SQUARE)
    return table_of(
        system=system,
        part=part,
        query=[query] * len(thin),
        rank=pa.array([place or None for place in rank[thin].tolist()], pa.int64()),
        recall=recall[thin],
        precision=precision[thin],
    )


def _of_scores(scorers: Scorers, beta: float, marks: Marks) -> Plot:
    """Precision against recall at every threshold."""
    by_name = scores_by_name(scorers)
    table, areas, notes = curves_of(by_name, _scored)
    spots = {name: _spots(table, name, THRESHOLDS) for name in areas}
    areas_ = {name: [(0.0, points[0][1]), *points] for name, points in spots.items()}
    table = marked(table, spots, areas_, marks)
    prevalence = {scores.prevalence for scores in by_name.values()}
    return Plot(
        "Precision-recall curve" + "s" * (len(areas) > 1),
        table,
        partial(_drawn, table, list(areas), beta, marks, THRESHOLDS, areas, sorted(prevalence)),
        sketch=Lines("recall", "precision", by="system", only=("part", THRESHOLDS)),
        about="at every threshold",
        key="; ".join(filter(None, [key(marks, THRESHOLDS), "horizontal line: prevalence, the precision of guessing"])),
        notes=notes,
    )


def _scored(name: str, scores: Thresholds) -> Drawn:
    drawn = coarse(scores, RECALLS, SQUARE)
    columns = prg.precision_recall(drawn, every=True)._asdict()
    thin, notes = of_coarse(name, drawn, scores, columns["recall"], columns["precision"], pixels=SQUARE)
    table = points(name, THRESHOLDS, **{column: values[thin] for column, values in columns.items()})
    return Drawn([table], notes, float(average_precision(scores)))


def _drawn(
    table: pa.Table,
    names: Sequence[str],
    beta: float,
    marks: Marks,
    form: str,
    areas: Mapping[str, float] | None = None,
    prevalence: Sequence[float] = (),
) -> Chart:
    up = quantity("precision", "precision", 0, 1)
    x = alt.X(**quantity("recall", "recall", 0, 1))
    axes: dict[str, Any] = {"x": x, "y": alt.Y(**up), "color": coloured(names)}
    at = "threshold" if "threshold" in table.column_names else "rank"
    tips = tooltip("system", numbers=(at, "recall", "precision"))
    drawn = set(table["part"].to_pylist()) & {*_ABOUT, THRESHOLDS}
    layers = [*f_isolines(beta), *_guessing(prevalence), *mark_layers(names, marks, form, x, up)]
    if "interpolated" in drawn:
        wide: dict[str, Any] = {"strokeWidth": 4, "opacity": 0.35} if len(drawn) > 1 else {}
        line = path(part="interpolated").mark_line(interpolate="step-before", **wide)
        layers.append(line.encode(**axes, **({} if wide else {"strokeDash": dashed(names)})))
    for part in sorted(drawn - {"interpolated"}):
        line = path(part=part).mark_line(point={"size": 22} if table.num_rows < 300 else False)
        layers.append(line.encode(**axes, strokeDash=dashed(names), shape=shaped(names), tooltip=tips))
    if "cutoffs" in drawn:
        layers.append(cutoff_labels(axes, table))
    if areas:
        mean = "mean AP" if form in ("recalls", "cutoffs") else "AP"
        more = figures(table, names, marks)
        below = [f"{text}{more[name]}" for text, name in zip(with_figures(areas, mean), names, strict=True)]
        layers.append(named_below(names, below))
    else:
        ends = [_end(table, name) for name in names]
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _guessing(prevalence: Sequence[float]) -> list[Chart]:
    """The precision of random guessing, which is the prevalence; one label for all lines, below the lowest."""
    label = "prevalence " + " to ".join(f"{level:.3g}" for level in dict.fromkeys([*prevalence[:1], *prevalence[-1:]]))
    rows = [{"precision": level, "recall": 1.0, "label": label} for level in prevalence]
    line = inline(rows).mark_rule(style="reference").encode(y=alt.Y("precision:Q"))
    text = texts(rows[:1], "recall", "precision", "label", style="aside", align="right", dx=-4, dy=8)
    return [line, text] if rows else []


def _end(table: pa.Table, name: str) -> float:
    """The precision of a system at its highest recall."""
    curve = pc.is_in(table["part"], pa.array([*_ABOUT]))
    rows = table.filter(pc.and_(pc.equal(table["system"], name), curve))
    recall, precision = rows["recall"].to_numpy(), rows["precision"].to_numpy()
    return float(precision[recall == recall.max()].min()) if len(recall) else 0.0


def f_isolines(beta: float = 1) -> list[Chart]:
    """Lines of equal F-measure, labelled where they leave the frame."""
    rows, labels = [], []
    weight = beta**2
    for level in LEVELS:
        first = weight * level / (1 + weight - level)  # the recall at precision 1
        for x in np.geomspace(first, 1, 60):
            precision = level * x / ((1 + weight) * x - weight * level)
            rows.append({"level": level, "recall": float(x), "precision": min(float(precision), 1.0)})
        labels.append({"recall": first, "precision": 1.0, "label": f"F{'' if beta == 1 else f'{beta:g}'} = {level:g}"})
    return isolines(rows, labels, "recall", "precision")
