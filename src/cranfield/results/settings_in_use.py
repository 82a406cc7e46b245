"""Settings of `classify` that would have no effect, which are refused.

Decided here: which settings of `classify` have no effect and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.errors import BadSetting
from cranfield.inference.delong import AreaMethod
from cranfield.results.evaluated import Average, Evaluated


def require_in_use(
    systems: Sequence[Evaluated],
    *,
    threshold: float | None,
    goal: str | None,
    average: Average | None,
    auc_interval: AreaMethod,
) -> None:
    """Refuse a threshold, goal, average or interval of the AUC that no system uses."""
    if average is not None:
        _require_applicable_average(systems, average)
    for system in systems:
        if system.class_scores is not None and (threshold is not None or goal is not None):
            raise BadSetting(
                f"{system.predictions.system} has one score per class and predicts the highest: threshold "
                "and goal do not apply; collapse evaluates one class against the rest"
            )
    scored = [system.predictions for system in systems if system.predictions.score is not None]
    if threshold is not None and all(predictions.predicted is not None for predictions in scored):
        raise BadSetting(
            "threshold has no effect: the labels were predicted already; pass scores or probabilities without predicted"
            if scored
            else "threshold has no effect: there are no scores or probabilities, only predicted labels"
        )
    if goal is not None and all(system.thresholds is None for system in systems):
        raise BadSetting("goal has no effect: a threshold is chosen only for one score per item")
    if goal is not None and all(predictions.predicted is not None for predictions in scored):
        raise BadSetting("goal has no effect: the labels were predicted already; pass scores without predicted")
    if auc_interval != "auto" and not scored:
        raise BadSetting("auc_interval has no effect: there are no scores or probabilities")


def _require_applicable_average(systems: Sequence[Evaluated], average: Average) -> None:
    first = systems[0]
    if average not in first.averages:
        raise BadSetting(f"average={average!r} needs multilabel data, in which an item may have several labels")
    if first.predictions.binary:
        raise BadSetting(
            f"average={average!r} has no effect: values are those of the positive class, {first.units[0]!r}; "
            "classification_report has the averages over both classes"
        )
