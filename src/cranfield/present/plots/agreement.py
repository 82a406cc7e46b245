"""How far every two raters agree, as a matrix."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.series import bare, data, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Cells
from cranfield.present.table import visible
from cranfield.registry import Measure, parse
from cranfield.results.agreement import Agreed, Agreement
from cranfield.results.writing import decoded

CELL, SMALL = 58, 30
FEW = 12


def kappas(given: Agreement, *, measure: Measure | str = "Kappa") -> Plot:
    """The agreement of every two raters; a dot where they share no item or it is undefined."""
    wanted = parse(measure, "ratings") if isinstance(measure, str) else measure
    raters = [*map(decoded, given.raters)]
    pairs = list(combinations(raters, 2))
    found = [row for row in given.of("pair" if len(raters) > 2 else "all") if row.measure == str(wanted)]
    if not pairs or len(found) != len(pairs):
        raise BadSetting(f"there is no {wanted} of every two raters: raters need names, and pairs must be asked for")
    known = dict(zip(pairs, found, strict=True))
    rows = [
        {"rater": one, "other": other, **_told(known.get((one, other)) or known[other, one])}
        for one in raters
        for other in raters
        if one != other
    ]
    return Plot(
        "kappas",
        f"{wanted} of every two raters",
        pa.Table.from_pylist(rows, _SCHEMA),
        partial(_drawn, raters),
        sketch=Cells(("rater",), "other", "value", "value"),
        about="1 is full agreement, 0 what chance would give; a dot where it is undefined",
    )


def _told(row: Agreed) -> dict[str, Any]:
    numbers = {name: getattr(row, name) for name in ("value", "low", "high")}
    finite = {name: None if np.isnan(number) else float(number) for name, number in numbers.items()}
    return finite | {"items": row.n_items, "band": row.band}


_SCHEMA = pa.schema(
    [
        ("rater", pa.string()),
        ("other", pa.string()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("items", pa.int64()),
        ("band", pa.string()),
    ]
)


def _drawn(raters: list[str]) -> Chart:
    names = [visible(name) for name in raters]
    size = CELL if len(names) <= FEW else SMALL
    padded = alt.Scale(domain=names, paddingInner=0.04, paddingOuter=0)
    x = alt.X("other:N", scale=padded, title=None, axis=bare(orient="top", labelAngle=-40))
    y = alt.Y("rater:N", scale=padded, title=None, axis=bare())
    tips = told("rater", "other", "band", numbers=("value", "low", "high", "items"))
    shade = alt.Color("value:Q", scale=alt.Scale(domain=[-1, 1], domainMid=0), legend=None)
    known, unknown = (data().transform_filter(f"datum.value {sign} null") for sign in ("!==", "==="))
    layers = [
        known.mark_rect().encode(x=x, y=y, color=shade, tooltip=tips),
        unknown.mark_text(style="aside").encode(x=x, y=y, text=alt.value("·")),
    ]
    for far in (False, True):
        marks = known.transform_filter(f"(abs(datum.value) > 0.6) === {str(far).lower()}")
        text = marks.mark_text(style="inverse" if far else "label", fontSize=12 if len(names) <= FEW else 9)
        layers.append(text.encode(x=x, y=y, text=alt.Text("value:Q", format=".2f")))
    return alt.layer(*layers).properties(width=size * len(names), height=size * len(names))
