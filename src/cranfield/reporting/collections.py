"""The report on several collections side by side: values and ranks by collection, and mean ranks with their test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.comparison.compare import compare_samples
from cranfield.comparison.plots import systems, tiers
from cranfield.comparison.result import Comparison
from cranfield.evidence.samples import Samples
from cranfield.examination.evidence import findings_in
from cranfield.measures.naming import Requested
from cranfield.measures.registry import Measure
from cranfield.present.table import DIGITS, Cell, Column, Row, Table, numbers
from cranfield.rankings.collections import evaluated_folders
from cranfield.rankings.evaluate import Progress
from cranfield.reporting.content import COMPARISONS, Content, Passage, main_files
from cranfield.reporting.figures import figure
from cranfield.reporting.methods import counting_passage, inference_passage, measures_passage
from cranfield.reporting.page import Report
from cranfield.results.provenance import NOTHING_READ, Origin
from cranfield.results.values import Result, of_systems
from cranfield.text import count, listed

RANKS = "small numbers: rank on the collection"


def collections_page(results: Mapping[str, Result], compared: Comparison, *, title: str, digits: int) -> Report:
    """The page on results of the same systems on several collections, compared by mean ranks on the first measure."""
    measures = [*compared.samples]
    first = compared.samples[measures[0]]
    board = leaderboard(first, measures[0], digits)
    one = next(iter(results.values()))
    n_systems, n_collections = count(len(first.systems), "system"), count(len(results), "collection")
    n_queries = sum(len(result.units) for result in results.values())
    content = Content(
        title=title or f"{n_systems} on {n_collections}",
        subtitle=f"{n_systems}, {n_collections}, {count(n_queries, 'query')}",
        lead=tuple(_lead(first, compared, measures[0])),
        findings=findings_in(compared),
        board=board,
        tables=tuple(
            replace(leaderboard(compared.samples[measure], measure, digits), title=measure) for measure in measures[1:]
        ),
        figures=(figure("tiers", tiers(compared)), figure("systems", systems(compared))),
        passages=tuple(_methods(one, results, compared)),
        cited=(*(measure.declaration.cite for measure in one.measures), compared.test.cite),
        provenance=replace(NOTHING_READ, inputs=tuple(_inputs(results))),
        files=main_files(*COMPARISONS, compared.to_csv(), compared.to_json(), board),
    )
    return Report(content)


def leaderboard(samples: Samples, measure: str, digits: int) -> Table:
    """One row per system, best mean rank first: mean rank, mean, and value and rank on each collection."""
    rank = samples.ranks
    order = np.lexsort((samples.values.mean(axis=1) * (1 if samples.lower_is_better else -1), rank.mean(axis=1)))
    columns = (
        Column("system"),
        *numbers("mean rank", digits=2),
        *numbers(f"mean {measure}", *samples.units, digits=digits),
    )
    rows = tuple(_row(samples, rank, int(s)) for s in order)
    return Table(columns, rows, notes=(f"{measure}; {RANKS}", "best mean rank first"))


def _row(samples: Samples, rank: Floats, s: int) -> Row:
    best_mean = rank.mean(axis=1).min()
    return (
        Cell(samples.systems[s]),
        Cell(float(rank[s].mean()), best=bool(rank[s].mean() == best_mean)),
        Cell(float(samples.values[s].mean())),
        *(
            Cell(float(value), best=bool(place == rank[:, u].min()), marks=f"{place:g}")
            for u, (value, place) in enumerate(zip(samples.values[s], rank[s], strict=True))
        ),
    )


def _lead(samples: Samples, compared: Comparison, measure: str) -> Iterator[str]:
    mean: NDArray[np.float64] = samples.ranks.mean(axis=1)
    best = samples.systems[int(mean.argmin())]
    n_first = int((samples.ranks[int(mean.argmin())] == 1).sum())
    yield (
        f"{best} has the best mean rank by {measure}: {mean.min():.2f} of {len(samples.systems)}, "
        f"and is first on {n_first} of {count(len(samples), 'collection')}."
    )
    beaten = [
        row.baseline if row.system == best else row.system
        for row in compared.rows
        if row.measure == measure and row.significant and best in (row.system, row.baseline)
    ]
    yield (
        f"It is significantly better than {listed(beaten)} ({compared.test.title}, level {compared.level:g})."
        if beaten
        else f"No system is significantly worse than it ({compared.test.title}, level {compared.level:g})."
    )


def _methods(one: Result, results: Mapping[str, Result], compared: Comparison) -> Iterator[Passage]:
    sizes = (f"{name}: {count(len(result.units), 'query')}" for name, result in results.items())
    yield Passage("Collections", (f"{'; '.join(sizes)}.",))
    n_queries = sum(len(result.units) for result in results.values())
    yield counting_passage(one, f"{count(n_queries, 'judged query')} of {count(len(results), 'collection')}")
    yield measures_passage(one.measures)
    yield inference_passage(None, compared)
    yield Passage("Omnibus tests", tuple(f"{measure}: {outcome}." for measure, outcome in compared.omnibus.items()))


def _inputs(results: Mapping[str, Result]) -> Iterator[Origin]:
    for name, result in results.items():
        yield from (replace(source, name=f"{name}: {source.name}") for source in result.provenance.inputs)


def by_measure(results: Mapping[str, Result]) -> dict[str, Samples]:
    """For each measure, the value of every system on every collection."""
    first = next(iter(results.values()))
    return {str(measure): _samples(results, measure, place) for place, measure in enumerate(first.measures)}


def _samples(results: Mapping[str, Result], measure: Measure, place: int) -> Samples:
    first = next(iter(results.values()))
    columns = [of_systems(result, [*map(result.systems.index, first.systems)]) for result in results.values()]
    values = np.array([result.aggregated()[:, place] for result in columns]).T
    lower = measure.declaration.higher_is_better is False
    return Samples(first.systems, tuple(results), values, "collection", lower_is_better=lower)


# Several collections side by side: the same systems on each, and the best over all


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
