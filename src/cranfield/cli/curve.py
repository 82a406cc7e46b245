"""`cranfield curve`: points of precision against recall."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from cranfield.cli.options import Digits, Format, FormatOption, Output, Qrels, Quiet, Runs, format_of
from cranfield.cli.output import require_place, show, write
from cranfield.cli.warned import warnings_told

EXAMPLES = """\b
Examples:
  cranfield curve qrels.txt bm25.run dense.run
  cranfield curve qrels.txt *.run --form cutoffs --points 5,10,20,50
  cranfield curve qrels.txt bm25.run --form ranks --points 100 -o points.csv
"""

Form = Annotated[
    Literal["recalls", "cutoffs", "interpolated", "ranks"],
    typer.Option(
        help="Means over queries of interpolated precision at levels of recall, or of precision and recall at "
        "cut-offs; for each query, interpolated precision at each recall reached, or the point after each document.",
    ),
]
Points = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Levels of recall or cut-offs, with commas; for ranks, how many."),
]
Grade = Annotated[float, typer.Option("-l", "--rel", metavar="GRADE", help="The grade from which one is relevant.")]

_FORMS = {
    "recalls": "at recalls",
    "cutoffs": "at cutoffs",
    "interpolated": "interpolated",
    "ranks": "every rank",
}


def draw_curve(
    qrels: Qrels,
    runs: Runs,
    form: Form = "recalls",
    points: Points = None,
    rel: Grade = 1,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Give the points of precision against recall, as data."""
    from cranfield.api import precision_recall

    wanted = None if points is None else _numbers(points)
    require_place(output)
    with warnings_told(quiet):
        curve = precision_recall(qrels, runs, form=_FORMS[form], points=wanted, rel=rel)  # type: ignore[arg-type]
    rows = list(zip(*(column.to_pylist() for column in curve.columns), strict=True))
    _deliver(curve.column_names, rows, format or format_of(output), output, digits)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 5,10,20") from None


def _deliver(
    heads: list[str],
    rows: list[tuple[str | float | None, ...]],
    format: Format,  # noqa: A002
    output: str | None,
    digits: int | None,
) -> None:
    from cranfield.present.table import Cell, Column, Table
    from cranfield.results.writing import comma_separated, json_text

    if format == "csv":
        write(comma_separated(heads, rows, digits=digits), output)
    elif format == "json":
        write(json_text([dict(zip(heads, row, strict=True)) for row in rows]), output)
    else:
        empty = {heads.index(head) for head in ("query", "rank") if all(row[heads.index(head)] is None for row in rows)}
        kept = [place for place in range(len(heads)) if place not in empty]
        columns = tuple(
            Column(heads[p], heads[p] not in ("system", "query"), 4 if digits is None else digits) for p in kept
        )
        show([Table(columns, tuple(tuple(Cell(row[place]) for place in kept) for row in rows))], format, output)
