"""Formulas of the documentation, evaluated as printed."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from typing import Any

from cranfield.measures.registry import Measure

_DEFINITION = re.compile(r"(?P<name>\w+)(?:\[(?P<indices>[^]]+)\]|\((?P<arguments>[^)]+)\))? = ")


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


MATHS = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "exp": math.exp, "ceil": math.ceil, "comb": math.comb,
         "erf": math.erf, "erfc": math.erfc, "prod": math.prod, "mean": mean, "pairwise": itertools.pairwise,
         "pi": math.pi, "permutations": itertools.permutations}  # fmt: skip


class Indexed(dict[Any, Any]):
    """A name with indices that is defined after `where`; a value is computed when it is first used."""

    def __init__(self, indices: str, expression: str, known: dict[str, Any]) -> None:
        self.indices, self.known = indices.split(", "), known
        self.expression = compile(expression, expression, "eval")

    def __missing__(self, key: Any) -> Any:
        keys = key if len(self.indices) > 1 else (key,)
        self[key] = eval(self.expression, self.known | dict(zip(self.indices, keys, strict=True)))
        return self[key]


def value(measure: Measure, names: dict[str, Any]) -> float:
    """The printed formula evaluated with these names and the settings of the measure; NaN if it divides by zero."""
    known: dict[str, Any] = measure.options | MATHS | names
    expression, definitions = _with_settings(measure)
    plain = []
    for text in definitions.values():
        left = _DEFINITION.match(text)
        assert left is not None
        name, right = left["name"], text[left.end() :]
        if left["indices"]:
            known[name] = Indexed(left["indices"], right, known)
        elif left["arguments"]:
            known[name] = eval(f"lambda {left['arguments']}: {right}", known)
        else:
            plain.append((name, right))
    try:
        for name, right in plain:
            known[name] = eval(right, known)
        return float(eval(expression, known))
    except ZeroDivisionError:
        return math.nan


def _with_settings(measure: Measure) -> tuple[str, dict[str, str]]:
    """The formula of the measure and the definitions after `where`, both as printed for its settings."""
    expression, _, where = measure.declaration.formula.partition(" where ")
    definitions = _named(where)
    replaced = 0
    for settings, text in measure.declaration.variants.items():
        if not all(_holds(part, measure) for part in re.split(r", (?=\w+(?:=|$))", settings)):
            continue
        if _DEFINITION.match(text):
            definitions |= _named(text)
        else:
            expression, replaced = text, replaced + 1
    assert replaced <= 1, f"two formulas for {measure}"
    return expression, definitions


def _named(definitions: str) -> dict[str, str]:
    return {re.split(r"\W", one)[0]: one for one in definitions.split("; ") if one}


def _holds(setting: str, measure: Measure) -> bool:
    """Whether the measure has the setting: with this value, as any table, or with any value but its default."""
    name, _, text = setting.partition("=")
    if text == "{…}":
        return isinstance(measure.options[name], tuple)
    return measure.options[name] == eval(text, {"inf": math.inf}) if text else name in dict(measure.settings)
