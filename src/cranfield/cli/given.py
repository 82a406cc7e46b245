"""What a command was given to look at: runs, which are evaluated, or values in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cranfield.cli.evaluated import evaluated
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.evidence.samples import Samples
    from cranfield.results.provenance import Provenance
    from cranfield.results.values import Result

QrelsOrNone = Annotated[
    str | None,
    typer.Argument(metavar="QRELS", show_default=False, help="Judgments; - reads them from standard input."),
]
RunsOrNone = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", show_default=False, help="Runs; - reads standard input."),
]
Values = Annotated[
    str | None,
    typer.Option(
        "--values",
        metavar="FILE",
        help="Take values from a table instead of runs: a row a query, fold or item and a column a system, or "
        "columns system, value, measure and query (as eval -q -f csv prints them).",
    ),
]


def of_runs(
    qrels: str | None, runs: list[str] | None, measures: list[str] | None, quiet: bool, **settings: Any
) -> Result:
    """The result of the runs, which must be there."""
    if qrels is None or not runs:
        raise BadSetting("give judgments and runs (QRELS RUN …), or a table of values (--values FILE)")
    return evaluated(qrels, runs, measures, quiet, **settings)


def of_table(path: str, **not_given: Any) -> tuple[dict[str, Samples], Provenance]:
    """The samples of each measure in a table of values, and where they came from; nothing else may be given."""
    from cranfield.evidence.samples import samples
    from cranfield.results.provenance import Origin, Provenance
    from cranfield.tables.values import read_values

    for name, value in not_given.items():
        if value:
            raise BadSetting(f"{name} goes with runs; a table of values has its own units and measures")
    table = read_values(path)
    source = Origin("values", table.name, table.form, table.digest)
    own = {measure: samples(values, table.unit) for measure, values in table.values.items()}
    return own, Provenance((source,), {}, (), {})
