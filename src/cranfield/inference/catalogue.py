"""The catalogue of significance tests: declared here, with their settings read off the signature."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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

    `error` is the standard error of the mean difference, where the statistic is their ratio, with a t distribution of
    as many degrees of freedom as units less one. `half_width` is that of the interval of the difference, where the
    test has one of its own, and `centre` its middle, if not the mean. `omnibus` is what was found of all systems
    together, and `remark` says how the p-values came about.
    """

    statistic: Floats
    p: Floats
    freedom: str = ""
    half_width: Floats | None = None
    centre: Floats | None = None
    error: Floats | None = None
    omnibus: Omnibus | None = None
    remark: str = ""
    symbol: str = ""  # of the statistic, if not the one declared
    together: Floats | None = None  # p-values corrected for all pairs by the test itself (max-T)

    def among(self, differ: NDArray[np.bool_]) -> Outcome:
        """The same for more pairs, of which these differ: the others have a p of 1."""

        def widened(values: Floats | None, otherwise: float = 0.0) -> Floats | None:
            if values is None:
                return None
            wide = np.full(len(differ), otherwise)
            wide[differ] = values
            return wide

        found = {name: widened(getattr(self, name)) for name in ("statistic", "half_width", "centre", "error")}
        return replace(self, p=widened(self.p, 1.0), **found)  # type: ignore[arg-type]


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
    equivalence: bool

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
        """What the test finds for each pair; of one without any difference it finds a p of 1."""
        for name in settings:
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise BadSetting(f"the test {self.name!r} has no setting {name!r}; it has: {known}")
        differ = np.asarray(pairs.difference.any(axis=0))
        if differ.all() or self.simultaneous or self.equivalence:
            return self.function(pairs, **settings)
        if not differ.any():
            return Outcome(np.zeros(len(pairs)), np.ones(len(pairs)))
        return self.function(pairs.taken(differ), **settings).among(differ)


def declare(
    name: str,
    *,
    title: str,
    cite: str,
    symbol: str,
    null: str = "the same mean",
    simultaneous: bool = False,
    equivalence: bool = False,
) -> Callable[[Callable[..., Outcome]], Callable[..., Outcome]]:
    """Declare a test.

    A simultaneous one gives p-values that already allow for all the pairs there are; one of equivalence rejects that
    systems differ.
    """

    def declared(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
        _TESTS[name] = Test(name, function, title, cite, symbol, null, simultaneous, equivalence)
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
