"""What was measured, as tables of plain text or Markdown, and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.cases import UNIT, Target
from benchmarks.running import Measured, Runs

PACKAGES = (
    *("cranfield", "pytrec_eval-terrier", "ir_measures", "ranx", "scikit-learn", "scipy", "polars", "numpy"),
    *("pyarrow", "pyspark"),
)
COLUMNS = (
    *("tool", "wall s", "CPU s", "peak MB", "× wall", "× CPU", "warm s", "× warm"),
    *("size MB", "runs", "apart by", "values apart"),
)


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and the cells as text; the first columns hold words, the others numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_words: int = 1

    def without_empty(self) -> Table:
        """The table without the columns that have nothing to say."""
        kept = [column for column in range(len(self.columns)) if any(row[column] for row in self.rows)]
        chosen = [[row[column] for column in kept] for row in (self.columns, *self.rows)]
        return Table(self.title, chosen[0], chosen[1:], self.n_words)


def text(table: Table) -> str:
    """The table in columns of equal width."""
    lines = [table.columns, *table.rows]
    width = [max(len(line[column]) for line in lines) for column in range(len(table.columns))]
    side = ["<" if column < table.n_words else ">" for column in range(len(width))]
    laid = ["  ".join(f"{cell:{to}{wide}}" for cell, to, wide in zip(line, side, width)).rstrip() for line in lines]
    return "\n".join([table.title, "-" * max(map(len, laid)), *laid])


def markdown(table: Table) -> str:
    """The table in Markdown."""
    rule = [":--" if column < table.n_words else "--:" for column in range(len(table.columns))]
    lines = ["| " + " | ".join(line) + " |" for line in [table.columns, rule, *table.rows]]
    return "\n".join([f"**{table.title}**", "", *lines])


def targets(measured: Iterable[Measured]) -> Table:
    """What was to be reached, and what was."""
    rows = [_target(case, target) for case in measured for target in case.case.targets]
    return Table("targets", ("case", "tool", "figure", "target", "reached", "met"), rows, n_words=3)


def figures(measured: Measured) -> Table:
    """The figures of every tool on a case."""
    title = f"{measured.case.name}: {measured.case.title}"
    return Table(title, COLUMNS, [_row(measured, tool, runs) for tool, runs in measured.runs.items()]).without_empty()


def _row(measured: Measured, tool: str, runs: Runs) -> list[str]:
    if runs.fault:
        return [tool, runs.fault, *[""] * (len(COLUMNS) - 2)]
    apart = measured.difference(tool)
    return [
        tool,
        _number(runs.best("wall")),
        _number(runs.best("cpu")),
        _number(runs.best("peak"), 0),
        _number(measured.times(tool, "wall")),
        _number(measured.times(tool, "cpu")),
        _number(runs.best("warm")),
        _number(measured.times(tool, "warm")),
        _number(runs.best("size")),
        str(len(runs.figures)),
        f"{apart[0]:.1g}" if apart else "",
        f"{apart[1]:,} of {apart[2]:,}" if apart else "",
    ]


def _number(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _target(measured: Measured, target: Target) -> list[str]:
    reached = measured.reached(target)
    unit = "×" if target.times else f" {UNIT[target.figure]}"
    bounds = [("≥", target.at_least), ("≤", target.at_most)]
    limits = " ".join(f"{sign} {bound:g}{unit}" for sign, bound in bounds if bound is not None)
    shown = "not measured" if reached is None else f"{reached:,.2f}{unit}"
    return [measured.case.name, target.tool, target.figure, limits, shown, _met(target, reached)]


def _met(target: Target, reached: float | None) -> str:
    if reached is None:
        return ""
    low = target.at_least is None or reached >= target.at_least
    high = target.at_most is None or reached <= target.at_most
    return "yes" if low and high else "NO"


def machine() -> dict[str, Any]:
    """Where it was measured."""
    return {
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": dict(_versions()),
    }


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def as_json(measured: Iterable[Measured]) -> dict[str, Any]:
    """All that was measured, run by run."""
    return {
        "machine": machine(),
        "cases": [
            {
                "benchmark": case.benchmark,
                "case": case.case.name,
                "title": case.case.title,
                "tools": {tool: _tool(case, tool, runs) for tool, runs in case.runs.items()},
                "targets": [
                    asdict(target) | {"reached": case.reached(target), "met": _met(target, case.reached(target))}
                    for target in case.case.targets
                ],
            }
            for case in measured
        ],
    }


def _tool(measured: Measured, tool: str, runs: Runs) -> dict[str, Any]:
    apart = measured.difference(tool)
    return {
        "runs": runs.figures,
        "fault": runs.fault or None,
        "times": measured.times(tool, "wall"),
        "difference": apart and dict(zip(("largest", "apart", "values"), apart, strict=True)),
    }
