"""What the names of scikit-learn's functions imply there, and therefore here.

Decided here: the positive class, average and direction that a name of scikit-learn implies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Literal

ONE_IS_POSITIVE = frozenset(  # pos_label=1
    {"precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score", "average_precision_score"}
)
OF_TWO_CLASSES = ONE_IS_POSITIVE - {"average_precision_score"}  # average="binary"
GREATEST_IS_POSITIVE = frozenset({"roc_auc_score", "log_loss", "d2_log_loss_score", "hinge_loss"})


def function_names(requested: Any) -> set[str]:
    """The names in a request for measures, as scikit-learn writes them."""
    if isinstance(requested, str):
        return set(re.split(r"\s*,\s*", requested.strip().lower()))
    if isinstance(requested, Iterable):
        return {name for one in requested for name in function_names(one)}
    return set()


def implied_positive(names: set[str]) -> int | None:
    """The positive class that these names imply, unless they contradict each other."""
    return 1 if names & ONE_IS_POSITIVE and not names & GREATEST_IS_POSITIVE else None


Response = Literal["labels", "scores", "probabilities"]  # what a measure needs of a learner

_LOWER_IS_BETTER = ("_loss", "_error", "_deviance")
_HIGHER_IS_BETTER = ("_score", "_corrcoef")
_OF_SCORES = frozenset(
    {
        *("roc_auc_score", "average_precision_score", "hinge_loss", "top_k_accuracy_score", "coverage_error"),
        *("label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score", "dcg_score"),
    }
)
_OF_PROBABILITIES = frozenset({"log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"})
_OF_CLUSTERS_AND_FEATURES = frozenset({"davies_bouldin_score", "calinski_harabasz_score", "silhouette_score"})


def metric_name(function: Any) -> str | None:
    """The name of a metric of scikit-learn, also with some arguments fixed; None for any other function."""
    while isinstance(function, partial):
        function = function.func
    of_scikit_learn = str(getattr(function, "__module__", "")).startswith("sklearn.metrics")
    name = str(getattr(function, "__name__", ""))
    ends = (*_LOWER_IS_BETTER, *_HIGHER_IS_BETTER)
    return name if of_scikit_learn and name.endswith(ends) and name not in _OF_CLUSTERS_AND_FEATURES else None


def lower_is_better(metric: str) -> bool:
    """Whether lower values of a metric of scikit-learn are better, as its name says."""
    return metric.endswith(_LOWER_IS_BETTER)


def response(metric: str, n_classes: int) -> Response:
    """What a metric of scikit-learn needs of a learner."""
    if metric in _OF_PROBABILITIES or (metric == "roc_auc_score" and n_classes > 2):
        return "probabilities"
    return "scores" if metric in _OF_SCORES else "labels"
