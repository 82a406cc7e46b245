"""The formulas of measures, in Python's notation, so that a test can evaluate them."""

from __future__ import annotations

from functools import cache

_ALGORITHM = "algorithm: "


@cache
def _lines() -> dict[tuple[str, str], str]:
    from importlib import resources  # slow to import and not needed for an evaluation

    lines = resources.files("cranfield.measures").joinpath("formulas.txt").read_text("utf-8").splitlines()
    return {(kind, name): text for kind, name, text in (line.split("|") for line in lines)}


@cache
def formulas() -> dict[tuple[str, str], str]:
    """The formula of each measure that has one, by kind and name."""
    return {key: text for key, text in _lines().items() if not text.startswith(_ALGORITHM)}


@cache
def algorithms() -> dict[tuple[str, str], str]:
    """How the other measures are computed, in words, by kind and name."""
    return {key: text.removeprefix(_ALGORITHM) for key, text in _lines().items() if text.startswith(_ALGORITHM)}
