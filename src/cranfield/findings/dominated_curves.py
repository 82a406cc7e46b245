"""Rules about curves: a classifier that another one dominates."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.thresholds import Thresholds
from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.measures.naming import parse
from cranfield.results.classification import Classification
from cranfield.text import number

_AREA = parse("AUC", "binary")


@rule(
    "dominated",
    about="curves",
    title="A classifier is dominated at every threshold",
    severity="note",
    why="Whatever the costs and the prevalence, some threshold of the other classifier has at least as high a true "
    "positive rate at the same false positive rate.",
    action="Leave the dominated classifier out, unless it is cheaper to run or easier to explain.",
)
def dominated(classification: Classification, *, difference: float = 0.01) -> Observations:
    """The ROC curve of another classifier lies nowhere below, and its AUC is higher by at least `difference`."""
    scored = {
        evaluated.predictions.system: evaluated.thresholds
        for evaluated in classification.evaluated
        if evaluated.thresholds is not None and not evaluated.thresholds.one_class
    }
    area = {system: float(_AREA.values(scores)) for system, scores in scored.items()}
    best = max(area, key=lambda system: area[system], default="")
    for system, scores in scored.items():
        if reaches(area[best] - area[system], difference) and _nowhere_below(scored[best], scores):
            yield observation(
                f"{best} is better at every threshold (AUC {number(area[best])}, against {number(area[system])}).",
                {"auc": area[system], "better": area[best]},
                system=system,
                other=best,
            )


def _nowhere_below(one: Thresholds, other: Thresholds) -> bool:
    """Whether the first has at least as many true positives as the other, with at most its false positives."""
    higher, lower = one.every.from_nothing, other.every.from_nothing
    reached = higher.tp[np.searchsorted(higher.fp, lower.fp, side="right") - 1]
    return bool((reached >= lower.tp).all())
