"""`cranfield regress`: how far predicted values are from the actual ones."""

from __future__ import annotations

from typing import Annotated

import typer

from cranfield.cli.classify import By, File, Item, Weight
from cranfield.cli.findings import FindingsOption, closing, examined, require_room
from cranfield.cli.options import Digits, FormatOption, Output, Quiet, format_of
from cranfield.cli.output import require_place, show, write
from cranfield.cli.warned import warnings_told

EXAMPLES = """\b
Examples:
  cranfield regress predictions.csv --actual price --predicted guess
  cranfield regress predictions.csv --actual price --predicted tree --predicted forest --by fold -m RMSE -m R2
"""

Actual = Annotated[str, typer.Option("--actual", "-a", metavar="COLUMN", show_default=False, help="The true values.")]
Predicted = Annotated[
    list[str],
    typer.Option(
        "--predicted",
        "-p",
        metavar="COLUMN",
        show_default=False,
        help="Values that were predicted; repeated for several systems.",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", metavar="MEASURE", help="A measure, such as RMSE or R2; may be repeated."),
]


def regress_items(
    file: File,
    actual: Actual,
    predicted: Predicted,
    item: Item = None,
    weight: Weight = None,
    by: By = None,
    measure: Measures = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Say how far predicted values are from the actual ones."""
    from cranfield.assessment.regression import STANDARD, regress
    from cranfield.present import regression, results
    from cranfield.present.classification_data import regression_document

    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    with warnings_told(quiet):
        systems = {column: column for column in predicted}
        found = regress(actual, systems, data=file, item=item, weight=weight, by=by, measures=measure or STANDARD)
        said = examined(findings, found)
    if chosen == "json":
        write(regression_document(found, digits=digits, findings=said), output)
    elif chosen == "csv":
        write(found.result.to_csv(per_query=bool(found.groups), digits=digits), output)
    else:
        shown = regression.tables(found, digits=results.DIGITS if digits is None else digits)
        show(shown, chosen, output, closing(said, chosen))
