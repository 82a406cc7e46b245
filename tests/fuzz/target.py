"""A target: something that must hold for every case that its generator can make."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Case = TypeVar("Case")

TARGETS: dict[str, Target] = {}


class Discard(Exception):
    """The case is none that the check speaks of."""


def assume(condition: bool) -> None:
    """Pass a case over unless the condition holds; shrinking makes cases that no generator would."""
    if not condition:
        raise Discard


@dataclass(frozen=True)
class Target:
    """A check, the generator of its cases, and how many fixed seeds `make test-all` runs.

    A case is plain data: a frozen dataclass of lists, dicts, tuples, texts, bytes and numbers, whose `repr` can be
    pasted into a test. Such cases are shrunk without further help.
    """

    generate: Callable[[random.Random], Any]
    check: Callable[[Any], None]
    seeds: int

    @property
    def name(self) -> str:
        """The name of the check."""
        return self.check.__name__

    def case(self, seed: int) -> Any:
        """The case of a seed, the same on every machine."""
        return self.generate(random.Random(f"{self.name} {seed}"))

    def failure(self, case: Any) -> BaseException | None:
        """What the check has against a case."""
        try:
            self.check(case)
        except Discard:
            return None
        except Exception as error:
            return error
        return None


def target(
    generate: Callable[[random.Random], Case], *, seeds: int = 20
) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Register a check of the cases that a generator makes; the check stays an ordinary function."""

    def register(check: Callable[[Case], None]) -> Callable[[Case], None]:
        TARGETS[check.__name__] = Target(generate, check, seeds)
        return check

    return register


def every_target() -> dict[str, Target]:
    """All targets in `fuzz.targets`, by name."""
    import fuzz.targets

    for module in pkgutil.iter_modules(fuzz.targets.__path__):
        importlib.import_module(f"fuzz.targets.{module.name}")
    return dict(sorted(TARGETS.items()))
