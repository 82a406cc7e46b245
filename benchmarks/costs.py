"""A model of the cost of rankings, fitted to the curves, and the curves as plots for the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.scaling import Point
from benchmarks.table import Table, markdown

if TYPE_CHECKING:
    from cranfield.present.plots.plot import Plot
    from cranfield.present.plots.vega import Chart

CURVES = ("lines", "queries", "runs")
FAR = 10**10  # lines, in rankings of 1,000 documents with two judgments each
CLUSTER = 64  # processors
SECONDS = [times * 10.0**power for power in range(-3, 4) for times in (1, 3)]  # ticks
BEGIN, END = "<!-- curves: written by `make bench` -->", "<!-- end of curves -->"


class Costs(NamedTuple):
    """Seconds of one processor for a byte, a judged document, a query and a run, on one engine."""

    engine: str
    byte: float
    judged: float
    query: float
    run: float
    error: float  # the median relative error

    def seconds(self, n_bytes: float, n_judged: float, n_queries: float) -> float:
        """What one run would take."""
        return self.byte * n_bytes + self.judged * n_judged + self.query * n_queries + self.run

    def of(self, point: Point) -> float:
        """What the model says of a point, whose runs are evaluated in one call."""
        return self.seconds(point.n_bytes, point.n_judged, point.n_queries) + self.run * (point.n_runs - 1)


def fitted(points: Sequence[Point]) -> list[Costs]:
    """The costs on each engine: least squares of relative errors, none of them negative."""
    from scipy.optimize import nnls

    costs = []
    for engine in dict.fromkeys(point.engine for point in points):
        selected = [point for point in points if point.engine == engine]
        amounts = np.array([[p.n_bytes, p.n_judged, p.n_queries, p.n_runs] for p in selected], float)
        seconds = np.array([point.cpu for point in selected])
        scale = amounts.max(axis=0)
        per_unit = nnls(amounts / scale / seconds[:, None], np.ones(len(selected)))[0] / scale
        error = np.median(np.abs(amounts @ per_unit / seconds - 1))
        costs.append(Costs(engine, *per_unit.tolist(), float(error)))
    return costs


def table(points: Sequence[Point], starts: Mapping[str, float]) -> Table:
    """The fitted costs, and what they come to for very many lines."""
    bytes_per_line = float(np.median([point.n_bytes / point.n_lines for point in points]))
    rows = []
    for cost in fitted(points):
        start = starts.get(cost.engine, 0.0)
        far = cost.seconds(FAR * bytes_per_line, 2 * FAR / 1000, FAR / 1000)
        spread = (far - cost.run) / CLUSTER + cost.run + start  # a cluster does not start sooner
        speed = f"{1e-6 / cost.byte:,.0f}" if cost.byte else ""
        shown = (f"{cost.run * 1e3:,.0f}", speed, f"{cost.judged * 1e6:.2f}", f"{cost.query * 1e6:.1f}")
        begun = f"{start:.1f}" if cost.engine in starts else ""
        rows.append(
            (cost.engine, begun, *shown, f"{cost.error:.0%}", f"{(far + start) / 3600:.2f}", f"{spread / 60:.1f}")
        )
    per = ("s to start", "ms per run", "MB/s", "µs per judged document", "µs per query", "median error")
    columns = ("engine", *per, "CPU hours for 10¹⁰ lines", f"minutes on {CLUSTER} processors")
    return Table("costs of one processor, fitted to the curves, and extrapolated", columns, rows)


def plots(points: Sequence[Point]) -> dict[str, Plot]:
    """One plot per curve: seconds of a processor by size, one line per engine."""
    import pyarrow as pa

    from cranfield.present.plots.data import Lines
    from cranfield.present.plots.plot import Plot

    costs = {cost.engine: cost for cost in fitted(points)}
    drawn = {}
    for curve in CURVES:
        selected = [point for point in points if point.curve == curve]
        if not selected:
            continue
        columns = {
            curve: [getattr(point, f"n_{curve}") for point in selected],
            "CPU seconds": [point.cpu for point in selected],
            "model": [costs[point.engine].of(point) for point in selected],
            "engine": [point.engine for point in selected],
        }
        drawn[curve] = Plot(
            f"Cost by number of {curve}",
            pa.table(columns),
            partial(_drawn, curve, sorted(set(columns[curve])), list(costs)),
            Lines(curve, "CPU seconds", "engine"),
            about="points: measured; lines: fitted model",
            kind="scaling",
        )
    return drawn


def _drawn(curve: str, sizes: list[int], engines: list[str]) -> Chart:
    """Points that were measured, and the model as lines, with the sizes that were measured as ticks."""
    from cranfield.present.plots.drawing import data
    from cranfield.present.plots.vega import alt

    log = alt.Scale(type="log", nice=False, padding=12)
    seconds = alt.Axis(values=SECONDS, format="~g", title="CPU seconds")
    base = data().encode(
        x=alt.X(curve, type="quantitative", scale=log, axis=alt.Axis(values=sizes, format="~s")),
        color=alt.Color("engine", type="nominal", scale=alt.Scale(domain=engines)),
    )
    lines = base.mark_line(point=False).encode(y=alt.Y("model", type="quantitative", scale=log, axis=seconds))
    seconds_measured = alt.Y("CPU seconds", type="quantitative", scale=log, axis=seconds)
    measured = base.mark_point(filled=True, size=60).encode(
        y=seconds_measured, shape=alt.Shape("engine", type="nominal", scale=alt.Scale(domain=engines))
    )
    return alt.layer(lines, measured).properties(width=260, height=200)


def write(points: Sequence[Point], starts: Mapping[str, float], docs: Path, where: str) -> None:
    """Write the plots and the costs into the documentation."""
    page = docs / "explanation" / "speed.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = [fill(f"{where}.", 120), ""]
    for curve, plot in plots(points).items():
        plot.save(docs / "images" / f"speed-{curve}.svg")
        lines += [f"![{plot.title}](../images/speed-{curve}.svg)"]
    text = "\n".join([BEGIN, "", *lines, "", markdown(table(points, starts)), "", END])
    page.write_text(before + text + after, encoding="utf-8")
