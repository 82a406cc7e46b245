"""Mixed models as tables."""

from __future__ import annotations

from cranfield.inference.corrections import DEFAULT_CORRECTION, title
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.mixed_models import MixedModel
from cranfield.text import percent


def tables(model: MixedModel, *, digits: int) -> list[Table]:
    """The contrasts between systems, the components of variance and the analysis of variance."""
    components = [_components(model, digits)] if model.components else []
    analysis = [_analysis(model, digits)] if model.analysis else []
    return [_contrasts(model, digits), *components, *analysis]


def _contrasts(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, ("measure", "system", "baseline")),
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
    return Table(columns, rows_of(model.contrasts, columns), title="Contrasts between systems", notes=notes)


def _components(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, ("measure", "source")),
        *numbers("levels", digits=0),
        *numbers("variance", "standard deviation", "proportion", digits=digits),
    )
    rows = rows_of(model.components, columns, {"standard deviation": "deviation"})
    return Table(columns, rows, title="Components of variance")


def _analysis(model: MixedModel, digits: int) -> Table:
    columns = (
        *map(Column, ("measure", "source")),
        *numbers("freedom", digits=0),
        *numbers("sum of squares", "mean square", digits=digits),
        *numbers("F", digits=3),
        *numbers("p", digits=digits, probability=True),
    )
    rows = rows_of(model.analysis, columns, {"sum of squares": "squares", "F": "f"})
    notes = ("F: mean square divided by that of the residuals, the interaction of all factors",)
    return Table(columns, rows, title="Analysis of variance", notes=notes)
