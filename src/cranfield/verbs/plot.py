"""Plots: `cranfield.plot.roc(result)`, `cranfield.plot.precision_recall(qrels, runs)`, or `result.plot.systems()`.

Each function returns a `Plot`, which notebooks display, `plot.save("roc.svg")` writes, and whose data are `plot.data`.
Plots are discovered: every function that a subject declares by `@plot_of` in its `plots` is one.
"""

from __future__ import annotations

from contextlib import suppress
from types import MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from cranfield.catalogue import modules_named
from cranfield.errors import BadInput, BadSetting
from cranfield.present.plots.plot import KINDS, Plot
from cranfield.present.plots.summary import summary as summary

if TYPE_CHECKING:  # signatures for type checkers and editors
    from cranfield.agreement.plots import kappas as kappas
    from cranfield.planning.plots import power as power
    from cranfield.present.plots.averaged_roc import averaged_roc as averaged_roc
    from cranfield.present.plots.buildup import buildup as buildup
    from cranfield.present.plots.calibration import calibration as calibration
    from cranfield.present.plots.confusion import confusion as confusion
    from cranfield.present.plots.cost_quality import cost_quality as cost_quality
    from cranfield.present.plots.costs import cost as cost
    from cranfield.present.plots.costs import decision as decision
    from cranfield.present.plots.coverage import coverage as coverage
    from cranfield.present.plots.det import det as det
    from cranfield.present.plots.forecasts import pit as pit
    from cranfield.present.plots.forecasts import quantiles as quantiles
    from cranfield.present.plots.lift import gain as gain
    from cranfield.present.plots.lift import lift as lift
    from cranfield.present.plots.precision_recall import precision_recall as precision_recall
    from cranfield.present.plots.prg import prg as prg
    from cranfield.present.plots.regression import errors as errors
    from cranfield.present.plots.regression import predictions as predictions
    from cranfield.present.plots.regression import residuals as residuals
    from cranfield.present.plots.retrieved_sets import venn as venn
    from cranfield.present.plots.roc import roc as roc
    from cranfield.present.plots.score_distributions import distributions as distributions
    from cranfield.present.plots.strips import strips as strips
    from cranfield.present.plots.systems import differences as differences
    from cranfield.present.plots.systems import systems as systems
    from cranfield.present.plots.tiers import tiers as tiers
    from cranfield.stability.plots import difficulty as difficulty

modules_named("plots")
globals().update({name: kind.function for name, kind in KINDS.items()})

__all__ = ["Plot", *sorted(KINDS)]


class Plots(SimpleNamespace):
    """The plots of a result, by name."""

    def __repr__(self) -> str:
        return f"plots: {', '.join(vars(self))}"


def plots_of(result: Any) -> Plots:
    """The plots of a result: `result.plot`."""
    available = {name: kind.function for name, kind in sorted(KINDS.items()) if isinstance(result, kind.results)}
    if not available:
        raise BadSetting(f"there are no plots of a {type(result).__name__}")
    return Plots(**{name: MethodType(function, result) for name, function in available.items()})


def drawable_plots(result: Any) -> dict[str, Plot]:
    """All plots of a result that apply to it without further settings."""
    drawn = {}
    for name, function in vars(plots_of(result)).items():
        with suppress(BadSetting, BadInput):
            drawn[name] = function()
    return drawn
