"""Figures and names read as in a sentence."""

from __future__ import annotations

import pytest

from cranfield.text import (
    amount,
    any_of,
    count,
    listed,
    number,
    numbers,
    percent,
    probability,
    subtraction,
    tally,
    top,
    value,
)


@pytest.mark.parametrize(
    ("n", "thing", "words"),
    [
        (1, "query", "1 query"),
        (3, "query", "3 queries"),
        (0, "item", "0 items"),
        (1830, "case", "1,830 cases"),
        (2, "class", "2 classes"),
    ],
)
def test_one_is_singular_and_all_else_plural(n, thing, words):
    assert count(n, thing) == words


def test_the_top_is_not_1_documents():
    assert [top(1), top(2)] == ["top-ranked documents", "top 2 documents"]


def test_weights_need_not_be_whole():
    assert [amount(2.5), amount(2.0)] == ["2.5", "2"]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.714, "71 %"), (0.9945, "99.5 %"), (0.0149, "1.5 %"), (0.09, "9 %"), (0, "0 %"), (1, "100 %")],
)
def test_a_percentage_has_decimals_near_0_and_100(value, words):
    assert percent(value) == words


def test_only_all_is_100_percent():
    assert percent(0.99999) == "99.999 %"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((0.31, 0.52), ["0.31", "0.52"]),
        ((0.5211, 0.5234), ["0.521", "0.523"]),
        ((0.99, 0.997), ["0.990", "0.997"]),
        ((0.5, 0.5), ["0.50", "0.50"]),
        ((0.0, 1.0), ["0.00", "1.00"]),
    ],
)
def test_figures_have_as_many_decimals_as_tell_them_apart(values, words):
    assert numbers(*values) == words


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ((0.6137, 0.7555, 0.1418), ["0.6137", "0.7555", "0.1418"]),  # not 0.61, 0.76 and 0.14
        ((0.614, 0.758, 0.144), ["0.614", "0.758", "0.144"]),
        ((0.5, 0.0, 0.5), ["0.50", "0.00", "0.50"]),
        ((0.5, 0.4996, 0.0004), ["0.5000", "0.4996", "0.0004"]),
        ((0.57, 0.5, 0.131), ["0.57", "0.50", "0.13"]),  # not a subtraction
    ],
)
def test_a_printed_difference_is_that_of_the_printed_values(figures, words):
    assert subtraction(*figures) == words


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0497, "p = 0.0497"),  # significant at 0.05, where 0.05 would not be
        (0.05003, "p = 0.05003"),
        (0.05, "p = 0.05"),
        (0.998, "p > 0.99"),
        (1, "p = 1"),
    ],
)
def test_a_p_value_is_not_rounded_to_a_level(p, words):
    assert probability(p) == words


def test_a_tiny_figure_is_not_shown_as_nothing():
    assert [number(0.0004), number(4e-9)] == ["0.0004", "4e-09"]


def test_a_p_value_is_never_0():
    assert [probability(0.0312), probability(1e-9), probability(1.0)] == ["p = 0.031", "p < 0.001", "p = 1"]


@pytest.mark.parametrize(
    ("names", "words"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"), (list("abcde"), "a, b, c and 2 more")],
)
def test_of_many_names_the_rest_are_counted(names, words):
    assert listed(names) == words


def test_a_tally_says_how_many_on_what():
    assert tally({"AP": 3, "RR": 1}) == "3 on AP and 1 on RR"


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (12345, "12,300"),
        (4.1, "4.10"),
        (0.0021, "0.00210"),
        (9.996, "10.0"),
        (0.09996, "0.100"),
        (99.96, "100"),
        (0, "0"),
    ],
)
def test_a_quantity_has_three_significant_digits(figure: float, words: str) -> None:
    assert value(figure) == words


def test_names_after_a_negation_are_joined_by_or() -> None:
    assert any_of(["a"]) == "a"
    assert any_of(["a", "b", "c"]) == "a, b or c"
    assert any_of([*"abcd"]) == "a, b, c or 1 other"
    assert any_of([*"abcdefgh"]) == "a, b, c or 5 others"


def test_large_counts_by_name_have_separators() -> None:
    assert tally({"AP": 2910, "RR": 3}) == "2,910 on AP and 3 on RR"
