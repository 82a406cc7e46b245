"""The coverage of intervals that the documentation reports is what the simulation gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tools.coverage import table
from tools.coverage.__main__ import cases, simulated
from tools.simulations import interval_coverage, interval_variants, sequence_width

from cranfield.measures.declaration import NoInterval

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation" / "skewed-intervals.md").read_text("utf-8")


def test_twenty_queries_of_a_hard_collection_are_covered_as_reported() -> None:
    hard = interval_coverage.SHAPES[1]
    place = 2 + interval_coverage.SIZES.index(20)
    for method, (below, above) in interval_coverage.misses(hard, 20).items():
        (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {hard.name} (2.2) | {method} |")]
        reported = f"{100 * (1 - below - above):.1f} ({100 * below:.1f}, {100 * above:.1f})"
        assert line.split("|")[1 + place].strip() == reported


@pytest.mark.simulation
def test_the_whole_table_is_as_reported() -> None:
    assert "\n".join(interval_coverage.table()) in PAGE


def test_the_extremes_of_the_variants_are_as_reported() -> None:
    bounded, hall = (interval_variants.METHODS[name] for name in ("bounded t", "Hall"))
    values = np.random.default_rng(0).beta(0.25, 2.25, (20, 2_000))
    for method, least in ((bounded, 0.95), (hall, 0.93)):
        low, high = method(values)
        assert least < ((low <= 0.1) & (high >= 0.1)).mean() < 0.98


@pytest.mark.simulation
def test_the_table_of_variants_is_as_reported() -> None:
    assert "\n".join(interval_variants.table()) in PAGE


@pytest.mark.simulation
def test_confidence_sequences_are_as_wide_as_reported() -> None:
    page = " ".join((DOCS / "explanation" / "which-test.md").read_text("utf-8").split())
    first, second = sequence_width.ratios().values()
    assert f"{first:.1f} times as wide as a t interval after 50 topics" in page
    assert f"{second:.1f} times after 200" in page


# intervals over items

ROWS = table.read()


def test_every_measure_over_items_with_an_interval_has_been_simulated() -> None:
    simulated = {table.declared(subject, measure) for subject, measure, _ in table.by_measure(ROWS)}
    missing = {one.name for one in table.measures_with_intervals() if one not in simulated}
    assert missing == set()


CASES = [pytest.param(*case, id=", ".join(case[:2])) for case in table.by_measure(ROWS)]


@pytest.mark.parametrize(("subject", "measure", "rows"), CASES)
def test_intervals_cover_where_they_are_printed(subject: str, measure: str, rows: list[table.Row]) -> None:
    assert table.failures(rows) == []
    assert not isinstance(table.declared(subject, measure).interval, NoInterval)
    assert sum(row.intervals for row in rows) > 100


def test_intervals_that_do_not_cover_fail() -> None:
    row = table.Row("binary", "KS", 50, 0.2, 1_000, 20, 130, 0, 0.8, "chance")
    assert len(table.failures([row])) == 3
    assert len(table.failures([row._replace(below=0, above=0)])) == 2  # too wide, and one shape too narrow
    assert table.failures([row._replace(above=30, lowest=0.94)]) == []


def test_the_page_is_that_of_the_table() -> None:
    assert table.PAGE.read_text("utf-8") == table.page(ROWS)


@pytest.mark.simulation
def test_a_row_is_what_the_simulation_gives() -> None:
    chosen = [case for case in cases() if (case.subject, case.n, case.prevalence) == ("binary", 20, 0.2)]
    found = table.rows(cell for case in chosen for cell in simulated(case))
    reported = [row for row in ROWS if (row.subject, row.n, row.prevalence) == ("binary", 20, 0.2)]
    assert [*map(str, found)] == [*map(str, reported)]  # as text, since NaN is not equal to itself
