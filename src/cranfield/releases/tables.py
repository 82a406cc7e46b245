"""Histories as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cranfield.present.table import Cell, Column, Row, Table, decimals, numbers
from cranfield.releases.history import History
from cranfield.text import counted

SHOWN = 12  # releases of a measure, the last ones
TURNS = 5  # change points that are named
MOVED = 5  # queries that rose or fell most


def tables(history: History, *, digits: int) -> list[Table]:
    """The change of each measure, its last releases, and the queries behind it."""
    made = history_tables(history, digits=digits, shown=SHOWN)
    confidence = f"{100 * history.settings['confidence']:g} %"
    notes = (
        f"change: of the mean, query by query, with its {confidence} t interval; intervals and verdicts of single "
        "changes are not adjusted for the number of releases",
        f"change point: the probability of any false one is at most {history.settings['level']:g}, however many "
        "releases there are",
        *history.notes,
    )
    made[-1] = replace(made[-1], notes=(*made[-1].notes, *notes))
    return made


def history_tables(history: History, *, digits: int, shown: int | None) -> list[Table]:
    """The change of each measure, its last releases, slices, and the queries that changed most."""
    by_measure = [_releases(history, measure, digits, shown) for measure in history.measures]
    return [_since(history, digits), *by_measure, *_slices(history, digits), *_moved(history, digits)]


def _since(history: History, digits: int) -> Table:
    columns = (
        Column("measure"), Column("since"), *numbers("before", "now", digits=digits), Column("change"),
        Column("interval"), Column("verdict"),
    )  # fmt: skip
    rows = tuple(
        _row(one.measure, one.since or "", one.before, one.value, _signed(one.change, digits), _between(one, digits),
             one.verdict)
        for one in history.since
    )  # fmt: skip
    return Table(columns, rows, lead=tuple(_turns(history, digits)))


def _turns(history: History, digits: int) -> Iterator[str]:
    """The change points of each measure, in a sentence."""
    for measure in history.measures:
        points = [point for point in history.change_points if point.measure == measure]
        if points:
            listed = ", ".join(f"{point.release} ({_signed(point.step, digits)})" for point in points[-TURNS:])
            more = f"{len(points) - TURNS} earlier ones, " if len(points) > TURNS else ""
            yield f"Change points of {measure}: {more}{listed}."


def _releases(history: History, measure: str, digits: int, shown: int | None) -> Table:
    """The last releases of a measure, newest first."""
    listed = [one for one in history.releases if one.measure == measure]
    rows = [
        _row(one.release, one.time[:10], one.value, _signed(one.change, digits), _between(one, digits), one.verdict,
             one.mark)
        for one in listed[::-1][:shown]
    ]  # fmt: skip
    with_marks = any(one.mark for one in listed[::-1][:shown])
    columns = (
        Column("release"), Column("date"), *numbers("value", digits=digits), Column("change"), Column("interval"),
        Column("verdict"), Column("mark"),
    )  # fmt: skip
    more = len(listed) - len(rows)
    notes = (f"… and {counted(more, 'earlier release')} (-f csv)",) * bool(more)
    if not with_marks:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, tuple(rows), title=measure, notes=notes)


def _slices(history: History, digits: int) -> list[Table]:
    if not len(history.slices):
        return []
    columns = (
        Column("measure"), Column("slice"), *numbers("n", digits=0), *numbers("now", digits=digits), Column("change"),
        Column("interval"), Column("verdict"),
    )  # fmt: skip
    rows = tuple(
        _row(one.measure, one.slice, one.n, one.value, _signed(one.change, digits), _between(one, digits), one.verdict)
        for one in history.slices
    )
    return [Table(columns, rows, title="Slices")]


def _moved(history: History, digits: int) -> list[Table]:
    """The queries of the first measure that moved most, and those that turned most often."""
    first = history.measures[0]
    of_first = [one for one in history.queries if one.measure == first]
    fell, rose = moved(of_first, MOVED)
    if not fell and not rose:
        return []
    columns = (
        Column("query"), *numbers("before", "now", digits=digits), Column("change"),
        *numbers("rose", "fell", "reversals", digits=0),
    )  # fmt: skip
    rows = tuple(change_row(one, digits) for one in (*fell, *rose))
    since = history.since[0].since
    notes = ("rose, fell: number of releases; reversals: changes of direction",)
    return [Table(columns, rows, title=f"Queries that changed most in {first} since {since}", notes=notes)]


def moved(queries: Sequence[Any], most: int) -> tuple[list[Any], list[Any]]:
    """The queries that fell most, and those that rose most."""
    ordered = sorted(queries, key=lambda one: one.change)
    fell = [one for one in ordered[:most] if one.change < 0]
    rose = [one for one in ordered[::-1][:most] if one.change > 0]
    return fell, rose[::-1]


def change_row(one: Any, digits: int) -> Row:
    """The row of a query."""
    return _row(one.query, one.before, one.value, _signed(one.change, digits), one.rose, one.fell, one.reversals)


def _row(*values: Any) -> Row:
    return tuple(map(Cell, values))


def _signed(change: float | None, digits: int) -> str:
    return "" if change is None else f"{change:+.{digits}f}"


def _between(one: Any, digits: int) -> str:
    """The bounds of a change, with as many decimals as their distance needs."""
    if one.low is None:
        return ""
    places = max(digits - 1, min(digits, 2), decimals(one.high - one.low) if digits else 0)
    return f"{one.low:+.{places}f} to {one.high:+.{places}f}"
