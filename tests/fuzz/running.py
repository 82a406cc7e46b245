"""Running targets, and saying what failed as a test that can be pasted."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Collection
from dataclasses import is_dataclass
from typing import Any

from fuzz.shrinking import shrunk
from fuzz.target import Target


def failed(target: Target, seed: int, shrink_seconds: float = 60) -> str | None:
    """What failed for this seed, shrunk, with a test that shows it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        case = target.case(seed)
        error = target.failure(case)
        if error is None:
            return None
        small = shrunk(case, lambda candidate: type(target.failure(candidate)) is type(error), shrink_seconds)
        error = target.failure(small) or error
    return f"{target.name}, seed {seed}: {type(error).__name__}: {error}\n\n{reproduction(target, small)}"


def reproduction(target: Target, case: Any) -> str:
    """The source of a test that fails as this case does."""
    imports = sorted(
        {f"from {target.check.__module__} import {target.name}"}
        | {f"from {kind.__module__} import {kind.__qualname__}" for kind in _kinds(case)}
    )
    return "\n".join([*imports, "", "", f"def test_{target.name}_again() -> None:", f"    {target.name}({case!r})", ""])


def _kinds(value: Any) -> set[type]:
    """The classes whose names are in the representation of a case."""
    inside = vars(value).values() if is_dataclass(value) else value if isinstance(value, list | tuple) else ()
    inside = value.values() if isinstance(value, dict) else inside
    own = {type(value)} if is_dataclass(value) or hasattr(value, "_fields") else set()
    return own.union(*map(_kinds, inside))


def fuzz(
    targets: Collection[Target],
    seconds: float,
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Random seeds until the time is up, of which each target gets an equal part; how many targets failed."""
    left, runs = {target.name: target for target in targets}, dict.fromkeys((t.name for t in targets), 0)
    used = dict.fromkeys(left, 0.0)
    now = clock()
    end = now + seconds
    while left and now < end:
        target = left[min(left, key=used.__getitem__)]
        runs[target.name] += 1
        if message := failed(target, random.SystemRandom().randrange(10**12)):
            say(f"FAILED {message}")
            del left[target.name]
        began, now = now, clock()
        used[target.name] += now - began
    for name, times in runs.items():
        say(f"{name}: {times} cases, {'no failure' if name in left else 'FAILED'}")
    return len(targets) - len(left)
