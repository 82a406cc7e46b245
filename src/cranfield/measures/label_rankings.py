"""Measures of how well scores rank the labels of multilabel items."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.arithmetic import Numbers, ratio
from cranfield.evidence.items import LabelRankings
from cranfield.measures.rates import NOTHING
from cranfield.measures.registry import measure


@measure(
    "CoverageError",
    interval="jackknife",
    title="Coverage error",
    cite="schapire2000",
    bounds=(0, np.inf),
    higher_is_better=False,
    undefined=NOTHING,
)
def coverage_error(rankings: LabelRankings) -> Numbers:
    """Mean over items of the rank of the last true label: the depth needed to cover all of them.

    A tied label has the last rank of its ties. An item without a true label scores 0.
    """
    return rankings.mean(np.where(rankings.true, rankings.rank, 0).max(axis=1, initial=0))


@measure(
    "LRAP",
    interval="jackknife",
    title="Label ranking average precision",
    cite="schapire2000",
    names=("LabelRankingAveragePrecision",),
    undefined=NOTHING,
)
def label_ranking_average_precision(rankings: LabelRankings) -> Numbers:
    """Mean over items and their true labels of the proportion of true labels among those ranked as high or higher.

    An item without a true label scores 1, like one whose labels are all true.
    """
    precision = (rankings.true * rankings.true_rank / rankings.rank).sum(axis=1)
    return rankings.mean(np.where(rankings.n_true, precision / np.maximum(rankings.n_true, 1), 1.0))


@measure(
    "LabelRankingLoss",
    interval="jackknife",
    title="Label ranking loss",
    cite="schapire2000",
    higher_is_better=False,
    undefined=NOTHING,
)
def label_ranking_loss(rankings: LabelRankings) -> Numbers:
    """Mean over items of the proportion of pairs of a true and a false label in which the true one is not higher.

    An item whose labels are all true or all false has no such pair and scores 0.
    """
    wrong = (rankings.true * (rankings.rank - rankings.true_rank)).sum(axis=1)
    n_pairs = rankings.n_true * (rankings.true.shape[1] - rankings.n_true)
    return rankings.mean(np.nan_to_num(ratio(wrong, n_pairs)))
