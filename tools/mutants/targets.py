"""The modules that are mutated, and the tests that may notice."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path("src/cranfield")
MUTATED = ("tables/names.py", "engines", "evidence", "results/values.py", "statistics")
AT_A_TIME = {"_BLOCK", "_BATCH", "_TOGETHER"}  # how much is computed at a time, which changes no figure
TESTS = (  # folders
    *("agreement", "classification", "cli", "comparison", "correlation", "estimation", "examination", "fuzz", "gates"),
    *("kernel", "laws", "oracles", "pools", "rankings", "reference", "regression", "stability", "trec_eval"),
)


def modules() -> list[Path]:
    """Every module that is mutated."""
    every = [path for name in MUTATED for path in sorted((SOURCE / name).glob("*.py")) or [SOURCE / name]]
    return [path for path in every if path.stat().st_size]
