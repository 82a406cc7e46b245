"""Confusion matrices with margins, correct and wrong predictions in different colours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.classification.result import Classification
from cranfield.classification.tables import cut
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.present.plots.data import Cells as Grid
from cranfield.present.plots.data import table_of, unused
from cranfield.present.plots.drawing import LETTER, bare, data, tooltip
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import CLASSES, visible
from cranfield.results.writing import decoded
from cranfield.tables.counts import Rows
from cranfield.tables.labels import Label

# The overview of a binary decision: the confusion matrix with all rates of its rows and columns around it


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
    table = _overview_table(counts.cells.take(np.array([place])), names, rows)
    across = "predicted" if rows == "actual" else "actual"
    return Plot(
        title,
        table,
        partial(_overview_drawn, [*map(visible, names)], rows, across),
        sketch=Grid(("row",), "column", "value", "shown"),
        about=about,
        key=f"rows: {rows}; right and below: rates of rows and columns",
    )


def _overview_table(cells: Cells, names: tuple[str, str], rows: Rows) -> pa.Table:
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


def _overview_drawn(names: list[str], rows: str, across: str) -> Chart:
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
    layers += _overview_texts(x, y)
    return alt.layer(*layers).properties(width=WIDE * len(places), height=TALL * len(places))


def _overview_texts(x: alt.X, y: alt.Y) -> list[Chart]:
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


LARGE, CELL, MEDIUM, SMALL = 84, 62, 48, 26  # cell size in pixels: for two named classes, few, some, many
FEW, SOME = 6, 12
READABLE = 30  # with more classes, counts are too small to read


@plot_of(Classification)
def confusion(
    matrix: Confusion | Classification,
    *,
    system: str | None = None,
    rows: Rows = "actual",
    reorder: bool = False,
    collapse: Label | None = None,
    overview: bool = False,
) -> Plot:
    """The number of items by actual and predicted class, correct and wrong predictions in different colours.

    The shade is the proportion of the actual class. The margins show totals with recall by actual class, precision by
    predicted class, and accuracy in the corner. `collapse` shows one class against the rest, `reorder` puts classes
    that are often confused side by side, and `overview` shows all rates of two classes around their matrix.
    """
    require_one_of("rows", rows, Rows)
    counts, positive = _counts(matrix, system, collapse)
    title = "Confusion matrix" + ("" if system is None else f" of {system}")
    about = "" if isinstance(matrix, Confusion) else matrix.positive_scores(matrix.of(system))
    if overview:
        return overview_plot(counts, positive, rows, title, about)
    reorder = reorder and bool(len(counts.wrong[0]))  # unchanged without errors
    places = counts.largest(CLASSES)
    places = places[counts.within(places).seriated_order] if reorder else places
    shown = counts.within(places)
    labels = [decoded(str(label)) for label in shown.labels]
    cells = _cells(shown, counts.actual[places], labels, positive)
    margin = unused("all", labels)
    table = pa.concat_tables([cells, _margins(counts, places, labels, margin)])
    ordered = ("classes are ordered so that confused ones are side by side",) if reorder and len(labels) > 2 else ()
    across = "predicted" if rows == "actual" else "actual"
    return Plot(
        title,
        table,
        partial(_drawn, labels, margin, rows, across, positive is not None and len(labels) == 2),
        sketch=Grid((rows,), across, "proportion", "n", name="name"),
        about=about,
        key=f"rows: {rows}; shade: proportion of the actual class; margins: totals, recall, precision",
        notes=(*ordered, *cut(len(counts.labels), "the margins include all classes")),
    )


def _counts(
    matrix: Confusion | Classification, system: str | None, collapse: Label | None
) -> tuple[Confusion, str | None]:
    """The matrix to draw, and its positive class if it has one."""
    evaluated = None if isinstance(matrix, Confusion) else matrix.of(system)
    counts = matrix if isinstance(matrix, Confusion) else matrix.of(system).confusion
    if counts is None:
        raise BadInput("multilabel data and bare scores have no confusion matrix")
    if collapse is not None:
        named = {str(label): label for label in counts.labels}
        label = collapse if collapse in counts.labels else named.get(str(collapse), collapse)
        one = counts.collapsed(label)
        return one.within(np.array([1, 0])), str(label)  # with the class first
    known = None if evaluated is None else evaluated.predictions.positive
    return counts, None if evaluated is None or known is None else str(evaluated.labels[known])


def _cells(shown: Confusion, n_actual: np.ndarray, labels: list[str], positive: str | None) -> pa.Table:
    actual, predicted = np.indices(shown.counts.shape).reshape(2, -1)
    proportion = ratio(shown.counts, n_actual[:, None].astype(np.float64)).ravel()
    rows, columns = [labels[i] for i in actual], [labels[j] for j in predicted]
    named = positive is not None and len(labels) == 2
    names = [cell_name(row == positive, column == positive) if named else None for row, column in zip(rows, columns)]
    return _table("cell", rows, columns, shown.counts.ravel(), proportion, names)


def _margins(counts: Confusion, places: np.ndarray, labels: list[str], margin: str) -> pa.Table:
    actual, predicted, right = (totals[places] for totals in (counts.actual, counts.predicted, counts.right))
    recall, precision = ratio(right, actual), ratio(right, predicted)
    accuracy = ratio(np.array([counts.right.sum()]), np.array([counts.total]))
    n = len(labels)
    return _table(
        "margin",
        labels + [margin] * (n + 1),
        [margin] * n + labels + [margin],
        np.concatenate([actual, predicted, [counts.total]]),
        np.concatenate([recall, precision, accuracy]),
        [None] * (2 * n + 1),
    )


def _table(
    part: str, actual: list[str], predicted: list[str], n: object, proportion: np.ndarray, names: Sequence[str | None]
) -> pa.Table:
    classes = {"actual": actual, "predicted": predicted, "name": names}
    return table_of(part=part, **classes, n=np.asarray(n), proportion=proportion)


def _drawn(labels: list[str], margin: str, rows: str, across: str, named: bool) -> Chart:
    names = [*map(visible, labels), margin]
    few = len(labels) <= SOME
    size = (LARGE if named else CELL if len(labels) <= FEW else MEDIUM) if few else SMALL
    flat = max(map(len, names)) * LETTER <= size
    padded = alt.Scale(domain=names, paddingInner=0.04, paddingOuter=0)
    x = alt.X(f"{across}:N", scale=padded, title=across, axis=bare(orient="top", labelAngle=0 if flat else -60))
    y = alt.Y(f"{rows}:N", scale=padded, title=rows, axis=bare(titlePadding=16))  # room for fonts wider than Arial
    tips = tooltip("actual", "predicted", numbers=("n", "proportion"))
    layers = [
        *(
            marks.mark_rect(style=style).encode(x=x, y=y, opacity=strength("proportion"), tooltip=tips)
            for marks, style in zip(_right_and_wrong(), ("good", "bad"), strict=True)
        ),
        data(part="margin").mark_rect(style="empty").encode(x=x, y=y, tooltip=tips),
    ]
    if len(labels) <= READABLE:
        layers += _texts(x, y, few, named)
    return alt.layer(*layers).properties(width=size * len(names), height=size * len(names))


def _right_and_wrong() -> tuple[Chart, Chart]:
    """The cells of correct and of wrong predictions."""
    cells = data(part="cell")
    return (
        cells.transform_filter("datum.actual === datum.predicted"),
        cells.transform_filter("datum.actual !== datum.predicted"),
    )


def _texts(x: alt.X, y: alt.Y, few: bool, named: bool) -> list[Chart]:
    """The counts, with the names of the cells above and percentages below if there is room."""
    n, percent = alt.Text("n:Q", format=",.6~g" if few else ".2~s"), alt.Text("proportion:Q", format=".0%")
    up = (0 if named else -6) if few else 0
    texts = [data().mark_text(style="label", dy=up, fontSize=13 if few else 8).encode(x=x, y=y, text=n)]
    if named:
        words = data(part="cell").mark_text(style="label", dy=-18, fontSize=10.5)
        texts.append(words.encode(x=x, y=y, text=alt.Text("name:N")))
    if few:
        defined = data().transform_filter("isValid(datum.proportion)")  # a class that never occurs has no recall
        texts.append(defined.mark_text(style="label", dy=up + 16, fontSize=10).encode(x=x, y=y, text=percent))
    return texts
