"""Reproducibility as tables: the discriminative power and stability of measures, and rankings by fewer topics."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, row, rows_of
from cranfield.results.stability import Reproduction
from cranfield.text import percent

_FIELDS = {
    "systems": "n_systems",
    "topics": "n_topics",
    "significant": "discriminative_power",
    "swapped": "swap_rate",
    "low": "swap_low",
    "high": "swap_high",
}


def tables(reproduction: Reproduction, *, digits: int) -> list[Table]:
    """The figures of each measure, and the ranking of the systems by fewer topics."""
    return [figures(reproduction, digits), orders(reproduction, digits)]


def figures(reproduction: Reproduction, digits: int) -> Table:
    """One row per measure: its discriminative power, and how often two halves of the topics disagree."""
    figures = numbers("significant", "swapped", "low", "high", "difference", "tau", digits=digits)
    columns = (Column("measure"), *numbers("systems", "topics", digits=0), *figures)
    chosen = reproduction.settings
    notes = (
        f"significant: proportion of system pairs significant at level {chosen['level']:g} ({chosen['test']})",
        "swapped: proportion of system pairs that two halves of the topics rank in opposite order",
        f"low, high: {percent(1 - chosen['level'])} confidence interval of this for other sets of as many topics",
        f"difference: smallest difference at which at most {percent(chosen['rate'])} of the pairs swap",
        "tau: Kendall's tau between the rankings by half of the topics and by all",
        f"{chosen['resamples']:,} random subsets of topics, seed {chosen['seed']}",
        *(f"{one.measure}: {one.note.removeprefix(f'{one.measure}: ')}" for one in reproduction.rows if one.note),
    )
    rows = rows_of(reproduction.rows, columns, _FIELDS)
    return Table(columns, rows, title="Reproducibility on other topics", notes=notes)


def orders(reproduction: Reproduction, digits: int) -> Table:
    """One row per number of topics: tau between the ranking of the systems by that many topics and by all."""
    by_size: dict[int, dict[str, float]] = {}
    for record in reproduction.orders():
        by_size.setdefault(record["topics"], {})[record["measure"]] = record["tau"]
    columns = (*numbers("topics", digits=0), *numbers(*reproduction.stability, digits=digits))
    rows = tuple(
        row(size, *(taus.get(measure) for measure in reproduction.stability)) for size, taus in sorted(by_size.items())
    )
    note = "mean Kendall's tau with the ranking by all topics, over random subsets of each size"
    return Table(columns, rows, title="Ranking of the systems by fewer topics", notes=(note,))
