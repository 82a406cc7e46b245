"""Pairwise agreement of raters as a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, islice
from typing import Any

import pyarrow as pa

from cranfield.agreement.result import Agreed, Agreement
from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.plots.data import Cells
from cranfield.present.plots.drawing import bare, data, text_on_shade, tooltip
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.results.verb_result import number
from cranfield.results.writing import decoded
from cranfield.text import counted

CELL, SMALL = 58, 30
FEW = 12
_NAMED = 3  # notes, and pairs named per note; others are only counted


@plot_of(Agreement)
def kappas(agreement: Agreement, *, measure: Measure | str = "Kappa") -> Plot:
    """The agreement of every pair of raters; a dot if it is undefined or they have no items in common."""
    coefficient = parse(measure, "ratings")
    raters = [*map(decoded, agreement.raters)]
    pairs = list(combinations(raters, 2))
    rows = [row for row in agreement.of("pair" if len(raters) > 2 else "all") if row.measure == str(coefficient)]
    if not pairs or len(rows) != len(pairs):
        raise BadSetting(
            f"{coefficient} was not computed for every pair of raters: raters need names, and per must include 'pair'"
        )
    by_pair = dict(zip(pairs, rows, strict=True))
    cells = [
        {"rater": one, "other": other, **_record(by_pair.get((one, other)) or by_pair[other, one])}
        for one in raters
        for other in raters
        if one != other
    ]
    return Plot(
        f"{coefficient} of every pair of raters",
        pa.Table.from_pylist(cells, _SCHEMA),
        partial(_drawn, raters),
        sketch=Cells(("rater",), "other", "value", "value"),
        about="1: perfect agreement; 0: chance agreement; dot: undefined",
        notes=tuple(_notes(by_pair)),
    )


def _notes(by_pair: Mapping[tuple[str, str], Agreed]) -> Iterator[str]:
    """The notes about some pairs, one line per note."""
    by_note: dict[str, list[str]] = {}
    for (one, other), row in by_pair.items():
        why = row.interval.replace("none: ", "no interval: ") if math.isnan(row.low) else ""
        for note in filter(None, (why, row.note)):
            by_note.setdefault(note, []).append(f"{visible(one)} and {visible(other)}")
    for note, pairs in islice(by_note.items(), _NAMED):
        more = [f"{len(pairs) - _NAMED} more"] if len(pairs) > _NAMED else []
        yield f"{', '.join([*pairs[:_NAMED], *more])}: {note}"
    if len(by_note) > _NAMED:
        yield f"{counted(sum(map(len, [*by_note.values()][_NAMED:])), 'pair')} with other notes: see the data"


def _record(row: Agreed) -> dict[str, Any]:
    numbers = {name: getattr(row, name) for name in ("value", "low", "high")}
    finite = {name: number(value) for name, value in numbers.items()}
    return finite | {"items": row.n_items, "band": row.band, "interval": row.interval, "note": row.note}


_TYPES = {"items": pa.int64()} | dict.fromkeys(("value", "low", "high"), pa.float64())
_COLUMNS = ("rater", "other", "value", "low", "high", "items", "band", "interval", "note")
_SCHEMA = pa.schema([(name, _TYPES.get(name, pa.string())) for name in _COLUMNS])


def _drawn(raters: list[str]) -> Chart:
    names = [visible(name) for name in raters]
    size = CELL if len(names) <= FEW else SMALL
    padded = alt.Scale(domain=names, paddingInner=0.04, paddingOuter=0)
    x = alt.X("other:N", scale=padded, title=None, axis=bare(orient="top", labelAngle=-40))
    y = alt.Y("rater:N", scale=padded, title=None, axis=bare())
    tips = tooltip("rater", "other", "band", "note", numbers=("value", "low", "high", "items"))
    shade = alt.Color("value:Q", scale=alt.Scale(domain=[-1, 1], domainMid=0), legend=None)
    defined, undefined = (data().transform_filter(f"datum.value {sign} null") for sign in ("!==", "==="))
    layers = [
        defined.mark_rect().encode(x=x, y=y, color=shade, tooltip=tips),
        undefined.mark_text(style="aside").encode(x=x, y=y, text=alt.TextValue("·")),
    ]
    text = alt.Text("value:Q", format=".2f")
    layers += text_on_shade(defined, "abs(datum.value) > 0.6", x, y, text, fontSize=12 if len(names) <= FEW else 9)
    return alt.layer(*layers).properties(width=size * len(names), height=size * len(names))
