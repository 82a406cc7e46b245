"""Other tools' names for measures."""

from __future__ import annotations

from cranfield.frozen import frozen
from cranfield.measures.settings import Value


@frozen
class Alias:
    """Another tool's name for a measure; `{k}` stands for the value of a setting."""

    pattern: str
    fixed: tuple[tuple[str, Value], ...] = ()
    refused: str = ""  # why a known name is refused


def also(pattern: str, **fixed: Value) -> Alias:
    """Another name for a measure, with the settings it implies."""
    return Alias(pattern, tuple(fixed.items()))


def cut_off(name: str) -> tuple[str, str]:
    """The two spellings of a measure with a cutoff in trec_eval."""
    return f"{name}_{{k}}", f"{name}.{{k}}"


def ranx(name: str, **fixed: Value) -> tuple[Alias, ...]:
    """ranx's spellings of a metric, with and without a cutoff and a relevance level."""
    return tuple(also(f"{name}{at}{level}", **fixed) for level in ("", "-l{rel}") for at in ("", "@{k}"))


def refused(pattern: str, why: str) -> Alias:
    """Another tool's name for something that differs from this measure: why it is refused, and what to use instead."""
    return Alias(pattern, refused=why)
