"""The worked examples on labels and scores."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.cells import Cells, cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds, thresholds

CANCER = cells(tp=20, fp=180, fn=10, tn=1820)
VIRUS = cells(tp=595, fp=4965, fn=105, tn=94335)
EIGHT = cells(tp=2, fp=2, fn=1, tn=3)  # d1 d5 d7 are relevant, d1 d3 d5 d6 were retrieved, of d1 … d8
ALWAYS_NO = cells(tp=0, fp=0, fn=30, tn=2000)

PEOPLE = Confusion.of(("Woman", "Man", "Child"), np.array([[13, 4, 2], [2, 15, 1], [5, 1, 57]]).T)  # printed transposed

CLASSES = "PPNPPPNNPNPNPNNNPNPN"
SCORES = (
    0.9,
    0.8,
    0.7,
    0.6,
    0.55,
    0.54,
    0.53,
    0.52,
    0.51,
    0.5,
    0.4,
    0.39,
    0.38,
    0.37,
    0.36,
    0.35,
    0.34,
    0.33,
    0.3,
    0.1,
)


def twenty() -> Thresholds:
    """The table of twenty instances."""
    return scored(CLASSES, SCORES)


def scored(classes: str, scores: tuple[float, ...]) -> Thresholds:
    """Scores of instances that are P or N."""
    return thresholds(np.array([sign == "P" for sign in classes]), np.array(scores))


def collapsed(label: str) -> Cells:
    """The cells of one class of people against the rest."""
    return PEOPLE.cells.take(np.array([PEOPLE.place(label)]))
