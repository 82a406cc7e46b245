"""The catalogue of significance tests: declaration, with settings read from the signature.

Decided here: which significance tests there are, and in which order they are listed.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting, did_you_mean
from cranfield.evidence.samples import Pairs
from cranfield.frozen import frozen

_MODULES = ("cranfield.statistics.pairs", "cranfield.statistics.simultaneous")  # in the order of the catalogue
_TESTS: dict[str, Test] = {}
Working = Mapping[str, float | str]


@frozen
class Omnibus:
    """The result of an omnibus test of all systems."""

    title: str
    symbol: str
    statistic: float
    p: float
    freedom: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.symbol} = {self.statistic:.4g}{self.freedom}, p = {self.p:.4g}"


@frozen(eq=False)
class Outcome:
    """The result of a test for each pair.

    `error` is the standard error of the mean difference, where the statistic is their ratio, with a t distribution of
    as many degrees of freedom as units less one. `half_width` is that of the interval of the difference, where the
    test has its own, and `centre` its middle, if not the mean. `omnibus` is the test of all systems together, and
    `remark` describes how the p-values were computed. `working` contains the figures behind the statistic of each pair
    by name, with `region` as text: when H0 is rejected at the level, without correction.
    """

    statistic: Floats
    p: Floats
    freedom: str = ""
    half_width: Floats | None = None
    centre: Floats | None = None
    error: Floats | None = None
    omnibus: Omnibus | None = None
    remark: str = ""
    symbol: str = ""  # symbol of the statistic, if not the declared one
    together: Floats | None = None  # p-values corrected for all pairs by the test itself (max-T)
    working: Sequence[Working] = ()

    def among(self, tested: Mask, statistic: Floats, p: Floats) -> Outcome:
        """The same for more pairs, only some of them tested; the others get the given statistic and p."""

        def widened(values: Floats | None, otherwise: Floats | float) -> Floats | None:
            if values is None:
                return None
            wide = np.array(np.broadcast_to(otherwise, len(tested)), np.float64)
            wide[tested] = values
            return wide

        wide_fields = {name: widened(getattr(self, name), np.nan) for name in ("half_width", "centre", "error")}
        figures = iter(self.working)
        working = [next(figures) if was_tested else {} for was_tested in tested.tolist()] if self.working else []
        wide_fields |= {"statistic": widened(self.statistic, statistic), "p": widened(self.p, p)}
        return replace(self, working=working, **wide_fields)  # type: ignore[arg-type]


def worked(region: Callable[[dict[str, float]], str] | None = None, **figures: Any) -> list[Working]:
    """The working of each pair: figures by name, one per pair or the same for all, and the rejection region as text."""

    def rows() -> Iterator[Working]:
        for values in zip(*np.broadcast_arrays(*figures.values()), strict=True):
            named = dict(zip(figures, map(float, values), strict=True))
            yield {**named, **({} if region is None else {"region": region(named)})}

    return list(rows())


@frozen
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
    varying: bool

    __test__ = False  # not a pytest class

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[0]  # type: ignore[union-attr]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings it takes, with their defaults."""
        _, *rest = inspect.signature(self.function).parameters.values()
        return {parameter.name: parameter.default for parameter in rest}

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """The valid values of each setting that has a fixed list of them."""
        hints = get_type_hints(self.function)
        return {name: get_args(hints[name]) for name in self.settings if get_origin(hints[name]) is Literal}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse unknown settings, and unknown values of settings with a fixed list of them."""
        for name, value in settings.items():
            if name not in self.settings:
                known = ", ".join(self.settings)
                raise BadSetting(f"the test {self.name!r} has no setting {name!r}; it has: {known}")
            valid = self.choices.get(name, (value,))
            if value not in valid:
                raise BadSetting(f"{name} of the test {self.name!r} must be one of {', '.join(valid)}, not {value!r}")

    def __call__(self, pairs: Pairs, **settings: Any) -> Outcome:
        """The outcome of the test for each pair.

        A pair without any difference has p = 1. For a test that needs variance, a pair with the same difference on
        every unit has NaN, as has a pair without differences in a test of equivalence.
        """
        self.require(settings)
        differ = np.asarray(pairs.difference.any(axis=0))
        tested = pairs.deviation > 0 if self.varying else differ
        if tested.all() or self.simultaneous:
            return self.function(pairs, **settings)
        unknown = differ | self.equivalence
        statistic, p = np.where(unknown, np.nan, 0.0), np.where(unknown, np.nan, 1.0)
        if not tested.any():
            return Outcome(statistic, p)
        return self.function(pairs.taken(tested), **settings).among(tested, statistic, p)


def declare(
    name: str,
    *,
    title: str,
    cite: str,
    symbol: str,
    null: str = "the same mean",
    simultaneous: bool = False,
    equivalence: bool = False,
    varying: bool = False,
) -> Callable[[Callable[..., Outcome]], Callable[..., Outcome]]:
    """Declare a test.

    `simultaneous`: the p-values already account for all pairs. `equivalence`: the null hypothesis is a difference.
    `varying`: the test is undefined where the differences have no variance.
    """

    def declared(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
        _TESTS[name] = Test(name, function, title, cite, symbol, null, simultaneous, equivalence, varying)
        return function

    return declared


@cache
def known_tests() -> Mapping[str, Test]:
    """Every declared test, by name, in the same order whichever module was imported first."""
    modules = [importlib.import_module(module).__name__ for module in _MODULES]
    ordered = sorted(_TESTS.items(), key=lambda item: modules.index(item[1].function.__module__))
    _TESTS.clear()
    _TESTS.update(ordered)
    return MappingProxyType(_TESTS)


def variants() -> Mapping[str, str]:
    """The variants of all tests, each with its test."""
    return {variant: name for name, test in known_tests().items() for variant in test.choices.get("variant", ())}


def find(name: str) -> Test:
    """The test of a name."""
    if name in known_tests():
        return known_tests()[name]
    known = known_tests()
    raise BadSetting(f"there is no test {name!r}{did_you_mean(name, known)} (available: {', '.join(known)})")
