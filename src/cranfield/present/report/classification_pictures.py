"""The pictures of a report on classification, of as many systems as can be told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cranfield.assessment.classification import Classification
from cranfield.present.plots.calibration import calibration
from cranfield.present.plots.confusion import confusion
from cranfield.present.plots.costs import cost, decision
from cranfield.present.plots.distributions import distributions
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.precision_recall import precision_recall_of_scores
from cranfield.present.plots.prg import prg
from cranfield.present.plots.roc import roc
from cranfield.present.report.classification_tables import SEVERAL
from cranfield.present.report.figures import Figure, figure


def figures(given: Classification) -> Iterator[Figure]:
    """The matrices, then the curves of what has scores."""
    first = replace(given, assessed=given.assessed[:SEVERAL])
    for place, (name, plot) in enumerate([*_matrices(first), *_curves(first)]):
        yield figure(f"{name}-{place}", plot)


def _matrices(given: Classification) -> Iterator[tuple[str, Plot]]:
    for own in given.assessed:
        if own.confusion is not None:
            yield "confusion", _named(confusion(own.confusion), own.predictions.system, given)


def _curves(given: Classification) -> Iterator[tuple[str, Plot]]:
    """Curves of the systems that have scores, with the thresholds they are used at."""
    scored = replace(given, assessed=tuple(own for own in given.assessed if own.thresholds is not None))
    if not scored.assessed:
        return
    yield "roc", roc(scored)
    yield "precision-recall", precision_recall_of_scores(scored)
    yield "precision-recall-gain", prg(scored)
    for own in scored.assessed:
        if own.thresholds is not None and own.threshold is not None:
            plot = distributions(own.thresholds, threshold=own.threshold)
            yield "distributions", _named(plot, own.predictions.system, scored)
    yield "cost", cost(scored)
    probable = replace(scored, assessed=tuple(own for own in scored.assessed if own.predictions.probable))
    if probable.assessed:
        yield "calibration", calibration(probable)
        yield "decision", decision(probable)


def _named(plot: Plot, system: str, given: Classification) -> Plot:
    """The plot, under the name of its system if there are several."""
    return plot.titled(f"{system}: {plot.title}") if len(given.assessed) > 1 else plot
