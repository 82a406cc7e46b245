"""Guides in ROC space: lines of equal accuracy, and regions in which a prediction rules in or rules out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.errors import BadSetting
from cranfield.present.plots.axes import SQUARE
from cranfield.present.plots.layers import inline, isolines, placed, texts
from cranfield.present.plots.vega import Chart, alt

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
    for accuracy, top in _labelled(prevalence):
        left = (accuracy - 1 + prevalence) / prevalence  # the recall at a false positive rate of 0
        start = (0.0, left) if left >= 0 else ((1 - prevalence - accuracy) / (1 - prevalence), 0.0)
        for fallout, recall in (start, (top, 1.0)):
            rows.append({"level": accuracy, "fallout": fallout, "recall": recall})
        labels.append({"fallout": top, "recall": 1.0, "label": f"{accuracy:g}"})
    if labels:
        labels[-1]["label"] = f"accuracy {labels[-1]['label']}"
    return isolines(rows, labels, "fallout", "recall")


def _labelled(prevalence: float) -> list[tuple[float, float]]:
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
