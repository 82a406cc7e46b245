"""How often 95 % bootstrap intervals of kappa cover it: `python docs/kappa_coverage.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import cranfield

N_TABLES = 300
SIZES = (10, 20, 50)
SEED = 0

SHAPES = {  # the probability of each category, for both raters, and kappa
    "two equal categories, kappa 0.60": ((0.5, 0.5), 0.6),
    "two equal categories, kappa 0.80": ((0.5, 0.5), 0.8),
    "one category of 16 %, kappa 0.55": ((0.84, 0.16), 0.55),
    "four categories of 40, 30, 20 and 10 %, kappa 0.55": ((0.4, 0.3, 0.2, 0.1), 0.55),
}


def cells(proportions: tuple[float, ...], kappa: float) -> np.ndarray:
    """The probability of each pair of categories: with probability kappa, the second rater repeats the first."""
    p = np.array(proportions)
    return kappa * np.diag(p) + (1 - kappa) * np.outer(p, p)


def coverage(
    proportions: tuple[float, ...], kappa: float, n_items: int, n_tables: int = N_TABLES
) -> tuple[float, float]:
    """The proportion of intervals that cover kappa, and of tables without an interval."""
    random = np.random.default_rng(SEED)
    covered, bounded = 0, 0
    for _ in range(n_tables):
        drawn = random.choice(len(proportions) ** 2, n_items, p=cells(proportions, kappa).ravel())
        columns = {"one": drawn // len(proportions), "two": drawn % len(proportions)}
        ratings = {
            rater: dict(enumerate("abcd"[place] for place in column.tolist())) for rater, column in columns.items()
        }
        row = cranfield.agree(ratings, measures="Kappa").row("Kappa")
        if np.isfinite(row.low):
            bounded += 1
            covered += row.low <= kappa <= row.high
    return covered / max(bounded, 1), 1 - bounded / n_tables


def table() -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield "| two raters | " + " | ".join(f"{n} items" for n in SIZES) + " |"
    yield "|---|" + "---:|" * len(SIZES)
    for name, (proportions, kappa) in SHAPES.items():
        figures = (coverage(proportions, kappa, n_items) for n_items in SIZES)
        yield (
            f"| {name} | " + " | ".join(f"{held:.0%} ({lost:.0%})".replace("%", " %") for held, lost in figures) + " |"
        )


if __name__ == "__main__":
    print(*table(), sep="\n")  # noqa: T201
