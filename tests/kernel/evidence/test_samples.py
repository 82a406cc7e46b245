"""Values of systems on the same units: what is taken, what is refused, and what pairs of systems come to."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cranfield.errors import BadInput
from cranfield.evidence.samples import GREATEST, Samples, is_number, samples
from cranfield.tables.system_names import by_name
from cranfield.text import counted

VALUES = {"a": [0.5, 0.25, 0.75, 0.0], "b": [0.25, 0.25, 1.0, -0.5], "c": [0.0, 1.0, 0.75, 0.125]}


def test_pairs_are_all_systems_or_all_others_with_the_baseline() -> None:
    made = samples(VALUES)
    every, some = made.pairs(), made.pairs("b")
    assert (every.first.tolist(), every.second.tolist(), len(every), every.n_units) == ([0, 0, 1], [1, 2, 2], 3, 4)
    assert (some.first.tolist(), some.second.tolist(), len(some)) == ([0, 2], [1, 1], 2)
    assert some.taken(np.array([False, True])).first.tolist() == [2]
    with pytest.raises(BadInput, match="there is no system 'd'; available: a, b, c"):
        made.pairs("d")
    with pytest.raises(BadInput, match="at least two systems"):
        samples({"a": [1.0, 2.0]}).pairs()


def test_what_a_pair_comes_to() -> None:
    pairs = samples(VALUES).pairs()
    for p, (one, other) in enumerate((("a", "b"), ("a", "c"), ("b", "c"))):
        both = list(zip(map(Fraction, VALUES[one]), map(Fraction, VALUES[other]), strict=True))
        apart = [x - y for x, y in both]
        mean = sum(apart) / 4
        assert pairs.difference[:, p].tolist() == apart
        assert pairs.magnitude[:, p].tolist() == [max(abs(x), abs(y)) for x, y in both]
        assert pairs.mean[p] == mean
        assert pairs.deviation[p] ** 2 == pytest.approx(float(sum((each - mean) ** 2 for each in apart) / 3))
        assert pairs.size[p] == max(max(abs(x), abs(y)) for x, y in both)


def test_ranks_are_from_the_best_and_shared_by_equals() -> None:
    assert samples(VALUES).ranks.tolist() == [[1, 2.5, 2.5, 2], [2, 2.5, 1, 3], [3, 1, 2.5, 1]]
    lowest = replace(samples(VALUES), lower_is_better=True)
    assert lowest.ranks.tolist() == [[3, 1.5, 1.5, 2], [2, 1.5, 3, 1], [1, 3, 1.5, 3]]


def test_a_baseline_that_is_a_number_is_one_more_system() -> None:
    made = samples(VALUES).with_constant(0.5)
    assert made.systems == ("a", "b", "c", "0.5")
    assert made.values[3].tolist() == [0.5] * 4
    assert samples({"0.5": [1, 2], "b": [2, 1]}).with_constant(0.5).systems == ("0.5", "b", "always 0.5")
    for value in (np.inf, np.nan):
        with pytest.raises(BadInput, match=f"the baseline must be a finite number, not {value}"):
            samples(VALUES).with_constant(value)


@pytest.mark.parametrize(
    ("size", "taken"),
    [(GREATEST, True), (2 * GREATEST, False), (1 / GREATEST, True), (0.5 / GREATEST, False), (0.0, True)],
)
def test_values_that_cannot_be_computed_with_are_refused(size: float, taken: bool) -> None:
    values = {"a": [size, 0.0], "b": [0.0, -size]}
    if taken:
        assert samples(values).size == size
    else:
        with pytest.raises(BadInput, match=re.escape(f"values of {size:g} are too extreme to compute with")):
            samples(values)


def test_units_are_added_and_what_is_said_of_them_is_said_once() -> None:
    one = Samples(("a",), ("1",), np.array([[1.0]]), notes=("x", "y"))
    both = one + Samples(("a",), ("2", "3"), np.array([[2.0, 3.0]]), notes=("y", "z"))
    assert (both.units, both.values.tolist(), both.notes, len(both)) == (
        ("1", "2", "3"),
        [[1, 2, 3]],
        ("x", "y", "z"),
        3,
    )
    with pytest.raises(BadInput, match="samples of different systems cannot be added"):
        _ = one + Samples(("b",), ("2",), np.array([[2.0]]))


def test_samples_are_of_the_same_systems_if_these_have_the_same_names() -> None:
    one, other = (Samples(tuple("ab"), (unit,), np.zeros((2, 1))) for unit in ("1", "2"))
    assert one.systems is not other.systems
    assert (one + other).units == ("1", "2")
    assert Samples(("a",), (), np.zeros((1, 0))).size == 0


def test_values_without_more_said_are_of_queries_drawn_on_their_own() -> None:
    made = samples(VALUES)
    assert (made.unit, made.overlap, made.lower_is_better, made.notes, made.left_out) == ("query", 0, False, (), 0)
    assert made.units == ("1", "2", "3", "4")
    assert samples(VALUES, "fold").unit == "fold"


def test_values_by_unit_are_matched_by_its_name() -> None:
    made = samples({"a": {"q1": 1, 2: 0.5}, "b": {"2": "0.25", "q1": 3}})
    assert (made.units, made.values.tolist()) == (("q1", "2"), [[1, 0.5], [3, 0.25]])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "there are no systems to compare"),
        ({"a": "12", "b": [1, 2]}, "a: values must be a list, or {unit: value}, not '12'"),
        ({"a": b"12", "b": [1, 2]}, "a: values must be a list, or {unit: value}, not b'12'"),
        ({"a": {1, 2}, "b": [1, 2]}, "a: values must be a list, or {unit: value}, not {1, 2}"),
        ({"a": 3, "b": [1, 2]}, "a: values must be a list, or {unit: value}, not 3"),
        ({"a": [1, 2], "b": [1, "x"]}, "b: the value for '2' is 'x', which is not a number"),
        ({"a": [1, 2, 3], "b": [1, 2]}, "a has values for 3 units and b for 2, but 1 are not in both"),
        ({"a": {"x": 1}, "b": {"y": 1}}, "a has values for 1 unit and b for 1, but 2 are not in both"),
        ({"a": [1, 2], "b": [1, np.nan]}, "b: the value for query '2' is nan; 1 value is not a number"),
        ({"a": [np.inf, 2], "b": [1, np.nan]}, "a: the value for query '1' is inf; 2 values are not numbers"),
        ({"1": [1], 1: [1]}, "duplicate '1' among the systems"),
        ({"a": {"1": 1, 1: 2}}, "duplicate '1' among the units of a"),
    ],
)
def test_what_is_no_table_of_values_is_refused(values: dict[Any, Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        samples(values)
    assert str(caught.value).startswith(said)


def test_numbers_and_counts_in_words() -> None:
    assert [is_number(each) for each in (1, 1.5, np.float32(1), np.int8(1), Fraction(1, 2))] == [True] * 5
    assert [is_number(each) for each in (True, "1", None, 1j, np.array([1]))] == [False] * 5
    assert [counted(n, kind) for n, kind in ((1, "query"), (1234, "query"), (0, "fold"))] == [
        "1 query",
        "1,234 queries",
        "0 folds",
    ]
    assert by_name({1: "x", "b": "y"}, "systems") == {"1": "x", "b": "y"}


def test_topics_replace_units_by_their_means_in_order_of_their_names() -> None:
    values = Samples(("a", "b"), ("1", "2", "3"), np.array([[1.0, 2.0, 4.0], [0.0, 0.5, 1.0]]), notes=("first",))
    found = values.by_topic({"1": "x", "2": "b", "3": "x", "4": "unused"})
    assert (found.units, found.unit) == (("b", "x"), "topic")
    assert found.values.tolist() == [[2.0, 2.5], [0.5, 0.5]]
    assert found.notes == ("first", "values are means over the queries of each topic; every topic counts the same")
    with pytest.raises(BadInput, match="query '2' has no topic; it is missing for 2 of 3 queries"):
        values.by_topic({"1": "x"})


def test_percentages_beside_proportions_are_noted() -> None:
    mixed = samples({"a": [50, 40.5, 60], "b": [0.4, 0.3, 0.2]})
    assert mixed.notes == ("values of a from 40.5 to 60, of b from 0.2 to 0.4: are some of them percentages?",)
    for values in ({"a": [5, 4], "b": [3, 2]}, {"a": [0.5, 1.2], "b": [0.3, 0.2]}, {"a": [500, 400], "b": [0.5, 0]}):
        assert samples(values).notes == ()


def test_a_single_number_is_no_list_of_values() -> None:
    for value in (0.5, np.array(0.5)):
        with pytest.raises(BadInput, match="a: values must be a list"):
            samples({"a": value, "b": [0.4]})
