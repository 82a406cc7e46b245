"""The overview of a binary decision: the confusion matrix with all rates of its rows and columns around it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.exact import ratio
from cranfield.present.plots.axes import tooltip
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.series import bare
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Cells as Grid
from cranfield.present.table import visible
from cranfield.results.writing import decoded
from cranfield.tables.count_matrices import Rows

WIDE, TALL = 112, 72  # pixels of a cell
STRONGEST = 0.58  # opacity of a full cell, on which text is readable in every theme
# by row and column, with predicted classes in rows: numerator and denominator of each cell
LAYOUT = (
    (("TP", "tp", "positive"), ("FP", "fp", "negative"), ("PPV", "tp", "accepted"), ("FDR", "fp", "accepted")),
    (("FN", "fn", "positive"), ("TN", "tn", "negative"), ("FOR", "fn", "rejected"), ("NPV", "tn", "rejected")),
    (("TPR", "tp", "positive"), ("FPR", "fp", "negative"), ("ACC", "right", "total"), ("ERR", "wrong", "total")),
    (("FNR", "fn", "positive"), ("TNR", "tn", "negative"), ("prevalence", "positive", "total")),
)
WORDS = {
    "TPR": "recall",
    "TNR": "specificity",
    "PPV": "precision",
    "FNR": "miss rate",
    "ACC": "accuracy",
    "ERR": "error rate",
}
RATES = ("(rates)", "(rates, ctd.)")
RIGHT = ("TP", "TN", "TPR", "TNR", "PPV", "NPV", "ACC")
NEUTRAL = ("prevalence",)


def cell_name(actual: bool, predicted: bool) -> str:
    """The name of a cell, by whether its items are positive and predicted positive."""
    return ("TP" if predicted else "FN") if actual else ("FP" if predicted else "TN")


def strength(field: str) -> alt.Opacity:
    """Opacity that grows with a proportion."""
    scale = alt.Scale(domain=[0, 1], range=[0.06, STRONGEST])
    return alt.Opacity(field, type="quantitative", scale=scale, legend=None)


def overview_plot(counts: Confusion, positive: str | None, rows: Rows, title: str, about: str) -> Plot:
    """The overview of two classes, with the positive one first."""
    labels = [decoded(str(label)) for label in counts.labels]
    if len(labels) != 2 or positive not in labels:
        raise BadSetting("an overview needs two classes, one of them positive; choose one of several with collapse")
    place = labels.index(positive)
    names = (positive, labels[1 - place])
    table = _table(counts.cells.take(np.array([place])), names, rows)
    across = "predicted" if rows == "actual" else "actual"
    return Plot(
        title,
        table,
        partial(_drawn, [*map(visible, names)], rows, across),
        sketch=Grid(("row",), "column", "value", "shown"),
        about=about,
        key=f"rows: {rows}; right and below: rates of rows and columns",
    )


def _table(cells: Cells, names: tuple[str, str], rows: Rows) -> pa.Table:
    """One row per cell of the layout."""
    every = {name: getattr(cells, name)[0] for name in ("tp", "fp", "fn", "tn", "positive", "negative", "total")}
    every |= {"accepted": cells.accepted[0], "rejected": cells.rejected[0]}
    every |= {"right": cells.tp[0] + cells.tn[0], "wrong": cells.fp[0] + cells.fn[0]}
    parts = [(down, over, *cell) for down, line in enumerate(LAYOUT) for over, cell in enumerate(line)]
    places = [*names, *RATES]
    n, of = (np.array([float(every[name]) for name in column]) for column in list(zip(*parts, strict=True))[3:])
    value = np.array([ratio(np.array([one]), np.array([whole]))[0] for one, whole in zip(n, of, strict=True)])
    down, over = [places[part[0]] for part in parts], [places[part[1]] for part in parts]
    if rows == "actual":
        down, over = over, down
    called = [part[2] for part in parts]
    inner = [len(name) == 2 for name in called]
    figures = [f"{one:,.6g}" if cell else _figure(rate) for one, rate, cell in zip(n, value, inner, strict=True)]
    return table_of(
        part=["cell" if cell else "rate" for cell in inner],
        row=down,
        column=over,
        name=called,
        n=n,
        of=of,
        value=value,
        shown=[f"{name} {figure}" for name, figure in zip(called, figures, strict=True)],
    )


def _figure(value: float) -> str:
    return f"{value:.1%}" if np.isfinite(value) else "undefined"


def _drawn(names: list[str], rows: str, across: str) -> Chart:
    places = [*names, *RATES]
    scale = alt.Scale(domain=places, paddingInner=0.04, paddingOuter=0)
    expression = f"indexof({[*RATES]}, datum.label) >= 0 ? '' : datum.label"
    top = bare(orient="top", labelAngle=0, labelExpr=expression, titleX=WIDE)  # the middle of the matrix
    x = alt.X("column:N", scale=scale, title=across, axis=top)
    y = alt.Y("row:N", scale=scale, title=rows, axis=bare(labelExpr=expression, titleY=TALL))
    tips = tooltip("name", numbers=("n", "of", "value"))
    layers = []
    wrong = f"indexof({[*RIGHT, *NEUTRAL]}, datum.name) < 0"
    for style, chosen in (("good", f"indexof({[*RIGHT]}, datum.name) >= 0"), ("bad", wrong)):
        marks = data().transform_filter(chosen)
        cells = marks.transform_filter("datum.part === 'cell'").mark_rect(style=style)
        rates = marks.transform_filter("datum.part === 'rate'").mark_rect(style=style, filled=False, strokeWidth=1.5)
        layers += [
            cells.encode(x=x, y=y, opacity=strength("value"), tooltip=tips),
            rates.encode(x=x, y=y, tooltip=tips),
        ]
    layers.append(data(name=NEUTRAL[0]).mark_rect(style="empty").encode(x=x, y=y, tooltip=tips))
    layers += _texts(x, y)
    return alt.layer(*layers).properties(width=WIDE * len(places), height=TALL * len(places))


def _texts(x: alt.X, y: alt.Y) -> list[Chart]:
    """Counts in the matrix; around it, the name of each rate, its value, and its numerator and denominator."""
    cells, rates = data(part="cell"), data(part="rate")
    words = " : ".join(f"datum.name === '{name}' ? '{name}, {word}'" for name, word in WORDS.items()) + " : datum.name"
    fraction = "format(datum.n, ',.6~g') + ' / ' + format(datum.of, ',.6~g')"
    value = "isValid(datum.value) ? format(datum.value, '.1%') : 'undefined'"
    named = rates.transform_calculate(words=words, fraction=fraction, percent=value)
    return [
        cells.mark_text(style="label", dy=-12).encode(x=x, y=y, text=alt.Text("name:N")),
        cells.mark_text(style="label", dy=8, fontSize=16).encode(x=x, y=y, text=alt.Text("n:Q", format=",.6~g")),
        named.mark_text(style="label", dy=-20, fontSize=10.5).encode(x=x, y=y, text=alt.Text("words:N")),
        named.mark_text(style="label", dy=0, fontSize=15).encode(x=x, y=y, text=alt.Text("percent:N")),
        named.mark_text(style="aside", dy=19, fontSize=10.5).encode(x=x, y=y, text=alt.Text("fraction:N")),
    ]
