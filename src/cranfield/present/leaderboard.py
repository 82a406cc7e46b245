"""The leaderboard: systems from the best down, how sure each figure is, and whom each system is shown to beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from string import ascii_uppercase

from cranfield.present.results import CONFIDENCE, DIGITS, overview, ranked
from cranfield.present.table import Cell, Column, Row, Table
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.values import Result

MOST_MARKED = 10  # systems; marks of more would be longer than the figures

Marks = dict[tuple[str, str], str]


def leaderboard(
    result: Result,
    *,
    comparison: Comparison | None = None,
    tiers: Mapping[str, str] | None = None,
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
) -> Table:
    """A row for each system, the best by the first measure on top; marks say what it differs from significantly.

    `tiers` are the letters of the groups each system belongs to.
    """
    ordered = ranked(result, result.measures[0])
    plain = overview(ordered, digits=digits, confidence=confidence)
    letters = _letters(ordered, comparison)
    marks = {} if comparison is None else _marks(comparison, letters)
    named = [Column("")] * bool(letters) + [plain.columns[0]] + [Column("tier")] * bool(tiers)
    rows = [_row(row, plain, letters, tiers, marks) for row in plain.rows]
    notes = (*plain.notes, *_said(comparison, letters))
    return Table((*named, *plain.columns[1:]), tuple(rows), notes=notes)


def _row(row: Row, plain: Table, letters: Mapping[str, str], tiers: Mapping[str, str] | None, marks: Marks) -> Row:
    system = str(row[0].value)
    cells = [Cell(letters[system])] if letters else []
    cells += [row[0], *([Cell(tiers.get(system) or "alone")] if tiers else [])]
    for cell, column in zip(row[1:], plain.columns[1:], strict=True):
        cells.append(replace(cell, marks=marks.get((system, column.name), "")))
    return tuple(cells)


def _letters(result: Result, comparison: Comparison | None) -> dict[str, str]:
    """A letter for each system, by which the marks of the others name it; none where all are compared with one."""
    if comparison is None or _baseline(comparison) or not 2 <= len(result.systems) <= MOST_MARKED:
        return {}
    return dict(zip(result.systems, ascii_uppercase, strict=False))


def _baseline(comparison: Comparison) -> str | None:
    """The one system that all others are compared with, if there is one; two systems are compared with each other."""
    names = {row.baseline for row in comparison.rows}
    return names.pop() if len(names) == 1 else None


def _marks(comparison: Comparison, letters: Mapping[str, str]) -> Marks:
    """Beside each figure the letters of the systems it is significantly better than, or a star for the baseline."""
    beaten: dict[tuple[str, str], list[str]] = {}
    baseline = _baseline(comparison)
    for row in comparison.rows:
        if not row.significant:
            continue
        if baseline is not None:
            beaten.setdefault((row.system, row.measure), []).append("*")
        elif letters:
            winner, loser = _better(row)
            beaten.setdefault((winner, row.measure), []).append(letters[loser])
    return {key: "".join(sorted(signs)) for key, signs in beaten.items()}


def _better(row: Compared) -> tuple[str, str]:
    """The system whose values are better more often on average, and the other."""
    from cranfield.registry import parse

    rising = parse(row.measure).family.higher_is_better is not False
    ahead = (row.difference > 0) == rising
    return (row.system, row.baseline) if ahead else (row.baseline, row.system)


def _said(comparison: Comparison | None, letters: Mapping[str, str]) -> tuple[str, ...]:
    if comparison is None:
        return ()
    how = f"{comparison.test.title}, level {comparison.level:g}"
    if comparison.correction != "none":
        how += f", {comparison.correction} over {len(comparison)} comparisons"
    if baseline := _baseline(comparison):
        return (f"* differs significantly from {baseline} ({how})",)
    return (f"letters: significantly better than the systems so named ({how})",) if letters else ()
