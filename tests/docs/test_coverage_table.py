"""The coverage of intervals that the documentation reports is what the simulation gives."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
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


def test_the_extremes_of_the_variants_are_as_reported() -> None:
    variants = runpy.run_path(str(DOCS / "interval_variants.py"))
    bounded, hall = (variants["METHODS"][name] for name in ("bounded t", "Hall"))
    values = np.random.default_rng(0).beta(0.25, 2.25, (20, 2_000))
    for method, least in ((bounded, 0.95), (hall, 0.93)):
        low, high = method(values)
        assert least < ((low <= 0.1) & (high >= 0.1)).mean() < 0.98


@pytest.mark.simulation
def test_the_table_of_variants_is_as_reported() -> None:
    assert "\n".join(runpy.run_path(str(DOCS / "interval_variants.py"))["table"]()) in PAGE


@pytest.mark.simulation
def test_confidence_sequences_are_as_wide_as_reported() -> None:
    page = (DOCS / "explanation" / "which-test.md").read_text("utf-8")
    first, second = runpy.run_path(str(DOCS / "sequence_width.py"))["ratios"]().values()
    assert f"{first:.1f} times as wide as a t interval after 50 topics" in page
    assert f"{second:.1f} times after 200" in page


@pytest.mark.simulation
def test_intervals_of_kappa_cover_as_reported() -> None:
    page = (DOCS / "explanation" / "kappa.md").read_text("utf-8")
    assert "\n".join(runpy.run_path(str(DOCS / "kappa_coverage.py"))["table"]()) in page
