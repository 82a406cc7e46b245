"""How do systems differ, apart from the effects of topics, shards, collections or annotators?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.errors import BadInput
from cranfield.evidence.samples import scales
from cranfield.measures.settings import CONFIDENCE
from cranfield.results.mixed_models import SYSTEM, MixedModel, Observations, modelled
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.result_samples import in_logarithms, is_geometric, logarithms
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.column_roles import has_role, places
from cranfield.tables.lookalikes import apart_but_alike
from cranfield.tables.names import decode, encode
from cranfield.tables.number_spelling import number
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.totals import refuse_summary
from cranfield.tables.values import UNNAMED
from cranfield.verbs.as_samples import paired


def mixed_model(
    data: Any, baseline: str | None = None, *, random: str | Sequence[str] = (), confidence: float = CONFIDENCE
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
        _refuse_totals(sheet.name, by_measure)
        _refuse_repeated(sheet.name, by_measure)
        notes = [in_logarithms(name) for name in by_measure if is_geometric(name)]
        notes += [note for observed in by_measure.values() for note in _doubts(observed)]
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
    factors = [name for name in others if not _is_index(sheet, name)]
    others = factors or others
    columns = {SYSTEM: sheet.names(names[place_of[SYSTEM]])} | {name: sheet.names(name) for name in others}
    written = sheet.column(names[place_of["value"]]).to_pylist()
    measure = sheet.names(names[place_of["measure"]]) if "measure" in place_of else [UNNAMED] * len(written)
    for place in range(len(written)):
        if any(column[place] in (None, "") for column in columns.values()):
            raise BadInput(f"{sheet.where(place)}: the system or a factor of the value is missing")
    values = np.array([_number(sheet, place, value) for place, value in enumerate(written)])
    return _by_measure(measure, values, columns), others


def _is_index(sheet: Sheet, name: str) -> bool:
    """Whether a column holds the row numbers of a frame, under one of the names that pandas gives them."""
    numbered = has_role(name, ("id",)) and len(set(sheet.names(name))) == len(sheet.table)
    return numbered or name.startswith("__index_level_")


def _refuse_totals(where: str, by_measure: Mapping[str, Observations]) -> None:
    """Refuse a level that summarises the others, such as the topic `all` of trec_eval."""
    for observed in by_measure.values():
        systems, row = observed.levels(SYSTEM)
        for factor in observed.factors:
            levels, column = observed.levels(factor)
            cell, shape = row * len(levels) + column, (len(systems), len(levels))
            n = np.bincount(cell, minlength=len(systems) * len(levels)).reshape(shape)
            total = np.bincount(cell, observed.values, minlength=len(systems) * len(levels)).reshape(shape)
            if factor != SYSTEM and n.all():
                try:
                    refuse_summary(levels, total / n, factor)
                except BadInput as error:
                    raise BadInput(f"{where}: {error}") from None


def _refuse_repeated(where: str, by_measure: Mapping[str, Observations]) -> None:
    """Refuse rows that are all repeated, as in two copies of a table: they would count as independent values."""
    for name, observed in by_measure.items():
        cells = list(zip(*observed.factors.values(), strict=True))
        once = set(cells)
        if len(once) < len(cells) and len(set(zip(cells, observed.values.tolist(), strict=True))) == len(once):
            raise BadInput(
                f"{where}: {name}: {len(cells) - len(once)} of {len(cells)} rows repeat the value of another row with "
                f"the same {', '.join(observed.factors)}; leave them out, or add a column that distinguishes them"
            )


def _doubts(observed: Observations) -> Iterator[str]:
    """Remarks on systems that may be the same but are spelled differently, and on percentages beside proportions."""
    systems, row = observed.levels(SYSTEM)
    others = [levels for factor, levels in observed.factors.items() if factor != SYSTEM]
    where: dict[bytes, set[tuple[str, ...]]] = {encode(name): set() for name in systems}
    for at, system in enumerate(row.tolist()):
        where[encode(systems[system])].add(tuple(levels[at] for levels in others))
    alike = apart_but_alike(where)
    if alike is not None:
        first, second = (decode(name) for name in alike.first)
        yield f"the systems {first!r} and {second!r} differ only by {alike.by}; are they the same?"
    yield from scales({name: observed.values[row == s] for s, name in enumerate(systems)})


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
