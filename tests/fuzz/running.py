"""Running targets, and saying what failed as a test that can be pasted."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any

from fuzz.isolated import Failure, OutOfTime, failure_here
from fuzz.shrinking import shrunk
from fuzz.target import Target

Check = Callable[[Target, Any], Failure | None]

PROGRESS = 10  # seconds between two lines that say how far it is
SHRINKING = 60  # seconds for making a case smaller


def failed(target: Target, seed: int, shrink_seconds: float = 60) -> str | None:
    """What failed for this seed, shrunk, with a test that shows it."""
    case = target.case(seed)
    found = failure_here(target, case)
    return None if found is None else _described(target, seed, case, found, shrink_seconds, failure_here)


def _described(target: Target, seed: int, case: Any, found: Failure, seconds: float, failure: Check) -> str:
    """A failure, after the case was shrunk."""
    last = found

    def fails(candidate: Any) -> bool:
        nonlocal last
        with suppress(OutOfTime):
            other = failure(target, candidate)
            if other is not None and other.kind == found.kind:
                last = other
                return True
        return False

    small = shrunk(case, fails, seconds)
    return f"{target.name}, seed {seed}: {last}\n\n{reproduction(target, small)}"


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
    failure: Check = failure_here,
) -> int:
    """Random seeds until the time is up, of which each target gets an equal part; how many targets failed."""
    left, runs = {target.name: target for target in targets}, dict.fromkeys((t.name for t in targets), 0)
    used = dict.fromkeys(left, 0.0)
    began = said = now = clock()
    end = began + seconds
    while left and now < end:
        target = left[min(left, key=used.__getitem__)]
        seed = random.SystemRandom().randrange(10**12)
        case = target.case(seed)
        try:
            found = failure(target, case)
        except OutOfTime:
            break
        runs[target.name] += 1
        if found is not None:
            say(f"{target.name}, seed {seed} fails, and is made smaller")
            say(f"FAILED {_described(target, seed, case, found, min(SHRINKING, end - clock()), failure)}")
            del left[target.name]
        before, now = now, clock()
        used[target.name] += now - before
        if now - said >= PROGRESS and now < end:
            said = now
            n_failed = f"{len(targets) - len(left)} of {len(targets)} targets failed"
            say(f"{now - began:.0f} of {seconds:.0f} s: {sum(runs.values())} cases, {n_failed}")
    for name, times in runs.items():
        say(f"{name}: {times} cases, {'no failure' if name in left else 'FAILED'}")
    return len(targets) - len(left)
