"""Judgment coverage of each run: relevant, not relevant, unjudged and missed documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.engines.protocol import Ties
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.present.plots.data import Bars, table_of
from cranfield.present.plots.drawing import LINE, WIDTH, bare, coloured, data, inline, shortened
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.rankings.plots.ranks import rankings
from cranfield.results.values import Result
from cranfield.statistics.distributions import root

# Retrieved sets: relevant and retrieved documents as overlapping circles


BOTH, MISSED, WRONG, REST = "relevant and retrieved", "relevant, missed", "retrieved, not relevant", "neither"
PANEL, TALL, MARGIN = 300, 220, 34  # pixels of a panel, and around its circles
ACROSS = 3  # panels side by side
VISIBLE = 60  # pixels: the smallest diameter of the largest circle
ROOM = 22  # pixels needed for a number


class Sets(NamedTuple):
    """The sizes of a system's relevant and retrieved sets, of their intersection, and of the collection."""

    relevant: int
    retrieved: int
    both: int
    collection: int | None

    @property
    def neither(self) -> int | None:
        """The number of documents in neither set, in a collection of known size."""
        return None if self.collection is None else self.collection - self.relevant - self.retrieved + self.both

    @property
    def rates(self) -> dict[str, tuple[int, int]]:
        """Precision, recall and, if the size of the collection is known, fall-out: numerator and denominator."""
        rates = {"precision": (self.both, self.retrieved), "recall": (self.both, self.relevant)}
        if self.collection is not None:
            rates["fallout"] = (self.retrieved - self.both, self.collection - self.relevant)
        return rates


@plot_of(Result)
def venn(
    source: Any,
    runs: Any = None,
    *,
    query: str | None = None,
    k: int | None = None,
    rel: float = 1,
    collection: int | None = None,
    ties: Ties = "trec",
) -> Plot:
    """Relevant and retrieved documents as circles whose areas are to scale, with precision and recall.

    All queries are pooled, unless one is chosen. `k` cuts the rankings; `collection` is the number of documents in the
    collection, which fall-out needs.
    """
    ranked = rankings(source, runs, ties)
    place = None if query is None else ranked.place(query)
    n_queries = len(ranked.queries) if place is None else 1
    whole = None if collection is None else collection * n_queries
    sets = {name: _sets(hits, place, k, rel, whole) for name, hits in ranked.evidence.items()}
    _require_room(sets)
    return Plot(
        "Relevant and retrieved documents",
        pa.concat_tables([_areas(name, counts) for name, counts in sets.items()]),
        partial(_circles, sets),
        sketch=Bars(("system", "area"), "n", digits=0),
        about=of_queries("pooled over", ranked.queries, query),
        key="left: relevant, right: retrieved; areas to scale" + _frame(sets),
        notes=tuple(f"{name}: {_rates_in_words(counts)}" for name, counts in sets.items()),
    )


def of_queries(how: str, queries: Sequence[str], query: str | None) -> str:
    """The query shown, or the number of pooled queries."""
    if query is not None or len(queries) == 1:
        return f"query {queries[0] if query is None else query}"
    return f"{how} {len(queries)} queries"


def _sets(hits: Hits, place: int | None, k: int | None, rel: float, collection: int | None) -> Sets:
    chosen = slice(None) if place is None else slice(place, place + 1)
    both = hits.count(hits.relevant(rel) & hits.top(k))
    counts = (hits.n_relevant(rel), hits.depth(k), both)
    relevant, retrieved, shared = (int(np.asarray(count)[chosen].sum()) for count in counts)
    return Sets(relevant, retrieved, shared, collection)


def _require_room(sets: dict[str, Sets]) -> None:
    for name, counts in sets.items():
        union = counts.relevant + counts.retrieved - counts.both
        if counts.collection is not None and counts.collection < union:
            raise BadSetting(f"{name}: a collection of {counts.collection} documents cannot contain {union}")


def _areas(name: str, sets: Sets) -> pa.Table:
    counts = {MISSED: sets.relevant - sets.both, BOTH: sets.both, WRONG: sets.retrieved - sets.both}
    if sets.neither is not None:
        counts[REST] = sets.neither
    rates = {rate: [_ratio(*parts)] * len(counts) for rate, parts in sets.rates.items()}
    columns = {"fallout": [None] * len(counts)} | rates
    figures = {rate: pa.array(columns[rate], pa.float64()) for rate in ("precision", "recall", "fallout")}
    return table_of(system=name, area=[*counts], n=np.array([*counts.values()]), **figures)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _rates_in_words(sets: Sets) -> str:
    texts = [
        f"{rate} {part:,}/{whole:,}" + (f" = {part / whole:.4g}" if whole else ", undefined")
        for rate, (part, whole) in sets.rates.items()
    ]
    return ", ".join(texts)


def distance(one: float, other: float, overlap: float) -> float:
    """The distance between the centres of two circles with these areas that overlap by this area."""
    first, second = np.sqrt(one / np.pi), np.sqrt(other / np.pi)
    return float(root(lambda apart: overlap - lens(first, second, apart), abs(first - second), first + second))


def lens(first: float, second: float, apart: float) -> float:
    """The area of intersection of two circles with these radii and this distance between their centres."""
    if apart >= first + second or min(first, second) == 0:
        return 0.0
    if apart <= abs(first - second):
        return float(np.pi * min(first, second) ** 2)
    one = np.arccos(np.clip((apart**2 + first**2 - second**2) / (2 * apart * first), -1, 1))
    other = np.arccos(np.clip((apart**2 + second**2 - first**2) / (2 * apart * second), -1, 1))
    return float(first**2 * (one - np.sin(2 * one) / 2) + second**2 * (other - np.sin(2 * other) / 2))


def scale_of(sets: dict[str, Sets]) -> tuple[float, bool]:
    """Pixels per unit of length, the same for all systems, and whether the frame is the collection to scale."""
    widths, heights = [1e-9], [1e-9]
    for counts in sets.values():
        first, second = np.sqrt(counts.relevant / np.pi), np.sqrt(counts.retrieved / np.pi)
        apart = distance(counts.relevant, counts.retrieved, counts.both)
        widths.append(max(first, apart + second) + max(first, second - apart))
        heights.append(2 * max(first, second))
    fitting = min((PANEL - MARGIN) / max(widths), (TALL - 2 * MARGIN) / max(heights))
    collection = next(iter(sets.values())).collection
    if collection is None:
        return float(fitting), False
    framed = np.sqrt(PANEL * TALL / collection)
    fits = bool(framed <= fitting and max(heights) * framed >= VISIBLE)
    return float(framed if fits else fitting), fits


def _frame(sets: dict[str, Sets]) -> str:
    if next(iter(sets.values())).collection is None:
        return "; documents in neither set are unknown: the size of the collection was not given"
    return "; frame: collection" + ("" if scale_of(sets)[1] else ", not to scale")


def _circles(sets: dict[str, Sets]) -> Chart:
    unit, _ = scale_of(sets)
    panels = []
    for name, counts in sets.items():
        title = alt.Title(shortened(name), fontSize=12, offset=6, anchor="middle")
        panel = alt.layer(*_panel(name, counts, unit)).properties(width=PANEL, height=TALL, title=title)
        panels.append(panel)
    return alt.concat(*panels, columns=ACROSS, spacing=24)


def _panel(name: str, sets: Sets, unit: float) -> list[Chart]:
    """Two circles with their numbers, in pixels."""
    first, second = (np.sqrt(size / np.pi) * unit for size in (sets.relevant, sets.retrieved))
    apart = distance(sets.relevant, sets.retrieved, sets.both) * unit
    left, right = min(-first, apart - second), max(first, apart + second)
    origin, middle = PANEL / 2 - (left + right) / 2, TALL / 2
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, PANEL], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, TALL], nice=False), axis=None)
    circles = [
        {"x": origin, "y": middle, "set": "relevant", "size": (2 * first) ** 2, "system": visible(name)},
        {"x": origin + apart, "y": middle, "set": "retrieved", "size": (2 * second) ** 2, "system": visible(name)},
    ]
    size = alt.Size("size:Q", scale=None, legend=None)
    discs = inline(circles).mark_point(shape="circle", opacity=0.45, strokeWidth=1.5)
    layers = [discs.encode(x=x, y=y, size=size, color=coloured(["relevant", "retrieved"], "set"))]
    if sets.collection is not None:
        layers.insert(0, inline([{"x": 0, "y": 0, "x2": PANEL, "y2": TALL}]).mark_rect(style="outline", strokeWidth=1)
                      .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")))  # fmt: skip
    spans = [
        (-first, min(first, apart - second), sets.relevant - sets.both),
        (max(-first, apart - second), min(first, apart + second), sets.both),
        (max(first, apart - second), apart + second, sets.retrieved - sets.both),
    ]
    numbers = [
        {"x": origin + (start + end) / 2, "y": middle, "text": f"{n:,}"}
        for start, end, n in spans
        if end - start >= ROOM
    ]
    tops = [
        {"x": max(origin - 0.3 * first, 40), "y": middle + first + 10, "text": f"relevant {sets.relevant:,}"},
        {"x": min(origin + apart + 0.3 * second, PANEL - 40), "y": middle - second - 10,
         "text": f"retrieved {sets.retrieved:,}"},
    ]  # fmt: skip
    texts = [inline(numbers).mark_text(style="label", fontSize=13)] if numbers else []
    texts.append(inline(tops).mark_text(style="label"))
    if sets.neither is not None:
        corner = inline([{"x": 8, "y": 12, "text": f"{REST} {sets.neither:,}"}])
        texts.append(corner.mark_text(style="label", align="left"))
    return layers + [mark.encode(x=x, y=y, text=alt.Text("text:N")) for mark in texts]


AREAS = (MISSED, "relevant", "not relevant", "unjudged")
STYLES = ("bad", "good", "soft", "empty")
BAR = 30  # pixels
DIGIT, GAP = 7, 5  # pixels of a digit, and around a number


@plot_of(Result)
def coverage(
    source: Any, runs: Any = None, *, query: str | None = None, k: int = 10, rel: float = 1, ties: Ties = "trec"
) -> Plot:
    """Judgments of the first k documents of each run (relevant, not relevant, unjudged), and missed relevant documents.

    Dense judgments leave few documents unjudged. Sparse ones leave many, and some of these may be relevant.
    """
    ranked = rankings(source, runs, ties)
    place = None if query is None else ranked.place(query)
    rows = {name: _covered(hits, place, k, rel) for name, hits in ranked.evidence.items()}
    spans = np.array([span for counts in rows.values() for span in _spans(counts)])
    table = table_of(
        **{
            "system": [name for name in rows for _ in AREAS],
            "area": [*AREAS] * len(rows),
            "n": np.array([n for counts in rows.values() for n in counts]),
            "from": spans[:, 0],
            "to": spans[:, 1],
        }
    )
    return Plot(
        f"Judgments of the first {k} documents",
        table,
        partial(_bars, ranked.systems, table),
        sketch=Bars(("system", "area"), "n", digits=0),
        about=of_queries("summed over", ranked.queries, query),
        key="left of 0: missed relevant documents",
    )


def _covered(hits: Hits, place: int | None, k: int, rel: float) -> tuple[int, int, int, int]:
    """The numbers of relevant documents missed, and of relevant, other judged, and unjudged documents retrieved."""
    chosen = slice(None) if place is None else slice(place, place + 1)
    relevant = hits.count(hits.relevant(rel) & hits.top(k))
    judged = hits.count((hits.grade >= 0) & hits.top(k))
    counts = (hits.n_relevant(rel) - relevant, relevant, judged - relevant, hits.depth(k) - judged)
    n_missed, n_relevant, n_wrong, n_unjudged = (int(np.asarray(count)[chosen].sum()) for count in counts)
    return n_missed, n_relevant, n_wrong, n_unjudged


def _spans(counts: Sequence[int]) -> list[tuple[int, int]]:
    """The start and end of each part of a bar; missed documents lie left of 0."""
    missed, relevant, wrong, unjudged = counts
    return [(-missed, 0), (0, relevant), (relevant, relevant + wrong), (relevant + wrong, relevant + wrong + unjudged)]


def _bars(names: Sequence[str], table: pa.Table) -> Chart:
    low, high = min(table["from"].to_pylist()), max(table["to"].to_pylist())
    x = alt.X("from:Q", title="documents", scale=alt.Scale(domain=[low, max(high, low + 1)]),
              axis=alt.Axis(labelExpr="format(abs(datum.value), ',')"))  # fmt: skip
    y = alt.Y("system:N", title=None, scale=alt.Scale(domain=[*map(visible, names)], paddingInner=0.2), axis=bare())
    layers: list[Chart] = [
        data(area=area).mark_rect(style=style, strokeWidth=1).encode(x=x, x2=alt.X2("to:Q"), y=y)
        for area, style in zip(AREAS, STYLES, strict=True)
    ]
    wide = f"datum.n / {max(high - low, 1)} * {WIDTH} > {DIGIT} * length(format(datum.n, ',')) + {GAP}"
    text = data().transform_filter(wide).transform_calculate(middle="(datum.from + datum.to) / 2")
    for area, style in zip(AREAS, ("inverse", "inverse", "inverse", "label"), strict=True):
        chosen = text.transform_filter(alt.FieldEqualPredicate(field="area", equal=area))
        layers.append(chosen.mark_text(style=style).encode(x=alt.X("middle:Q"), y=y, text=alt.Text("n:Q", format=",")))
    zero = inline([{"from": 0}]).mark_rule(style="ink", strokeWidth=1.5).encode(x=alt.X("from:Q"))
    return alt.layer(*layers, zero, *_legend()).properties(width=WIDTH, height=BAR * len(names))


def _legend() -> list[Chart]:
    """The four areas by name, above the bars."""
    marks = []
    for place, (area, style) in enumerate(zip(AREAS, STYLES, strict=True)):
        at, row = place * WIDTH / len(AREAS), inline([{"text": area}])
        square = row.mark_point(style=style, shape="square", size=110, filled=True, strokeWidth=1)
        word = row.mark_text(style="label", align="left", baseline="middle")
        marks += [
            square.encode(x=alt.XValue(at + 6), y=alt.YValue(-LINE)),
            word.encode(x=alt.XValue(at + 18), y=alt.YValue(-LINE), text=alt.Text("text:N")),
        ]
    return marks
