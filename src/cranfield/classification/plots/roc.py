"""ROC space: curves of scores and points of labels, with convex hull, accuracy isolines and likelihood ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Mask
from cranfield.classification.plots import scorers as scored
from cranfield.classification.plots.curves import where_equal
from cranfield.classification.plots.scorers import Classifiers, Drawn, coarse_note, curves_of, of_each, points
from cranfield.classification.result import Classification, parts
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.arithmetic import ratio, upper_hull
from cranfield.evidence.cells import Cells
from cranfield.evidence.curves import Averaging, FoldRates, at_fallouts, at_thresholds, common_thresholds, roc_hull
from cranfield.evidence.curves import det as det_curve
from cranfield.evidence.curves import roc as roc_curve
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.scores import area_under_roc, equal_error_rate
from cranfield.present.plots.data import Lines, coarsened, levels, table_of
from cranfield.present.plots.drawing import (
    SQUARE,
    beside_points,
    coloured,
    data,
    diagonal,
    inline,
    isolines,
    named_below,
    path,
    placed,
    quantity,
    series_lines,
    shaped,
    shortened,
    texts,
    tooltip,
    uncrowded,
    with_figures,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AreaMethod, supported_interval
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.intervals import t_interval
from cranfield.text import counted, percent

# Guides in ROC space: lines of equal accuracy, and regions in which a prediction rules in or rules out


ACCURACIES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
APART = 0.11  # minimum distance of two isoline labels, as a proportion of the frame
APART_WORD = 0.16  # the same if one of them includes the word "accuracy"
FAINT = 0.16  # opacity of a region; where both overlap, it is darker
WORDS = 0.13  # length of the name of a region, as a proportion of the frame
CLEAR = 9 / SQUARE  # distance of the name of a thin region from the frame
NAMED = 30 / SQUARE  # length of a point with a short name


def accuracy_isolines(prevalence: float) -> list[Chart]:
    """Lines of equal accuracy, labelled where they leave the frame at the top."""
    rows, labels = [], []
    for accuracy, top in _guide_labelled(prevalence):
        left = (accuracy - 1 + prevalence) / prevalence  # the recall at a false positive rate of 0
        start = (0.0, left) if left >= 0 else ((1 - prevalence - accuracy) / (1 - prevalence), 0.0)
        for fallout, recall in (start, (top, 1.0)):
            rows.append({"level": accuracy, "fallout": fallout, "recall": recall})
        labels.append({"fallout": top, "recall": 1.0, "label": f"{accuracy:g}"})
    if labels:
        labels[-1]["label"] = f"accuracy {labels[-1]['label']}"
    return isolines(rows, labels, "fallout", "recall")


def _guide_labelled(prevalence: float) -> list[tuple[float, float]]:
    """Accuracies whose labels do not overlap, and the false positive rates of their lines at a recall of 1."""
    chosen: list[tuple[float, float]] = []
    for accuracy in ACCURACIES:
        top = (1 - accuracy) / (1 - prevalence)
        if 0.08 < top < 1 and (not chosen or chosen[-1][1] - top >= APART):
            chosen.append((accuracy, top))
    if len(chosen) > 1 and chosen[-2][1] - chosen[-1][1] < APART_WORD:
        del chosen[-2]  # the last label includes the word
    return chosen


def require_ratio(regions: float | None) -> None:
    """Refuse likelihood ratios that are not above 1."""
    if regions is not None and not 1 < regions < np.inf:
        raise BadSetting(f"regions must be a likelihood ratio above 1, such as 10, not {regions!r}")


def likelihood_regions(ratio: float, points: Sequence[tuple[float, float]] = ()) -> list[Chart]:
    """Where the likelihood ratio of a positive is at least the ratio, and that of a negative at most its reciprocal.

    The names of the regions avoid the points, given as false positive rate and recall.
    """
    rows = {
        "rules in": [(0.0, 0.0, 1.0), (1 / ratio, 1.0, 1.0)],
        "rules out": [(0.0, 1 - 1 / ratio, 1.0), (1.0, 1.0, 1.0)],
    }
    areas = [
        inline([{"fallout": fallout, "recall": low, "top": top} for fallout, low, top in corners])
        .mark_area(style="soft", opacity=FAINT, line=False)
        .encode(**placed("fallout", "recall"), y2=alt.Y2("top:Q"))
        for corners in rows.values()
    ]
    down, inside = _name_place(ratio, [(1 - recall, fallout) for fallout, recall in points])
    across, below = _name_place(ratio, [(fallout, 1 - recall) for fallout, recall in points])
    rules_in = {"fallout": inside, "recall": 1 - down, "label": "rules in"}, {"angle": 270, "align": "right"}
    rules_out = {"fallout": across, "recall": 1 - below, "label": "rules out"}, {"align": "left"}
    words = (rules_in, rules_out)
    return areas + [
        texts([row], "fallout", "recall", "label", style="aside", **turned, baseline="middle") for row, turned in words
    ]


def _name_place(ratio: float, points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The position of a region's name along the frame, outside the overlap of both regions, and its distance inwards.
    It is moved along the frame if a point, given by both distances, is in the way.
    """
    first = min(max(0.12, 1 / ratio + 0.02), 0.95 - WORDS)
    places = [(start, max((1 - start - WORDS) / ratio / 2, CLEAR)) for start in np.arange(first, 0.96 - WORDS, 0.01)]
    free = (place for place in places if not any(_in_the_way(*place, *point) for point in points))
    return next(free, places[0])


def _in_the_way(start: float, depth: float, along: float, inside: float) -> bool:
    """Whether a point or its label overlaps the name of a region."""
    return start - NAMED < along < start + WORDS + CLEAR and abs(inside - depth) < NAMED


# Classifiers without scores in ROC space: one point each, their convex hull, and those better inverted


INVERTED, HULL = "inverted", "joint hull"


class Point(NamedTuple):
    """A classifier in ROC space, with its predictive values."""

    name: str
    fallout: float
    recall: float
    precision: float
    negative_precision: float
    prevalence: float
    specificity: float
    miss_rate: float

    @property
    def below(self) -> bool:
        """Whether it is below the diagonal."""
        return self.recall < self.fallout


def classifier_points(answers: Mapping[str, Cells]) -> list[Point]:
    """The point of each classifier."""
    return [
        Point(
            name,
            *(float(ratio(part, whole)[0]) for part, whole in (
                (cells.fp, cells.negative),
                (cells.tp, cells.positive),
                (cells.tp, cells.accepted),
                (cells.tn, cells.rejected),
                (cells.positive, cells.total),
                (cells.tn, cells.negative),
                (cells.fn, cells.positive),
            )),
        )
        for name, cells in answers.items()
    ]  # fmt: skip


def inverted_points(settings: Sequence[Point]) -> list[tuple[str, float, float]]:
    """Name, false positive rate and recall of the classifiers below the diagonal, with all predictions inverted."""
    return [(point.name, point.specificity, point.miss_rate) for point in settings if point.below]


def joint_hull(table: pa.Table, settings: Sequence[Point]) -> tuple[Floats, Floats]:
    """The convex hull of all points and curves, attainable by mixing classifiers."""
    if not settings:
        return np.empty(0), np.empty(0)
    rows = [row for row in table.to_pylist() if row["part"] == "hull"]
    x = [0.0, 1.0, *(point.fallout for point in settings), *(row["fallout"] for row in rows)]
    y = [0.0, 1.0, *(point.recall for point in settings), *(row["recall"] for row in rows)]
    order = np.lexsort((y, x))
    fallout, recall = np.array(x)[order], np.array(y)[order]
    # both ends, and points with a higher recall than all those with a lower false positive rate
    rising = recall > np.append(-1.0, np.maximum.accumulate(recall)[:-1])
    rising[-1] = True
    fallout, recall = fallout[rising], recall[rising]
    corners = upper_hull(fallout, recall)
    return fallout[corners], recall[corners]


def of_labels(settings: Sequence[Point], hull: tuple[Floats, Floats]) -> list[pa.Table]:
    """The rows of the points, of the inverted ones and of the joint hull."""
    if not settings:
        return []
    parts = [("point", point.name, point.fallout, point.recall) for point in settings]
    parts += [(INVERTED, *inverted) for inverted in inverted_points(settings)]
    rows = [
        points(name, part, threshold=np.array([np.nan]), fallout=np.array([fallout]), recall=np.array([recall]))
        for part, name, fallout, recall in parts
    ]
    corners = points("", HULL, threshold=np.full(len(hull[0]), np.nan), fallout=hull[0], recall=hull[1])
    return [*rows, corners]


def labelled(point: Point) -> str:
    """A point with its rates and predictive values, which depend on the prevalence."""
    figures = {"TPR": point.recall, "FPR": point.fallout, "PPV": point.precision, "NPV": point.negative_precision}
    shown = [f"{name} {value:.2f}" if np.isfinite(value) else f"{name} undefined" for name, value in figures.items()]
    return f"{shortened(point.name)}: {', '.join(shown)}"


def point_layers(
    settings: Sequence[Point], names: Sequence[str], x: alt.X, y: alt.Y, tips: list[alt.Tooltip], connect: bool
) -> list[Chart]:
    """The points with their names, the joint hull, and the inversions of points below the diagonal."""
    colour, shape = coloured(names), shaped(names)
    layers = [path(part=HULL).mark_line(style="soft", strokeWidth=1).encode(x=x, y=y)]
    if connect:
        layers.append(path(part="point").mark_line(style="ink", strokeWidth=1.5).encode(x=x, y=y))
    below = [point for point in settings if point.below]
    if below:
        ways = [
            {"system": visible(point.name), "fallout": fallout, "recall": recall}
            for point in below
            for fallout, recall in ((point.fallout, point.recall), (point.specificity, point.miss_rate))
        ]
        hollow = data(part=INVERTED).mark_point(filled=False, size=90, strokeWidth=1.8)
        way = inline(ways).mark_line(style="reference", strokeWidth=1)
        layers += [
            way.encode(**placed("fallout", "recall"), detail=alt.Detail("system:N")),
            hollow.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips),
        ]
    dots = data(part="point").mark_point(size=90).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    return [*layers, dots, *_names(settings)]


def _names(settings: Sequence[Point]) -> list[Chart]:
    """Names beside the points with enough room, on the left near the right edge of the frame."""
    spots = [(shortened(point.name), point.fallout, point.recall) for point in settings]
    spots += [(f"{shortened(name)} inverted", fallout, recall) for name, fallout, recall in inverted_points(settings)]
    across, up = (np.array([spot[axis] for spot in spots]) * SQUARE for axis in (1, 2))
    labelled = [spots[place] for place in uncrowded([spot[0] for spot in spots], across, up)]
    rows = [dict(zip(("text", "fallout", "recall"), spot, strict=True)) for spot in labelled]
    return beside_points(rows, [spot[1] > 0.8 for spot in labelled], "fallout", "recall", ("halo", "label"))


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
    every = {
        name: supported_interval(scores, confidence=CONFIDENCE, method=method[name]) for name, scores in by_name.items()
    }
    without = tuple(
        f"no confidence interval of the AUC of {name}: {one.method.removeprefix('none: ')}"
        for name, one in every.items()
        if np.isnan(one.low)
    )
    intervals = {name: one for name, one in every.items() if not np.isnan(one.low)}
    if not intervals:
        return without
    methods = {one.method for one in intervals.values()}
    shared = f" ({next(iter(methods))})" if len(methods) == 1 < len(intervals) else ""
    method_of = {name: "" if shared else f" ({one.method})" for name, one in intervals.items()}
    texts = ", ".join(f"{name} {one.low:.3f}–{one.high:.3f}{method_of[name]}" for name, one in intervals.items())
    noun = "interval" if len(intervals) == 1 else "intervals"
    return (f"{percent(CONFIDENCE)} confidence {noun} of the AUC{shared}: {texts}", *without)


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


# ROC curves averaged over folds, with pointwise confidence intervals


Folds = Mapping[str, Sequence[Thresholds]] | Classification

GRID = levels(0, 1, SQUARE)
FALLOUTS = np.linspace(0, 1, 101)  # false positive rates for vertical averaging
MOST = 201  # number of thresholds for threshold averaging
CROSSES = 9  # number of thresholds whose intervals are drawn
BAND = 0.25  # opacity
FAINT_FOLD = 0.35  # opacity of single folds
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
        partial(_averaged_drawn, areas, averaging),
        sketch=Lines("fallout", "recall", "system", only=("part", "mean"), across=ACROSS, up=UP),
        about=f"mean of {' or '.join(map(str, n_folds))} folds at equal "
        + ("false positive rates" if averaging == "vertical" else "thresholds"),
        key=f"thin: single folds; {marks}: pointwise {percent(confidence)} t intervals over folds",
        notes=notes,
    )


def _folds_by_name(folds: Folds) -> dict[str, list[Thresholds]]:
    if not isinstance(folds, Classification):
        return {name: list(alike) for name, alike in folds.items()}
    if not folds.evaluated[0].predictions.groups:
        raise BadSetting("averaging needs folds: give the column with each item's fold with by= (--by)")
    by_name: dict[str, list[Thresholds]] = {}
    for evaluated in folds.evaluated:
        for part in parts(evaluated):
            for name, fold in of_each(part, len(folds.evaluated) > 1):
                by_name.setdefault(name, []).append(fold)
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
    drawn = [roc_curve(coarsened(fold, GRID, GRID), every=True) for fold in folds]
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


def _averaged_drawn(areas: dict[str, Floats], averaging: Averaging) -> Chart:
    names = list(areas)
    x, y = alt.X(**quantity("fallout", ACROSS, 0, 1)), alt.Y(**quantity("recall", UP, 0, 1))
    colour, tips = coloured(names), tooltip("system", numbers=(*RATES, *BOUNDS[2:]))
    thin = path(part="fold").mark_line(strokeWidth=0.8, opacity=FAINT_FOLD)
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
