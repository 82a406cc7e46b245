"""The coverage of intervals that the documentation reports is what the simulation gives."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation" / "skewed-intervals.md").read_text("utf-8")
SIMULATION = runpy.run_path(str(DOCS / "interval_coverage.py"))


def test_twenty_queries_of_a_hard_collection_are_covered_as_reported() -> None:
    hard = SIMULATION["SHAPES"][1]
    place = 2 + SIMULATION["SIZES"].index(20)
    for method, (below, above) in SIMULATION["misses"](hard, 20).items():
        (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {hard.name} (2.2) | {method} |")]
        reported = f"{100 * (1 - below - above):.1f} ({100 * below:.1f}, {100 * above:.1f})"
        assert line.split("|")[1 + place].strip() == reported


@pytest.mark.simulation
def test_the_whole_table_is_as_reported() -> None:
    assert "\n".join(SIMULATION["table"]()) in PAGE
