"""How do systems differ, apart from the effects of topics, shards, collections or annotators?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.errors import BadInput
from cranfield.results.mixed_models import SYSTEM, MixedModel, Observations, modelled
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.result_samples import in_logarithms, is_geometric, logarithms
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.column_roles import places
from cranfield.tables.number_spelling import number
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.values import UNNAMED
from cranfield.verbs.as_samples import paired


def mixed_model(
    data: Any, baseline: str | None = None, *, random: str | Sequence[str] = (), confidence: float = 0.95
) -> MixedModel:
    """Differences between systems in a linear mixed model, and how much each source contributes to the variance.

    The model is value ~ system + (1 | topic) + …, fitted by REML. Unlike a paired test, it allows several values per
    system and topic (shards, collections, annotators) and missing values.

    Parameters
    ----------
    data
        A table with one row per value and the columns system, value, any factors and, if there are several, measure: a
        path or a data frame. Or data as for `compare`; the only other factor is then the unit, such as the query.
    baseline
        The system that all others are compared with; by default, all pairs are compared.
    random
        The factors with random effects; by default, all other columns of the table. `"system:topic"` is the
        interaction of two factors, for tables with several values for each combination.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    MixedModel
        The contrasts between systems, the components of variance and, for tables with one value for every combination
        of levels, the analysis of variance.

    Examples
    --------
    >>> model = mixed_model({"new": [0.4, 0.6, 0.7, 0.5], "old": [0.3, 0.5, 0.7, 0.3]}, "old")
    >>> contrast = model.contrasts[0]
    >>> round(contrast.difference, 4), round(contrast.freedom, 1), round(contrast.p, 4)   # as in the paired t-test
    (0.1, 3.0, 0.0917)
    """
    random_factors = (random,) if isinstance(random, str) else tuple(random)
    sheet = as_sheet(data) if is_frame(data) or isinstance(data, str | os.PathLike) else None
    if sheet is not None and len(places(sheet.table.column_names, (SYSTEM, "value"), sheet.name)) == 2:
        by_measure, factors = _rows(sheet)
        notes = [in_logarithms(name) for name in by_measure if is_geometric(name)]
        provenance = Provenance((Origin.of("values", sheet),))
    else:
        source = paired(data)
        unit = next(iter(source.samples.values())).unit
        by_measure = {name: _observed(samples, unit) for name, samples in source.tested.items()}
        notes = [note for samples in source.tested.values() for note in samples.notes]
        factors, provenance = [unit], source.provenance
    model = modelled(by_measure, baseline, random_factors or tuple(factors), confidence)
    return replace(model, notes=(*model.notes, *dict.fromkeys(notes)), provenance=provenance)


def _observed(samples: Any, unit: str) -> Observations:
    n_systems, n_units = samples.values.shape
    factors = {
        SYSTEM: tuple(name for name in samples.systems for _ in range(n_units)),
        unit: samples.units * n_systems,
    }
    return Observations(samples.values.ravel(), factors)


def _rows(sheet: Sheet) -> tuple[dict[str, Observations], list[str]]:
    """The observations of each measure in a table with one row per value, and the other columns."""
    names = sheet.table.column_names
    place_of = places(names, (SYSTEM, "value", "measure"), sheet.name)
    others = [name for place, name in enumerate(names) if place not in place_of.values()]
    others = [name for name in others if not name.startswith("__index_level_")]  # pandas's name for row numbers
    columns = {SYSTEM: sheet.names(names[place_of[SYSTEM]])} | {name: sheet.names(name) for name in others}
    written = sheet.column(names[place_of["value"]]).to_pylist()
    measure = sheet.names(names[place_of["measure"]]) if "measure" in place_of else [UNNAMED] * len(written)
    for place in range(len(written)):
        if any(column[place] in (None, "") for column in columns.values()):
            raise BadInput(f"{sheet.where(place)}: the system or a factor of the value is missing")
    values = np.array([_number(sheet, place, value) for place, value in enumerate(written)])
    return _by_measure(measure, values, columns), others


def _by_measure(measure: list[Any], values: Any, columns: Mapping[str, list[Any]]) -> dict[str, Observations]:
    by_measure = {}
    for name in dict.fromkeys(map(str, measure)):
        rows = [place for place, other in enumerate(measure) if str(other) == name]
        factors = {factor: tuple(str(column[place]) for place in rows) for factor, column in columns.items()}
        observed = logarithms(name, values[rows]) if is_geometric(name) else values[rows]
        by_measure[name] = Observations(observed, factors)
    return by_measure


def _number(sheet: Sheet, place: int, value: Any) -> float:
    try:
        finite = number(value)
    except (TypeError, ValueError):
        finite = np.nan
    if not np.isfinite(finite):
        raise BadInput(f"{sheet.where(place)}: the value {value!r} is not a number; leave the row out")
    return float(finite)
