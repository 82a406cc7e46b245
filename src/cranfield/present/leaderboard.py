"""The leaderboard: systems with the best first, confidence intervals, and significant differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from cranfield.measures.settings import CONFIDENCE
from cranfield.present.comparison import tested, untested
from cranfield.present.rankings import overview, ranked
from cranfield.present.table import DIGITS, Cell, Column, Row, Table
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.rankings import Result
from cranfield.results.writing import decoded

MOST_MARKED = 10  # with more systems, the letters would be longer than the figures
STAR, DAGGER = "*", "†"

Marks = dict[tuple[str, str], str]


def leaderboard(
    result: Result,
    *,
    comparison: Comparison | None = None,
    tiers: Mapping[str, str] | None = None,
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per system, best by the first measure first; marks show significant differences.

    `tiers` are the numbers of the tiers of each system; the settings are those of `Result.intervals`.
    """
    ordered = ranked(result, result.measures[0])
    plain = overview(ordered, digits=digits, confidence=confidence, **settings)
    letters = _letters(ordered, comparison)
    marks = {} if comparison is None else _marks(comparison, letters)
    named = [Column("")] * bool(letters) + [plain.columns[0]] + [Column("tier")] * bool(tiers)
    rows = [_row(row, plain, letters, tiers, marks) for row in plain.rows]
    notes = (*plain.notes, *_test_notes(comparison, letters), *_tiered(tiers, ordered))
    return Table((*named, *plain.columns[1:]), tuple(rows), notes=notes)


def _row(row: Row, plain: Table, letters: Mapping[str, str], tiers: Mapping[str, str] | None, marks: Marks) -> Row:
    system = str(row[0].value)
    cells = [Cell(letters[system])] if letters else []
    cells += [row[0], *([Cell(tiers[decoded(system)])] if tiers else [])]
    for cell, column in zip(row[1:], plain.columns[1:], strict=True):
        cells.append(replace(cell, marks=marks.get((system, column.name), "")))
    return tuple(cells)


def _letters(result: Result, comparison: Comparison | None) -> dict[str, str]:
    """A letter for each system, used in the marks of others; none if all are compared with one baseline."""
    if comparison is None or _baseline(comparison) or not 2 <= len(result.systems) <= MOST_MARKED:
        return {}
    return dict(zip(result.systems, ascii_uppercase, strict=False))


def _baseline(comparison: Comparison) -> str | None:
    """The system that all others are compared with, if there is one."""
    names = {row.baseline for row in comparison.rows}
    return names.pop() if len(names) == 1 else None


def _marks(comparison: Comparison, letters: Mapping[str, str]) -> Marks:
    """For each value, the letters of the systems that it is significantly better than.

    A star marks a significant difference from the baseline; without letters, a dagger marks systems that are
    significantly worse than the best of the column.
    """
    if _baseline(comparison) is not None:
        return {(row.system, row.measure): STAR for row in comparison.rows if row.significant}
    beaten = [(row.measure, *_better(row)) for row in comparison.rows if row.significant]
    if not letters:
        best = _best(comparison)
        return {(loser, measure): DAGGER for measure, winner, loser in beaten if winner == best.get(measure)}
    signs: dict[tuple[str, str], list[str]] = {}
    for measure, winner, loser in beaten:
        signs.setdefault((winner, measure), []).append(letters[loser])
    return {key: "".join(sorted(beaten_letters)) for key, beaten_letters in signs.items()}


def _better(row: Compared) -> tuple[str, str]:
    """The system with the better mean, and the other."""
    ahead = (row.difference < 0) == row.lower_is_better
    return (row.system, row.baseline) if ahead else (row.baseline, row.system)


def _best(comparison: Comparison) -> dict[str, str]:
    """The best system by each measure."""
    beaten = {(row.measure, _better(row)[1]) for row in comparison.rows}
    named = {(row.measure, system) for row in comparison.rows for system in (row.system, row.baseline)}
    return dict(sorted(named - beaten))


def _test_notes(comparison: Comparison | None, letters: Mapping[str, str]) -> Iterator[str]:
    if comparison is None:
        return
    if baseline := _baseline(comparison):
        yield f"{STAR} differs significantly from {baseline} ({tested(comparison)})"
    elif letters:
        yield f"letters next to a value: significantly better than systems with these letters ({tested(comparison)})"
    else:
        yield f"{DAGGER} significantly worse than the best of its column ({tested(comparison)})"
    yield from filter(None, [comparison.each_alone])
    yield from untested(comparison)


def _tiered(tiers: Mapping[str, str] | None, result: Result) -> Iterator[str]:
    if tiers:
        yield f"tier: systems with the same number are not significantly different in {result.measures[0]} (same test)"
