"""A measure over releases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.present.plots.data import Lines, table_of
from cranfield.present.plots.drawing import data, inline, quantity, roomy, tooltip
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.releases.history import History
from cranfield.text import counted

WIDE, HIGH = 860, 300
NAMED = 14  # most releases that are named on the axis
LONG = 16  # characters of a name on the axis
VERDICTS = {"better": "good", "worse": "bad"}  # styles
BROKEN = "dashed: not comparable with the release before"
LETTER = 6.4  # pixels


@plot_of(History)
def releases(history: History, measure: str | None = None) -> Plot:
    """A measure over releases, with intervals of the change from the release before."""
    chosen = history.measures[0] if measure is None else measure
    rows = [row for row in history.releases if row.measure == chosen]
    if not rows:
        raise BadSetting(f"{chosen} is not in the history; available: {', '.join(history.measures)}")
    before = [row.value - (row.change or 0) for row in rows]
    low, high = (
        [np.nan if row.low is None else start + getattr(row, end) for row, start in zip(rows, before, strict=True)]
        for end in ("low", "high")
    )
    table = table_of(
        measure=chosen,
        release=[row.release for row in rows],
        time=[row.time for row in rows],
        place=np.arange(len(rows)),
        value=np.array([row.value for row in rows]),
        change=np.array([np.nan if row.change is None else row.change for row in rows]),
        low=np.array(low, np.float64),
        high=np.array(high, np.float64),
        verdict=[row.verdict or "first" for row in rows],
        mark=[row.mark or "" for row in rows],
        period=np.array([row.period for row in rows]),
    )
    points = [point.release for point in history.change_points if point.measure == chosen]
    confidence = f"{100 * history.settings['confidence']:g} %"
    return Plot(
        f"{chosen} over {counted(len(rows), 'release')}",
        table,
        partial(_drawn, table, chosen, points),
        sketch=Lines("place", "value", by="measure", across="release", up=chosen, points=True),
        about=f"bars: {confidence} interval of the change from the release before, in colour if it is significant",
        key="; ".join([*[BROKEN][: rows[-1].period], *["▲: change point"][: len(points)]]),
    )  # fmt: skip


def _drawn(table: pa.Table, measure: str, points: Sequence[str]) -> Chart:
    rows = table.to_pylist()
    known = [row[name] for row in rows for name in ("value", "low", "high") if row[name] is not None]
    domain = roomy(np.array(known), tight=True)
    names = [visible(row["release"]) for row in rows]
    x = alt.X(**quantity("place", "release", -0.5, max(len(rows) - 0.5, 0.5), **_axis(names)))
    y = alt.Y(**quantity("value", measure, *domain))
    tips = tooltip("release", "time", "verdict", "mark", numbers=("value", "change"))
    line = data().mark_line(style="soft", strokeWidth=1.5)
    layers = [line.encode(x=x, y=y, detail=alt.Detail("period:N"))]
    step = WIDE / max(len(rows), 1)
    width = float(np.clip(step / 3, 1, 5))
    for verdict, style in (*VERDICTS.items(), ("", "soft")):
        those = _those(data(), verdict)
        layers.append(
            those.transform_filter("isValid(datum.low)")
            .mark_rule(style=style, strokeWidth=width, opacity=0.45)
            .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high"), tooltip=tips)
        )
        size = float(np.clip(step * 6, 8, 70))
        layers.append(those.mark_point(style=style, size=size).encode(x=x, y=y, tooltip=tips))
    layers += _borders(rows, domain)
    turned = [row for row in rows if row["release"] in points]
    if turned:
        shown = [{"place": row["place"], "value": domain[0], "release": visible(row["release"])} for row in turned]
        triangle = inline(shown).mark_point(shape="triangle-up", style="ink", size=90, yOffset=-7)
        layers.append(triangle.encode(x=alt.X("place:Q"), y=alt.Y("value:Q"), tooltip=["release:N"]))
    return alt.layer(*layers).properties(width=WIDE, height=HIGH)


def _those(marks: Chart, verdict: str) -> Chart:
    if verdict:
        return marks.transform_filter(f"datum.verdict === '{verdict}'")
    return marks.transform_filter(" && ".join(f"datum.verdict !== '{one}'" for one in VERDICTS))


def _axis(names: Sequence[str]) -> dict[str, Any]:
    """Ticks at releases, as many as have room, with their names."""
    n = len(names)
    short = [name if len(name) <= LONG else f"{name[: LONG - 1]}…" for name in names]
    room = min(NAMED, max(2, int(WIDE / (LETTER * max(map(len, short)) + 10))))
    every = max(1, -(-n // room))
    values = list(range(n - 1, -1, -every))[::-1]
    named = f"{json.dumps(short)}[datum.value]"
    return {"values": values, "tickCount": len(values), "labelExpr": named, "grid": False, "labelOverlap": False}


def _borders(rows: Sequence[dict[str, Any]], domain: tuple[float, float]) -> list[Chart]:
    """A dashed line between releases that are not comparable, and what changed."""
    at = [
        {"place": row["place"] - 0.5, "value": domain[1], "text": row["mark"].partition(",")[0]}
        for before, row in pairwise(rows)
        if before["period"] != row["period"]
    ]
    if not at:
        return []
    lines = inline(at).mark_rule(style="reference").encode(x=alt.X("place:Q"))
    texts = inline(at).mark_text(style="aside", align="left", baseline="top", dx=4, dy=2)
    return [lines, texts.encode(x=alt.X("place:Q"), y=alt.Y("value:Q"), text=alt.Text("text:N"))]
