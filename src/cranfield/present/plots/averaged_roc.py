"""ROC curves averaged over folds, with pointwise confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Mask
from cranfield.curves.averaged_roc import Averaging, FoldRates, at_fallouts, at_thresholds, common_thresholds
from cranfield.curves.roc import roc
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.distributions import require_confidence
from cranfield.inference.intervals import t_interval
from cranfield.measures.scores import area_under_roc
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data, diagonal, path
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import of_each
from cranfield.present.plots.series import coloured, named_below, series_lines, shortened
from cranfield.present.plots.thinning import coarsened, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification, parts
from cranfield.text import counted, percent

Folds = Mapping[str, Sequence[Thresholds]] | Classification

LEVELS = levels(0, 1, SQUARE)
FALLOUTS = np.linspace(0, 1, 101)  # false positive rates for vertical averaging
MOST = 201  # number of thresholds for threshold averaging
CROSSES = 9  # number of thresholds whose intervals are drawn
BAND = 0.25  # opacity
FAINT = 0.35  # opacity of single folds
ACROSS, UP = "false positive rate", "true positive rate (recall)"
RATES = ("threshold", "fallout", "recall")
BOUNDS = ("fallout_low", "fallout_high", "recall_low", "recall_high")


@plot_of(Classification)
def averaged_roc(folds: Folds, *, averaging: Averaging = "vertical", confidence: float = CONFIDENCE) -> Plot:
    """ROC curves averaged over folds, or other groups of items, with pointwise t intervals over the folds.

    `"vertical"` averages the true positive rates at equal false positive rates; `"threshold"` averages both rates at
    equal thresholds, which needs scores that are comparable between folds. `folds` is the result of
    `classify(..., by=...)`, or the `Thresholds` of each fold by name of the scorer.
    """
    require_one_of("averaging", averaging, Averaging)
    require_confidence(confidence)
    by_name, notes = _both_classes(_folds_by_name(folds))
    areas = {name: np.array([float(area_under_roc(fold)) for fold in scored]) for name, scored in by_name.items()}
    tables = [_table(name, scored, averaging, confidence) for name, scored in by_name.items()]
    n_folds = sorted({len(scored) for scored in by_name.values()})
    marks = "band" if averaging == "vertical" else "crosses"
    return Plot(
        "Averaged ROC curve" + "s" * (len(by_name) > 1),
        pa.concat_tables(tables),
        partial(_drawn, areas, averaging),
        sketch=Lines("fallout", "recall", "system", only=("part", "mean"), across=ACROSS, up=UP),
        about=f"mean of {' or '.join(map(str, n_folds))} folds at equal "
        + ("false positive rates" if averaging == "vertical" else "thresholds"),
        key=f"thin: single folds; {marks}: pointwise {percent(confidence)} t intervals over folds",
        notes=notes,
    )


def _folds_by_name(folds: Folds) -> dict[str, list[Thresholds]]:
    if not isinstance(folds, Classification):
        return {name: list(scored) for name, scored in folds.items()}
    if not folds.evaluated[0].predictions.groups:
        raise BadSetting("averaging needs folds: give the column with each item's fold with by= (--by)")
    by_name: dict[str, list[Thresholds]] = {}
    for evaluated in folds.evaluated:
        for part in parts(evaluated):
            for name, scored in of_each(part, len(folds.evaluated) > 1):
                by_name.setdefault(name, []).append(scored)
    if not by_name:
        raise BadInput("a curve needs scores or probabilities, not labels")
    return by_name


def _both_classes(by_name: dict[str, list[Thresholds]]) -> tuple[dict[str, list[Thresholds]], tuple[str, ...]]:
    """The folds with both positives and negatives, at least two per scorer, and notes on omitted ones."""
    of_both_classes = {name: [fold for fold in folds if not fold.one_class] for name, folds in by_name.items()}
    for name, folds in of_both_classes.items():
        if len(folds) < 2:
            raise BadInput(f"{name}: averaging needs at least 2 folds with positives and negatives; got {len(folds)}")
    omitted = {name: len(by_name[name]) - len(folds) for name, folds in of_both_classes.items()}
    texts = {
        name: f"{counted(n, 'fold')} with only one class {'is' if n == 1 else 'are'} omitted"
        for name, n in omitted.items()
        if n
    }
    return of_both_classes, tuple(f"{name}: {text}" for name, text in texts.items())


def _table(name: str, folds: list[Thresholds], averaging: Averaging, confidence: float) -> pa.Table:
    drawn = [roc(coarsened(fold, LEVELS, LEVELS), every=True) for fold in folds]
    singles = [
        _rows(name, "fold", number, np.zeros(len(one.recall), np.bool_), **one._asdict())
        for number, one in enumerate(drawn, 1)
    ]
    if averaging == "vertical":
        rates = at_fallouts(folds, FALLOUTS)
    else:
        rates = at_thresholds(folds, common_thresholds(folds, MOST))
    return pa.concat_tables([*singles, _mean(name, rates, confidence)])


def _mean(name: str, rates: FoldRates, confidence: float) -> pa.Table:
    across, up = (t_interval(rate, confidence).within((0, 1)) for rate in (rates.fallout, rates.recall))
    fallout, recall = rates.fallout.mean(axis=0), rates.recall.mean(axis=0)
    sides = [side for bound in (across, up) for side in (bound.low, bound.high)]
    shown = np.isin(np.arange(len(fallout)), np.linspace(0, len(fallout) - 1, CROSSES + 2).round()[1:-1])
    columns = zip((*RATES, *BOUNDS), (rates.threshold, fallout, recall, *sides), strict=True)
    return _rows(name, "mean", 0, shown, **dict(columns))


def _rows(name: str, part: str, fold: int, shown: Mask, **columns: Floats) -> pa.Table:
    absent = np.full(len(shown), np.nan)
    rates = {column: columns.get(column, absent) for column in (*RATES, *BOUNDS)}
    folds = pa.array([fold or None] * len(shown), pa.int64())
    return table_of(system=name, part=part, fold=folds, shown=shown, **rates)


def _drawn(areas: dict[str, Floats], averaging: Averaging) -> Chart:
    names = list(areas)
    x, y = alt.X(**quantity("fallout", ACROSS, 0, 1)), alt.Y(**quantity("recall", UP, 0, 1))
    colour, tips = coloured(names), tooltip("system", numbers=(*RATES, *BOUNDS[2:]))
    thin = path(part="fold").mark_line(strokeWidth=0.8, opacity=FAINT)
    single = thin.encode(x=x, y=y, color=colour, detail=alt.Detail("fold:N"))
    line = series_lines(path(part="mean").mark_line(), names, x, y, tips)
    texts = [_labelled(name, area, several=len(names) > 1) for name, area in areas.items()]
    spread = _band(colour) if averaging == "vertical" else _crosses(colour)
    layers = [diagonal("fallout", "recall"), *spread, single, line, named_below(names, texts)]
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _labelled(name: str, area: Floats, *, several: bool) -> str:
    figures = f"mean AUC {area.mean():.3f}, standard deviation {area.std(ddof=1):.3f}"
    return f"{shortened(name)}, {figures}" if several else figures


def _band(colour: alt.Color) -> list[Chart]:
    marks = data(part="mean").mark_area(opacity=BAND, line=False)
    low = alt.Y("recall_low:Q", title="", stack=None)
    return [marks.encode(x=alt.X("fallout:Q"), y=low, y2=alt.Y2("recall_high:Q"), color=colour)]


def _crosses(colour: alt.Color) -> list[Chart]:
    marks = path(part="mean").transform_filter("datum.shown").mark_rule(strokeWidth=1.5)
    left, low = alt.X("fallout_low:Q", title=""), alt.Y("recall_low:Q", title="")
    return [
        marks.encode(x=alt.X("fallout:Q"), y=low, y2=alt.Y2("recall_high:Q"), color=colour),
        marks.encode(x=left, x2=alt.X2("fallout_high:Q"), y=alt.Y("recall:Q"), color=colour),
    ]
