"""The verb for precision-recall curves of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.curves.precision_recall import Form, precision_recall_points
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.hits import Hits
from cranfield.measures.settings import Range
from cranfield.results import cautions
from cranfield.results.precision_recall import PrecisionRecallCurves
from cranfield.results.provenance import Provenance, origins, run_names, warn
from cranfield.tables.names import Texts
from cranfield.tables.sources import as_judgments, as_runs


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
