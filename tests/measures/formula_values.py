"""Formulas of the documentation, evaluated."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from typing import Any

from cranfield.measures.declaration import Kind
from cranfield.measures.formulas import formulas
from cranfield.measures.registry import declarations

SEEDS = range(3)


def names_of(kind: Kind) -> list[str]:
    return [name for one, name in formulas() if one == kind]


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


MATHS = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "exp": math.exp, "ceil": math.ceil, "comb": math.comb,
         "erf": math.erf, "prod": math.prod, "mean": mean, "pairwise": itertools.pairwise, "pi": math.pi}  # fmt: skip


class Defined(dict[Any, Any]):
    """A name with indices that is defined after `where`; a value is computed when it is first used."""

    def __init__(self, indices: str, expression: str, known: dict[str, Any]) -> None:
        self.indices, self.expression, self.known = indices.split(", "), expression, known

    def __missing__(self, key: Any) -> Any:
        keys = key if len(self.indices) > 1 else (key,)
        self[key] = eval(self.expression, self.known | dict(zip(self.indices, keys, strict=True)))
        return self[key]


def value(kind: Kind, name: str, names: dict[str, Any]) -> float:
    """The formula evaluated with these names, and with the default settings of the measure."""
    expression, _, definitions = formulas()[kind, name].partition(" where ")
    known: dict[str, Any] = {setting.name: setting.default for setting in declarations(kind)[name].settings.values()}
    known |= MATHS | names
    for definition in filter(None, definitions.split("; ")):
        left, _, right = definition.partition(" = ")
        indexed = re.fullmatch(r"(\w+)\[(.+)\]", left)
        if indexed:
            known[indexed[1]] = Defined(indexed[2], right, known)
        else:
            known[left] = eval(right, known)
    return float(eval(expression, known))
