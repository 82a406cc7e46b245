"""What several commands read from their options: quietness, settings of intervals, columns of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from cranfield.commands.parameters import refuse_given
from cranfield.errors import BadSetting


def quiet() -> bool:
    """Whether progress is suppressed."""
    return bool(click.get_current_context().params["quiet"])


def taken(settings: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The settings with these names, removed from the others."""
    return {name: settings.pop(name) for name in names if name in settings}


def require_runs(names: Iterable[str]) -> None:
    """Refuse these options if they are given, because a table of values is given instead of runs."""
    refuse_given(names, "applies only to runs; a table of values already has units and measures")


def interval_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of the intervals in a table, removed from the others; they are checked before the work starts."""
    from cranfield.settings import CONFIDENCE
    from cranfield.statistics.distributions import require_confidence

    method, confidence = settings.pop("interval", "auto"), settings.pop("confidence", CONFIDENCE)
    require_confidence(confidence)
    topic = topics_of_queries(settings)
    return {"confidence": None} if method == "none" else {"confidence": confidence, "method": method, "topic": topic}


def topics_of_queries(settings: dict[str, Any]) -> dict[str, str] | None:
    """The topic of each query in the file of --topics, which is removed from the settings."""
    from cranfield.tables.readers.files import read_topics

    path = settings.pop("topics", None)
    return None if path is None else read_topics(path)


def prediction_columns(
    predicted: Sequence[str] = (), score: Sequence[str] = (), probability: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of predictions for `classify`: a single one as is, several by name."""
    columns = {"predicted": _named("predicted", predicted)}
    columns |= {"score": _by_class("score", score), "probability": _by_class("probability", probability)}
    return {what: column for what, column in columns.items() if column is not None}


def _named(option: str, names: Sequence[str]) -> str | dict[str, str] | None:
    if not names:
        return None
    for column in names:
        if names.count(column) > 1:
            raise BadSetting(f"--{option} {column} is given twice")
    return names[0] if len(names) == 1 else {column: column for column in names}


def _by_class(option: str, texts: Sequence[str]) -> str | dict[str, str] | None:
    """Columns of scores or probabilities, which may be written CLASS=COLUMN."""
    return class_columns(texts) if any("=" in text for text in texts) else _named(option, texts)


def class_columns(texts: Sequence[str]) -> dict[str, str]:
    """Columns of the scores or probabilities of classes, written CLASS=COLUMN, or CLASS if the column has its name."""
    pairs = [(name, column or name) for name, _, column in (text.partition("=") for text in texts)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise BadSetting(f"two columns are given for class {name!r}; give only one")
    return dict(pairs)


def output_columns(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """The columns of several outputs, in order: of one system, or written SYSTEM=COLUMN."""
    if not any("=" in text for text in texts):
        return list(texts)
    by_system: dict[str, list[str]] = {}
    for text in texts:
        system, _, column = text.partition("=")
        if not column:
            raise BadSetting(f"--predicted {text} does not name a system; write SYSTEM={text}, like the others")
        by_system.setdefault(system, []).append(column)
    return by_system


def only_one(measures: Sequence[str]) -> str | None:
    """The measure, if any, where only one is allowed."""
    if len(measures) > 1:
        raise BadSetting(f"give one measure, not {len(measures)}: {', '.join(measures)}")
    return measures[0] if measures else None
