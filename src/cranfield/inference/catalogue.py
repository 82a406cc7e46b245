"""The catalogue of significance tests: declared here, with their settings read off the signature."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs

Floats = NDArray[np.float64]

_MODULES = ("significance", "simultaneous", "folds")
_TESTS: dict[str, Test] = {}


@dataclass(frozen=True)
class Omnibus:
    """What a test found of all systems together."""

    title: str
    symbol: str
    statistic: float
    p: float
    freedom: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.symbol} = {self.statistic:.4g}{self.freedom}, p = {self.p:.4g}"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a test found for each pair.

    `half_width` is that of the interval of the difference, where the test has one of its own. `omnibus` is what was
    found of all systems together, and `remark` says how the p-values came about.
    """

    statistic: Floats
    p: Floats
    freedom: str = ""
    half_width: Floats | None = None
    omnibus: Omnibus | None = None
    remark: str = ""
    together: Floats | None = None  # p-values already corrected for all pairs, where the test gives them for free


@dataclass(frozen=True)
class Test:
    """A test as declared."""

    name: str
    function: Callable[..., Outcome]
    title: str
    cite: str
    symbol: str
    null: str
    simultaneous: bool

    __test__ = False  # not one of pytest's

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[0]  # type: ignore[union-attr]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings it takes, with their defaults."""
        _, *rest = inspect.signature(self.function).parameters.values()
        return {parameter.name: parameter.default for parameter in rest}

    def __call__(self, pairs: Pairs, **settings: Any) -> Outcome:
        """What the test finds for each pair."""
        for name in settings:
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise BadSetting(f"the test {self.name!r} has no setting {name!r}; it has: {known}")
        return self.function(pairs, **settings)


def declare(
    name: str, *, title: str, cite: str, symbol: str, null: str = "the same mean", simultaneous: bool = False
) -> Callable[[Callable[..., Outcome]], Callable[..., Outcome]]:
    """Declare a test: a simultaneous one gives p-values that already allow for all the pairs there are."""

    def declared(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
        _TESTS[name] = Test(name, function, title, cite, symbol, null, simultaneous)
        return function

    return declared


@cache
def known_tests() -> Mapping[str, Test]:
    """Every declared test, by name."""
    for module in _MODULES:
        importlib.import_module(f"cranfield.inference.{module}")
    return MappingProxyType(_TESTS)


def find(name: str) -> Test:
    """The test of a name."""
    if name in known_tests():
        return known_tests()[name]
    close = difflib.get_close_matches(str(name).lower(), known_tests(), n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(close)}? " if close else ""
    raise BadSetting(f"there is no test {name!r}; {hint}(there are {', '.join(known_tests())})")
