"""Several collections side by side: the same systems on each, and the best over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.comparison.compare import compare_samples
from cranfield.measures.naming import Requested
from cranfield.present.report.collections import by_measure, collections_page
from cranfield.present.report.page import Report
from cranfield.present.table import DIGITS
from cranfield.rankings.collections import evaluated_folders
from cranfield.rankings.evaluate import Progress


def report_collections(
    collections: Mapping[str, tuple[Any, Any]] | Sequence[str],
    measures: Requested = None,
    *,
    title: str = "",
    digits: int = DIGITS,
    level: float = 0.05,
    progress: Progress | None = None,
    **settings: Any,
) -> Report:
    """An HTML page comparing the same systems on several collections: values and ranks on each, and mean ranks.

    Mean ranks are compared by Nemenyi's test after Friedman's (Demšar 2006).

    Parameters
    ----------
    collections
        `{name: (judgments, runs)}`, each as for `evaluate`; or the paths of folders, each with one file `qrels` (or
        `qrels.txt`, `qrels.tsv` …, or BEIR's `qrels/test.tsv`) and runs whose names end in `.run`.
    measures
        As for `evaluate`; the systems are ranked by the first.
    title, digits
        The title of the page, and the number of decimals.
    level
        Significance level.
    progress, settings
        As for `evaluate`.

    Returns
    -------
    Report
        The page: `page.html` is its text, and `page.save(path)` writes it.

    Examples
    --------
    >>> good, poor = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}
    >>> one = ({"q": {"a": 1}}, {"good": good, "poor": poor})
    >>> page = report_collections({"news": one, "web": one, "mail": one}, "RR")
    >>> page.content.title
    '2 systems on 3 collections'
    """
    results = evaluated_folders(collections, measures, progress=progress, **settings)
    compared = compare_samples(by_measure(results), test="nemenyi", level=level)
    return collections_page(results, compared, title=title, digits=digits)
