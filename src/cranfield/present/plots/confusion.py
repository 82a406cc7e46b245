"""Confusion matrices as heat maps, with their margins, classes that are confused put side by side."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.assessment.classification import Classification
from cranfield.errors import BadInput
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.hits import ratio
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import finite
from cranfield.present.plots.series import LETTER, bare, data, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Cells
from cranfield.present.table import visible
from cranfield.results.writing import decoded

ALL = "all"
CELL, SMALL = 62, 26  # pixels of a cell, and where there are many classes
FEW = 12
READABLE = 30  # classes from which on counts are too small to read


def confusion(given: Confusion | Classification, *, system: str | None = None, reordered: bool = True) -> Plot:
    """How often each class was taken for each; shaded by the share of the class, with totals in the margins.

    The margin of a class has its recall, that of a predicted class its precision, and the corner the accuracy.
    """
    counts = given if isinstance(given, Confusion) else given.of(system).confusion
    if counts is None:
        raise BadInput("there is no confusion matrix of items with several labels each, or with scores alone")
    reordered = reordered and counts.right.sum() < counts.counts.sum()  # where nothing is confused, nothing is moved
    shown = counts.seriated if reordered else counts
    labels = [decoded(str(label)) for label in shown.labels]
    table = pa.concat_tables([_cells(shown, labels), _margins(shown, labels)])
    beside = "classes confused with each other stand side by side"
    return Plot(
        "confusion",
        "Confusion matrix" + ("" if system is None else f" of {system}"),
        table,
        partial(_drawn, labels),
        sketch=Cells(("actual",), "predicted", "share", "n"),
        key="shade: share of the actual class; margins: totals, recall, precision",
        notes=(beside,) if reordered and len(labels) > 2 else (),
    )


def _cells(shown: Confusion, labels: list[str]) -> pa.Table:
    actual, predicted = np.indices(shown.counts.shape).reshape(2, -1)
    share = ratio(shown.counts, shown.actual[:, None].astype(np.float64)).ravel()
    return _table("cell", [labels[i] for i in actual], [labels[j] for j in predicted], shown.counts.ravel(), share)


def _margins(shown: Confusion, labels: list[str]) -> pa.Table:
    recall, precision = ratio(shown.right, shown.actual), ratio(shown.right, shown.predicted)
    accuracy = ratio(np.array([shown.right.sum()]), np.array([shown.counts.sum()]))
    n = len(labels)
    return _table(
        "margin",
        labels + [ALL] * (n + 1),
        [ALL] * n + labels + [ALL],
        np.concatenate([shown.actual, shown.predicted, [shown.counts.sum()]]),
        np.concatenate([recall, precision, accuracy]),
    )


def _table(part: str, actual: list[str], predicted: list[str], n: object, share: np.ndarray) -> pa.Table:
    return pa.table(
        {
            "part": pa.array([part] * len(actual), pa.string()),
            "actual": pa.array(actual, pa.string()),
            "predicted": pa.array(predicted, pa.string()),
            "n": pa.array(np.asarray(n)),
            "share": finite(share),
        }
    )


def _drawn(labels: list[str]) -> Chart:
    names = [*map(visible, labels), ALL]
    few = len(labels) <= FEW
    size = CELL if few else SMALL
    flat = max(map(len, names)) * LETTER <= size
    padded = alt.Scale(domain=names, paddingInner=0.04, paddingOuter=0)
    x = alt.X("predicted:N", scale=padded, title="predicted", axis=bare(orient="top", labelAngle=0 if flat else -60))
    y = alt.Y("actual:N", scale=padded, title="actual", axis=bare())
    tips = told("actual", "predicted", numbers=("n", "share"))
    shade = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=None)
    layers = [
        data(part="cell").mark_rect().encode(x=x, y=y, color=shade, tooltip=tips),
        data(part="margin").mark_rect(style="empty").encode(x=x, y=y, tooltip=tips),
    ]
    if len(labels) <= READABLE:
        layers += _texts(x, y, few)
    return alt.layer(*layers).properties(width=size * len(names), height=size * len(names))


def _texts(x: alt.X, y: alt.Y, few: bool) -> list[Chart]:
    """The counts, and where there is room the shares below them."""
    n, share = alt.Text("n:Q", format=",.6~g" if few else ".2~s"), alt.Text("share:Q", format=".0%")
    layers = []
    for dark in (False, True):
        marks = data().transform_filter(f"(datum.part === 'cell' && datum.share > 0.55) === {str(dark).lower()}")
        style = "inverse" if dark else "label"
        layers.append(
            marks.mark_text(style=style, dy=-6 if few else 0, fontSize=13 if few else 8).encode(x=x, y=y, text=n)
        )
        if few:
            known = marks.transform_filter("isValid(datum.share)")  # a class that never occurs has no recall
            layers.append(known.mark_text(style=style, dy=9, fontSize=10).encode(x=x, y=y, text=share))
    return layers
