"""Scorers: scores of positives and negatives by name, and the points of their curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Ints
from cranfield.classification.evaluated import HALF, Evaluated
from cranfield.classification.result import Classification
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import up_to
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.data import BOX, TOLERANCE, Lines, coarsened, growing, note, table_of, thinned
from cranfield.present.plots.drawing import LETTER, LINE, WIDTH, data, inline, reference, tooltip
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.results.writing import decoded
from cranfield.statistics.areas import AreaMethod

Scorers = Thresholds | Mapping[str, Thresholds] | Classification
Classifiers = Scorers | Cells | Mapping[str, Thresholds | Cells]  # also without scores


class Drawn(NamedTuple):
    """The data of one scorer: points, notes, and the value of a measure shown next to its name."""

    tables: Sequence[pa.Table]
    notes: Sequence[str] = ()
    value: float = np.nan


def curves_of(
    by_name: Mapping[str, Thresholds], draw: Callable[[str, Thresholds], Drawn]
) -> tuple[pa.Table, dict[str, float], tuple[str, ...]]:
    """The points of all scorers, their values by name, and their notes."""
    drawn = {name: draw(name, scores) for name, scores in by_name.items()}
    table = pa.concat_tables([table for curve in drawn.values() for table in curve.tables])
    notes = tuple(note for curve in drawn.values() for note in curve.notes)
    return table, {name: curve.value for name, curve in drawn.items()}, notes


def scores_by_name(scorers: Classifiers) -> dict[str, Thresholds]:
    """The scores by name; both classes must be present."""
    by_name = _by_name(scorers)
    if isinstance(scorers, Classification):
        for evaluated in scorers.evaluated:
            if not evaluated.of_each_class:
                raise BadInput(f"{evaluated.predictions.system}: a curve needs scores or probabilities, not labels")
    if not by_name:
        raise BadInput("there are no scores to plot")
    return _two_sided(by_name)


def _two_sided(by_name: dict[str, Thresholds]) -> dict[str, Thresholds]:
    for name, scores in by_name.items():
        if scores.one_class:
            raise BadInput(f"{name}: only one class is present; a curve needs positives and negatives")
    return by_name


def curves_and_points(classifiers: Classifiers) -> tuple[dict[str, Thresholds], dict[str, Cells]]:
    """The scores by name, and the cells of label-only classifiers; both classes must be present."""
    answers = _answers(classifiers)
    for name, cells in answers.items():
        if not (np.all(cells.positive > 0) and np.all(cells.negative > 0)):
            raise BadInput(f"{name}: only one class is present; a point in ROC space needs positives and negatives")
    return (_two_sided(_by_name(classifiers)) if answers else scores_by_name(classifiers)), answers


def _answers(classifiers: Classifiers) -> dict[str, Cells]:
    """The cells of the binary classifiers without scores."""
    if isinstance(classifiers, Cells):
        return {"classifier": classifiers}
    if isinstance(classifiers, Mapping):
        return {decoded(name): cells for name, cells in classifiers.items() if isinstance(cells, Cells)}
    if not isinstance(classifiers, Classification):
        return {}
    without = [evaluated for evaluated in classifiers.evaluated if not evaluated.of_each_class]
    for evaluated in without:
        if not evaluated.predictions.binary:
            raise BadInput(
                f"{evaluated.predictions.system}: ROC space needs a binary decision; choose the class with positive="
            )
    return {decoded(evaluated.predictions.system): evaluated.cells for evaluated in without}


def _by_name(scorers: Classifiers) -> dict[str, Thresholds]:
    if isinstance(scorers, Thresholds):
        return {"scores": scorers}
    if isinstance(scorers, Cells):
        return {}
    if not isinstance(scorers, Classification):
        return {decoded(name): scores for name, scores in scorers.items() if isinstance(scores, Thresholds)}
    return {
        name: scores
        for evaluated in scorers.evaluated
        for name, scores in of_each(evaluated, len(scorers.evaluated) > 1)
    }


def of_each(evaluated: Evaluated, several: bool) -> Iterator[tuple[str, Thresholds]]:
    """The scores of a system; with several classes, those of each class against the rest."""
    system = decoded(evaluated.predictions.system)
    if evaluated.thresholds is not None:
        yield system, evaluated.thresholds
        return
    for label, scores in zip(evaluated.units if evaluated.of_each_class else (), evaluated.of_each_class, strict=True):
        yield f"{system}: {decoded(str(label))}" if several else decoded(str(label)), scores


def thresholds_in_use(scorers: Classifiers, threshold: float | None) -> dict[str, float]:
    """The threshold of each scorer: this one, or by default that of the classification."""
    if threshold is not None:
        return dict.fromkeys(_by_name(scorers), threshold)
    if not isinstance(scorers, Classification):
        return {}
    binary = [evaluated for evaluated in scorers.evaluated if evaluated.thresholds is not None]
    systems = {decoded(evaluated.predictions.system): evaluated.threshold for evaluated in binary}
    return {name: value for name, value in systems.items() if value is not None}


def is_strict(scorers: Classifiers, threshold: float | None) -> bool:
    """Whether only scores above the threshold are predicted positive, as set in the classification."""
    return threshold is None and isinstance(scorers, Classification) and bool(scorers.settings.get("strict"))


def area_methods(scorers: Classifiers, method: AreaMethod | None) -> dict[str, AreaMethod]:
    """The method for the confidence interval of each AUC: this one, or by default that of the classification."""
    if method is None and isinstance(scorers, Classification):
        method = scorers.evaluated[0].auc_interval  # the same for all
    return dict.fromkeys(_by_name(scorers), method or "auto")


def one_scorer(scorers: Scorers, system: str | None) -> str:
    """The name of the scorer to plot; optional if there is only one."""
    by_name = _by_name(scorers)
    if system is None and len(by_name) == 1:
        return next(iter(by_name))
    if system is None or decoded(system) not in by_name:
        raise BadSetting(f"choose the system to plot: one of {', '.join(map(repr, by_name))}")
    return decoded(system)


def points(system: str, part: str, **columns: Floats) -> pa.Table:
    """Points of one part of a plot: the curve, its convex hull or the chosen threshold."""
    return table_of(system=system, part=part, **columns)


def coarse(scores: Thresholds, recall: Floats, pixels: float) -> Thresholds:
    """The scores, with those merged that are indistinguishable in precision and at these levels of recall.

    When the accepted positives and negatives each grow by a given proportion, precision changes by at most a quarter of
    the two together, and precision gain by at most both where it is not negative.
    """
    n_positive, n_negative = scores.n_items
    part = BOX / np.sqrt(2) / pixels / 2
    return coarsened(scores, growing(n_negative, part), np.append(growing(n_positive, part), recall))


def of_coarse(
    system: str, drawn: Thresholds, scores: Thresholds, x: Floats, y: Floats, *, pixels: float
) -> tuple[Ints, tuple[str, ...]]:
    """Which points of the curve of coarse scores to draw, and a note if some are left out."""
    if drawn is scores:
        thin = thinned(x, y, domain=(0, 1), pixels=pixels)
        return thin, note(system, len(thin), len(y))
    thin = thinned(x, y, domain=(0, 1), pixels=pixels, column=TOLERANCE - BOX)
    return thin, coarse_note(system, len(thin), drawn, scores)


def coarse_note(system: str, n_drawn: int, drawn: Thresholds, scores: Thresholds) -> tuple[str, ...]:
    """A note if the scores were coarsened."""
    return () if drawn is scores else note(system, n_drawn, sum(scores.n_items))


# Score distributions of positives and negatives, divided by a threshold into the four cells


TALL = 150
FEWEST, MOST = 8, 40  # bins
LEAST = 0.5  # minimum width of the first and the last bin, in bins
CELLS = {
    ("negative", False): "true negatives",
    ("negative", True): "false positives",
    ("positive", False): "false negatives",
    ("positive", True): "true positives",
}
ACCEPTED = ("false positives", "true positives")
PANELS = {"negative": ("true negatives", "false positives"), "positive": ("false negatives", "true positives")}
STYLES = {"true negatives": "good", "false positives": "bad", "false negatives": "bad", "true positives": "good"}
SHADES = {"true negatives": 0.25, "true positives": 0.5, "false positives": 0.55, "false negatives": 0.85}  # opacity
SPACE = 6  # pixels between the threshold and a text
SWATCH = 11  # side of the square that shows the colour of an area, in pixels


@plot_of(Classification)
def distributions(
    scorers: Scorers,
    *,
    system: str | None = None,
    threshold: float | None = None,
    bins: int | None = None,
    overlay: bool = False,
) -> Plot:
    """Histograms of the scores of negatives and positives, divided by the threshold into the four cells.

    With `overlay`, both densities are drawn on one axis, where each of the four areas is the rate of its cell. The
    threshold defaults to that of the classification, or to 0.5 without one; the number of bins grows with the number of
    items, from 8 to 40.
    """
    name = one_scorer(scorers, system)
    scores = scores_by_name(scorers)[name]
    cut, strict = thresholds_in_use(scorers, threshold).get(name, HALF), is_strict(scorers, threshold)
    bins = _enough(scores) if bins is None else bins
    threshold = _drawable(cut, scores, bins)
    edges = parted(scores, threshold, bins)
    parts = [
        _histogram("negative", scores.negative, scores.negative_weight, scores.negative_count, edges, threshold),
        _histogram("positive", scores.positive, scores.positive_weight, scores.positive_count, edges, threshold),
    ]
    table = pa.concat_tables(parts)
    return Plot(
        "Score distributions" + ("" if system is None else f": {system}"),
        table,
        partial(_overlaid if overlay else _drawn, table, edges, threshold),
        sketch=Lines(
            "from", "density" if overlay else "proportion", by="class", across="score", mark=(threshold, "threshold")
        ),
        about=f"{'density' if overlay else 'proportion'} of each class; {_threshold(cut, scores, strict)}",
    )


def _enough(scores: Thresholds) -> int:
    """The number of bins: twice the root of the number of items, within limits."""
    return int(np.clip(round(2 * sum(scores.n_items) ** 0.5), FEWEST, MOST))


def _threshold(threshold: float, scores: Thresholds, strict: bool) -> str:
    """A note on the meaning of the threshold."""
    if threshold > max(scores.positive[-1], scores.negative[-1]):
        return "the threshold is above every score: no item is predicted positive"
    which = f"above {threshold:.4g}" if strict else f"of {threshold:.4g} and above"
    return f"scores {which} are predicted positive"


def _drawable(threshold: float, scores: Thresholds, bins: int) -> float:
    """A finite threshold: an infinite one is drawn one bin above the highest score."""
    if np.isfinite(threshold):
        return threshold
    low, high = min(scores.positive[0], scores.negative[0]), max(scores.positive[-1], scores.negative[-1])
    return float(high + ((high - low) or max(abs(high), 1.0)) / bins)


def parted(scores: Thresholds, threshold: float, bins: int) -> Floats:
    """Edges of bins that cover exactly the range of the scores, of equal width except at the ends.

    The threshold is one of the edges.
    """
    low = float(min(scores.positive[0], scores.negative[0], threshold))
    high = float(max(scores.positive[-1], scores.negative[-1], threshold))
    if high - low == np.inf:
        raise BadInput(f"scores from {low:g} to {high:g} cannot be plotted: the range is too large")
    width = (high - low) / bins or 1.0
    before, after = int(np.ceil((threshold - low) / width)), int(np.ceil((high - threshold) / width))
    edges = threshold + width * np.arange(-before, after + 1)
    inner = edges[(edges > low + LEAST * width) & (edges < high - LEAST * width)]
    end = high if high > threshold else threshold + width
    return np.unique(np.concatenate([[low, threshold], inner, [end]]))


def _histogram(
    class_: str, ascending: Floats, weight: Floats | None, count: Ints | None, edges: Floats, threshold: float
) -> pa.Table:
    """One row per bin; bins include their lower edge but not their upper one, except for the last."""
    ends = np.searchsorted(ascending, edges, side="left")
    ends[-1] = len(ascending)
    times = weight if count is None else count
    n = np.diff(ends if times is None else up_to(times)[ends]).astype(np.float64)
    accepted = edges[:-1] >= threshold
    return table_of(
        **{
            "class": class_,
            "cell": [CELLS[class_, bool(above)] for above in accepted],
            "from": edges[:-1],
            "to": edges[1:],
            "n": n,
            "proportion": n / n.sum(),
            "density": n / n.sum() / np.diff(edges),
        }
    )


def _drawn(table: pa.Table, edges: Floats, threshold: float) -> Chart:
    texts = _labels(table)
    rows = _rows_of_text(texts, edges, threshold)
    top = (1.15 + 0.12 * (max(rows.values()) > 0)) * float(np.max(table["proportion"].to_numpy()))
    panels = [
        _panel(class_, edges, threshold, top, [(texts[cell], rows[cell], cell) for cell in cells])
        for class_, cells in PANELS.items()
    ]
    return alt.vconcat(*panels, spacing=10)


def _across(edges: Floats, *, labels: bool) -> alt.X:
    scale = alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, zero=False)
    return alt.X("from:Q", title="score" if labels else None, scale=scale, axis=alt.Axis(labels=labels))


def _panel(class_: str, edges: Floats, threshold: float, top: float, texts: list[tuple[str, int, str]]) -> Chart:
    x = _across(edges, labels=class_ == "positive")
    percent = alt.Axis(format="~%", tickCount=4)
    y = alt.Y("proportion:Q", title=f"{class_}s", scale=alt.Scale(domain=[0, top]), axis=percent)
    layers = [_bars(cell, x, y, "proportion") for _, _, cell in texts]
    rule = reference(x="from", at=threshold)
    words = [_text(text, cell, row, edges, threshold) for text, row, cell in texts]
    return alt.layer(*layers, rule, *words).properties(width=WIDTH, height=TALL)


def _bars(cell: str, x: alt.X, y: alt.Y, *figures: str, **look: Any) -> Chart:
    """The bars of a cell, with these figures in their tooltips."""
    tips = tooltip("cell", numbers=("from", "to", "n", *figures))
    bars = data(cell=cell).mark_rect(style=STYLES[cell], strokeWidth=0, **look)
    return bars.encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2Datum(0), tooltip=tips)


def _overlaid(table: pa.Table, edges: Floats, threshold: float) -> Chart:
    """Both densities on one axis; wrong predictions are drawn over right ones."""
    high = 1.35 * float(np.max(table["density"].to_numpy()))
    x = _across(edges, labels=True)
    y = alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, high]))
    areas = [_bars(cell, x, y, "proportion", "density", opacity=opacity) for cell, opacity in SHADES.items()]
    rule = reference(x="from", at=threshold)
    texts = _labels(table)
    below = {cell: len(PANELS) * row for cell, row in _rows_of_text(texts, edges, threshold).items()}
    words = [
        layer
        for row, cells in enumerate(PANELS.values())
        for cell in cells
        for layer in _explained(texts[cell], cell, row + below[cell], edges, threshold)
    ]
    outlines = [_outline(class_, table, y) for class_ in PANELS]
    names = _names(table, edges, high)
    return alt.layer(*areas, *outlines, rule, *names, *words).properties(width=WIDTH, height=2 * TALL)


def _outline(class_: str, table: pa.Table, y: alt.Y) -> Chart:
    """The outline of a density."""
    bins = [row for row in table.to_pylist() if row["class"] == class_]
    rows = [{"from": row["from"], "density": row["density"]} for row in bins]
    rows.append({"from": bins[-1]["to"], "density": bins[-1]["density"]})
    dashes = [4, 3] if class_ == "negative" else [1, 0]
    line = inline(rows).mark_line(style="ink", interpolate="step-after", strokeWidth=1.5, strokeDash=dashes)
    return line.encode(x=alt.X("from:Q"), y=y)


def _names(table: pa.Table, edges: Floats, high: float) -> list[Chart]:
    """The name of each class at the peak of its density, inside the frame and apart from the other name."""
    names = [f"{class_}s" for class_ in PANELS]
    across, up = [], []
    for class_ in PANELS:
        peak = max((row for row in table.to_pylist() if row["class"] == class_), key=lambda row: row["density"])
        across.append(WIDTH * ((peak["from"] + peak["to"]) / 2 - edges[0]) / (edges[-1] - edges[0]))
        up.append(2 * TALL * (1 - peak["density"] / high) - 8)
    half = LETTER * max(map(len, names)) / 2 + SPACE
    places = np.clip(across, half, WIDTH - half)
    if abs(places[1] - places[0]) < 2 * half and abs(up[1] - up[0]) < LINE:
        middle = np.clip(places.mean(), 2 * half, WIDTH - 2 * half)
        places = middle + half * np.array([-1, 1] if across[0] <= across[1] else [1, -1])
    return [
        inline([{"name": name}]).mark_text(style="label", fontWeight=600)
        .encode(x=alt.XValue(float(x)), y=alt.YValue(float(y)), text=alt.Text("name:N"))
        for name, x, y in zip(names, places, up, strict=True)
    ]  # fmt: skip


def _labels(table: pa.Table) -> dict[str, str]:
    """The name of each cell with its count and rate."""
    texts = {}
    for cell in CELLS.values():
        rows = [row for row in table.to_pylist() if row["cell"] == cell]
        n, proportion = sum(row["n"] for row in rows), sum(row["proportion"] for row in rows)
        texts[cell] = f"{cell} {n:,.6g} ({proportion:.1%})"
    return texts


def _rows_of_text(texts: dict[str, str], edges: Floats, threshold: float) -> dict[str, int]:
    """The line of each text: the second if there is no room for it on its side of the threshold."""
    return {cell: int(not _fits(text, cell, edges, threshold)) for cell, text in texts.items()}


def _fits(text: str, cell: str, edges: Floats, threshold: float) -> bool:
    place = (threshold - edges[0]) / (edges[-1] - edges[0]) * WIDTH
    room = WIDTH - place if cell in ACCEPTED else place
    return bool(room >= LETTER * len(text) + 2 * SPACE + SWATCH)


def _text(text: str, cell: str, row: int, edges: Floats, threshold: float, space: int = SPACE) -> Chart:
    """A text beside the threshold, or at the edge of the frame if there is no room for it on its side."""
    at, left = _beside(text, cell, edges, threshold)
    align: Literal["left", "right"] = "left" if left else "right"
    mark = inline([{"from": at, "shown": text}]).mark_text(style="label", align=align, dx=space if left else -space)
    return mark.encode(x=alt.X("from:Q"), y=alt.YValue(8 + LINE * row), text=alt.Text("shown:N"))


def _beside(text: str, cell: str, edges: Floats, threshold: float) -> tuple[float, bool]:
    """The position of a text, and whether it starts there."""
    right, fits = cell in ACCEPTED, _fits(text, cell, edges, threshold)
    return threshold if fits else float(edges[-1] if right else edges[0]), right == fits


def _explained(text: str, cell: str, row: int, edges: Floats, threshold: float) -> list[Chart]:
    """A text with the colour of its area."""
    at, left = _beside(text, cell, edges, threshold)
    offset = SPACE + SWATCH / 2
    square = inline([{"from": at}]).mark_point(
        style=STYLES[cell], shape="square", filled=True, size=SWATCH**2, opacity=SHADES[cell], strokeWidth=0,
        xOffset=offset if left else -offset,
    )  # fmt: skip
    words = _text(text, cell, row, edges, threshold, 2 * SPACE + SWATCH)
    return [square.encode(x=alt.X("from:Q"), y=alt.YValue(8 + LINE * row)), words]
