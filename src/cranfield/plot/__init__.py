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
from cranfield.plot.summary import summary as summary
from cranfield.present.plots.plot import KINDS, Plot

if TYPE_CHECKING:  # signatures for type checkers and editors
    from cranfield.agreement.plots import kappas as kappas
    from cranfield.classification.plots.confusion import confusion as confusion
    from cranfield.classification.plots.curves import calibration as calibration
    from cranfield.classification.plots.curves import cost as cost
    from cranfield.classification.plots.curves import decision as decision
    from cranfield.classification.plots.curves import det as det
    from cranfield.classification.plots.curves import gain as gain
    from cranfield.classification.plots.curves import lift as lift
    from cranfield.classification.plots.curves import prg as prg
    from cranfield.classification.plots.roc import averaged_roc as averaged_roc
    from cranfield.classification.plots.roc import roc as roc
    from cranfield.classification.plots.scorers import distributions as distributions
    from cranfield.comparison.plots import differences as differences
    from cranfield.comparison.plots import systems as systems
    from cranfield.comparison.plots import tiers as tiers
    from cranfield.planning.plots import power as power
    from cranfield.rankings.plots.cost_quality import cost_quality as cost_quality
    from cranfield.rankings.plots.judged import coverage as coverage
    from cranfield.rankings.plots.judged import venn as venn
    from cranfield.rankings.plots.precision_recall import precision_recall as precision_recall
    from cranfield.rankings.plots.ranks import buildup as buildup
    from cranfield.rankings.plots.ranks import strips as strips
    from cranfield.regression.plots import errors as errors
    from cranfield.regression.plots import pit as pit
    from cranfield.regression.plots import predictions as predictions
    from cranfield.regression.plots import quantiles as quantiles
    from cranfield.regression.plots import residuals as residuals
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
