"""ROC space: curves of scores and points of labels, with convex hull, accuracy isolines and likelihood ratios."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves.roc import det as det_curve
from cranfield.curves.roc import roc as roc_curve
from cranfield.curves.roc import roc_hull
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.delong import AreaMethod, area_interval
from cranfield.measures.scores import area_under_roc, equal_error_rate
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.plots import scorers as scored
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.det import where_equal
from cranfield.present.plots.layers import data, diagonal, path
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.roc_guides import accuracy_isolines, likelihood_regions, require_ratio
from cranfield.present.plots.roc_points import (
    Point,
    classifier_points,
    inverted_points,
    joint_hull,
    labelled,
    of_labels,
    point_layers,
)
from cranfield.present.plots.scorers import Classifiers, Drawn, coarse_note, curves_of, points
from cranfield.present.plots.series import coloured, named_below, series_lines, with_figures
from cranfield.present.plots.thinning import coarsened, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification
from cranfield.text import percent

LEVELS = levels(0, 1, SQUARE)
NO_CURVE = points("", "curve", threshold=np.empty(0), fallout=np.empty(0), recall=np.empty(0))
SHADE = 0.18  # opacity of the area under a curve


@plot_of(Classification)
def roc(
    scorers: Classifiers,
    *,
    threshold: float | None = None,
    auc_interval: AreaMethod | None = None,
    shade: bool = False,
    connect: bool = False,
    regions: float | None = None,
) -> Plot:
    """True positive rate against false positive rate: at every threshold of scores, and as one point for labels.

    A label-only classifier below the diagonal is also shown inverted. The confidence interval of the AUC is that of the
    classification, unless `auc_interval` names another method. `shade` fills the area under each curve, `connect` joins
    label-only classifiers that are settings of one method, and `regions` marks where a positive prediction rules in
    (positive likelihood ratio of at least this number, such as 10) and a negative one rules out (negative likelihood
    ratio of at most its reciprocal).
    """
    require_ratio(regions)
    by_name, answers = scored.curves_and_points(scorers)
    in_use, strict = scored.thresholds_in_use(scorers, threshold), scored.is_strict(scorers, threshold)
    table, areas, notes = curves_of(by_name, partial(_roc, in_use)) if by_name else (NO_CURVE, {}, ())
    settings = classifier_points(answers)
    hull = joint_hull(table, settings)
    several = len(by_name) + len(answers) > 1
    return Plot(
        "ROC space" if not by_name else "ROC curve" + "s" * several,
        pa.concat_tables([table, *of_labels(settings, hull)]),
        partial(
            _drawn, areas, _errors(table), in_use, _prevalence(by_name, settings), settings, shade, connect, regions
        ),
        sketch=Lines(
            *("fallout", "recall", "system"),
            only=("part", "curve" if by_name else "point"),
            across="false positive rate",
            up="true positive rate (recall)",
        ),
        about=_in_use(in_use, strict),
        key=_key(bool(by_name), settings, bool(in_use), regions),
        notes=(*_intervals(by_name, scored.area_methods(scorers, auc_interval)), *_inversions(settings), *notes),
    )


def _roc(in_use: dict[str, float], name: str, scores: Thresholds) -> Drawn:
    drawn = coarsened(scores, LEVELS, LEVELS)
    hull = roc_hull(drawn)
    error = float(equal_error_rate(scores if drawn is scores else where_equal(scores, det_curve(drawn, every=True))))
    tables = [
        points(name, "curve", **roc_curve(drawn, every=True)._asdict()),
        points(name, "hull", threshold=hull.threshold, fallout=hull.fallout, recall=hull.recall),
        points(name, "equal errors", **_one(np.nan, error, 1 - error)),
    ]
    if name in in_use:
        cells = scores.at(in_use[name])
        rates = {"fallout": cells.fp / cells.negative, "recall": cells.tp / cells.positive}
        tables.append(points(name, "chosen", threshold=np.array([in_use[name]]), **rates))
    return Drawn(tables, coarse_note(name, len(drawn.positive), drawn, scores), float(area_under_roc(scores)))


def _one(threshold: float, fallout: float, recall: float) -> dict[str, np.ndarray]:
    return {"threshold": np.array([threshold]), "fallout": np.array([fallout]), "recall": np.array([recall])}


def _errors(table: pa.Table) -> dict[str, float]:
    """The equal error rate of each curve."""
    return {row["system"]: row["fallout"] for row in table.to_pylist() if row["part"] == "equal errors"}


def _prevalence(by_name: dict[str, Thresholds], settings: list[Point]) -> float:
    """The proportion of positives, which determines the slope of accuracy isolines."""
    if not by_name:
        return settings[0].prevalence
    return next(iter(by_name.values())).prevalence


def _key(curve: bool, settings: list[Point], in_use: bool, regions: float | None) -> str:
    texts = [
        "thin: convex hull",
        "grey: accuracy isolines",
        "cross: equal error rate (EER)" if curve else "",
        "ring: threshold in use" if in_use else "",
        "hollow: inverted" if inverted_points(settings) else "",
        f"shaded: a positive rules in (likelihood ratio ≥ {regions:g}), a negative out (≤ 1/{regions:g})"
        if regions
        else "",
    ]
    return "; ".join(text for text in texts if text)


def _inversions(settings: list[Point]) -> tuple[str, ...]:
    """A note on inverting the classifiers below the diagonal."""
    below = inverted_points(settings)
    texts = ", ".join(f"{name} ({fallout:.2f}, {recall:.2f})" for name, fallout, recall in below)
    return (f"below the diagonal, so better inverted: {texts}",) if below else ()


def _intervals(by_name: dict[str, Thresholds], method: dict[str, AreaMethod]) -> tuple[str, ...]:
    """The confidence interval of each AUC and its method."""
    if not by_name:
        return ()
    intervals = {name: area_interval(scores, method=method[name]) for name, scores in by_name.items()}
    methods = {one.method for one in intervals.values()}
    shared = f" ({next(iter(methods))})" if len(methods) == 1 < len(intervals) else ""
    method_of = {name: "" if shared else f" ({one.method})" for name, one in intervals.items()}
    texts = ", ".join(f"{name} {one.low:.3f}–{one.high:.3f}{method_of[name]}" for name, one in intervals.items())
    noun = "interval" if len(intervals) == 1 else "intervals"
    return (f"{percent(CONFIDENCE)} confidence {noun} of the AUC{shared}: {texts}",)


def _in_use(thresholds: dict[str, float], strict: bool) -> str:
    """The threshold in use, by scorer if they differ."""
    values = [*dict.fromkeys(thresholds.values())]
    if len(values) < 2:
        return _threshold(values[0]) + (" (strict: only scores above it)" if strict else "") if values else ""
    return ", ".join(f"{name}: {_threshold(value)}" for name, value in thresholds.items())


def _threshold(value: float) -> str:
    return f"threshold {value:.4g}" if np.isfinite(value) else "a threshold above every score"


def _drawn(
    areas: dict[str, float],
    errors: dict[str, float],
    in_use: dict[str, float],
    prevalence: float,
    settings: list[Point],
    shade: bool,
    connect: bool,
    regions: float | None,
) -> Chart:
    names = [*areas, *(point.name for point in settings)]
    x = alt.X(**quantity("fallout", "false positive rate", 0, 1))
    axis = quantity("recall", "true positive rate (recall)", 0, 1)
    y = alt.Y(**axis)
    tips = tooltip("system", numbers=("threshold", "fallout", "recall"))
    layers = [
        *(likelihood_regions(regions, [(point.fallout, point.recall) for point in settings]) if regions else ()),
        *accuracy_isolines(prevalence),
        diagonal("fallout", "recall"),
    ]
    if areas:
        if shade:
            area = data(part="curve").mark_area(opacity=SHADE / len(areas) ** 0.5, line=False)
            layers.append(area.encode(x=x, y=alt.Y(**axis, stack=None), y2=alt.Y2Datum(0), color=coloured(names)))
        hull = path(part="hull").mark_line(strokeWidth=1, opacity=0.8).encode(x=x, y=y, color=coloured(names))
        line = series_lines(path(part="curve").mark_line(), names, x, y, tips)
        cross = data(part="equal errors").mark_point(shape="cross", size=60, opacity=1)
        ring = data(part="chosen").mark_point(style="hollow", size=110, opacity=1).encode(x=x, y=y, tooltip=tips)
        layers += [hull, line, cross.encode(x=x, y=y, color=coloured(names), tooltip=tips), ring]
    if settings:
        layers += point_layers(settings, names, x, y, tips, connect)
    texts = _texts(areas, errors, in_use, several=len(names) > 1) + [labelled(point) for point in settings]
    signs = [point.name for point in settings]
    return alt.layer(*layers, named_below(names, texts, signs=signs)).properties(width=SQUARE, height=SQUARE)


def _texts(areas: dict[str, float], errors: dict[str, float], in_use: dict[str, float], *, several: bool) -> list[str]:
    """Each curve with its AUC and equal error rate, and its threshold if thresholds differ."""
    texts = with_figures(areas, "AUC", several=several)
    apart = len(set(in_use.values())) > 1
    suffixes = [f", {_threshold(in_use[name])}" if apart and name in in_use else "" for name in areas]
    return [
        f"{text}, EER {errors[name]:.3f}{suffix}" for text, name, suffix in zip(texts, areas, suffixes, strict=True)
    ]
