"""Plots: `cranfield.plot.roc(result)`, `cranfield.plot.precision_recall(qrels, runs)`, or `result.plot.systems()`.

Each function gives a `Plot`: a picture for notebooks, files and pages, `plot.save("roc.svg")`, and the table that is
drawn in it, `plot.data`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MethodType, SimpleNamespace
from typing import Any

from cranfield.api import Form
from cranfield.assessment.classification import Classification
from cranfield.assessment.regression import Regression
from cranfield.engines.evaluation import Ties
from cranfield.errors import BadSetting
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots import buildup as rank_by_rank
from cranfield.present.plots import precision_recall as curves
from cranfield.present.plots import strips as cells
from cranfield.present.plots.agreement import kappas
from cranfield.present.plots.calibration import calibration
from cranfield.present.plots.confusion import confusion
from cranfield.present.plots.costs import cost, decision
from cranfield.present.plots.det import det
from cranfield.present.plots.difficulty import difficulty
from cranfield.present.plots.distributions import distributions
from cranfield.present.plots.lift import gain, lift
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.power import power
from cranfield.present.plots.prg import prg
from cranfield.present.plots.rankings import rankings
from cranfield.present.plots.regression import errors, predictions, residuals
from cranfield.present.plots.roc import roc
from cranfield.present.plots.systems import differences, systems
from cranfield.present.plots.tiers import tiers
from cranfield.registry import Measure
from cranfield.results.agreement import Agreement
from cranfield.results.values import Result

__all__ = [
    "Plot",
    "buildup",
    "calibration",
    "confusion",
    "cost",
    "decision",
    "det",
    "differences",
    "difficulty",
    "distributions",
    "errors",
    "gain",
    "kappas",
    "lift",
    "power",
    "precision_recall",
    "predictions",
    "prg",
    "residuals",
    "roc",
    "strips",
    "systems",
    "tiers",
]


def precision_recall(
    given: Any,
    runs: Any = None,
    *,
    form: Form = "at recalls",
    query: str | None = None,
    points: Sequence[float] | None = None,
    rel: float = 1,
    beta: float = 1,
    ties: Ties = "trec",
) -> Plot:
    """Precision against recall: of judgments and runs, of a result of rankings, or of scorers at every threshold.

    Rankings are averaged over the queries `"at recalls"` or `"at cutoffs"`, or drawn for one query at `"every rank"` or
    `"interpolated"`; `points` are the recalls or cut-offs. Lines of equal F-measure have this `beta`.
    """
    if runs is None and isinstance(given, Classification | Thresholds | Mapping):
        return curves.precision_recall_of_scores(given, beta=beta)
    known = rankings(given, runs, ties)
    return curves.precision_recall_of_rankings(known, form=form, query=query, points=points, rel=rel, beta=beta)


def buildup(
    given: Any,
    runs: Any = None,
    *,
    measure: Measure | str = "DCG",
    query: str | None = None,
    k: int = 20,
    ties: Ties = "trec",
) -> Plot:
    """What a measure has come to at each of the first k ranks: the mean over the queries, or one query."""
    return rank_by_rank.buildup(rankings(given, runs, ties), measure=measure, query=query, k=k)


def strips(given: Any, runs: Any = None, *, query: str | None = None, k: int = 20, ties: Ties = "trec") -> Plot:
    """What each system put where: the grades of the documents at the first k ranks, of all queries or of one."""
    return cells.strips(rankings(given, runs, ties), query=query, k=k)


class Plots(SimpleNamespace):
    """The plots of a result, each a function by its name."""

    def __repr__(self) -> str:
        return f"plots: {', '.join(vars(self))}"


_OF: dict[type, tuple[Callable[..., Plot], ...]] = {
    Result: (systems, differences, tiers, difficulty, power, precision_recall, buildup, strips),
    Classification: (
        roc,
        precision_recall,
        prg,
        det,
        gain,
        lift,
        calibration,
        cost,
        decision,
        distributions,
        confusion,
    ),
    Regression: (predictions, residuals, errors),
    Agreement: (kappas,),
}


def plots_of(result: Any) -> Plots:
    """The plots of a result: what `result.plot` is."""
    for kind, functions in _OF.items():
        if isinstance(result, kind):
            return Plots(**{function.__name__: MethodType(function, result) for function in functions})
    raise BadSetting(f"there are no plots of a {type(result).__name__}")
