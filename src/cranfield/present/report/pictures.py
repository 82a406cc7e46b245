"""The pictures of a report on rankings, of as many systems and queries as can be told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cranfield.present.plots.buildup import buildup
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.precision_recall import precision_recall_of_rankings
from cranfield.present.plots.rankings import Rankings
from cranfield.present.plots.systems import differences, measured, systems
from cranfield.present.plots.tiers import tiers_of
from cranfield.present.report.figures import Figure, figure
from cranfield.results.comparison import Comparison
from cranfield.results.values import Result

SEVERAL = 7  # lines that can be told apart in one picture
BOXES = 20


def tier_plot(result: Result, compared: Comparison | None) -> Plot | None:
    """The systems that cannot be told apart by the first measure, where every two were compared."""
    if compared is None or compared.baseline is not None:
        return None
    return tiers_of(*measured(result, None), compared)


def pictures(result: Result, told: Plot | None, baseline: str | None) -> tuple[Figure, ...]:
    """The pictures of a result whose best system is the first."""
    return tuple(figure(name, plot) for name, plot in _plots(result, told, baseline))


def _plots(result: Result, told: Plot | None, baseline: str | None) -> Iterator[tuple[str, Plot]]:
    if told is not None:
        yield "tiers", told
    few = _kept(result, SEVERAL)
    if few.evidence:
        rankings = Rankings(few.evidence)
        yield "precision-recall", _of_few(precision_recall_of_rankings(rankings), few, result)
        yield "build-up", _of_few(buildup(rankings), few, result)
    if len(result.systems) < 2 or result.counted.all(axis=0).sum() < 2:
        return
    shown = _kept(result, BOXES)
    yield "systems", _of_few(systems(shown), shown, result)
    best, other = result.systems[0], baseline or result.systems[1]
    if best == other:
        best = result.systems[1]
    yield "differences", differences(result, baseline=other, system=best)


def _kept(result: Result, most: int) -> Result:
    """The first systems of a result."""
    systems = result.systems[:most]
    return replace(
        result,
        systems=systems,
        values=result.values[:most],
        counted=result.counted[:most],
        micro=result.micro[:most],
        evidence={name: result.evidence[name] for name in systems if name in result.evidence},
    )


def _of_few(plot: Plot, shown: Result, result: Result) -> Plot:
    """The plot, which says so if it does not show all systems."""
    if len(shown.systems) == len(result.systems):
        return plot
    said = f"the best {len(shown.systems)} of {len(result.systems)} systems"
    return replace(plot, notes=(*plot.notes, said))
