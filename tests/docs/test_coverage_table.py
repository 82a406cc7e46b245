"""The coverage of intervals that the documentation reports is what the simulation gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tools.coverage import table
from tools.coverage.__main__ import cases, simulated
from tools.coverage.tally import Cell
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


@pytest.mark.parametrize(("subject", "measure", "cells"), CASES)
def test_intervals_cover_where_they_are_printed(subject: str, measure: str, cells: list[Cell]) -> None:
    assert table.failures(cells) == []
    assert not isinstance(table.declared(subject, measure).interval, NoInterval)
    assert sum(cell.intervals for cell in cells) > 100


GOOD = Cell("binary", "KS", 50, 0.2, "calibrated", 160, 4, 4, 0)


def test_a_cell_that_covers_too_rarely_fails_however_well_others_cover() -> None:
    others = [GOOD._replace(shape=str(n)) for n in range(50)]
    assert table.failures(others) == []
    found = table.failures([*others, GOOD._replace(shape="chance", above=26)])
    assert found == [f"{name}: 81.2% of 160 intervals cover" for name in ("n 50, prevalence 0.2, chance", "chance")]


def test_intervals_that_cover_a_little_too_rarely_everywhere_fail() -> None:
    cells = [GOOD._replace(n=n, below=12) for n in range(40)]
    assert not any(table.failures([cell]) for cell in cells)
    assert {found.partition(":")[0] for found in table.failures(cells)} == {"calibrated", "all"}


def test_intervals_that_always_cover_fail() -> None:
    assert table.failures([GOOD._replace(below=0, above=0)]) == ["160 of 160 intervals cover"]


def test_the_page_is_that_of_the_table() -> None:
    assert table.PAGE.read_text("utf-8") == table.page(ROWS)


@pytest.mark.simulation
def test_a_cell_is_what_the_simulation_gives() -> None:
    chosen = [case for case in cases() if (case.subject, case.n, case.prevalence) == ("binary", 20, 0.2)]
    found = sorted(cell for case in chosen for cell in simulated(case) if cell.intervals + cell.none)
    assert found == [cell for cell in ROWS if (cell.subject, cell.n, cell.prevalence) == ("binary", 20, 0.2)]
