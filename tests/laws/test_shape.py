"""Lists of results: named columns with a schema, from which rows, records and tables follow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranfield.present.formats import aligned
from cranfield.present.table import listed
from cranfield.results.shape import Field, Schema, figures, texts

PAIRS = Schema(
    "pairs",
    "Differences",
    (*texts("system"), *figures("difference"), Field("p", "p-value", digits=3, probability=True, optional=True)),
)


def test_rows_are_read_by_place_and_columns_by_name() -> None:
    pairs = PAIRS.of([("new", 0.25, 0.5), ("old", np.float64(0.5), None)])
    assert (pairs[0].system, pairs[-1].difference) == ("new", 0.5)
    assert pairs["system"] == ("new", "old")
    assert [row.p for row in pairs] == [0.5, None]
    assert type(pairs[1].difference) is float
    assert len(pairs[:1]) == 1


def test_rows_may_be_mappings() -> None:
    row = {"difference": 1, "system": "a", "p": None}
    assert PAIRS.of([row]).records() == [row]


def test_what_is_undefined_is_none() -> None:
    pairs = PAIRS.of([("new", math.nan, math.inf)])
    assert pairs[0].difference is None
    assert pairs[0].p == math.inf
    assert pairs.records() == [{"system": "new", "difference": None, "p": None}]


@pytest.mark.parametrize("row", [("new", 0.1), ("new", "0.1", 0.5), (1, 0.1, 0.5)])
def test_rows_that_do_not_fit_the_schema_are_refused(row: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="pairs"):
        PAIRS.of([row])


def test_a_name_that_no_column_has_is_refused() -> None:
    with pytest.raises(KeyError, match="system, difference, p"):
        PAIRS.of([])["q"]


def test_tables_leave_out_optional_columns_that_are_empty() -> None:
    shown = aligned(listed(PAIRS.of([("new", 0.25, None)]), digits=2, notes=["a note"]))
    assert [line.split() for line in shown.splitlines() if "new" in line or "system" in line] == [
        ["system", "difference"],
        ["new", "0.25"],
    ]
    assert "a note" in shown
    assert "p-value" in aligned(listed(PAIRS.of([("new", 0.25, 0.5)]), digits=2))
