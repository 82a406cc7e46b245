"""The classification report in scikit-learn's layout, and as a table for other formats."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.present.table import Column, Table, numbers, row, visible
from cranfield.results.classification_report import COLUMNS, ClassificationReport, ClassReport


def text(report: ClassificationReport, *, digits: int | None = None) -> str:
    """The report as scikit-learn prints it."""
    decimals = report.digits if digits is None else digits
    lines = (*report.classes, *report.averages)
    width = max(len("weighted avg"), *(len(visible(line.name)) for line in lines), decimals)
    parts = ["\n".join(_lines(part, width, decimals)) for part in (report.classes, report.averages)]
    return "\n\n".join([" " * (width + 1) + "".join(f" {name:>9}" for name in COLUMNS), *parts]) + "\n"


def _lines(lines: tuple[ClassReport, ...], width: int, digits: int) -> Iterator[str]:
    for line in lines:
        rates = (line.precision, line.recall, line.f1_score)
        shown = ("" if rate is None else f"{rate:.{digits}f}" for rate in rates)
        yield f"{visible(line.name):>{width}} " + "".join(f" {cell:>9}" for cell in (*shown, line.support))


def tables(report: ClassificationReport, *, digits: int) -> list[Table]:
    """One row per class, and the averages below."""
    classes, averages = (
        tuple(row(line.name, *line.figures.values()) for line in lines) for lines in (report.classes, report.averages)
    )
    return [Table((Column("class"), *numbers(*COLUMNS[:3], digits=digits), *numbers("support")), classes, averages)]
