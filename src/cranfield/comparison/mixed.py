"""Do systems differ in a linear mixed model, and what does each source contribute to the variance?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import scales
from cranfield.frozen import frozen
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.samples import in_logarithms, is_geometric, logarithms, paired
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import CONFIDENCE, Baseline, Confidence, Means
from cranfield.statistics.effects import DEFAULT_CORRECTION, adjusted, title
from cranfield.statistics.mixed_models import RESIDUAL, Fit, fit, variance_table
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.columns import has_role, places
from cranfield.tables.names import apart_but_alike, decode, encode
from cranfield.tables.numbers import number
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.totals import refuse_summary
from cranfield.tables.values import UNNAMED
from cranfield.text import listed, percent, probability, signed
from cranfield.verb import verb

SYSTEM = "system"
NEGLIGIBLE = 2.0**-44  # of the largest value: rounding
MANY_CELLS = 50_000_000  # of a design that is not checked for an exact fit, which large tables do not have

CONTRASTS = Schema(
    "contrasts",
    "Contrasts between systems",
    (
        *texts("measure", "system", "baseline"),
        *figures("difference", "low", "high"),
        Field("error", in_tables=False),
        *figures("freedom", "t", digits=2),
        Field("p", probability=True),
        Field("adjusted_p", "adjusted p", probability=True),
    ),
)
COMPONENTS = Schema(
    "components",
    "Components of variance",
    (
        *texts("measure", "source"),
        Field("levels", digits=0),
        Field("variance"),
        Field("deviation", "standard deviation"),
        Field("proportion"),  # of the total variance
    ),
)
ANALYSIS = Schema(
    "analysis",
    "Analysis of variance",
    (
        *texts("measure", "source"),
        Field("freedom", digits=0),
        Field("squares", "sum of squares"),
        Field("mean_square", "mean square"),
        Field("f", "F", digits=3),  # mean square divided by that of the residuals
        Field("p", probability=True),
    ),
)


@frozen(eq=False)
class Observations:
    """Values with the system and the levels of other factors that each belongs to."""

    values: Floats
    factors: Mapping[str, tuple[str, ...]]  # the level of each value, by factor; one is the system

    def levels(self, factor: str) -> tuple[list[str], Ints]:
        """The names of the levels, and the level of each value; `a:b` is the combination of two factors."""
        parts = [factor] if factor in self.factors else factor.split(":")
        for part in parts:
            if part not in self.factors:
                raise BadSetting(f"there is no factor {part!r}; available: {', '.join(self.factors)}")
        combined = list(zip(*(self.factors[part] for part in parts), strict=True))
        place = {levels: number for number, levels in enumerate(dict.fromkeys(combined))}
        return [" ".join(levels) for levels in place], np.array([place[levels] for levels in combined])


@frozen(eq=False)
class MixedModel(AnnotatedResult):
    """Contrasts between systems, components of variance and, for complete tables, the analysis of variance."""

    kind = "mixed-model"

    contrasts: Columns
    components: Columns
    analysis: Columns

    @property
    def answer(self) -> str:
        """The differences on the first measure, and the source of most of the variance."""
        first = [row for row in self.contrasts if row.measure == self.contrasts[0].measure]
        told = [
            f"{row.system} minus {row.baseline} is {signed(row.difference)}"
            + ("" if row.adjusted_p is None else f" (adjusted {probability(row.adjusted_p)})")
            for row in first
        ]
        parts = [row for row in self.components if row.measure == first[0].measure]
        text = f"In the mixed model of {first[0].measure}, {listed(told)}."
        if parts:
            most = max(parts, key=lambda row: row.proportion)
            what = "the residuals" if most.source == RESIDUAL else most.source
            text += f" Of the remaining variance, {percent(most.proportion)} is that of {what}."
        return text

    @property
    def explanations(self) -> tuple[str, ...]:
        """The model, the intervals and the correction."""
        return (
            f"model: {self.settings['formula']}, fitted by REML",
            f"low, high: {percent(self.settings['confidence'])} intervals of single differences, with Satterthwaite's "
            "degrees of freedom",
            f"adjusted p: {title(DEFAULT_CORRECTION)} over the contrasts of each measure",
            *(
                ["F: mean square divided by that of the residuals, the interaction of all factors"]
                * bool(self.analysis)
            ),
        )


@verb
def mixed_model(
    data: Any,
    baseline: Baseline = None,
    *,
    random: Annotated[
        str | Sequence[str],
        Means(
            "Factor with random effects, such as topic or shard; there may be several. `system:topic` is the "
            "interaction of two, for tables with several values for each combination.",
            "FACTOR",
            default="all other columns of the table",
        ),
    ] = (),
    confidence: Confidence = CONFIDENCE,
) -> MixedModel:
    """Differences between systems in a linear mixed model, and how much each source contributes to the variance.

    The model is value ~ system + (1 | topic) + …, fitted by REML. Unlike a paired test, it allows several values per
    system and topic (shards, collections, annotators) and missing values.

    Parameters
    ----------
    data
        A table with one row per value and the columns system, value, any factors and, if there are several, measure: a
        path or a data frame. Or data as for `compare`; the only other factor is then the unit, such as the query.

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
    factors = (random,) if isinstance(random, str) else tuple(random)
    sheet = as_sheet(data) if is_frame(data) or isinstance(data, str | os.PathLike) else None
    if sheet is not None and len(places(sheet.table.column_names, (SYSTEM, "value"), sheet.name)) == 2:
        by_measure, known = _rows(sheet)
        _refuse_totals(sheet.name, by_measure)
        _refuse_repeated(sheet.name, by_measure)
        doubts = [in_logarithms(name) for name in by_measure if is_geometric(name)]
        doubts += [note for observed in by_measure.values() for note in _doubts(observed)]
        provenance = Provenance((Origin.of("values", sheet),))
    else:
        source = paired(data)
        unit = next(iter(source.samples.values())).unit
        by_measure = {name: _observed(samples, unit) for name, samples in source.tested.items()}
        doubts = [note for samples in source.tested.values() for note in samples.notes]
        known, provenance = [unit], source.provenance
    factors = factors or tuple(known)
    contrasts: list[tuple[Any, ...]] = []
    components: list[tuple[Any, ...]] = []
    analysis: list[tuple[Any, ...]] = []
    notes = []
    for measure, observed in by_measure.items():
        systems, place = observed.levels(SYSTEM)
        _require(measure, systems, baseline, observed, factors)
        pairs = _pairs(systems, baseline)
        exact = _exact_differences(observed, factors)
        if exact is not None:
            names = [(measure, systems[first], systems[second]) for first, second in pairs]
            apart = [exact[first] - exact[second] for first, second in pairs]
            contrasts += [(*name, difference, *[None] * 7) for name, difference in zip(names, apart, strict=True)]
            sources = " and ".join((SYSTEM, *factors))
            notes.append(f"{measure}: no test: {sources} explain every value exactly, so there is no residual variance")
            continue
        levels = {name: observed.levels(name) for name in factors}
        model = fit(observed.values, np.eye(len(systems))[place], [of_value for _, of_value in levels.values()])
        contrasts += _contrasts(measure, systems, pairs, model, confidence)
        variances = [*model.variances.tolist(), model.residual]
        sizes = [(name, len(names)) for name, (names, _) in levels.items()] + [(RESIDUAL, model.design.n_values)]
        for (name, size), variance in zip(sizes, variances, strict=True):
            components.append((measure, name, size, variance, variance**0.5, variance / sum(variances)))
            if variance == 0:
                notes.append(f"{measure}: the variance of {name} is 0")
        analysis += [(measure, *row) for row in _complete(observed, factors)]
    if components and not analysis:
        notes.append("no analysis of variance: it needs one value for every combination of levels")
    formula = " + ".join(["value ~ system", *(f"(1 | {name})" for name in factors)])
    return MixedModel(
        CONTRASTS.of(contrasts),
        COMPONENTS.of(components),
        ANALYSIS.of(analysis),
        settings={"formula": formula, "method": "REML", "baseline": baseline, "confidence": confidence},
        notes=(*dict.fromkeys(notes), *dict.fromkeys(doubts)),
        provenance=provenance,
    )


def _contrasts(
    measure: str, systems: list[str], pairs: list[tuple[int, int]], model: Fit, confidence: float
) -> Iterator[tuple[Any, ...]]:
    """The difference of each pair with Satterthwaite's degrees of freedom, and its adjusted p-value."""
    from scipy.special import stdtr, stdtrit

    rows = []
    for first, second in pairs:
        weights = np.zeros(len(systems))
        weights[first], weights[second] = 1, -1
        difference, error = float(weights @ model.fixed), float(np.sqrt(model.variance_of(weights)))
        freedom = model.freedom_of(weights)
        half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
        t = difference / error
        p = min(1.0, float(2 * stdtr(freedom, -abs(t))))
        bounds = (difference, difference - half, difference + half)
        rows.append((measure, systems[first], systems[second], *bounds, error, freedom, t, p))
    after = adjusted(np.array([row[-1] for row in rows]), DEFAULT_CORRECTION)
    return ((*row, p) for row, p in zip(rows, after, strict=True))


def _require(
    measure: str, systems: list[str], baseline: str | None, observed: Observations, random: tuple[str, ...]
) -> None:
    if len(systems) < 2:
        raise BadInput(f"{measure}: a comparison needs at least two systems; got {len(systems)}")
    if baseline is not None and baseline not in systems:
        raise BadInput(f"there is no system {baseline!r}; available: {', '.join(systems)}")
    if not random or SYSTEM in random:
        raise BadSetting("name at least one random factor besides the system, such as topic")
    for name in random:
        names, _ = observed.levels(name)
        if not 2 <= len(names) < len(observed.values):
            raise BadInput(
                f"{measure}: {name} has {len(names)} levels for {len(observed.values)} values; a random factor needs "
                "at least 2 levels, and several values for some of them"
            )


def _exact_differences(observed: Observations, random: tuple[str, ...]) -> Floats | None:
    """The effects of the systems, if they and the other factors explain all values exactly; otherwise None."""
    factors = [observed.levels(name) for name in (SYSTEM, *random)]
    n, n_columns = len(observed.values), sum(len(names) for names, _ in factors)
    if n * n_columns > MANY_CELLS:
        return None
    design = np.hstack([np.eye(len(names))[place] for names, place in factors])
    effects, _, rank, _ = np.linalg.lstsq(design, observed.values, rcond=None)
    left = np.abs(observed.values - design @ effects).max()
    exact = rank < n and left <= NEGLIGIBLE * np.abs(observed.values).max()
    return np.asarray(effects[: len(factors[0][0])]) if exact else None


def _pairs(systems: list[str], baseline: str | None) -> list[tuple[int, int]]:
    """The systems that are compared, by their places."""
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    base = systems.index(baseline)
    return [(place, base) for place in range(len(systems)) if place != base]


def _complete(observed: Observations, random: tuple[str, ...]) -> list[Any]:
    """The analysis of variance, if there is one value for every combination of levels."""
    names = [SYSTEM, *(name for name in random if ":" not in name)]
    levels = [observed.levels(name) for name in names]
    shape = tuple(len(known) for known, _ in levels)
    if np.prod(shape) != len(observed.values):
        return []
    places = tuple(place for _, place in levels)
    counts = np.zeros(shape, np.int64)
    np.add.at(counts, places, 1)
    if (counts != 1).any():
        return []
    table = np.empty(shape)
    table[places] = observed.values
    return variance_table(table, names)


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
