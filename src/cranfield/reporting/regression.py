"""The report on regression: predicted against actual values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import differences, leaderboard, tested
from cranfield.examination.evidence import findings_in
from cranfield.present.plots.plot import Plot
from cranfield.present.table import Table
from cranfield.present.values import ranked
from cranfield.regression.plots import errors, pit, predictions, quantiles, residuals
from cranfield.regression.result import Regression
from cranfield.regression.tables import over_items, tables
from cranfield.reporting.board import best_system
from cranfield.reporting.content import COMPARISONS, SYSTEMS, Content, Download, Passage, embedded, main_files
from cranfield.reporting.figures import SEVERAL, figure
from cranfield.reporting.methods import inference_passage, measures_passage
from cranfield.reporting.page import Report
from cranfield.results.values import Result
from cranfield.settings import CONFIDENCE
from cranfield.text import count, percent, verb


def regression_page(regression: Regression, compared: Comparison | None, *, title: str, digits: int) -> Report:
    """The page on systems that predict values, with the comparison of their errors if there are several."""
    measures, ordered = regression.measures, ranked(over_items(regression), regression.measures[0])
    board = leaderboard(ordered, digits=digits)
    _, *details = tables(regression, digits=digits, every=True)
    n_systems, n_items = len(regression.systems), regression.n_items
    content = Content(
        title=title or f"{', '.join(ordered.systems[:3])}{' and more' * (n_systems > 3)}: regression",
        subtitle=f"{count(n_systems, 'system')}, {count(n_items, 'item')}",
        lead=tuple(_lead(regression, ordered, compared)),
        findings=findings_in(regression),
        board=board,
        tables=(*([replace(differences(compared, digits), title="Errors compared")] if compared else []), *details),
        figures=tuple(figure(name, plot) for name, plot in _plots(regression, ordered.systems)),
        passages=(measures_passage(measures), *_uncertainty(board, compared)),
        cited=(*(measure.declaration.cite for measure in measures), *([compared.test.cite] if compared else [])),
        provenance=regression.provenance,
        files=tuple(_files(regression, compared, board)),
    )
    return Report(content)


def _lead(regression: Regression, ordered: Result, compared: Comparison | None) -> Iterator[str]:
    """The best system by the first measure, and how many differences are significant."""
    measure, best = regression.measures[0], ordered.systems[0]
    low, high = regression.intervals()[best, str(measure)]
    interval = "" if np.isnan(low) else f"{percent(CONFIDENCE)} CI {low:.5g} to {high:.5g}"
    value = ordered.micro[0, 0]
    if np.isnan(value):
        yield f"{measure} is undefined for {best if len(ordered.systems) == 1 else 'all systems'}."
    else:
        yield best_system(best, measure, f"{value:.5g}", interval, len(ordered.systems))
    if compared is not None:
        n, pairs = sum(row.significant for row in compared.rows), count(len(compared.rows), "difference")
        subject = "" if regression.forecasts else " in squared and absolute errors"
        yield f"{n} of {pairs}{subject} {verb(n, 'is', 'are')} significant ({tested(compared)})."


def _plots(regression: Regression, systems: tuple[str, ...]) -> Iterator[tuple[str, Plot]]:
    """Calibration of forecasts; predictions, residuals and errors of each system, best first; output by output."""
    for output_place, output in enumerate(regression.outputs[:SEVERAL]):
        for name, plot in _plots(regression.output(output), systems):
            yield f"output-{output_place}-{name}", replace(plot, title=f"{plot.title} ({output})")
    if regression.outputs:
        return
    if regression.forecasts:
        yield "quantiles", quantiles(regression)
    for place, system in enumerate(systems[:SEVERAL]):
        if system in regression.forecasts and regression.forecasts[system].transform is not None:
            yield f"pit-{place}", pit(regression, system=system)
    pointed = [system for system in systems if system in regression.residuals]
    for place, system in enumerate(pointed[:SEVERAL]):
        yield f"predictions-{place}", predictions(regression, system=system)
        yield f"residuals-{place}", residuals(regression, system=system)
    for place, system in enumerate(pointed[:SEVERAL]):
        yield f"errors-{place}", errors(regression, system=system)


def _uncertainty(board: Table, compared: Comparison | None) -> Iterator[Passage]:
    yield Passage("Intervals", tuple(note for note in board.notes if "interval" in note))
    if compared is not None:
        yield inference_passage(None, compared)


def _files(regression: Regression, compared: Comparison | None, board: Table) -> Iterator[Download]:
    yield from main_files(*SYSTEMS, regression.to_csv(), regression.to_json(), board)
    if compared is not None:
        yield embedded(*COMPARISONS, compared.to_csv())
