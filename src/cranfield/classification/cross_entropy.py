"""How far are predicted distributions over classes from the actual ones?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, require_between
from cranfield.frozen import frozen
from cranfield.measures import probabilities as measures
from cranfield.present.table import Column, Table, numbers, row, rows_of
from cranfield.results.provenance import NOTHING_READ, Origin, Provenance
from cranfield.results.verb_result import Key, Records, VerbResult, by_name, number, records
from cranfield.settings import CONFIDENCE
from cranfield.statistics.intervals import t_interval
from cranfield.tables.adapters.frames import require_aligned
from cranfield.tables.adapters.system_columns import SYSTEM, Columns, require_length
from cranfield.tables.labels import arrow
from cranfield.tables.number_columns import distribution, probabilities
from cranfield.tables.readers.sheets import as_sheet
from cranfield.text import counted, percent

# Cross-entropy of predicted and actual distributions over classes (soft labels), with its intervals


MEASURES = {
    "CrossEntropy": "H(p, q), the cross-entropy of the actual and the predicted distribution",
    "Entropy": "H(p), the entropy of the actual distribution: the least cross-entropy possible",
    "KLDivergence": "H(p, q) - H(p), the Kullback–Leibler divergence",
}


@frozen
class MeanEntropy:
    """The mean of a measure over items, for one system, with its confidence interval."""

    system: str
    measure: str
    value: float
    low: float
    high: float
    items: int


@frozen(eq=False)
class CrossEntropy(VerbResult):
    """Cross-entropy, entropy and divergence of each system: `values[system, measure, item]`."""

    kind = "cross-entropy"

    systems: tuple[str, ...]
    items: Sequence[str]
    values: Floats
    settings: Mapping[str, Any]
    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """How much larger the cross-entropy of the best system is than the entropy of the labels."""
        crossed, entropy, divergence = self.values.mean(axis=2).T.tolist()
        best = min(range(len(self.systems)), key=crossed.__getitem__)
        of = f" of {self.systems[best]}" if len(self.systems) > 1 else ""
        return (
            f"The cross-entropy{of} is {crossed[best]:.3f} nats over {counted(len(self.items), 'item')}: "
            f"{entropy[best]:.3f} of it is the entropy of the labels, {divergence[best]:.3f} error."
        )

    def __getitem__(self, key: Key) -> Any:
        """The mean of a measure for a system, or a dict as for `Result`."""
        return by_name(key, self.values.mean(axis=2), self.systems, list(MEASURES))

    @property
    def rows(self) -> list[MeanEntropy]:
        """One row per system and measure; a single item has no interval."""
        return [
            _mean(system, measure, self.values[s, m])
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(MEASURES)
        ]

    def steps(self) -> list[dict[str, Any]]:
        """The values of each item, which `compare --values` reads."""
        return [
            {"system": system, "item": item, "measure": measure, "value": number(self.values[s, m, i])}
            for s, system in enumerate(self.systems)
            for i, item in enumerate(self.items)
            for m, measure in enumerate(MEASURES)
        ]

    def records(self, *, steps: bool = False) -> Records:
        """One row per system and measure; with `steps`, first the values of each item."""
        return ({"steps": self.steps()} if steps else {}) | {"entropies": records(self.rows)}


def _mean(system: str, measure: str, values: Floats) -> MeanEntropy:
    low = high = float("nan")
    if len(values) > 1:
        interval = t_interval(values[:, None])
        low, high = max(float(interval.low[0]), 0.0), float(interval.high[0])  # none of the three can be negative
    return MeanEntropy(system, measure, float(np.mean(values)), low, high, len(values))


def cross_entropy(
    actual: Mapping[Any, Any],
    predicted: Mapping[Any, Any],
    *,
    data: Any = None,
    item: Any = None,
    clip: float = measures.CLIP,
    normalise: bool = False,
) -> CrossEntropy:
    """Cross-entropy H(p, q) of soft labels, between the actual and the predicted distribution of each item.

    Parameters
    ----------
    actual
        The actual probability of each class: `{class: column}`.
    predicted
        The predicted probability of each class: `{class: column}`, or `{system: {class: column}}`.
    data
        A path or a data frame; strings passed as other parameters then name its columns. Paths such as s3://… are read
        by Spark.
    item
        The names of the items.
    clip
        Predicted probabilities are clipped to [clip, 1 - clip].
    normalise
        Divide the probabilities of each item by their sum, instead of refusing those that do not add up to 1.

    Returns
    -------
    CrossEntropy
        `result["CrossEntropy"]`, `result["Entropy"]` and `result["KLDivergence"]` are means over items, in nats.

    Examples
    --------
    >>> result = cross_entropy({"cat": [0.5, 1], "dog": [0.5, 0]}, {"cat": [0.5, 0.8], "dog": [0.5, 0.2]})
    >>> round(result["CrossEntropy"], 4), round(result["KLDivergence"], 4)
    (0.4581, 0.1116)
    """
    require_between("clip", clip, 0, 0.5)
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    require_aligned({"actual": actual, "predicted": predicted, "item": item, "data": data})
    several = bool(predicted) and all(isinstance(column, Mapping) for column in predicted.values())
    by_system = predicted if several else {SYSTEM: predicted}
    p = _table("actual", actual, columns, normalise)
    columns.require_items(len(p))
    values = []
    for system, by_class in by_system.items():
        _require_classes(str(system), actual, by_class)
        q = _table(str(system), {name: by_class[name] for name in actual}, columns, normalise)
        require_length(str(system), len(q), len(p))
        values.append(_values(p, q, clip))
    names = range(1, len(p) + 1) if item is None else arrow("item", columns.take(item)).to_pylist()
    inputs = () if sheet is None else (Origin.of("predictions", sheet),)
    settings = {"classes": [str(name) for name in actual], "clip": clip, "normalise": normalise}
    systems, items = tuple(map(str, by_system)), tuple(map(str, names))
    return CrossEntropy(systems, items, np.array(values), settings, Provenance(inputs))


def _require_classes(system: str, actual: Mapping[Any, Any], predicted: Mapping[Any, Any]) -> None:
    """Refuse distributions over different classes."""
    if len(actual) < 2:
        raise BadInput("a distribution needs at least two classes, as {class: column}")
    unshared = [name for name in (*actual, *predicted) if name not in actual or name not in predicted]
    if unshared:
        raise BadInput(f"{system}: the class {unshared[0]!r} has an actual or a predicted probability, but not both")


def _table(name: str, by_class: Mapping[Any, Any], columns: Columns, normalise: bool) -> Floats:
    """The distribution of each item: one column per class."""
    most = np.inf if normalise else 1
    checked = [
        probabilities(f"{name} probability of {label!r}", columns.take(column), columns.where, most=most)
        for label, column in by_class.items()
    ]
    for column in checked:
        require_length(name, len(column), len(checked[0]))
    if not checked or not len(checked[0]):
        raise BadInput("there are no items")
    return distribution(np.column_stack(checked), columns.where, normalise=normalise)


def _values(p: Floats, q: Floats, clip: float) -> Floats:
    """Cross-entropy, entropy and divergence of each item."""
    crossed = measures.cross_entropy(p, q, clip=clip)
    entropy = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=1)  # 0 log 0 is 0
    return np.array([crossed, entropy, crossed - entropy])


# Cross-entropy of soft labels as tables


def tables(entropies: CrossEntropy, *, digits: int, steps: bool = False) -> Iterator[Table]:
    """One row per system and measure; with `steps`, first one row per system and item."""
    if steps:
        yield _items(entropies, digits)
    columns = (Column("system"), Column("measure"), *numbers("value", "low", "high", digits=digits))
    notes = (
        f"means over {len(entropies.items):,} items, with {percent(CONFIDENCE)} t intervals, in nats",
        *(f"{name}: {words}" for name, words in MEASURES.items()),
        f"predicted probabilities are clipped to [{entropies.settings['clip']:g}, 1 - {entropies.settings['clip']:g}]",
    )
    yield Table(columns, rows_of(entropies.rows, columns), title="Cross-entropy of soft labels", notes=notes)


def _items(entropies: CrossEntropy, digits: int) -> Table:
    rows = tuple(
        row(system, item, *entropies.values[s, :, i].tolist())
        for s, system in enumerate(entropies.systems)
        for i, item in enumerate(entropies.items)
    )
    return Table((Column("system"), Column("item"), *numbers(*MEASURES, digits=digits)), rows, title="Each item")
