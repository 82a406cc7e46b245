"""Cross-entropy of soft labels as tables."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.measures.settings import CONFIDENCE
from cranfield.present.table import Column, Table, numbers, row, rows_of
from cranfield.results.cross_entropy import MEASURES, CrossEntropy
from cranfield.text import percent


def tables(entropies: CrossEntropy, *, digits: int, steps: bool = False) -> Iterator[Table]:
    """One row per system and measure; with `steps`, first one row per system and item."""
    if steps:
        yield _items(entropies, digits)
    columns = (Column("system"), Column("measure"), *numbers("value", "low", "high", digits=digits))
    notes = (
        f"means over {len(entropies.items):,} items, with {percent(CONFIDENCE)} t intervals, in nats",
        *(f"{name}: {words}" for name, words in MEASURES.items()),
        f"predicted probabilities are clipped to [{entropies.settings['clip']:g}, 1 - {entropies.settings['clip']:g}]",
    )
    yield Table(columns, rows_of(entropies.rows, columns), title="Cross-entropy of soft labels", notes=notes)


def _items(entropies: CrossEntropy, digits: int) -> Table:
    rows = tuple(
        row(system, item, *entropies.values[s, :, i].tolist())
        for s, system in enumerate(entropies.systems)
        for i, item in enumerate(entropies.items)
    )
    return Table((Column("system"), Column("item"), *numbers(*MEASURES, digits=digits)), rows, title="Each item")
