"""Precision against recall: at every rank, interpolated, and averaged over queries in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.exact import ratio
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.measures.ranking import precision_at_recall
from cranfield.measures.sets import precision, recall
from cranfield.measures.settings import ELEVEN_RECALLS

CUTOFFS = (5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)

Form = Literal["recalls", "cutoffs", "interpolated", "ranks"]


@frozen(eq=False)
class PrecisionRecall:
    """Points of one or several curves: `unit[i]` is the query of point i, -1 for an average over queries.

    `rank[i]` is the rank of the point, or 0 for a point at a recall level.
    """

    unit: Ints
    rank: Ints
    recall: Floats
    precision: Floats

    def __len__(self) -> int:
        return len(self.unit)


def precision_recall_points(
    hits: Hits, form: Form, *, rel: float = 1, points: Sequence[float] | None = None
) -> PrecisionRecall:
    """The points of a form; `points` are its recall levels or cutoffs, or the depth of ranks."""
    if form == "ranks":
        return at_every_rank(hits, rel=rel, k=int(points[0]) if points else None)
    if form == "interpolated":
        return interpolated(hits, rel=rel)
    if form == "cutoffs":
        return averaged_at_cutoffs(hits, rel=rel, cutoffs=[int(k) for k in points or CUTOFFS])
    return averaged_at_recalls(hits, rel=rel, levels=points or ELEVEN_RECALLS)


def at_every_rank(hits: Hits, *, rel: float = 1, k: int | None = None) -> PrecisionRecall:
    """Precision and recall after each of the first k documents: the sawtooth.

    Queries without relevant documents have no recall and therefore no points.
    """
    total = hits.n_relevant(rel)
    depth = np.where(total > 0, hits.depth(k), 0)
    unit = np.repeat(np.arange(len(hits)), depth)
    start = np.cumsum(depth) - depth
    rank = np.arange(len(unit)) - start[unit] + 1
    is_relevant = np.zeros(len(unit), np.int64)
    rows = hits.relevant(rel) & (hits.rank <= depth[hits.unit])
    is_relevant[start[hits.unit[rows]] + hits.rank[rows] - 1] = 1
    count = np.cumsum(is_relevant)
    count -= np.concatenate([[0], count])[start][unit]  # integers, hence exact
    return PrecisionRecall(unit, rank, count / total[unit], count / rank)


def interpolated(hits: Hits, *, rel: float = 1) -> PrecisionRecall:
    """For each recall reached, the highest precision at this or a higher recall, and the rank where it is reached."""
    relevant = hits.relevant(rel)
    unit, count = hits.unit[relevant], hits.running(relevant)
    best = hits.greatest_below(relevant * count / hits.rank)[relevant]
    return PrecisionRecall(unit, hits.rank[relevant], count[relevant] / hits.n_relevant(rel)[unit], best)


def averaged_at_cutoffs(hits: Hits, *, rel: float = 1, cutoffs: Sequence[int] = CUTOFFS) -> PrecisionRecall:
    """Mean precision and mean recall over queries at each cutoff: simple, but sensitive to outliers.

    Queries without relevant documents are left out.
    """
    answerable = hits.n_relevant(rel) > 0
    return PrecisionRecall(
        unit=np.full(len(cutoffs), -1),
        rank=np.array(cutoffs, np.int64),
        recall=np.array([_mean(recall(hits, k=k, rel=rel)[answerable]) for k in cutoffs]),
        precision=np.array([_mean(precision(hits, k=k, rel=rel)[answerable]) for k in cutoffs]),
    )


def averaged_at_recalls(hits: Hits, *, rel: float = 1, levels: Sequence[float] = ELEVEN_RECALLS) -> PrecisionRecall:
    """Mean over queries of the interpolated precision at each recall level (vertical averaging).

    Queries without relevant documents are left out.
    """
    values = [precision_at_recall(hits, recall=level, rel=rel, reading="highest") for level in levels]
    return PrecisionRecall(
        unit=np.full(len(levels), -1),
        rank=np.zeros(len(levels), np.int64),
        recall=np.array(levels, np.float64),
        precision=np.array([_mean(value[~np.isnan(value)]) for value in values]),
    )


def _mean(values: Floats) -> float:
    return float(ratio(values.sum(keepdims=True), float(len(values)))[0])
