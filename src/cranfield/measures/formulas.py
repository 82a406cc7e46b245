"""The formulas of measures, in Python's notation, so that a test can evaluate them.

A line has the kind of a measure, its name, and its formula, with further definitions after `where`. A name with
settings, such as `DCG(discount='log(i)')`, has what is different with them: another formula, or other definitions.
"""

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
    return {
        (kind, name): text
        for (kind, name), text in _lines().items()
        if not text.startswith(_ALGORITHM) and "(" not in name
    }


@cache
def variants() -> dict[tuple[str, str], dict[str, str]]:
    """What is different in the formula of a measure with other settings, by kind and name, and by these settings."""
    different: dict[tuple[str, str], dict[str, str]] = {}
    for (kind, name), text in _lines().items():
        measure, parenthesis, settings = name.partition("(")
        if parenthesis:
            different.setdefault((kind, measure), {})[settings.removesuffix(")")] = text
    return different


@cache
def algorithms() -> dict[tuple[str, str], str]:
    """How the other measures are computed, in words, by kind and name."""
    return {key: text.removeprefix(_ALGORITHM) for key, text in _lines().items() if text.startswith(_ALGORITHM)}
