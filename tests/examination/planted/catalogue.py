"""The catalogue of planted problems and clean sets, and what `examine` makes of them."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from cranfield import examine
from cranfield.errors import CranfieldWarning
from examination import planted

Maker = Callable[..., Any]
FIRST = 3  # findings among which the right one must be


class Planted(NamedTuple):
    """A data set: how it is made, and the rules that would be right; none for a clean one."""

    name: str
    make: Callable[[np.random.Generator], Any]
    rules: tuple[str, ...] = ()


_PLANTED: dict[str, Planted] = {}


def problem(*rules: str) -> Callable[[Maker], Maker]:
    """Declare a data set with one problem."""
    return partial(_declared, rules, ({},))


def clean(*variants: Mapping[str, Any]) -> Callable[[Maker], Maker]:
    """Declare clean data sets, one for each variant of the function's settings."""
    return partial(_declared, (), variants or ({},))


def _declared(rules: tuple[str, ...], variants: tuple[Mapping[str, Any], ...], make: Maker) -> Maker:
    for settings in variants:
        text = ", ".join(f"{name}={value}" for name, value in settings.items())
        name = f"{make.__module__.rpartition('.')[2]}: {make.__name__}{f'({text})' if text else ''}"
        assert name not in _PLANTED
        _PLANTED[name] = Planted(name, partial(make, **settings), rules)
    return make


@cache
def every() -> tuple[Planted, ...]:
    """Every data set declared in a module of this folder."""
    for module in pkgutil.iter_modules(planted.__path__):
        importlib.import_module(f"{planted.__name__}.{module.name}")
    return tuple(_PLANTED.values())


class Examined(NamedTuple):
    """The rules that reported something about a data set, in order, and those with more than a note."""

    planted: Planted
    seed: int
    rules: list[str]
    alarms: list[str]

    @property
    def as_it_should(self) -> bool:
        """Whether the problem is among the first findings, or nothing is said against a clean set."""
        if self.planted.rules:
            return bool(set(self.planted.rules) & set(self.rules[:FIRST]))
        return not self.alarms

    def __str__(self) -> str:
        wanted = " or ".join(self.planted.rules) or "nothing"
        return f"{self.planted.name}, seed {self.seed}: wanted {wanted}, got {', '.join(self.rules) or 'nothing'}"


def examined(planted: Planted, seed: int) -> Examined:
    """What is found in a data set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)  # such as of missing queries: findings are looked for here
        found = examine(planted.make(np.random.default_rng([seed, crc32(planted.name.encode())])))
    rules = [finding.rule for finding in found]
    return Examined(planted, seed, rules, [finding.rule for finding in found if finding.severity != "note"])


def table(results: list[Examined]) -> str:
    """How often each data set was judged as it should be, the failures with what was found instead."""
    lines = []
    for one in dict.fromkeys(result.planted.name for result in results):
        own = [result for result in results if result.planted.name == one]
        failed = [result for result in own if not result.as_it_should]
        lines += [f"{len(own) - len(failed)} of {len(own)}  {one}", *(f"    {result}" for result in failed)]
    return "\n".join(lines)
