"""What the fixed seeds of `make test` are made of: every kind of id, score, judgment and label that matters."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from fuzz.target import every_target
from generators.doors import QRELS, RUNS
from generators.ids import encoded, is_text
from generators.rankings import Collection

TARGETS = every_target()


@cache
def cases(*targets: str) -> list[Any]:
    """The cases of the fixed seeds of targets."""
    return [TARGETS[name].case(seed) for name in targets for seed in range(TARGETS[name].seeds)]


def names(rows: list[Any]) -> set[str]:
    return {name for row in rows for name in row[:2]}


def longest(rows: list[Any]) -> int:
    return max(len(encoded(name)) for name in names(rows))


def any_id(fits: Callable[[str], bool]) -> Callable[[Collection], bool]:
    return lambda case: any(map(fits, names(case.qrels) | names(case.run)))


def any_score(fits: Callable[[str], bool]) -> Callable[[Collection], bool]:
    return lambda case: any(fits(score) for _, _, score in case.run)


def queries(rows: list[Any]) -> set[str]:
    return {row[0] for row in rows}


def long(length: int) -> Callable[[Collection], bool]:
    return any_id(lambda name: len(encoded(name)) == length)


KINDS: dict[str, Callable[[Collection], bool]] = {
    **{f"an id of {length} bytes": long(length) for length in (1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 60)},
    "ids from 1 to 60 bytes in one column": lambda case: long(1)(case) and long(60)(case),
    "the longest id in the qrels only": lambda case: longest(case.qrels) > longest(case.run),
    "the longest id in the run only": lambda case: longest(case.qrels) < longest(case.run),
    "bytes that are not UTF-8": any_id(lambda name: not is_text(name)),
    "CJK": any_id(lambda name: any("\u4e00" <= letter <= "\u9fff" for letter in name)),
    "URLs": any_id(lambda name: name.startswith("https://")),
    "UUIDs": any_id(lambda name: name.count("-") == 4 and len(name) == 36),
    "numbers": any_id(lambda name: name.isdigit() and not name.startswith("0")),
    "zero-padded numbers": any_id(lambda name: name.isdigit() and name.startswith("0") and len(name) > 1),
    "ids of TREC": any_id(lambda name: name.startswith("FBIS3-")),
    "ids of ClueWeb": any_id(lambda name: name.startswith("clueweb09-en0000-")),
    "infinite scores": any_score(lambda score: math.isinf(float(score))),
    "1e-320": any_score(lambda score: score == "1e-320"),
    "integers beyond 2**53": any_score(lambda score: score.lstrip("-").isdigit() and abs(int(score)) > 2**53),
    "negative scores": any_score(lambda score: float(score) < 0),
    "rounded scores that repeat": lambda case: len({row[2] for row in case.run}) < len(case.run) / 2,
    "negative grades": lambda case: any(grade < 0 for _, _, grade in case.qrels),
    "a query in the qrels only": lambda case: bool(queries(case.qrels) - queries(case.run)),
    "a query in the run only": lambda case: bool(queries(case.run) - queries(case.qrels)),
    "judged documents that nobody retrieved": lambda case: len(case.qrels) > len(case.run),
    "sparse judgments": lambda case: 4 * len(case.qrels) < len(case.run),
}


@pytest.mark.parametrize("kind", KINDS)
def test_collections_have_it(kind: str) -> None:
    assert any(map(KINDS[kind], cases("rankings_are_as_in_the_reference")))


@pytest.mark.parametrize("label", ["spam", "0", "-1", "01", "0x1", "2024-01-31", "a,b", 'say "no"', "two\nlines",
                                   str(2**63 + 1), "NA", " a"])  # fmt: skip
def test_labels_have_it(label: str) -> None:
    assert any(label in row[:2] for case in cases("labels_are_counted_as_in_the_reference") for row in case.rows)


def test_labels_are_truth_values_too() -> None:
    given = cases("labels_are_counted_as_in_the_reference")
    assert any({row[0].lower() for row in case.rows} == {"true", "false"} for case in given)


def test_labels_are_of_other_scripts_too() -> None:
    given = cases("labels_are_counted_as_in_the_reference")
    assert any(not row[0].isascii() for case in given for row in case.rows)


def test_paired_values_are_multiples_of_a_tenth_that_binary_numbers_do_not_hold() -> None:
    for case in cases("wilcoxon_is_as_in_the_reference"):
        apart = {abs(round(float(row[0]) - float(row[1]), 9)) for row in case.rows}
        rounded = {abs(float(row[0]) - float(row[1])) for row in case.rows}
        if len(case.rows) > 5 and len(rounded) > len(apart):  # equal differences that floating point takes apart
            return
    raise AssertionError("no such table")


@pytest.mark.parametrize("doors", [QRELS, RUNS], ids=["qrels", "run"])
def test_every_door_is_gone_through(doors: dict[str, Any]) -> None:
    given = cases("every_door_gives_the_same_bits")
    rows = [case.run if doors is RUNS else [(q, d, str(grade)) for q, d, grade in case.qrels] for case in given]
    assert [name for name, door in doors.items() if not any(map(door.takes, rows))] == []
