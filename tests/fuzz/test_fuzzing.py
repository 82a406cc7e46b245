"""A failure is found, shrunk to what matters, and printed as a test that fails."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import inf

import pytest

from fuzz.isolated import Isolated
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
    assert said[0].endswith(" fails, and is made smaller")
    assert said[1].startswith("FAILED never, seed ")
    assert said[2:] == ["never: 1 cases, FAILED", "anything: 8 cases, no failure"]


def test_a_slow_target_takes_no_time_from_the_others() -> None:
    time = [0.0]

    def slow(case: Case) -> None:
        time[0] += 10

    def fast(case: Case) -> None:
        time[0] += 1

    said: list[str] = []
    fuzz([Target(cases, slow, 1), Target(cases, fast, 1)], 100, said.append, clock=lambda: time[0])
    assert said[-2:] == ["slow: 5 cases, no failure", "fast: 50 cases, no failure"]


def test_fuzzing_says_how_far_it_is() -> None:
    said: list[str] = []
    fuzz([FINE], 35, said.append, clock=count().__next__)
    assert said[:-1] == [f"{now} of 35 s: {now} cases, 0 of 1 targets failed" for now in (10, 20, 30)]


def computes(case: Case) -> None:
    if len(case.rows) > 2:
        pow(3, 10**9)  # which no signal handler of Python can end


def sleeps(case: Case) -> None:
    if len(case.rows) > 2:
        time.sleep(60)


def crashes(case: Case) -> None:
    if len(case.rows) > 2:
        os._exit(7)


@pytest.mark.parametrize(("check", "message"), [(computes, "0.1 seconds of the processor"), (sleeps, "0.2 seconds")])
def test_a_case_that_takes_too_long_is_a_failure_that_is_shrunk_and_printed(
    check: Callable[[Case], None], message: str
) -> None:
    case = Case([("q", "d", 1.0)] * 4, {})
    slow = Target(lambda source: case, check, seeds=1)
    with Isolated([slow], 60, longest=0.1, hangs=0.2 if check is sleeps else 60) as isolated:
        found = isolated.failure(slow, case)
        assert found == ("TooSlow", f"the check takes longer than {message}")
        assert isolated.failure(slow, Case([], {})) is None
        said: list[str] = []
        assert fuzz([slow], 60, said.append, failure=isolated.failure) == 1
    assert f"{message}\n" in said[1]
    assert "Case(rows=[('', '', 0.0), ('', '', 0.0), ('', '', 0.0)], names={})" in said[1]


def test_a_crash_is_a_failure_and_other_cases_are_still_checked() -> None:
    crash = Target(cases, crashes, seeds=1)
    with Isolated([crash, LONG], 60) as isolated:
        found = isolated.failure(crash, Case([("q", "d", 1.0)] * 3, {}))
        assert found == ("Crashed", "the process ended with status 7")
        found = isolated.failure(LONG, Case([("q", "x" * 9, 1.0)], {"a": b""}))
        assert found is not None
        assert found.kind == "AssertionError"


@pytest.mark.parametrize("check", [computes, sleeps, no_long_name])
def test_fuzzing_stops_in_time_even_if_a_case_hangs_or_is_being_shrunk(check: Callable[[Case], None]) -> None:
    target, began = Target(cases, check, seeds=1), time.monotonic()
    with Isolated([target], 0.5) as isolated:
        fuzz([target], 0.5, lambda _: None, failure=isolated.failure)
    assert time.monotonic() - began < 5
