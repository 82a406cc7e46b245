"""The formulas of measures, in Python's notation, so that a test can evaluate them."""

from __future__ import annotations

from functools import cache


@cache
def formulas() -> dict[tuple[str, str], str]:
    """The formula of each measure that has one, by kind and name."""
    from importlib import resources  # slow to import and not needed for an evaluation

    lines = resources.files("cranfield.measures").joinpath("formulas.txt").read_text("utf-8").splitlines()
    return {(kind, name): formula for kind, name, formula in (line.split("|") for line in lines)}
