"""Mixed models as tables."""

from __future__ import annotations

from cranfield.findings.words import percent
from cranfield.inference.corrections import DEFAULT_CORRECTION, title
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.mixed_models import MixedModel

_CONTRAST = ("measure", "system", "baseline", "difference", "low", "high", "freedom", "t", "p", "adjusted_p")
_COMPONENT = ("measure", "source", "levels", "variance", "deviation", "proportion")
_ANALYSIS = ("measure", "source", "freedom", "squares", "mean_square", "f", "p")


def tables(model: MixedModel, *, digits: int = DIGITS) -> list[Table]:
    """The contrasts between systems, the components of variance and the analysis of variance."""
    analysis = [_analysis(model, digits)] if model.analysis else []
    return [_contrasts(model, digits), _components(model, digits), *analysis]


def _contrasts(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, _CONTRAST[:3]),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("freedom", "t", digits=2),
        *numbers("p", "adjusted p", digits=digits, probability=True),
    )
    notes = (
        f"model: {model.settings['formula']}, fitted by REML",
        f"low, high: {percent(model.settings['confidence'])} intervals of single differences, with Satterthwaite's "
        "degrees of freedom",
        f"adjusted p: {title(DEFAULT_CORRECTION)} over the contrasts of each measure",
        *model.notes,
    )
    rows = tuple(row(*(getattr(one, name) for name in _CONTRAST)) for one in model.contrasts)
    return Table(columns, rows, title="Contrasts between systems", notes=notes)


def _components(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, _COMPONENT[:2]),
        *numbers("levels", digits=0),
        *numbers("variance", "standard deviation", "proportion", digits=digits),
    )
    rows = tuple(row(*(getattr(one, name) for name in _COMPONENT)) for one in model.components)
    return Table(columns, rows, title="Components of variance")


def _analysis(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, _ANALYSIS[:2]),
        *numbers("freedom", digits=0),
        *numbers("sum of squares", "mean square", digits=digits),
        *numbers("F", digits=3),
        *numbers("p", digits=digits, probability=True),
    )
    rows = tuple(row(*(getattr(one, name) for name in _ANALYSIS)) for one in model.analysis)
    notes = ("F: mean square divided by that of the residuals, the interaction of all factors",)
    return Table(columns, rows, title="Analysis of variance", notes=notes)
