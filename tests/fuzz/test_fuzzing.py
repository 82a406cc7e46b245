"""A failure is found, shrunk to what matters, and printed as a test that fails."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import count
from math import inf

import pytest

from fuzz.running import failed, fuzz, reproduction
from fuzz.shrinking import shrunk
from fuzz.target import Target, assume


@dataclass(frozen=True)
class Case:
    """A case as a target would have it."""

    rows: list[tuple[str, str, float]]
    names: dict[str, bytes]


def cases(source: random.Random) -> Case:
    rows = [(f"q{n % 3}", "x" * source.randrange(1, 20), source.random()) for n in range(source.randrange(1, 30))]
    return Case(rows, {f"k{n}": bytes([n]) for n in range(5)})


def no_long_name(case: Case) -> None:
    assume(bool(case.names))
    assert all(len(name) < 9 for _, name, _ in case.rows), "a name is long"


def anything(case: Case) -> None:
    """Holds always."""


def never(case: Case) -> None:
    raise AssertionError


LONG = Target(cases, no_long_name, seeds=1)
FINE = Target(cases, anything, seeds=1)
NEVER = Target(cases, never, seeds=1)


def test_a_failure_is_shrunk_to_what_it_needs() -> None:
    fails = next(case for case in map(LONG.case, range(50)) if LONG.failure(case))
    small = shrunk(fails, lambda case: LONG.failure(case) is not None, seconds=inf)
    assert small == Case([("", "aaaaaaaaa", 0.0)], {"": b""})


def test_the_reproduction_that_is_printed_fails_in_the_same_way() -> None:
    message = next(filter(None, (failed(LONG, seed, shrink_seconds=inf) for seed in range(50))))
    assert "AssertionError: a name is long" in message
    source = message.partition("\n\n")[2]
    namespace: dict[str, object] = {}
    exec(source, namespace)
    with pytest.raises(AssertionError, match="a name is long"):
        namespace["test_no_long_name_again"]()  # type: ignore[operator]


def test_a_reproduction_imports_what_it_names() -> None:
    source = reproduction(LONG, Case([], {}))
    assert f"from {__name__} import Case\nfrom {__name__} import no_long_name\n" in source


def test_a_seed_makes_the_same_case_again() -> None:
    assert LONG.case(7) == LONG.case(7) != LONG.case(8)


def test_fuzzing_ends_in_time_and_says_what_failed() -> None:
    said: list[str] = []
    assert fuzz([NEVER, FINE], 10, said.append, clock=count().__next__) == 1
    assert said[0].startswith("FAILED never, seed ")
    assert said[1:] == ["never: 1 cases, FAILED", "anything: 9 cases, no failure"]


def test_a_slow_target_takes_no_time_from_the_others() -> None:
    time = [0.0]

    def slow(case: Case) -> None:
        time[0] += 10

    def fast(case: Case) -> None:
        time[0] += 1

    said: list[str] = []
    fuzz([Target(cases, slow, 1), Target(cases, fast, 1)], 100, said.append, clock=lambda: time[0])
    assert said == ["slow: 5 cases, no failure", "fast: 50 cases, no failure"]
