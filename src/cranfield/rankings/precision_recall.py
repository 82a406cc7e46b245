"""The verb for precision-recall curves of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.measures.ranking import precision_at_recall
from cranfield.measures.sets import precision, recall
from cranfield.present.table import Column, Table, row
from cranfield.rankings import cautions
from cranfield.results.provenance import NOTHING_READ, Provenance, origins, run_names, warn
from cranfield.results.verb_result import Records, VerbResult
from cranfield.results.writing import decoded
from cranfield.settings import ELEVEN_RECALLS, Range
from cranfield.tables.names import Texts
from cranfield.tables.sources import as_judgments, as_runs

if TYPE_CHECKING:
    import pyarrow as pa


# Precision against recall: at every rank, interpolated, and averaged over queries in two ways


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


# Points of precision against recall, as the verb returns them


COLUMNS = ("system", "query", "rank", "recall", "precision")


@frozen(eq=False)
class PrecisionRecallCurves(VerbResult):
    """The curve of each system: points of recall and precision, of one query each or averaged over queries."""

    kind = "precision-recall"

    curves: dict[str, PrecisionRecall]
    queries: Sequence[str]
    provenance: Provenance = NOTHING_READ

    def table(self, *_: Any) -> pa.Table:
        """One row per point; null where an average has no query or rank, or a figure is undefined."""
        import pyarrow as pa

        return pa.concat_tables([self._points(decoded(system), curve) for system, curve in self.curves.items()])

    def __getitem__(self, column: str) -> Any:
        """One column of the points: system, query, rank, recall or precision."""
        return self.table()[column]

    def records(self) -> Records:
        """One row per point."""
        return {"points": self.table().to_pylist()}

    def _points(self, system: str, curve: PrecisionRecall) -> pa.Table:
        import pyarrow as pa

        queries = [decoded(self.queries[unit]) if unit >= 0 else None for unit in curve.unit]
        columns = {
            "system": pa.array([system] * len(curve), pa.string()),
            "query": pa.array(queries, pa.string()),
            "rank": pa.array([rank or None for rank in curve.rank.tolist()], pa.int64()),
            "recall": pa.array(curve.recall, mask=np.isnan(curve.recall)),
            "precision": pa.array(curve.precision, mask=np.isnan(curve.precision)),
        }
        return pa.table(columns)


def precision_recall(
    qrels: Any,
    runs: Any,
    *,
    form: Form = "recalls",
    points: Sequence[float] | None = None,
    rel: float = 1,
    ties: Ties = "trec",
) -> PrecisionRecallCurves:
    """Points of precision-recall curves: system, query, rank, recall and precision of each.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`.
    form
        `"recalls"`: interpolated precision at fixed recall levels, averaged over queries; `"cutoffs"`: mean
        precision and recall at fixed cutoffs; `"interpolated"`: for each query, the highest precision at each recall
        level reached or any higher one; `"ranks"`: for each query, precision and recall after each document.
    points
        The recall levels or cutoffs; for `"ranks"`, the depth as a list of one number.
    rel
        Documents are relevant at this grade or higher.
    ties
        As for `evaluate`, except `"expected"`.

    Returns
    -------
    PrecisionRecallCurves
        One row per point; `curves["precision"]` is a column.

    Examples
    --------
    >>> curves = precision_recall({"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "c": 2, "b": 1}}, form="interpolated")
    >>> curves["precision"].to_pylist()
    [1.0, 0.6666666666666666]
    """
    if ties == "expected":
        raise BadSetting("a curve needs a single order of the documents; ties='expected' averages over all orders")
    require_one_of("ties", ties, Ties)
    _check_points(form, points)
    if rel not in (allowed := Range("a grade")):
        raise BadSetting(f"rel must be {allowed.what}, not {rel!r}")
    judged = as_judgments(qrels)
    judged.require_once("the judgments")
    sources = as_runs(runs)
    names = run_names(sources)
    counted = [Counting(ties).counted(source, judged, Hits) for source in sources]
    warned = cautions.of_rankings({name: ranks for name, (ranks, _) in zip(names, counted)}, judged, sources, ties)
    warn(warned)
    settings = {"form": form, "points": points, "rel": rel, "ties": ties}
    provenance = Provenance(origins(judged, sources), settings, warned)
    curves = [precision_recall_points(hits, form, rel=rel, points=points) for _, hits in counted]
    return PrecisionRecallCurves(dict(zip(names, curves, strict=True)), Texts(judged.queries), provenance)


def _check_points(form: Form, points: Sequence[float] | None) -> None:
    require_one_of("form", form, Form)
    levels, ranks = Range("levels of recall from 0 to 1", 0, 1), Range("positive integers", 1, 1 << 53)
    allowed = levels if form == "recalls" else ranks
    for point in points or ():
        if point not in allowed or (form != "recalls" and point != int(point)):
            raise BadSetting(f"points of the form {form!r} must be {allowed.what}, not {point!r}")


# Points of curves as tables


def points(curves: PrecisionRecallCurves, *, digits: int) -> list[Table]:
    """One row per point; without the columns query and rank where points are averages."""
    table = curves.table()
    names = [
        name for name in table.column_names if table[name].null_count < len(table) or name not in ("query", "rank")
    ]
    columns = tuple(Column(name, name not in ("system", "query"), digits) for name in names)
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    return [Table(columns, tuple(row(*values) for values in rows))]
