"""Values by system, by measure, or by both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cranfield.arrays import Floats
from cranfield.errors import BadSetting, UnknownMeasure, did_you_mean
from cranfield.measures.registry import Measure

MeasureKey = Measure | str
Key = tuple[str, MeasureKey] | MeasureKey
Place = Callable[[MeasureKey], int]  # of a measure; raises BadSetting or UnknownMeasure if it has no values


def by_name(
    key: Key, values: Floats, systems: Sequence[str], measures: Sequence[str], place: Place | None = None
) -> float | dict[str, float]:
    """A number for a system and a measure; `{measure: value}` for a system; `{system: value}` for a measure.

    If there is only one system, a measure gives its number. Measures without `place` have only one name.
    """
    place = place or partial(named_place, measures=measures)
    if isinstance(key, tuple):
        return float(values[system_place(key[0], systems), place(key[1])])
    if key in systems:
        if _has_place(key, place):
            raise BadSetting(f"{key!r} is both a system and a measure; use result[system, measure]")
        return dict(zip(measures, values[systems.index(str(key))].tolist(), strict=True))
    try:
        column = values[:, place(key)].tolist()
    except UnknownMeasure:
        hint, known = did_you_mean(key, (*systems, *measures)), f"{', '.join(systems)}; {', '.join(measures)}"
        raise UnknownMeasure(f"there is no system or measure {str(key)!r}{hint} (available: {known})") from None
    return column[0] if len(column) == 1 else dict(zip(systems, column, strict=True))


def system_place(name: str, systems: Sequence[str]) -> int:
    """The index of a system."""
    if name not in systems:
        raise BadSetting(f"there is no system {name!r}; available: {', '.join(systems)}")
    return systems.index(name)


def named_place(name: MeasureKey, measures: Sequence[str]) -> int:
    """The index of a measure by its only name."""
    if str(name) not in measures:
        raise BadSetting(f"there is no {str(name)!r}; available: {', '.join(measures)}")
    return measures.index(str(name))


def _has_place(name: MeasureKey, place: Place) -> bool:
    try:
        place(name)
    except (BadSetting, UnknownMeasure):
        return False
    return True
