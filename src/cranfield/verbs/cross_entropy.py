"""How far are predicted distributions over classes from the actual ones?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, require_between
from cranfield.measures import probabilities as measures
from cranfield.results.cross_entropy import CrossEntropy
from cranfield.results.provenance import Origin, Provenance
from cranfield.tables.adapters.pandas_index import require_aligned
from cranfield.tables.adapters.system_columns import SYSTEM, Columns, require_length
from cranfield.tables.labels import arrow
from cranfield.tables.probabilities import distribution, probabilities
from cranfield.tables.readers.sheets import as_sheet


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
